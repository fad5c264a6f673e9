import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { benchmarksPage, measuredIn } from './benchmarks-page.ts'

const PARTS = [
  { title: 'Cold start', about: 'How long.', command: 'bench:cold' },
  { title: 'Soak', about: 'How well.', command: 'soak -- --minutes 15' },
]
const TABLE = '| a | b |\n|---|---|\n| 1 | 2 |\n\nMeasured on 2026-11-22 in 0.1 min: every goal met.'

describe('the page of benchmarks', () => {
  it('keeps what was measured of a part when another one is measured again', () => {
    const first = benchmarksPage('Other frameworks: one.', [
      { ...PARTS[0], measured: TABLE } as never,
      PARTS[1] as never,
    ])
    expect(measuredIn(first)).toEqual([['Cold start', TABLE]])
    const both = new Map([...measuredIn(first), ['Soak', 'All well.']])
    const second = benchmarksPage(
      'Other frameworks: another.',
      PARTS.map((part) => ({ ...part, about: 'Anew.', measured: both.get(part.title) })),
    )
    expect(measuredIn(second)).toEqual([
      ['Cold start', TABLE],
      ['Soak', 'All well.'],
    ])
    expect(second).toContain('## Cold start\nAnew.\n')
    expect(second).not.toContain('Not measured yet')
  })

  it('says of what was never measured that it was not', () => {
    const page = benchmarksPage('Other frameworks: one.', PARTS)
    expect(page.match(/^Not measured yet\.$/gm)).toHaveLength(PARTS.length)
    expect(measuredIn(page)).toEqual([])
    expect(measuredIn('')).toEqual([])
  })

  it('is read whole as it stands in docs', () => {
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
    const titles = Array.from(page.matchAll(/^## (.+)$/gm), ([, title]) => title)
    const unmeasured = page.split('Not measured yet.').length - 1
    expect(measuredIn(page)).toHaveLength(titles.length - unmeasured)
    for (const [, measured] of measuredIn(page)) expect(measured).toMatch(/Measured on \d{4}-\d{2}-\d{2} in /)
  })
})
