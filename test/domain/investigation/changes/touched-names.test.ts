import { describe, expect, it } from 'vitest'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { at } from '../incident-scenarios.ts'
import { CALLEES, FAILS, first, judge, merged, says } from '../ranking-by-hand.ts'

const SETS = '   issue:\n-  shelfUrl: https://a.example\n+  shelfUrl: none'
const SAYS = 'TypeError: Invalid URL: undefined (shelfUrl, start.ts:31)'

describe('a setting of several words that a new error names', () => {
  const found = (said: string, diff = SETS, more: Partial<Symptom> = {}) =>
    first([merged('a', 60, diff)], [says(said, more)]).quoted

  it('links the change that gave it another value, or took it away', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, SETS)], [symptom])
    expect(entry.quoted).toEqual({ name: 'shelfUrl', symptom, how: 'changes' })
    expect(entry.is_linked).toBe(true)
    expect(found(SAYS, '-  shelfUrl: https://a.example\n+  signedBy: two')).toMatchObject({
      name: 'shelfUrl',
      how: 'removes',
    })
    expect(found('open_shelf_count is 0', '-open_shelf_count = 5\n+open_shelf_count = 0')).not.toBeNull()
    expect(found('open_shelf_count is 0', '-a.open_shelf_count: 5\n+a.open_shelf_count: 0')).not.toBeNull()
    expect(found('no shelfURL', '-  shelfURL: a\n+  shelfURL: b')).not.toBeNull()
    for (const name of ['maxShelfCountOpen', 's2_shelf', 'shelf_2_count', 'mainXMLHTTPAPIShelf'])
      expect(found(`no ${name} here`, `-  main.${name}: 5\n+  main.${name}: 7`)).toMatchObject({ name })
  })

  it('is none where the change leaves it as it is, or only adds it', () => {
    expect(found(SAYS, '   shelfUrl: https://a.example\n-  days: 5\n+  days: 7')).toBeNull()
    expect(found(SAYS, '-  days: 5\n+  shelfUrl: none')).toBeNull()
  })

  it('has several words, of which one at least is not everybody’s, and is written as there', () => {
    expect(found('no shelf', '-  shelf: 5\n+  shelf: 0')).toBeNull()
    expect(found('bad requestId', '-  requestId: 5\n+  requestId: 0')).toBeNull()
    expect(found('no shelfurl')).toBeNull()
  })

  it('stands there whole: no part of a path, a host, a file or a longer name', () => {
    for (const said of [
      '/shelfUrl',
      'shelfUrl/a',
      'a.shelfUrl',
      'shelfUrl.ts',
      'my-shelfUrl',
      'shelfUrl-two',
      'shelfUrls',
    ])
      expect(found(`no ${said} here`)).toBeNull()
    for (const said of ['shelfUrl.', '(shelfUrl)', 'shelfUrl:', '"shelfUrl"'])
      expect(found(`no ${said}`)).not.toBeNull()
  })

  it('is in a line or a pattern of lines of the failing place itself, and in no alert', () => {
    expect(found(SAYS, SETS, { origin: 'pattern', weight: 0.5 })).not.toBeNull()
    const twice = [says(SAYS, { weight: 2 }), says('no shelfUrl')]
    expect(first([merged('a', 60, SETS)], twice).quoted?.symptom).toBe(twice[0])
    expect(found(SAYS, SETS, { weight: 0.49 })).toBeNull()
    expect(found(SAYS, SETS, { origin: 'platform' })).not.toBeNull()
    for (const origin of ['alert', 'metric', 'trace'] as const)
      expect(found(SAYS, SETS, { origin })).toBeNull()
  })

  it('tells nothing where another change touches it too, and does where one touches it twice', () => {
    const names = (...diffs: readonly string[]) =>
      judge(
        diffs.map((diff, index) => merged('abc'[index] as string, 60 + index, diff)),
        [says(SAYS)],
      ).ranked.map(({ quoted }) => quoted?.name)
    expect(names(SETS, SETS)).toEqual([undefined, undefined])
    expect(names(SETS, SETS, SETS)).toEqual([undefined, undefined, undefined])
    expect(names(`${SETS}\n   b:\n-  shelfUrl: c\n+  shelfUrl: d`)).toEqual(['shelfUrl'])
  })

  it('was delivered next to who fails, though nobody recorded when; further off it names by chance', () => {
    const edges = [
      { source: 'calls', caller: 'web', callee: 'stock-api', t0: at(60), t1: at(61), interval_s: 60 },
    ]
    const of = (owner: string) => {
      const change = merged('r', 60, SETS, { files: [`${owner}/issuing.yaml`], entity: 'fleet' })
      return judge([change], [says(SAYS)], { snapshot: { edges } }).ranked[0]
    }
    expect(of('shelf-db')).toMatchObject({ place: 0.7, quoted: { name: 'shelfUrl' } })
    expect(of('billing')).toMatchObject({ place: 0.25, quoted: null })
  })
})

