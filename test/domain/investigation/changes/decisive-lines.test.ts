import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decisiveLine,
  decisiveLines,
  decisiveSettings,
  settingText,
} from '#shared/domain/investigation/changes/decisive-lines.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { readDiff, type SettingChange } from '#shared/domain/investigation/changes/read-diff.ts'

type Given = Partial<Pick<RankedChange, 'words' | 'quoted' | 'echo'>> & { readonly mechanism?: string }

/** A change by its diff, and by what else was found of it. */
function entryOf(diff: string | null, { mechanism, ...more }: Given = {}): RankedChange {
  const found = mechanism === undefined ? null : { mechanism: { id: mechanism, does: '', kind: 'code' } }
  const bare = { words: [], quoted: null, echo: null }
  return {
    change: { diff },
    diff: readDiff(diff),
    mechanism: found,
    ...bare,
    ...more,
  } as unknown as RankedChange
}
const textOf = (entry: RankedChange): readonly string[] => decisiveLines(entry).flatMap(({ lines }) => lines)

const MANY = Array.from({ length: 30 }, (_, index) => `+  total${index} = sum(column${index})`).join('\n')
const GUARDED = `--- a/till/price.ts
+++ b/till/price.ts
@@ -1,9 +1,5 @@
-const SCALE = 'cents'

 export function priceOf(line) {
-  if (line.rate === undefined) return none
-  return scaled(line.rate)
+  return line.rate.scaled
 }
`

