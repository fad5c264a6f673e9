import { describe, expect, it } from 'vitest'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { commit } from '../incident-scenarios.ts'
import { first, id, merged, NEUTRAL, POOL, rank, says, scene, score } from '../ranking-by-hand.ts'

describe('ranking changes', () => {
  it('documentation, tests, appearance, pipelines, comments, moved code and logging count for little', () => {
    const plain = score(commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL))
    const triflings: Change[] = [
      commit(id('a'), 80, 'x', ['docs/pool.md'], POOL),
      commit(id('a'), 80, 'x', ['services/stock/pool_test.go'], POOL),
      commit(id('a'), 80, 'x', ['web/pool.css'], POOL),
      commit(id('a'), 80, 'x', ['.github/workflows/pool.yml'], POOL),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-// pool\n+// the pool'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-  open(pool)\n+    open(pool)'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-  log.Info("pool")\n+  log.Info("pool", n)'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], null),
    ]
    for (const change of triflings) {
      const entry = rank(scene([change])).ranked[0]
      expect(entry?.trivial).not.toBeNull()
      expect(entry?.score).toBeLessThan(plain / 2)
    }
  })

  it('types, quieter logs and what is done when a process stops count for little', () => {
    const triflings: readonly [string, string, string][] = [
      ['code', '-  const pool = open()\n+  const pool: Pool = open()', 'types only'],
      ['code', '+  Runtime.getRuntime().addShutdownHook(drain(pool))', 'when a process stops'],
      ['settings', '-  level: debug\n+  level: warn', 'quieter'],
    ]
    for (const [what, diff, why] of triflings) {
      const path = what === 'code' ? 'services/stock/Pool.java' : 'services/stock/app.yaml'
      expect(rank(scene([commit(id('a'), 80, 'x', [path], diff)])).ranked[0]?.trivial).toContain(why)
    }
    const louder = commit(id('a'), 80, 'x', ['services/stock/app.yaml'], '-  level: warn\n+  level: debug')
    expect(rank(scene([louder])).ranked[0]?.trivial).toBeNull()
  })

  it('a statement that lost a word for good is no moved code, however much stays', () => {
    const query = (text: string): string =>
      `db.all("select id, name, place, price, state, kind from stock where owner = $1 and open order by id ${text}", [owner])`
    const trivial = (after: string) =>
      rank(
        scene([
          commit(id('a'), 80, 'x', ['services/stock/list.go'], `-  ${query('desc limit 9')}\n+  ${after}`),
        ]),
      ).ranked[0]?.trivial
    expect(trivial(query('desc'))).toBeNull()
    expect(trivial(`return ${query('desc limit 9')}`)).toContain('moves code')
  })
})

