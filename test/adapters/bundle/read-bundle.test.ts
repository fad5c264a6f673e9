import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BUNDLE_LIMITS, readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { bundleOf, HEAD } from './bundle-in-memory.ts'

const read = (files: Record<string, string | Uint8Array>, limits = BUNDLE_LIMITS) =>
  readBundle(bundleOf({ 'bundle.json': HEAD, ...files }), { query: 'bundle:shop' }, limits)
const lines = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const log = (message: string, more: object = {}) => ({
  timestamp: '2026-03-01T12:00:00Z',
  service: 'cart',
  severity: 'ERROR',
  message,
  ...more,
})

describe('records', () => {
  test('every file becomes one request that can be asked again, with a digest over its records', async () => {
    const pulled = await read({
      'logs.ndjson': lines(log('a'), log('b')),
      'changes.ndjson.gz': gzipSync(
        lines({ id: 'f00', recorded_at: '2026-03-01T11:50:00Z', kind: 'commit', diff: null }),
      ),
      'alerts.json': '[]',
    })
    expect(pulled.window).toEqual({ from: Date.UTC(2026, 2, 1, 12), to: Date.UTC(2026, 2, 1, 13) })
    expect(pulled.baselines.map(({ name }) => name)).toEqual(['b1'])
    expect(
      pulled.sources.map(({ id, query, outcome, records }) => ({ id, query, outcome, records })),
    ).toEqual([
      { id: 'alerts', query: 'bundle:shop/alerts.json', outcome: 'empty', records: 0 },
      { id: 'logs', query: 'bundle:shop/logs.ndjson', outcome: 'answered', records: 2 },
      { id: 'changes', query: 'bundle:shop/changes.ndjson', outcome: 'answered', records: 1 },
    ])
    expect(pulled.sources[1]?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(pulled.logs).toEqual([
      { ...log('a'), timestamp: Date.UTC(2026, 2, 1, 12), source: 'logs' },
      { ...log('b'), timestamp: Date.UTC(2026, 2, 1, 12), source: 'logs' },
    ])
    expect(pulled.changes[0]).toMatchObject({ id: 'f00', diff: null, source: 'changes' })
    expect(pulled.gaps).toEqual([])
  })

  test("a file's digest does not depend on the order of lines or members, nor on how an instant is written", async () => {
    const one = await read({ 'logs.ndjson': lines(log('a'), log('b')) })
    const { message, ...rest } = log('a', { timestamp: '2026-03-01T12:00:00.000Z' })
    const two = await read({ 'logs.ndjson': lines(log('b'), { message, ...rest }) })
    const other = await read({ 'logs.ndjson': lines(log('a'), log('c')) })
    expect(two.sources[0]?.digest).toBe(one.sources[0]?.digest)
    expect(other.sources[0]?.digest).not.toBe(one.sources[0]?.digest)
  })

  test('null is not measured and 0 is measured, in a regular series and in points', async () => {
    const pulled = await read({
      'series.ndjson': lines(
        {
          entity: 'cart',
          name: 'x',
          type: 'gauge',
          t0: '2026-03-01T12:00:00Z',
          interval_s: 60,
          values: [0, null, 2],
        },
        {
          entity: 'cart',
          name: 'y',
          labels: { code: '500' },
          type: 'rate',
          points: [
            ['2026-03-01T12:00:00Z', null],
            ['2026-03-01T12:00:07.5Z', 0],
          ],
        },
      ),
    })
    const noon = Date.UTC(2026, 2, 1, 12)
    expect(pulled.series[0]).toMatchObject({
      labels: {},
      times: Float64Array.of(noon, noon + 60_000, noon + 120_000),
      values: Float64Array.of(0, Number.NaN, 2),
    })
    expect(pulled.series[1]).toMatchObject({
      times: Float64Array.of(noon, noon + 7_500),
      values: Float64Array.of(Number.NaN, 0),
    })
  })

  test("a record keeps a source that bundle.json declares; one that it does not is the file's, and said", async () => {
    const head = {
      ...JSON.parse(HEAD),
      sources: [{ id: 'logs', tool: 'loki', query: '{app="cart"}', outcome: 'answered', records: 1 }],
    }
    const pulled = await readBundle(
      bundleOf({
        'bundle.json': JSON.stringify(head),
        'logs.ndjson': lines(log('a', { source: 'logs' }), log('b'), log('c', { source: 'nowhere' })),
      }),
      { query: 'bundle:shop', integration_id: 'bundle_1' },
    )
    expect(pulled.logs.map(({ source }) => source)).toEqual(['logs', 'logs_2', 'logs_2'])
    expect(pulled.sources).toMatchObject([
      { id: 'logs', tool: 'loki', integration_id: 'bundle_1' },
      { id: 'logs_2', tool: 'bundle', integration_id: 'bundle_1', records: 2 },
    ])
    expect(pulled.gaps).toEqual([{ what: 'logs.ndjson', why: expect.stringContaining('nowhere') }])
  })

  test('members named __proto__ change no prototype, wherever they stand', async () => {
    const text =
      '{"timestamp":"2026-03-01T12:00:00Z","service":"cart","severity":"INFO","message":"m",' +
      '"__proto__":{"polluted":1},"attributes":{"a":{"__proto__":{"polluted":1},"\\u005f_proto__":{"polluted":1}}}}\n'
    const pulled = await read({ 'logs.ndjson': text })
    const [line] = pulled.logs
    expect(line?.message).toBe('m')
    expect(Object.getPrototypeOf(line)).toBe(Object.prototype)
    expect(Object.keys(line?.attributes?.a as object)).toEqual([])
    expect(Object.getPrototypeOf(line?.attributes?.a)).toBe(Object.prototype)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('what could not be read is a gap', () => {
  test('a statement that ends before it starts is counted as malformed, with file, record and field', async () => {
    const load = { start: '2026-03-01T12:00:00Z', statement: 'select 1', load: 2 }
    const pulled = await readBundle(
      bundleOf({
        'bundle.json': HEAD,
        'statements.json': JSON.stringify([
          { ...load, end: '2026-03-01T11:59:00Z' },
          { ...load, end: '2026-03-01T12:01:00Z' },
          { ...load, end: load.start },
        ]),
      }),
      { query: 'bundle:shop', integration_id: 'bundle_1' },
    )
    expect(pulled.statements).toHaveLength(2)
    expect(JSON.stringify(pulled.gaps)).toMatch(/statements\.json.*end: `end` must not be before `start`/)
  })

  test('malformed lines are counted with file, lines and the first reason', async () => {
    const pulled = await read({
      'logs.ndjson': `${lines(log('a'))}{"broken\n\n${lines({ ...log('b'), timestamp: '2026-02-30T12:00:00Z' }, log('c'))}`,
    })
    expect(pulled.logs.map(({ message }) => message)).toEqual(['a', 'c'])
    expect(pulled.gaps).toEqual([
      { what: 'logs.ndjson', why: '2 lines could not be read (2, 4); line 2: is no JSON' },
    ])
  })

  test.each([
    ['failed', -2, 'failed: must be at least 0'],
    ['failed', '2', 'failed: must be of type number'],
    ['interval_s', 0, 'interval_s: must be more than 0'],
    ['caller', '', 'caller: must not be empty'],
    ['t0', '12:00', 't0: must be an ISO 8601 UTC instant ending in Z'],
  ])('%s of calls that is %j is told with what it must be', async (field, value, reason) => {
    const edge = { caller: 'a', callee: 'b', t0: '2026-03-01T12:00:00Z', interval_s: 60, calls: 9, failed: 2 }
    const pulled = await read({ 'edges.json': JSON.stringify([edge, { ...edge, [field]: value }]) })
    expect(pulled.edges).toHaveLength(1)
    expect(pulled.gaps).toEqual([
      { what: 'edges.json', why: `1 record could not be read (1); record 1: ${reason}` },
    ])
  })

  test('a kind that is none is told with those that there are', async () => {
    const change = { id: 'a', recorded_at: '2026-03-01T12:00:00Z', kind: 'rumour' }
    const pulled = await read({ 'changes.ndjson': lines(change) })
    expect(pulled.gaps[0]?.why).toMatch(/line 1: kind: must be one of: commit, pull_request, deploy,/)
  })

  test.each([
    ['NaN', 'is no JSON'],
    ['1e999', 'values[1]'],
    ['"3"', 'values[1]'],
  ])('a value %s is refused with its place', async (value, reason) => {
    const pulled = await read({
      'series.ndjson': `{"entity":"a","name":"b","type":"gauge","t0":"2026-03-01T12:00:00Z","interval_s":60,"values":[1,${value}]}\n`,
    })
    expect(pulled.series).toEqual([])
    expect(pulled.sources[0]?.outcome).toBe('failed')
    expect(pulled.gaps[0]?.why).toContain(reason)
  })

  test('series without a clear place in time are refused', async () => {
    const series = { entity: 'a', name: 'b', type: 'gauge' }
    const t0 = '2026-03-01T12:00:00Z'
    const pulled = await read({
      'series.ndjson': lines(
        series,
        { ...series, values: [1] },
        { ...series, t0, values: [1] },
        { ...series, t0, interval_s: 60, values: [1], points: [] },
        { ...series, t0, points: [] },
        {
          ...series,
          points: [
            [t0, 1],
            [t0, 2],
          ],
        },
      ),
    })
    expect(pulled.series).toEqual([])
    expect(pulled.gaps[0]?.why).toMatch(/^6 lines could not be read \(1, 2, 3, 4, 5, …\)/)
  })

  test('infinite numbers and deep nesting in attributes are refused', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const line = (attributes: string) =>
      `${JSON.stringify(log('x')).slice(0, -1)},"attributes":${attributes}}\n`
    const pulled = await read({
      'logs.ndjson': line('{"a":1e999}') + line(`{"a":${deep}}`) + line('{"a":[1]}'),
    })
    expect(pulled.logs).toHaveLength(1)
    expect(pulled.gaps[0]?.why).toContain('2 lines')
  })

  test('unknown files, unknown fields and a file that stands twice are named', async () => {
    const pulled = await read({
      'notes.txt': 'x',
      'raw/': '',
      'logs.ndjson': lines(log('a', { colour: 'red' }), log('b', { colour: 'red', size: 1 })),
      'logs.ndjson.gz': gzipSync('{}'),
    })
    expect(pulled.gaps).toEqual([
      { what: 'notes.txt', why: 'is no file of incident-bundle/1 and was not read' },
      { what: 'raw/', why: 'is no file of incident-bundle/1 and was not read' },
      { what: 'logs.ndjson.gz', why: 'was not read: logs.ndjson stands beside it' },
      {
        what: 'logs.ndjson',
        why: 'fields that the format does not know were not read: colour (2), size (1)',
      },
    ])
  })

  test('many unknown fields are counted, not all listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, 1]))
    const pulled = await read({ 'logs.ndjson': lines(log('a', many)) })
    expect(pulled.gaps[0]?.why).toMatch(/f4 \(1\) and 4 more$/)
  })

  test('a file that is no array, no JSON or no UTF-8 says so', async () => {
    const pulled = await read({
      'alerts.json': '{}',
      'edges.json': '[',
      'status.json': Uint8Array.of(0xff, 0xfe),
      'logs.ndjson': Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(lines(log('a')))]),
      'patterns.json': '[{"signature":"s","service":"a","count":-1},7]',
    })
    expect(pulled.gaps.map(({ what, why }) => `${what} ${why}`)).toEqual([
      'alerts.json nothing could be read: the file must be an array of records',
      'edges.json nothing could be read: the file is no JSON',
      'logs.ndjson 1 line could not be read (1); line 1: is not UTF-8',
      expect.stringContaining('patterns.json 2 records could not be read (0, 1); record 0: count:'),
      'status.json nothing could be read: the file is not UTF-8',
    ])
  })

  test('the same series as counter and as rate is named', async () => {
    const series = { entity: 'a', name: 'requests', t0: '2026-03-01T12:00:00Z', interval_s: 60, values: [1] }
    const pulled = await read({
      'series.ndjson': lines({ ...series, type: 'counter' }, { ...series, type: 'rate' }),
    })
    expect(pulled.gaps).toEqual([
      { what: 'requests of a', why: expect.stringContaining('both as counter and as rate') },
    ])
  })

  test("the bundle's own gaps are kept", async () => {
    const gap = { what: 'traces', why: 'nobody collects them' }
    expect((await read({ 'gaps.json': JSON.stringify([gap]) })).gaps).toEqual([gap])
  })
})

describe('limits', () => {
  const many = lines(...Array.from({ length: 100 }, (_, index) => log(`message ${index}`)))

  test.each([
    ['plain', 'logs.ndjson', (text: string) => text],
    ['packed', 'logs.ndjson.gz', (text: string) => gzipSync(text)],
  ])('a %s file beyond the limit gives its whole lines up to it, and a gap', async (_, name, stored) => {
    const pulled = await read({ [name]: stored(many) }, { ...BUNDLE_LIMITS, file: 1000 })
    expect(pulled.logs.length).toBe(Math.floor(1000 / (many.indexOf('\n') + 1)))
    expect(pulled.sources[0]).toMatchObject({ outcome: 'cut', records: pulled.logs.length })
    expect(pulled.gaps).toEqual([
      { what: 'logs.ndjson', why: 'is longer than 1000 bytes: the rest was not read' },
    ])
  })

  test('a file of exactly the limit is whole', async () => {
    const file = Buffer.byteLength(many)
    expect((await read({ 'logs.ndjson': many }, { ...BUNDLE_LIMITS, file })).gaps).toEqual([])
    expect((await read({ 'logs.ndjson.gz': gzipSync(many) }, { ...BUNDLE_LIMITS, file })).gaps).toEqual([])
  })

  test('a small file that unpacks to more than memory should hold is stopped at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'))
    const before = process.memoryUsage().arrayBuffers
    const pulled = await read({ 'logs.ndjson.gz': bomb }, { ...BUNDLE_LIMITS, file: 1_000_000 })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000)
    expect(pulled.logs).toEqual([])
    expect(pulled.gaps[0]?.why).toContain('is longer than 1000000 bytes')
  })

  test('an array that is cut short is not half read', async () => {
    const alerts = JSON.stringify(
      Array.from({ length: 50 }, () => ({ name: 'a', fired_at: '2026-03-01T12:00:00Z' })),
    )
    const pulled = await read({ 'alerts.json': alerts }, { ...BUNDLE_LIMITS, file: 1000 })
    expect(pulled.alerts).toEqual([])
    expect(pulled.sources[0]?.outcome).toBe('cut')
    expect(pulled.gaps.at(-1)?.why).toContain('an array that is cut short cannot be parsed')
  })

  test('beyond the limit of the whole bundle nothing more is read, and each file left out is named', async () => {
    const pulled = await read(
      { 'spans.ndjson': '', 'logs.ndjson': many, 'changes.ndjson': many },
      { ...BUNDLE_LIMITS, total: 1000 },
    )
    expect(pulled.logs.length).toBeGreaterThan(0)
    expect(pulled.gaps.map(({ what }) => what)).toEqual(['logs.ndjson', 'changes.ndjson'])
    expect(pulled.gaps[0]?.why).toContain('the bundle is longer than 1000 bytes')
  })

  test('a line beyond the limit is refused alone', async () => {
    const pulled = await read(
      {
        'logs.ndjson': lines(log('a'), log('x'.repeat(500)), log('b')),
        'metrics.csv': `timestamp,service,metric,value\n2026-03-01T12:00:00Z,a,${'m'.repeat(500)},1\n`,
      },
      { ...BUNDLE_LIMITS, line: 300 },
    )
    expect(pulled.logs.map(({ message }) => message)).toEqual(['a', 'b'])
    expect(pulled.gaps.map(({ why }) => why)).toEqual([
      '1 line could not be read (2); line 2: is longer than 300 bytes',
      '1 line could not be read (2); line 2: is longer than 300 bytes',
    ])
  })

  test('a packed file that ends early gives what came before, and a gap', async () => {
    const packed = gzipSync(many, { level: 0 })
    const pulled = await read({ 'logs.ndjson.gz': packed.subarray(0, packed.length - 2000) })
    expect(pulled.sources[0]?.outcome).toBe('cut')
    expect(pulled.gaps[0]?.why).toContain('is no complete gzip file')
  })
})