describe('the lines of a diff that decide', () => {
  it('hold what the mechanism is found in, with what stands in the same block, in the order of the diff', () => {
    expect(textOf(entryOf(GUARDED, { mechanism: 'guard' }))).toEqual([
      '-  if (line.rate === undefined) return none',
      '-  return scaled(line.rate)',
      '+  return line.rate.scaled',
    ])
    expect(decisiveLine(entryOf(GUARDED, { mechanism: 'guard' }))).toEqual({
      sign: '-',
      text: 'if (line.rate === undefined) return none',
    })
  })

  it('are told by the file that they are of, null where the diff names none', () => {
    const [first] = decisiveLines(entryOf(GUARDED, { mechanism: 'guard' }))
    expect(first?.file).toBe('till/price.ts')
    expect(decisiveLines(entryOf('@@ client @@\n-retries: 3\n+retries: 9'))).toEqual([
      { file: null, lines: ['-retries: 3', '+retries: 9'] },
    ])
  })

  it('are eight at most, however long the diff is, and the one that is named is among them', () => {
    const diff = `+++ b/till/sums.ts\n@@ -1 +1 @@\n${MANY}`
    expect(textOf(entryOf(diff))).toHaveLength(8)
    const quoted = {
      name: 'column29',
      symptom: { text: 'no column29' },
      how: 'adds',
    } as RankedChange['quoted']
    expect(textOf(entryOf(diff, { quoted }))).toContain('+  total29 = sum(column29)')
    expect(decisiveLine(entryOf(diff, { quoted }))?.text).toBe('total29 = sum(column29)')
  })

  it('hold the setting whose level is seen, and words that what fails uses, before other lines', () => {
    const diff = `+++ b/till/sums.ts\n@@ -1 +1 @@\n${MANY}\n@@ -90 +90 @@\n-  poolSize: 50\n+  poolSize: 5\n`
    const echo = { setting: { key: 'poolSize' } } as unknown as RankedChange['echo']
    expect(textOf(entryOf(diff, { echo }))).toEqual(
      expect.arrayContaining(['-  poolSize: 50', '+  poolSize: 5']),
    )
    expect(decisiveLine(entryOf(diff, { words: ['pool', 'size'] }))?.text).toBe('poolSize: 50')
  })

  it('are those of one block where the mechanism shows in no line alone', () => {
    const diff = `+++ b/till/sums.ts\n@@ -1 +1 @@\n-  total = sum(rows) * 100\n+  total = sum(rows) * 1000\n@@ -40 +40 @@\n+  name(rows)\n`
    expect(decisiveLine(entryOf(diff, { mechanism: 'arithmetic' }))?.text).toBe('total = sum(rows) * 100')
  })

  it('prefer a line that does something to one that only declares', () => {
    const diff = `+++ b/a.ts\n@@ -1 +1 @@\n-function rateOf(key: string | undefined) {\n-  return RATES[key ?? 'x']\n-}\n`
    expect(decisiveLine(entryOf(diff, { mechanism: 'guard' }))?.text).toBe("return RATES[key ?? 'x']")
  })

  it('leave out what is only moved, comments, brackets, tests and documents', () => {
    const diff = `--- a/a.ts
+++ b/a.ts
@@ -1 +1 @@
-  send(order)
+    send(order)
+  // sends it twice
+}
+  send(copy)
--- a/a.test.ts
+++ b/a.test.ts
@@ -1 +1 @@
+  expect(sent).toBe(2)
`
    expect(textOf(entryOf(diff))).toEqual(['+  send(copy)'])
  })

  it('are none of a change without a diff', () => {
    for (const diff of [null, '', '+++ b/a.ts\n'])
      expect([decisiveLines(entryOf(diff)), decisiveLine(entryOf(diff))]).toEqual([[], null])
  })

  it('are cut where they are longer than a screen is wide', () => {
    const [line] = textOf(entryOf(`+++ b/a.ts\n+${'word '.repeat(100)}`))
    // 160 characters reach into a word, which goes as a whole.
    expect(line).toMatch(/( word){25,}…$/)
    expect(line?.length).toBeLessThanOrEqual(160)
  })

  it('are lines of the diff and no others, whatever the diff is', () => {
    const line = fc.stringMatching(/^[ +-][a-z =:()]{0,20}$/)
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        fc.constantFrom('guard', 'pool', 'unknown'),
        (lines, id) => {
          const diff = ['+++ b/a.ts', '@@ -1 +1 @@', ...lines].join('\n')
          const told = textOf(entryOf(diff, { mechanism: id }))
          expect(told.length).toBeLessThanOrEqual(8)
          const all = lines.map((one) => one.trimEnd())
          for (const one of told) expect(all).toContain(one)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the block of a private key in a diff', () => {
  it('is told in none of its lines, and what stands around it is', () => {
    const body = ['MIIEowIBAAKCAQEA', 'c2hvcnQ=']
    const block = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----']
    const diff = [
      '+++ b/till.yaml',
      '@@ -1 +1 @@',
      ...block.map((line) => `-  ${line}`),
      '-retries: 3',
      ...block.map((line) => `+  ${line}2`),
      '+retries: 9',
    ].join('\n')
    expect(textOf(entryOf(diff))).toEqual(['-retries: 3', '+retries: 9'])
  })
})

describe('the lines of a diff that decide, asked for twice', () => {
  it('are weighed once', () => {
    let asked = 0
    const entry = Object.defineProperty({ ...entryOf(GUARDED, { mechanism: 'guard' }) }, 'words', {
      get: () => {
        asked += 1
        return []
      },
    })
    const line = decisiveLine(entry)
    expect(decisiveLines(entry).flatMap(({ lines }) => lines)).toContain(`${line?.sign}  ${line?.text}`)
    expect(asked).toBe(1)
  })
})

describe('the settings that a sentence names first', () => {
  const diff = `+++ b/app.yaml\n@@ -1 +1 @@\n-title: old\n+title: new\n-pool_size: 50\n+pool_size: 5\n`

  it('are those that show the mechanism', () => {
    const keys = (mechanism?: string) =>
      decisiveSettings(entryOf(diff, mechanism === undefined ? {} : { mechanism })).map(({ key }) => key)
    expect(keys()).toEqual(['title', 'pool_size'])
    expect(keys('ceiling')).toEqual(['pool_size', 'title'])
  })

  it('are told with both values, but for credentials', () => {
    const setting = (key: string, before: string, after: string) => ({ key, before, after }) as SettingChange
    expect(settingText(setting('pool_size', '50', '5'))).toBe('pool_size changed from 50 to 5')
    expect(settingText(setting('db_password', '"hunter2!"', '"hunter3!"'))).toBe('db_password changed')
    expect(settingText(setting('token_ttl', '3600', '60'))).toBe('token_ttl changed from 3600 to 60')
    expect(settingText(setting('max_tokens', '100', '10'))).toBe('max_tokens changed from 100 to 10')
  })
})