describe('a name of another sort that a new error says', () => {
  const found = (said: string, diff: string, files: readonly string[] = ['stock-api/a.yaml']) => {
    const { quoted } = first([merged('a', 60, diff, { files })], [says(said)])
    return quoted === null ? null : [quoted.how, quoted.name]
  }

  it('is a constant in capitals, as variables of the environment are written, and no abbreviation', () => {
    const diff = "-  LOCALES: 'a'\n+  LOCALES: 'b]'"
    expect(found('SyntaxError: bad list (LOCALES, settings.x)', diff)).toEqual(['changes', 'LOCALES'])
    expect(found('SyntaxError: bad list (locales)', diff)).toBeNull()
    for (const said of ['LOCALES is empty', 'LOCALES: none', 'no LOCALES.', '"LOCALES"'])
      expect(found(said, diff), said).toEqual(['changes', 'LOCALES'])
    for (const said of ['LOCALES.md', 'LOCALES:en', 'LOCALES/en', 'x.LOCALES', 'LOCALES-EN'])
      expect(found(`no ${said}`, diff), said).toBeNull()
    expect(found('no TTLS here', "-  TTLS: 'a'\n+  TTLS: 'b'")).toBeNull()
    expect(found('MESSAGES: none', "-  MESSAGES: 'a'\n+  MESSAGES: 'b'")).toBeNull()
  })

  it('is a setting beside the value that it was set to', () => {
    const diff = '   sign({\n-    form: 2,\n+    form: 7,'
    for (const said of ['token of form 7', 'form=7 is not known', 'forms: 7', 'a form of "7" came'])
      expect(found(said, diff)).toEqual(['sets', 'form 7'])
    for (const said of ['token of form 2', 'form 77', 'reform 7', 'form took 7', 'form 7%', 'form 7:30'])
      expect(found(said, diff)).toBeNull()
    expect(found('form 7 came', '   sign({\n-    form: "2",\n+    form: "7",')).toEqual(['sets', 'form 7'])
    expect(found('region "eu-9" is unknown', '-region = eu-1\n+region = eu-9')).toEqual([
      'sets',
      'region eu-9',
    ])
  })

  it('is compared without a plural’s s, and told as the change writes it', () => {
    for (const noun of ['forms', 'canvas', 'gas']) {
      const diff = `-    ${noun}: 2,\n+    ${noun}: 7,`
      expect(found(`${noun} 7 is not known`, diff)).toEqual(['sets', `${noun} 7`])
    }
    expect(found('form 7 is not known', '-  forms: 2\n+  forms: 7')).toEqual(['sets', 'forms 7'])
    // Of a short word the s is no plural's.
    expect(found('ga 7, gas 8', '-  gas: 2\n+  gas: 7')).toBeNull()
  })

  it('is no value that everybody has, no measure, and none of an abbreviation', () => {
    expect(found('old_db 7', '-  use_db: 2\n+  use_db: 7')).toBeNull()
    expect(found('old_bus 7', '-  use_bus: 2\n+  use_bus: 7')).toEqual(['sets', 'bus 7'])
    expect(found('form 1', '-    form: 2,\n+    form: 1,')).toBeNull()
    for (const value of ['north', 'uno'])
      expect(found(`form ${value}`, `-    form: 2,\n+    form: ${value},`)).toEqual(['sets', `form ${value}`])
    expect(found('shelf true', '-    shelf: false,\n+    shelf: true,')).toBeNull()
    expect(found('attempt 7 failed', '-    attempt: 2,\n+    attempt: 7,')).toBeNull()
    expect(found('password hunter22', '-password: hunter21\n+password: hunter22')).toBeNull()
  })

  it('is the file that a stack trace shows, wherever that lies, but none that every repository has', () => {
    const diff = '-a(b)\n+c(d)'
    const of = (said: string, path = 'stock-api/src/shelving.ts') => found(said, diff, [path])
    expect(of('at put (/app/dist/shelving.ts:48:12)')).toEqual(['edits', 'shelving.ts'])
    expect(of('TypeError: x of undefined (shelving.ts:48)')).toEqual(['edits', 'shelving.ts'])
    expect(of('File "/app/shelving.py", line 7, in put', 'stock-api/shelving.py')).toEqual([
      'edits',
      'shelving.py',
    ])
    for (const ext of ['mts', 'cjs', 'tsx', 'ex', 'exs', 'go'])
      expect(of(`at shelving.${ext}:48`, `stock-api/shelving.${ext}`)).toEqual(['edits', `shelving.${ext}`])
    expect(of('shelving.py, line 7, in put', 'stock-api/shelving.py')).not.toBeNull()
    expect(of('at put (/app/dist/shelving.ts)')).toBeNull()
    expect(of('at put (/app/dist/unshelving.ts:4)')).toBeNull()
    const everywhere = 'index main handler route model type constant error helper'
    for (const name of `${everywhere} handlers routes models types constants errors helpers`.split(' '))
      expect(of(`at put (/app/${name}.ts:48:12)`, `stock-api/src/${name}.ts`), name).toBeNull()
    for (const name of ['domain', 'reindex', 'mainframe'])
      expect(of(`at put (/app/${name}.ts:48:12)`, `stock-api/src/${name}.ts`), name).not.toBeNull()
  })

  it('is a word in quotes that a changed line holds, which says less than what was taken away', () => {
    const diff = '-SELECT a FROM ledger\n+SELECT a FROM apart.ledger'
    expect(found('relation "ledger" does not exist', diff)).toEqual(['touches', 'ledger'])
    expect(found('relation "Ledger" does not exist', '-a(ledger, 1)\n+b(ledger, 1)')).toEqual([
      'touches',
      'ledger',
    ])
    expect(found('no "Message" here', '-a(message, 1)\n+b(message, 1)')).toBeNull()
    expect(found('relation ledger does not exist', diff)).toBeNull()
    expect(found('{"ledger":"gone"}', diff)).toBeNull()
    expect(found('relation "led" does not exist', '-SELECT a FROM led\n+SELECT a FROM apart.led')).toBeNull()
    const weak = first([merged('a', 60, diff)], [says('relation "ledger" does not exist')])
    const strong = first([merged('a', 60, '-"ledger"\n+x')], [says('relation "ledger" does not exist')])
    expect(strong.quoted?.how).toBe('removes')
    expect(strong.score).toBeGreaterThan(weak.score)
  })

  it('is told by its sort', () => {
    const told = (said: string, diff: string, files?: readonly string[]) =>
      quotedSentence(first([merged('a', 60, diff, files ? { files } : {})], [says(said)]))
    expect(told('token of form 7', '-    form: 2,\n+    form: 7,')).toMatch(/ sets “form 7”\.$/)
    expect(told('(shelving.ts:48)', '-a(b)\n+c(d)', ['stock-api/shelving.ts'])).toMatch(
      / edits the file “shelving\.ts”\.$/,
    )
    expect(told('relation "ledger" is gone', '-SELECT a FROM ledger\n+SELECT b FROM ledger')).toMatch(
      / changes lines that hold the name “ledger”\.$/,
    )
  })

  it('was changed at whom the callers of the failing place ask as well: what one gives out is handed on', () => {
    const pair = (caller: string, callee: string) => ({
      ...{ source: 'calls', caller, callee, t0: at(60), t1: at(61), interval_s: 60 },
    })
    const web = { ...FAILS, entity: 'web' }
    const of = (edges: readonly ReturnType<typeof pair>[], failing = [FAILS, web]) =>
      judge(
        [merged('r', 60, '-form: 2\n+form: 7', { files: ['billing/a.yaml'], entity: 'fleet' })],
        [says('token of form 7')],
        {
          observed: {
            failing,
            graph: {
              callees: new Map([
                ...CALLEES,
                ['web', new Set(['stock-api', ...edges.map(({ callee }) => callee)])],
              ]),
              blames: () => false,
              reachableFrom: () => new Set<string>(),
            },
          },
          snapshot: { edges },
        },
      ).ranked[0]
    expect(of([pair('web', 'billing')])).toMatchObject({ place: 0.7, quoted: { name: 'form 7' } })
    expect(of([pair('web', 'shelf-db')])).toMatchObject({ place: 0.25, quoted: null })
    expect(of([pair('web', 'billing')], [FAILS])).toMatchObject({ place: 0.25, quoted: null })
  })
})