describe('a deadline', () => {
  const lots = lines(...Array.from({ length: 10_000 }, (_, index) => log(`message ${index}`)))

  test('that passes while a file is read gives what was read until then, the rest as gaps', async () => {
    const controller = new AbortController()
    const files = bundleOf({
      'bundle.json': HEAD,
      'logs.ndjson': lots,
      'changes.ndjson': '',
      'metrics.csv': '',
    })
    const read = files.read
    const stopping = {
      ...files,
      read: async (name: string) => {
        if (name === 'logs.ndjson') setImmediate(() => controller.abort())
        return read(name)
      },
    }
    const pulled = await readBundle(stopping, { query: 'x' }, BUNDLE_LIMITS, controller.signal)
    expect(pulled.logs).toHaveLength(4095)
    expect(pulled.sources[0]).toMatchObject({ id: 'logs', outcome: 'cut', records: 4095 })
    expect(pulled.gaps.map(({ what }) => what)).toEqual(['logs.ndjson', 'changes.ndjson', 'metrics.csv'])
    expect(pulled.gaps[1]?.why).toBe('was not read before the deadline')
  })

  test('that has passed before bundle.json was read rejects with its reason', async () => {
    const reason = new Error('too late')
    await expect(
      readBundle(bundleOf({ 'bundle.json': HEAD }), { query: 'x' }, BUNDLE_LIMITS, AbortSignal.abort(reason)),
    ).rejects.toBe(reason)
  })

  test('is not the reason for everything: a store that fails is an error still', async () => {
    const files = bundleOf({ 'bundle.json': HEAD, 'logs.ndjson': '' })
    const failing = {
      ...files,
      read: async (name: string) => {
        if (name === 'logs.ndjson') throw new Error('disk on fire')
        return files.read(name)
      },
    }
    await expect(readBundle(failing, { query: 'x' })).rejects.toThrow('disk on fire')
  })
})

