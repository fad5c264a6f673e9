import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DOCUMENTATION,
  quantityOf,
  readDiff,
  TESTS,
  wordsOf,
} from '#shared/domain/investigation/changes/read-diff.ts'

describe('reading a diff', () => {
  it('reads tests and documents of a change only where nothing else changed', () => {
    const tests = '--- a/orders/pool_test.go\n+++ b/orders/pool_test.go\n-  want(3)\n+  want(4)\n'
    const code = '--- a/orders/pool.go\n+++ b/orders/pool.go\n-  size = 3\n+  size = 4\n'
    const gone = '--- a/orders/old.go\n+++ /dev/null\n-  old()\n'
    expect(readDiff(tests + code)).toMatchObject({ added: ['  size = 4'], size: 2 })
    expect(readDiff(code + tests + gone).removed).toEqual(['  size = 3', '  old()'])
    expect(readDiff(tests).added).toEqual(['  want(4)'])
    expect(readDiff(tests + code).files).toEqual(['orders/pool_test.go', 'orders/pool.go'])
  })

  it('has one reading of what is not there, and another where files are known', () => {
    expect(readDiff(null)).toBe(readDiff('', []))
    expect(readDiff(undefined, ['web/a.ts']).files).toEqual(['web/a.ts'])
  })

  it('splits identifiers into words', () => {
    expect(wordsOf('maxIdleConns HTTPServer db_pool_size v2')).toEqual([
      'max',
      'idle',
      'conns',
      'http',
      'server',
      'db',
      'pool',
      'size',
      'v2',
    ])
  })

  it('pairs settings by key and tells the direction, units included', () => {
    const { settings } = readDiff(
      '@@ a.yaml @@\n client:\n-  timeout: 3s\n-  name: "x"\n+  timeout: 300ms\n+  name: "y"',
    )
    expect(settings).toMatchObject([
      { key: 'timeout', before: '3s', after: '300ms', direction: 'down', factor: 10 },
      { key: 'name', before: '"x"', after: '"y"', direction: null, factor: null },
    ])
    expect(settings[0]?.context).toContain('client')
  })

  it('pairs values inside calls by the rest of their line', () => {
    const { settings } = readDiff('-  chunk(items, 25)\n+  chunk(items, 5)')
    expect(settings).toMatchObject([{ before: '25', after: '5', direction: 'down', factor: 5 }])
  })

  it('sees typed constants, declarations and settings that stay the same', () => {
    expect(readDiff('-const max = 50\n+const max = 10').settings).toMatchObject([
      { key: 'max', direction: 'down' },
    ])
    expect(readDiff('-  TTL: int = 30\n+  TTL: int = 120').settings).toMatchObject([
      { key: 'TTL', direction: 'up' },
    ])
    expect(readDiff('-  a: 1, b: 2\n+  a: 1, b: 3').settings).toMatchObject([{ key: 'b' }])
    expect(readDiff('-  limit: 0\n+  limit: 5').settings[0]?.factor).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives a setting’s words, in lower case, with those of its place', () => {
    expect(readDiff('@@ -1 +1 @@ httpClient\n-  maxSockets: 50\n+  maxSockets: 10').settings).toMatchObject([
      {
        key: 'maxSockets',
        key_words: 'max sockets',
        context_words: 'max sockets http client max sockets 50',
      },
    ])
  })

  it('cancels out what is only moved or re-indented', () => {
    const reading = readDiff('-  if (a) return b\n+    if (a) return b')
    expect(reading).toMatchObject({
      net_removed: [],
      net_added: [],
      lines_gone: [],
      lines_new: [],
      net_share: 0,
    })
  })

  it('names literals and identifiers that vanish', () => {
    expect(readDiff('-  "title": text\n+  "name": text').literals_removed).toEqual(['title'])
    expect(readDiff("-  field('title')\n+  field(`name`)").literals_added).toEqual(['name'])
  })

  it('leaves comments out and knows the files', () => {
    const reading = readDiff(
      '--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1,2 +1,2 @@ function f() {\n-// old\n+// new\n--- /dev/null',
      ['README.md'],
    )
    expect(reading.size).toBe(0)
    expect(reading.files).toEqual(['README.md', 'src/x.ts'])
    expect(reading.surroundings.join(' ')).toContain('function f()')
  })

  it('reads nothing from nothing', () => {
    for (const diff of [null, undefined, ''])
      expect(readDiff(diff)).toMatchObject({ removed: [], added: [], settings: [], size: 0, net_share: 0 })
  })

  it('never throws and is deterministic, whatever the text, and stays quick on long lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(readDiff(`-${text}\n+${text}x`)).toEqual(readDiff(`-${text}\n+${text}x`))
      }),
    )
    const started = performance.now()
    readDiff(`-${'a: '.repeat(20_000)}\n+${'b=1 '.repeat(20_000)}`)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('reads quantities with their units', () => {
    expect(
      ['30s', '5 * time.Minute', '1Gi', '"10"', '1_000', '50%', '10 apples', 'abc', '1.5'].map(quantityOf),
    ).toEqual([30_000, 300_000, 1_073_741_824, 10, 1_000, 50, null, null, 1.5])
  })
})

