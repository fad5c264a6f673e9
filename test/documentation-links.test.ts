import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')
const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(new URL(file, ROOT)))

/** What of a page is prose: a link in a block of code or in a quoted piece of it leads nowhere. */
const prose = (page: string): string =>
  page.replaceAll(/^\s*```.*?^\s*```/gms, '').replaceAll(/`[^`\n]*`/g, (code) => '`'.repeat(code.length))

/** Where its links inside the repository lead, as they stand. */
const linksOf = (page: string): readonly string[] =>
  Array.from(prose(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter(
    (target) => !/^[a-z]+:/.test(target),
  )

/** The anchors that GitHub gives to headings. */
const anchorsOf = (page: string): readonly string[] =>
  Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** The links of a page that lead to no file, or to no heading of it. */
function deadLinksOf(file: string): readonly string[] {
  return linksOf(read(file)).filter((target) => {
    const [path = '', anchor] = target.split('#')
    const url = path === '' ? new URL(file, ROOT) : new URL(path, new URL(file, ROOT))
    if (!existsSync(url)) return true
    return anchor !== undefined && !anchorsOf(readFileSync(fileURLToPath(url), 'utf8')).includes(anchor)
  })
}

describe('the documents', () => {
  it('are found, with links in them', () => {
    expect(pages).toContain('docs/engine.md')
    expect(pages.flatMap((file) => linksOf(read(file))).length).toBeGreaterThan(100)
  })

  it.each(pages)('%s links only to files and headings that are there', (file) => {
    expect(deadLinksOf(file)).toEqual([])
  })
})

describe('the decisions', () => {
  const decisions = pages.filter((file) => /^docs\/decisions\/\d/.test(file))
  const index = read('docs/decisions/README.md')

  it('stand in their index, each once, by number and title, with the sentence that says in short what was decided', () => {
    const rows = Array.from(index.matchAll(/^\| (\d{4}) \| \[([^\]]+)\]\(([^)]+)\) \| ([^|]+) \|$/gm))
    expect(decisions.length).toBeGreaterThan(70)
    expect(rows.map(([, , , file]) => `docs/decisions/${file}`).toSorted()).toEqual(decisions.toSorted())
    expect(rows.filter(([, , , , sentence = '']) => !/\w.*\.$/.test(sentence))).toEqual([])
    const said = rows.map(([, number, title, file, sentence]) => [
      file,
      `# ${number} ${title}`,
      `In short: ${sentence}`,
    ])
    expect(said).toEqual(
      rows.map(([, , , file]) => {
        const lines = read(`docs/decisions/${file}`).split('\n')
        return [file, lines[0], lines.find((line) => line.startsWith('In short: '))]
      }),
    )
  })

  it('are named for their number', () => {
    const misnamed = decisions.filter(
      (file) => !read(file).startsWith(`# ${file.slice('docs/decisions/'.length).slice(0, 4)} `),
    )
    expect(misnamed).toEqual([])
  })
})

describe('docs/simulator.md', () => {
  it('links to the page of every generation, and a generation has one', () => {
    const linked = new Set(linksOf(read('docs/simulator.md')))
    const own = pages
      .filter((file) => file.startsWith('docs/simulator/'))
      .map((file) => file.slice('docs/'.length))
    expect(own.filter((file) => !linked.has(file))).toEqual([])
    const generations = execFileSync(
      'git',
      ['ls-files', '-co', '--exclude-standard', 'test/simulator/*-changed-faults.ts'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    const named = Array.from(generations.matchAll(/\/([a-z-]+)-changed-faults\.ts/g), ([, name]) => name)
    expect(named.length).toBeGreaterThan(9)
    expect(named.filter((name) => !own.includes(`simulator/${name}.md`))).toEqual([])
  })
})