describe('bundle.json', () => {
  const refusal = (files: Record<string, string | Uint8Array>) =>
    readBundle(bundleOf(files), { query: 'bundle:x' }).then(
      () => 'read',
      (error: { kind: string; message: string }) => `${error.kind} ${error.message}`,
    )
  const head = JSON.parse(HEAD)
  const source = { id: 's', tool: 't', query: 'q', outcome: 'answered', records: 1 }

  test.each([
    ['is missing', {}, 'bundle.json: is missing'],
    ['is no JSON', { 'bundle.json': '{' }, 'bundle.json: is no JSON'],
    ['is no gzip', { 'bundle.json.gz': 'x' }, 'bundle.json: is no complete gzip file'],
    [
      'has another format',
      { 'bundle.json': JSON.stringify({ ...head, format: 'incident-bundle/2' }) },
      'format:',
    ],
    [
      'has a window that ends before it starts',
      { 'bundle.json': JSON.stringify({ ...head, window: { from: head.window.to, to: head.window.from } }) },
      'window: `from` must be before `to`',
    ],
    [
      'has an instant that is none',
      { 'bundle.json': JSON.stringify({ ...head, window: { ...head.window, to: '2026-02-30T00:00:00Z' } }) },
      'window.to: must be an ISO 8601 UTC instant ending in Z',
    ],
    [
      'declares a source twice',
      { 'bundle.json': JSON.stringify({ ...head, sources: [source, source] }) },
      'sources: the id s stands twice',
    ],
    [
      'calls a baseline incident',
      { 'bundle.json': JSON.stringify({ ...head, baselines: [{ ...head.window, name: 'incident' }] }) },
      'baselines: the name incident is taken',
    ],
  ])('is refused when it %s', async (_, files, reason) => {
    expect(await refusal(files as Record<string, string>)).toMatch(/^invalid bundle\.json: /)
    expect(await refusal(files as Record<string, string>)).toContain(reason)
  })
})