describe('what a diff takes away and adds', () => {
  it('is told word by word and line by line, in order, less what is only moved', () => {
    expect(readDiff('-  put(red, green)\n-  keep(blue)\n+  keep(blue)\n+  put(red, white)')).toMatchObject({
      ...{ removed: ['  put(red, green)', '  keep(blue)'], added: ['  keep(blue)', '  put(red, white)'] },
      ...{ net_removed: ['green'], net_added: ['white'], size: 4, net_share: 2 / 10 },
      words_removed: new Set(['put', 'red', 'green', 'keep', 'blue']),
      words_added: new Set(['keep', 'blue', 'put', 'red', 'white']),
      ...{ lines_gone: ['put(red, green)'], lines_new: ['put(red, white)'] },
      ...{ literals_removed: ['green'], literals_added: ['white'] },
    })
    expect(readDiff('-a b a c a\n+a').net_removed).toEqual(['b', 'a', 'c', 'a'])
    expect(readDiff('-  \n+\n+   a   b ').lines_new).toEqual(['a b'])
    expect(readDiff('-x(1)\n-x(1)\n+x(1)').lines_gone).toEqual(['x(1)'])
  })

  it('leaves comments of every language out, and reads what only looks like one', () => {
    const comments = ['// a', '  # a', '* a', '/* a', '-- a', '<!-- a', '; a']
    for (const line of comments) expect(readDiff(`+${line}`)).toMatchObject({ added: [], size: 0 })
    for (const line of ['#include <a>', 'a // b', 'x--', 'a * b'])
      expect(readDiff(`+${line}`).added).toEqual([line])
  })

  it('names texts of 2 to 80 characters and identifiers of three and more', () => {
    expect(readDiff(`-f("ab", 'c d', \`e-f\`, "x")`).literals_removed).toEqual(['ab', 'c d', 'e-f'])
    expect(readDiff(`-"${'y'.repeat(80)}" "${'1'.repeat(81)}"`).literals_removed).toEqual(['y'.repeat(80)])
    expect(readDiff('-ab abc $x_1').literals_removed).toEqual(['abc', '$x_1'])
    expect(readDiff('-abc(abc)\n+xyz').literals_removed).toEqual(['abc'])
  })

  it('knows what its lines are about', () => {
    const { surroundings, settings } = readDiff(
      '@@ -1,2 +1,2 @@ func pool() {\n client:\n   other: 5\n-  size: 5\n+  size: 6\n list = [\n-  room: 5\n+  room: 6\n plain\n-  hue: 5\n+  hue: 6',
    )
    expect(surroundings.map((line) => line.trim())).toEqual([
      ...['func pool() {', 'client:', 'other: 5', 'list = [', 'plain'],
    ])
    expect(settings.map(({ context }) => context.replace(/\s+/g, ' '))).toEqual([
      ...['size client: size: 5', 'room list = [ room: 5', 'hue list = [ hue: 5'],
    ])
    expect(readDiff('@@ pool.go @@').surroundings.map((line) => line.trim())).toEqual(['pool.go'])
    expect(readDiff('@@ pool.go @@\n-  size: 5\n+  size: 6').settings[0]?.context).toContain('pool.go')
  })

  it('is read up to four thousand lines of a thousand characters', () => {
    expect(readDiff(Array.from({ length: 4_001 }, (_, index) => `+a${index}`).join('\n')).size).toBe(4_000)
    expect(readDiff(`+${'a'.repeat(2_000)}`).added[0]).toHaveLength(999)
    expect(readDiff(`+${'a'.repeat(999)}`).added[0]).toHaveLength(999)
  })

  it('names its files by their paths, whatever stands before them', () => {
    expect(
      readDiff('--- a/x/old.go\n+++ b/x/new.go\n--- plain.go\n+++ /dev/null\n x --- a/no.go').files,
    ).toEqual([...['x/old.go', 'x/new.go', 'plain.go']])
  })
})

