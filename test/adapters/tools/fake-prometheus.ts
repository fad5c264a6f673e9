import { type Canned, type Seen, serveTool, type ToolServer } from './tool-server.ts'

/** One series of a fake store: its labels and its value at an instant (ms); undefined where there is none. */
export interface FakeSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly at: (instant: number) => number | undefined
}

/** What a store answers to queries. */
export interface FakeStore {
  readonly labels?: readonly string[]
  readonly metrics?: readonly string[]
  readonly rules?: Canned
  /** Series of a query, by the text of the query. */
  readonly series?: (query: string) => readonly FakeSeries[]
  /** Answers in place of the usual one. */
  readonly instead?: (seen: Seen) => Canned | undefined
  /** Path below which the API lies. */
  readonly prefix?: string
}

const success = (data: unknown): Canned => ({ body: { status: 'success', data } })

const written = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : Number.isNaN(value) ? 'NaN' : String(value)

/** Answers as Prometheus does: label names, metric names by the `match[]` that is given, ranges point by point. */
export function answerLikePrometheus(store: FakeStore, seen: Seen): Canned | undefined {
  const path = seen.path.slice((store.prefix ?? '').length)
  const { search } = seen
  const query = search.get('query') ?? ''
  switch (path) {
    case '/api/v1/status/buildinfo':
      return success({ version: '2.42.0' })
    case '/api/v1/labels':
      return success(store.labels ?? ['__name__', 'service', 'job', 'instance'])
    case '/api/v1/label/__name__/values': {
      const pattern = /^\{__name__=~"(.*)"\}$/.exec(search.get('match[]') ?? '')?.[1] ?? ''
      const asked = new RegExp(`^(?:${pattern})$`)
      return success((store.metrics ?? []).filter((name) => asked.test(name)))
    }
    case '/api/v1/rules':
      return store.rules ?? success({ groups: [] })
    case '/api/v1/query':
      return success({
        resultType: 'vector',
        result: [{ metric: {}, value: [1, query.includes('up[10m]') ? '40' : '2'] }],
      })
    case '/api/v1/query_range': {
      const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(search.get(name)) * 1000)
      const result = (store.series?.(query) ?? []).map(({ metric, at }) => {
        const values: [number, string][] = []
        for (let instant = start ?? 0; instant <= (end ?? 0); instant += step || 1) {
          const value = at(instant)
          if (value !== undefined) values.push([instant / 1000, written(value)])
        }
        return { metric, values }
      })
      return success({ resultType: 'matrix', result })
    }
    default:
      return undefined
  }
}

/** A metrics store of a test. */
export const serveFakePrometheus = (store: FakeStore): Promise<ToolServer> =>
  serveTool((seen) => store.instead?.(seen) ?? answerLikePrometheus(store, seen))