describe('metrics.csv', () => {
  test('becomes series with guessed types and units, marked as guessed', async () => {
    const rows = [
      '2026-03-01T12:01:00Z,cart,errors_total,3',
      '2026-03-01T12:00:00Z,cart,errors_total,1',
      '2026-03-01T12:02:00Z,cart,errors_total,0',
      '2026-03-01T12:00:00Z,cart,failures_total,9',
      '2026-03-01T12:01:00Z,cart,failures_total,4',
      '2026-03-01T12:00:00Z,"shop, web",http_server_duration_p99_ms,12.5',
      '2026-03-01T12:01:00Z,"shop, web",http_server_duration_p99_ms,',
      '2026-03-01T12:00:00Z,"a ""b""",requests_per_sec,1e3',
      '2026-03-01T12:00:00Z,cart,cpu_ratio,0',
      '2026-03-01T12:00:00Z,cart,disk_used_pct,0',
    ]
    const pulled = await read({ 'metrics.csv': `timestamp,service,metric,value\r\n${rows.join('\r\n')}\r\n` })
    expect(pulled.gaps).toEqual([])
    expect(pulled.series.every((series) => series.type_guessed)).toBe(true)
    expect(
      pulled.series.map(({ entity, name, type, unit, interval_s }) => [entity, name, type, unit, interval_s]),
    ).toEqual([
      ['cart', 'errors_total', 'counter', undefined, 60],
      ['cart', 'failures_total', 'gauge', undefined, 60],
      ['shop, web', 'http_server_duration_p99_ms', 'gauge', 'ms', 60],
      ['a "b"', 'requests_per_sec', 'rate', '/s', undefined],
      ['cart', 'cpu_ratio', 'gauge', '1', undefined],
      ['cart', 'disk_used_pct', 'gauge', '%', undefined],
    ])
    expect(pulled.series[0]?.values).toEqual(Float64Array.of(1, 3, 0))
    expect(pulled.series[2]?.values).toEqual(Float64Array.of(12.5, Number.NaN))
    expect(pulled.sources).toMatchObject([{ id: 'metrics', query: 'bundle:shop/metrics.csv', records: 6 }])
  })

  test('rows that cannot be used are counted with the reason', async () => {
    const good = '2026-03-01T12:00:00Z,a,b,1'
    const bad = [
      '2026-03-01T12:00:00,a,b,1',
      '2026-03-01T12:00:00Z,a,c,NaN',
      '2026-03-01T12:00:00Z,a,c,0x10',
      '2026-03-01T12:00:00Z,,c,1',
      good,
      '2026-03-01T12:00:00Z,"a,c,1',
      '2026-03-01T12:00:00Z,"a"b,c,1',
    ]
    for (const row of bad) {
      const pulled = await read({ 'metrics.csv': `value,metric,service,timestamp\n` })
      expect(pulled.sources[0]?.outcome).toBe('empty')
      const one = await read({ 'metrics.csv': `timestamp,service,metric,value\n${good}\n${row}\n` })
      expect(one.series).toHaveLength(1)
      expect(one.gaps[0]?.why, row).toMatch(/^1 line could not be read \(3\)/)
    }
    const pulled = await read({ 'metrics.csv': Buffer.from([0x74, 0xff, 0x0a]) })
    expect(pulled.gaps[0]?.why).toContain('is not UTF-8')
  })

  test('without its columns it is refused', async () => {
    const pulled = await read({ 'metrics.csv': 'time,name,value\n1,2,3\n' })
    expect(pulled.sources[0]?.outcome).toBe('failed')
    expect(pulled.gaps[0]?.why).toContain('timestamp, service, metric and value')
  })
})
