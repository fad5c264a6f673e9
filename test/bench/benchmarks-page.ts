/** One part of the record as the page shows it. */
export interface PagePart {
  readonly title: string
  /** What the table says and how it was taken. */
  readonly about: string
  /** As a person types it after `npm run --silent`. */
  readonly command: string
  /** What was printed, and when; nothing before it was ever measured. */
  readonly measured?: string | undefined
}

const NOT_YET = 'Not measured yet.'
const INTRODUCTION =
  'Written by `npm run bench`; each part can be taken alone by the command beside it. Times depend on the machine, which stands under each part, and on what else it does: ratios of things measured in one alternating run are what compares.'
/** Between what a part is and what came of it. */
const COMMAND_END = '\n```\n\n'

/** The page of all benchmarks. @param rivals what the service is compared with */
export function benchmarksPage(rivals: string, parts: readonly PagePart[]): string {
  const sections = parts.map(
    ({ title, about, command, measured = NOT_YET }) =>
      `## ${title}\n${about}\n\n\`\`\`bash\nnpm run --silent ${command}${COMMAND_END}${measured}\n`,
  )
  return ['# Benchmarks', INTRODUCTION, '', rivals, '', sections.join('\n')].join('\n')
}

/**
 * What the page holds of each part, by its title: a part that is measured again takes the place of its own alone.
 * Whatever is new about a part, its command or its description, comes from the present table of parts.
 */
export function measuredIn(page: string): readonly (readonly [title: string, measured: string])[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const title = section.slice(0, section.indexOf('\n'))
      const at = section.indexOf(COMMAND_END)
      const measured = at < 0 ? NOT_YET : section.slice(at + COMMAND_END.length).trim()
      return measured === NOT_YET ? [] : [[title, measured] as const]
    })
}