describe('a change that does next to nothing', () => {
  const why = (diff: string | null, more: Partial<Change> = {}, symptoms: readonly Symptom[] = []) =>
    first([merged('a', 60, '', { diff, ...more })], symptoms).trivial
  /** What remains of a score without it. */
  const factor = (diff: string | null, more: Partial<Change> = {}) =>
    first([merged('a', 60, '', { diff, ...more })]).score / first([merged('a', 60, NEUTRAL)]).score
  const files = (...paths: string[]) => ({ files: paths.map((path) => `services/stock/${path}`) })

  it.each([
    ['it touches documentation only', files('a.md', 'docs/b.html'), 0.1],
    ['it touches tests only', files('tests/a.ts', 'b.spec.ts'), 0.1],
    ['it touches the build pipeline only', files('.github/a.yml', 'Jenkinsfile', '.eslintrc'), 0.3],
    ['it touches appearance only', files('a.css', 'b.woff2', 'c.woff', 'd.html'), 0.15],
  ])('says that %s where every file is such a one', (reason, more, rest) => {
    expect(why(NEUTRAL, more)).toBe(reason)
    expect(factor(NEUTRAL, more)).toBeCloseTo(rest, 3)
    expect(why(NEUTRAL, { files: [...more.files, 'services/stock/main.go'] })).toBeNull()
  })

  it('takes no file for one of appearance or the pipeline by a part of its name', () => {
    for (const path of ['a.css.ts', 'b.html.erb', 'x.githubber', 'svg.go'])
      expect(why(NEUTRAL, files(path))).toBeNull()
  })

  it.each([
    ['its diff is not known', null, 0.6],
    ['its diff is not known', '', 0.6],
    ['it changes comments only', '-// old words\n+// new words', 0.1],
    ['it only moves code', '-  hue(a)\n+    hue(a)', 0.25],
    ['it changes types only', '-  const hue = open()\n+  const hue: Hue<Tone | Shade> = open()', 0.15],
    ['it acts only when a process stops', '+  onShutdown(close)\n+  atexit.register(hue)', 0.35],
    ['it changes logging and metrics only', '-  console.info(hue)\n+  tracer.start(hue)\n+  })', 0.35],
    ['it only makes logs quieter', '-  level: "info"\n+  level: "error"', 0.35],
  ])('says that %s of %j', (reason, diff, rest) => {
    expect(why(diff)).toBe(reason)
    expect(why(diff, { kind: 'pull_request' })).toBe(reason)
    expect(factor(diff)).toBeCloseTo(rest, 3)
  })

  it('takes a line that goes on behind its bracket for none that only closes', () => {
    for (const line of ['} catch (HueException e) {', '} else {', '}, hue)', ') and hue('])
      expect(why(`-  ${line}`)).toBeNull()
    for (const line of ['}', '})', ']);', '},', ')]};'])
      expect(why(`-  log.info(hue)\n-  ${line}`)).toBe('it changes logging and metrics only')
  })

  it('says it of code alone, which has a diff', () => {
    const { diff: _, ...bare } = merged('a', 60, '')
    expect(first([bare]).trivial).toBe('its diff is not known')
    expect(why(null, { kind: 'config' })).toBeNull()
    expect(why('-// old\n+// new', { kind: 'release', entity: 'stock-api' })).toBeNull()
  })

  it('does more than move code where a setting or a fault in its words is in it, or much of it is new', () => {
    const moved = [...'abcdefghijkl'].map((one) => `shade${one} tone${one} tint${one}`)
    const both = [...moved.map((line) => `-${line}`), ...moved.toReversed().map((line) => `+${line}`)]
    const text = both.join('\n')
    expect(why(text)).toBe('it only moves code')
    expect(why(`${text}\n-  drop()`)).toBe('it only moves code')
    expect(why(`${text}\n-  pool_size: 50\n+  pool_size: 5`)).toBeNull()
    expect(why(`${text}\n-  dusk dawn noon night\n+  east west north south`)).toBeNull()
    expect(why(`${text}\n-  ack()`, {}, [says('messages redelivered')])).toBeNull()
    expect(why(`${text}\n-  ack()`, {}, [says('the lamp is green')])).toBe('it only moves code')
  })

  it('moves no code where it asks for a member that nobody asked for and that it does not bring', () => {
    const around = `open(hue, ${[...'abcdefghijkl'].map((one) => `shade${one} tone${one}`).join(', ')})`
    const asks = (before: string, after: string) => why(`-  ${before}\n+  ${after}`)
    const [old, fresh] = [around.replace('hue', 'lamp["hue"]'), around.replace('hue', 'lamp.dim_hue')]
    expect(asks(old, fresh)).toBeNull()
    expect(asks(old, around.replace('hue', 'lamp.hue'))).toBe('it only moves code')
    expect(asks(old, `${fresh}\n+  def dim_hue`)).toBe('it only moves code')
  })

  it('moves no code where it turns a condition, whose words are those of before', () => {
    const around = [...'abcdefghijkl'].map((one) => `shade${one}`).join(', ')
    expect(why(`-  if (hue && open(${around})) dim()\n+  if (hue || open(${around})) dim()`)).toBeNull()
    expect(why(`-  if (hue && open(${around})) dim()\n+    if (hue && open(${around})) dim()`)).toBe(
      'it only moves code',
    )
  })

  it('is no trifle where what is moved is given back too late, in the words of that fault', () => {
    const late = '-  conn.close()\n-  if (bare) return\n+  if (bare) return\n+  conn.close()'
    expect(why(late)).toBe('it only moves code')
    expect(why(late, {}, [says('pool exhausted: no free connection')])).toBeNull()
  })

  it.each([
    ['-  const hue = a()\n+  const hue: Hue = b()'],
    ['-  const hue = a()\n+  const hue: Hue = a()\n+  run()'],
    ['-  const hue = a()\n-  walk()\n+  const hue: Hue = a()\n+  run()'],
    ['-  paint(hue)\n+  paint(hue: blue)'],
  ])('changes more than types in %j', (diff) => {
    expect(why(diff)).toBeNull()
  })

  it.each([
    ['-  let hue = a()\n+  let hue: Hue = a()'],
    ['-  let   hue = a()\n+  let   hue : Hue = a()'],
    ['-  function paint(hue) {\n+  function paint(hue: Hue): Tone {'],
    ['-  paint(hue, tone)\n+  paint(hue: Hue, tone:Tone)'],
    ['-  private hue\n+  private hue: Hue'],
  ])('changes nothing but types in %j', (diff) => {
    expect(why(diff)).toBe('it changes types only')
  })

  it.each([
    ...['process.on("SIGTERM", hue)', 'process.on("SIGINT", hue)', 'signal(SIGQUIT, hue)', 'beforeExit(hue)'],
    ...[
      'before_exit(hue)',
      'atexit(hue)',
      'addShutdownHook(hue)',
      'add_shutdown_hook(hue)',
      'on_shutdown(hue)',
    ],
    ...['onShutdown(hue)', 'onApplicationShutdown(hue)', 'on_application_shutdown(hue)', '@PreDestroy'],
    ...['preStop: hue', 'pre_stop(hue)', 'addShutdown_hook(hue)', 'on_applicationShutdown(hue)'],
  ])('acts only when a process stops by %j', (line) => {
    expect(why(`+  ${line}`)).toBe('it acts only when a process stops')
    expect(why(`+  ${line}\n+  paint(hue)`)).toBeNull()
  })

  it.each([
    ...[
      'log(hue)',
      'logger.x(hue)',
      'logging.x(hue)',
      'slog.x(hue)',
      'print(hue)',
      'printf(hue)',
      'metric(hue)',
    ],
    ...[
      'fmt.Println(hue)',
      'metrics.x(hue)',
      'prometheus.x(hue)',
      'trace(hue)',
      'tracer(hue)',
      'span.x(hue)',
    ],
    ...['otel.x(hue)', 'attribute(hue)', 'counter.x(hue)', 'histogram.x(hue)', 'gauge.x(hue)', 'LOG_HUE = x'],
  ])('changes logging and metrics only by %j', (line) => {
    // A Go function is written with what it prints to, so that the word does not end after `Print`.
    const isWord = !line.startsWith('fmt.Println')
    expect(why(`+  ${line}`)).toBe(isWord ? 'it changes logging and metrics only' : null)
    expect(why(`+  ${line}\n+  paint(hue)`)).toBeNull()
    if (isWord) expect(why(`+  ${line}\n+  })\n+  ]`)).toBe('it changes logging and metrics only')
  })

  it('takes a line that ends a block for none of its own', () => {
    expect(why('+  log(hue)\n+  paint(hue) }')).toBeNull()
    expect(why('+  catalogue(hue)')).toBeNull()
  })

  it('makes logs quieter where nothing but their levels falls', () => {
    const levels = ['off', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace', 'all']
    for (const [index, level] of levels.entries())
      for (const [other, after] of levels.entries()) {
        if (index === other) continue
        const quieter = why(`-  level: "${level}"\n+  level: '${after.toUpperCase()}'`)
        expect(quieter).toBe(other < index ? 'it only makes logs quieter' : null)
      }
    expect(why('-  level: debug\n+  level: warn\n-  hue: blue\n+  hue: green')).toBeNull()
    expect(why('-  level: debug\n+  level: warn\n+  paint(hue)')).toBeNull()
    expect(why('-  level: debug\n-  paint(hue)\n+  level: warn')).toBeNull()
    expect(why('-  level: debug\n+  level: mauve')).toBeNull()
    expect(why('-  level: mauve\n+  level: off')).toBeNull()
  })
})