describe('settings in a diff', () => {
  const settings = (diff: string) =>
    readDiff(diff).settings.map(({ key, before, after, direction }) => [key, before, after, direction])

  it.each([
    ['-  a: 1\n+  a: 2', ['a', '1', '2', 'up']],
    ['-  a = 2\n+  a = 1', ['a', '2', '1', 'down']],
    ['-  a := 2\n+  a := 1', ['a', '2', '1', 'down']],
    ['-  a => 2\n+  a => 1', ['a', '2', '1', 'down']],
    ['-  "a": 2\n+  "a": 1', ['a', '2', '1', 'down']],
    ["-  'a' : 'x y'\n+  'a' : 'z'", ['a', "'x y'", "'z'", null]],
    ['-  a.b-c: true\n+  a.b-c: false', ['a.b-c', 'true', 'false', null]],
    [
      '-  a: Duration = 5 * time.Second\n+  a: Duration = 5 * time.Minute',
      ['a', '5 * time.Second', '5 * time.Minute', 'up'],
    ],
    ['-  a: time.Duration = 5s\n+  a: time.Duration = 1s', ['a', '5s', '1s', 'down']],
    ['-  a: x/y.z\n+  a: x/y.w', ['a', 'x/y.z', 'x/y.w', null]],
    ['-  a: -1\n+  a: 1_000', ['a', '-1', '1_000', 'up']],
    ['-  a: 1.5\n+  a: 0.5', ['a', '1.5', '0.5', 'down']],
    ['-  a: 10%\n+  a: 20%', ['a', '10%', '20%', 'up']],
  ])('are those of %j', (diff, setting) => {
    expect(settings(diff)).toEqual([setting])
  })

  it('are none of a comparison, a call, the result of a call, a comment, or where nothing is paired', () => {
    for (const diff of [
      ...['-  a == b\n+  a == c', '-  a = f(1)', '-  err := one\n+  err := two', '-  a: b(c)\n+  a: d(c)'],
      ...['-  # a: 1\n+  # a: 2', '-  a: 1\n+  b: x', '-  a: 1', '+  a: 1', '-  a: 1\n+  a: 1'],
    ])
      expect(settings(diff)).toEqual([])
  })

  it('are paired each with the next of its key, less what stays the same', () => {
    expect(settings('-  a: 2\n-  a: 1\n+  a: 2\n+  a: 3')).toEqual([['a', '1', '3', 'up']])
    expect(settings('-  a: 1\n-  a: 2\n+  a: 5\n+  a: 6')).toEqual([
      ['a', '1', '5', 'up'],
      ['a', '2', '6', 'up'],
    ])
    expect(settings('-a: 1\n-a: 2\n+a: 2\n+a: 3')).toEqual([['a', '1', '3', 'up']])
  })

  it('are paired in the place where they stand, before what another place has is taken for moved', () => {
    const places = (...parts: readonly string[]) => settings(parts.join('\n  between:\n'))
    expect(places('-a: 1\n+a: 2', '-a: 2\n+a: 3')).toEqual([
      ['a', '1', '2', 'up'],
      ['a', '2', '3', 'up'],
    ])
    expect(places('-a: 1\n+a: 2', '-a: 2\n+a: 1')).toEqual([
      ['a', '1', '2', 'up'],
      ['a', '2', '1', 'down'],
    ])
    expect(places('-a: 1', '+a: 1')).toEqual([])
    expect(places('-a: 1', '+a: 4')).toEqual([['a', '1', '4', 'up']])
    expect(places('-f(1)\n+f(2)', '-f(2)\n+f(1)')).toEqual([
      ['f(', '1', '2', 'up'],
      ['f(', '2', '1', 'down'],
    ])
    expect(settings('-a: 1\n\\ No newline at end of file\n+a: 2\n-a: 2\n+a: 1')).toEqual([])
  })

  it('are the numbers of lines that are equal but for them', () => {
    expect(settings('-  f(1, 2, 3)\n+  f(1, 5, 4)')).toEqual([
      ['f(', '2', '5', 'up'],
      ['f(', '3', '4', 'up'],
    ])
    expect(settings('-  f(1.5)\n-  f(2)\n+  f( 2.5)\n+  f(3)').map(([key]) => key)).toEqual(['f('])
    expect(settings('-  f(1)\n-  f(2)\n+  f(3)\n+  f(4)')).toEqual([
      ['f(', '1', '3', 'up'],
      ['f(', '2', '4', 'up'],
    ])
    expect(settings('-  # f(1)\n+  # f(2)')).toEqual([])
    expect(settings('-  size: 1\n+  size: 2')).toHaveLength(1)
  })

  it('tell by which factor they change, in their unit', () => {
    const factor = (diff: string) => readDiff(diff).settings[0]?.factor
    expect(factor('-a: 2\n+a: 8')).toBe(4)
    expect(factor('-a: 8\n+a: 2')).toBe(4)
    expect(factor('-a: 1m\n+a: 30s')).toBe(2)
    expect(factor('-a: 5\n+a: 0')).toBe(Number.POSITIVE_INFINITY)
    expect(factor('-a: 0\n+a: 5')).toBe(Number.POSITIVE_INFINITY)
    expect(factor('-a: 1000ms\n+a: 1s')).toBeNull()
    expect(readDiff('-a: 1000ms\n+a: 1s').settings[0]?.direction).toBeNull()
  })
})