describe('a field that who checks a request refuses', () => {
  const found = (said: string, diff: string) => {
    const { quoted } = first([merged('a', 60, diff)], [says(said)])
    return quoted === null ? null : [quoted.how, quoted.name]
  }
  const DIFF = "   post('/orders', {\n+    giftwrap: 'gold',"

  it('is that of the change that writes it anew, as checkers of several languages name it', () => {
    for (const said of [
      "Field error in object 'order' on field 'giftwrap': rejected value [gold]",
      'Unknown argument "giftwrap" on field "Query.order"',
      'unrecognized field: "giftwrap"',
      '400 {"detail":"giftwrap must be null"}',
      '"giftwrap" is not allowed',
      'giftwrap may not be empty',
      'giftwrap is required',
    ])
      expect(found(said, DIFF), said).toEqual(['writes', 'giftwrap'])
    for (const diff of ['+"giftwrap": 1', "+order.giftwrap = 'gold'", '-giftwrap: a\n+giftwrap: b'])
      expect(found('giftwrap must be null', diff), diff).toEqual(['writes', 'giftwrap'])
  })

  it('is none that is only spoken of, only read or taken away, or everybody’s', () => {
    for (const said of ['giftwrap came', 'giftwrap must go', 'the giftwrap is blue'])
      expect(found(said, DIFF), said).toBeNull()
    for (const diff of ['-giftwrap: 1\n+x: 2', '+if (giftwrap == 1) {', '+wrap(giftwrap)'])
      expect(found('giftwrap must be null', diff), diff).toBeNull()
    expect(found('message must be null', '+message: 1')).toBeNull()
    expect(found('window must be null', DIFF)).toBeNull()
  })

  it('is told by its sort', () => {
    expect(quotedSentence(first([merged('a', 60, DIFF)], [says('giftwrap must be null')]))).toMatch(
      / writes the field “giftwrap”\.$/,
    )
  })
})

describe('a value of several parts that a change sets and a new error names', () => {
  const found = (said: string, after: string) =>
    first([merged('a', 60, `   release:\n-  madeBy: nobody\n+  madeBy: ${after}`)], [says(said)]).quoted

  it('links that change, whatever the setting is called and whoever says so', () => {
    expect(found('User "release-5" cannot create resource "pods"', 'release-5')).toMatchObject({
      ...{ name: 'release-5', how: 'sets' },
    })
    expect(found('no route to mails.inner', 'mails.inner')).toMatchObject({ how: 'sets' })
    expect(found('no topic Orders.V2 here', 'orders.v2')).toMatchObject({ how: 'sets' })
  })

  it('is no version, no file, no part of a longer name or an address, and no short one', () => {
    for (const name of ['v1.2.3', 'config.yaml', 'a-5'])
      expect(found(`cannot use ${name} here`, name), name).toBeNull()
    for (const said of ['my.release-5', 'release-5.1x', '/release-5', 'release-5/a', 'x@release-5'])
      expect(found(`cannot use ${said} here`, 'release-5'), said).toBeNull()
  })
})
