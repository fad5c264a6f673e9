import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, commit, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const ID = 'a'.repeat(40)
/** An application for telephones asks for its letters every three seconds instead of every minute. */
const OFTENER = '@@ inbox.kt @@\n-  val refreshInterval = 60\n+  val refreshInterval = 3'
const PLAIN = '@@ inbox.kt @@\n-  return page(letters, count)\n+  return page(letters, letters.length)'
const shipped = (minute: number, part = 'phone-app', diff = OFTENER): Change[] => [
  { ...commit(ID, minute - 5, 'Fresh letters', [`${part}/inbox.kt`], diff), entity: part },
  deploy('rollout', minute, part, 'v9', [ID]),
]
/** `door` is asked three times as much, and `post` behind it cannot keep up. */
const scene = (changes: readonly Change[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [{ ...alert('door', 'http_server_duration_p95_ms'), summary: 'requests time out' }],
  series: [
    series('door', 'http_server_duration_p95_ms', 80, 2_400),
    series('post', 'http_server_duration_p95_ms', 40, 2_300),
    series('door', 'http_server_requests_per_second', 100, 320, ONSET - 1),
    series('post', 'http_server_requests_per_second', 100, 320, ONSET - 1),
  ],
  edges: [...calls('door', 'post', 0.3)],
  changes,
  ...more,
})

describe('what runs at those who ask', () => {
  it('is the cause of more demand where it asks oftener since just before, and reaches the system where it is asked', () => {
    expect(investigate(scene([])).cause).toMatchObject({ kind: 'traffic', change: null })
    const found = investigate(scene(shipped(ONSET - 4)))
    expect(found.cause).toMatchObject({ level: 'change', change: ID, entity: 'door' })
    expect(found.confidence).toBeGreaterThanOrEqual(0.5)
  })

  it('is not where its diff says nothing of it, it came too late or hours before', () => {
    for (const changes of [shipped(ONSET - 4, 'phone-app', PLAIN), shipped(ONSET + 6), shipped(ONSET - 60)])
      expect(investigate(scene(changes)).cause.kind).toBe('traffic')
  })

  it('is not what is measured, or called, inside', () => {
    const inside = series('phone-app', 'cpu_usage_percent', 20, 20)
    const measured = scene(shipped(ONSET - 4), { series: [...scene([]).series, inside] })
    expect(investigate(measured).cause.kind).toBe('traffic')
    const called = scene(shipped(ONSET - 4), { edges: [...scene([]).edges, ...calls('desk', 'phone-app')] })
    expect(investigate(called).cause.kind).toBe('traffic')
  })

  it('is nothing where one route is asked for more and the others for less', () => {
    const route = (name: string, before: number, during: number) => ({
      ...series('door', 'http_server_requests_per_second', before, during, ONSET - 1),
      labels: { route: name },
    })
    const list = scene([]).series.filter(({ name }) => name.includes('duration'))
    const moved = scene(shipped(ONSET - 4), {
      series: [...list, route('/letters', 100, 320), route('/parcels', 300, 80)],
    })
    expect(investigate(moved).cause.change).toBeNull()
    const grown = scene(shipped(ONSET - 4), {
      series: [...list, route('/letters', 100, 420), route('/parcels', 100, 100)],
    })
    expect(investigate(grown).cause.change).toBe(ID)
  })
})

describe('what has a cache in front answer less', () => {
  const THEMES = '@@ publish.sh @@\n-  fastly purge --key "$PAGE"\n+  fastly purge --key all && purge_all'
  const falling = (name: string, during: number) => ({
    ...series('front-1', name, 0.9, during, ONSET - 1),
    unit: '1',
  })
  /** Of what users ask, three tenths more reach the door, which is asked three times as much. */
  const empty = (changes: readonly Change[], more: Partial<Snapshot> = {}) => {
    const before = scene(changes, more)
    return investigate({ ...before, series: [...before.series, falling('varnish_hit_ratio', 0.6)] })
  }

  it('is the cause of a demand that only the cache makes, whoever it is that was changed', () => {
    for (const part of ['theme', 'desk']) {
      const found = empty(shipped(ONSET - 4, part, THEMES), {
        edges: [...calls('door', 'post', 0.3), ...calls('door', 'desk')],
      })
      expect(found.cause).toMatchObject({ level: 'change', change: ID, entity: 'front-1' })
    }
  })

  it('is not where its diff empties nothing, or it came too late; then the cache is told, as possible', () => {
    for (const changes of [[], shipped(ONSET - 4, 'theme', PLAIN), shipped(ONSET + 6, 'theme', THEMES)]) {
      const { cause, confidence } = empty(changes)
      expect(cause).toMatchObject({ kind: 'infra', entity: 'front-1', change: null })
      expect(confidence).toBeLessThanOrEqual(0.6)
    }
  })

  it('is not where the cache finds as much as ever: then more is asked', () => {
    expect(investigate(scene(shipped(ONSET - 4, 'theme', THEMES))).cause.kind).toBe('traffic')
  })
})
