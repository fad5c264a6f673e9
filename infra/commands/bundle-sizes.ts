import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { bundleFunctions } from '../bundling/bundle-functions.ts'
import { entryOf } from '../bundling/bundle-places.ts'
import type { BundleSize } from '../bundling/bundle-size.ts'

const HELP = `npm run bundle:sizes -- [--json]
Bundles every function and prints what each weighs: what a cold start reads (minified, and compressed), the parts that
are read at their first use, and the heaviest packages of what a cold start reads.
Nothing is bundled again when nothing changed.`

const PACKAGES_SHOWN = 3
const KB = 1024

const inKb = (bytes: number): string => (bytes / KB).toFixed(0)

function compressed({ id }: BundleSize): number {
  return gzipSync(readFileSync(entryOf(id))).length
}

function row(size: BundleSize): string {
  const heaviest = size.parts.slice(0, PACKAGES_SHOWN).map(([name, bytes]) => `${name} ${inKb(bytes)}`)
  return `| ${size.id} | ${inKb(size.bytes)} | ${inKb(compressed(size))} | ${inKb(size.later)} | ${heaviest.join(', ')} |`
}

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(HELP)
} else {
  const sizes = await bundleFunctions()
  if (values.json) {
    const measured = sizes.map((size) => ({
      id: size.id,
      bytes: size.bytes,
      gzip_bytes: compressed(size),
      later_bytes: size.later,
    }))
    console.log(JSON.stringify(measured, null, 2))
  } else {
    console.log(
      [
        '| function | KB | KB gz | KB at first use | of which |',
        '|---|---|---|---|---|',
        ...sizes.map(row),
      ].join('\n'),
    )
  }
}
