import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quantityOf, readDiff, wordsOf } from '#shared/domain/investigation/read-diff.ts'

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