describe('a written quantity', () => {
  it.each([
    [['5ms', '5 millisecond', '5 milliseconds'], 5],
    [['5s', '5 sec', '5second', '5 * time.Second', '5*time.Second', '"5 seconds"', "'5s'", ' 5S '], 5_000],
    [['5m', '5 min', '5minute', '5 minutes'], 300_000],
    [['5h', '5 hour', '5 hours'], 18_000_000],
    [['5Ki'], 5_120],
    [['5Mi'], 5_242_880],
    [['5Gi'], 5_368_709_120],
    [['5kb', '5k'], 5_000],
    [['5MB'], 5_000_000],
    [['5GB', '5G'], 5_000_000_000],
    [['-5', '-5%'], -5],
    [['12_345.5'], 12_345.5],
    [['5 x', 'x5', '5 5', '', '5.', '5s5', 'five', '5 * x'], null],
  ])('%j is %j', (texts, value) => {
    expect(texts.map(quantityOf)).toEqual(texts.map(() => value))
  })
})

describe('what does nothing where a service runs', () => {
  it('is documentation, told by its name or its folder', () => {
    for (const path of [
      'a.md',
      'x/b.rst',
      'c.adoc',
      'd.txt',
      'doc/x.go',
      'x/docs/a.png',
      'CODEOWNERS',
      'LICENSE',
      'x/CHANGELOG.old',
    ])
      expect(DOCUMENTATION.test(path)).toBe(true)
    for (const path of ['a.md.go', 'docsx/a.go', 'xdocs/a.go', 'x/mydoc.go'])
      expect(DOCUMENTATION.test(path)).toBe(false)
  })

  it('is tests, told by their name or their folder', () => {
    for (const path of [
      'test/a.go',
      'x/tests/a',
      '__tests__/a',
      'spec/a',
      'fixtures/a',
      'testdata/a',
      'e2e/a',
      'a.test.ts',
      'a_spec.rb',
      'a-test.js',
      'a_test.go',
      'tests',
    ])
      expect(TESTS.test(path)).toBe(true)
    for (const path of [
      'contest/a.go',
      'testing/a.go',
      'a.test',
      'latest.ts',
      'a_test.go.tmpl/x',
      'x/attest.ts',
    ])
      expect(TESTS.test(path)).toBe(false)
  })
})

