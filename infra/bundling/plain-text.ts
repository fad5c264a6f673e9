import type { Plugin } from 'esbuild'
import type { SourceOf } from './function-source.ts'

/** What chrono says of its own work to whoever debugs it, and which of its parts read what: here nobody asks. */
const CHRONO_ASIDE = [
  /\bcontext\.debug\(\(\) => \{\s*console\.log\(`[^`]*`\);\s*\}\);/g,
  /\bcontext\.debug\(\(\) => console\.log\(`[^`]*`\)\);/g,
  /^ {4}debug\(block\) \{\n(?: {8}.*\n| *\n)*? {4}\}\n/gm,
  // Of the tags only those of results and casual references are read.
  /\s*\.addTag\("(?:parser|refiner)\/\w+"\)/g,
  /^ {4}toString\(\) \{\n(?: {8}.*\n| *\n)*? {4}\}\n/gm,
]

/**
 * One character beyond Latin 1 doubles what V8 has to read: it keeps the whole file in two bytes a character then. esbuild
 * escapes them wherever it may; these are the only ones in regular expressions.
 */
export const plainText = (sourceOf: SourceOf): Plugin => ({
  name: 'plain-text',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]chrono-node[\\/].*\.js$/ }, ({ path: file }) => {
      const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      const asked = CHRONO_ASIDE.reduce((text, aside) => text.replace(aside, ''), sourceOf(file))
      return { contents: asked.replace(/[^\0-\x7f]/g, escaped), loader: 'js' }
    })
  },
})