describe('what is read of a line', () => {
  const one = (diff: string) => readDiff(diff).settings[0]

  it('is its words and its whole numbers', () => {
    expect(wordsOf('1.5 12.25 300 x2')).toEqual(['1.5', '12.25', '300', 'x2'])
    expect(wordsOf('HTTPSProxyURL aBC')).toEqual(['https', 'proxy', 'url', 'a', 'bc'])
    expect(wordsOf('-- +')).toEqual([])
  })

  it('parts a run of capitals before the last one that a small letter follows, however long the run', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_]{0,40}$/), (text) => {
        const parted = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
        expect(wordsOf(text)).toEqual(wordsOf(parted))
      }),
    )
    // A tenth of a second; an expression that begins anew at each capital takes most of a minute.
    expect(wordsOf('A'.repeat(200_000))).toHaveLength(1)
  })

  it.each([
    ['-a:1\n+a:2', '1', '2'],
    ['-  a :int= 1\n+  a :int= 2', '1', '2'],
    ['-  a: int  = 1\n+  a: int  = 2', '1', '2'],
    ['-  a: ""\n+  a: "x"', '""', '"x"'],
    ["-  a: ''\n+  a: 'x'", "''", "'x'"],
    ['-  a: 1.25\n+  a: 1.75', '1.25', '1.75'],
    ['-  a: 5 *time.Second\n+  a: 6 *time.Second', '5 *time.Second', '6 *time.Second'],
    ['-  a: _x\n+  a: _y', '_x', '_y'],
    ['-  a: 5 # s\n+  a: 6 # s', '5', '6'],
  ])('is a setting of %j', (diff, before, after) => {
    expect(readDiff(diff).settings).toHaveLength(1)
    expect(one(diff)).toMatchObject({ key: 'a', before, after })
  })

  it('is neither up nor down between what is a quantity and what is none', () => {
    for (const diff of ['-a: 5\n+a: x', '-a: x\n+a: 5', '-a: x\n+a: y'])
      expect(one(diff)).toMatchObject({ direction: null, factor: null })
    expect(one('-a: -5\n+a: 0')).toMatchObject({ direction: 'up', factor: Number.POSITIVE_INFINITY })
    expect(one('-a: 0\n+a: -5')).toMatchObject({ direction: 'down', factor: Number.POSITIVE_INFINITY })
    expect(quantityOf('1.25s')).toBe(1_250)
  })

  it('is each number that changes, beside what is set already', () => {
    const numbers = (diff: string) =>
      readDiff(diff).settings.map(({ key, before, after }) => [key, before, after])
    expect(numbers('-  retry after 5\n+  retry after 6')).toEqual([['retry after', '5', '6']])
    expect(numbers('-  a: 5, f(5)\n+  a: 6, f(7)')).toEqual([
      ['a', '5', '6'],
      ['a:', '5', '7'],
    ])
    expect(numbers('-  f(1.25, 2)\n+  f(1.75, 2)')).toEqual([['f(', '1.25', '1.75']])
    expect(numbers('-  f(1)\n+  f(1, 2)')).toEqual([])
  })

  it('is nothing of a blank line, which may go and come', () => {
    expect(readDiff('-\n-  \n+a')).toMatchObject({ lines_gone: [], lines_new: ['a'] })
    expect(readDiff('-a\n+\n+ ')).toMatchObject({ lines_gone: ['a'], lines_new: [] })
    expect(readDiff('+#  include <a>').added).toEqual(['#  include <a>'])
  })

  it('stands under the heading above it, and under none where there is none', () => {
    const context = (heading: string) => one(`${heading}\n-  a: 1\n+  a: 2`)?.context.replace(/\s+/g, ' ')
    expect(one('-a: 1\n+a: 2')?.context.replace(/\s+/g, ' ')).toBe('a a: 1')
    for (const heading of ['client:', ' client:', '   client:  ', ' _client.x-y:'])
      expect(context(heading)).toBe(`a ${heading.trim()} a: 1`)
    for (const heading of [' list = [', ' f(', ' if x {  '])
      expect(context(heading)).toContain(heading.trim())
    for (const heading of [' client: x', ' 9lives:', ' a client:', ' f(x) y', ' [x] y', ' {x}'])
      expect(context(heading)).toBe('a a: 1')
  })
})
