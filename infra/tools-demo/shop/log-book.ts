/** Lines kept of one service: a demo of some minutes writes far fewer. */
const MOST_LINES = 50_000

export interface Line {
  readonly at: number
  readonly app: string
  readonly text: string
}

/** The lines that the services wrote, in the order in which they were written. */
export interface LogBook {
  write(app: string, text: string): void
  readonly lines: readonly Line[]
}

export function logBook(): LogBook {
  const lines: Line[] = []
  return {
    lines,
    write: (app, text) => {
      lines.push({ at: Date.now(), app, text })
      if (lines.length > MOST_LINES) lines.splice(0, MOST_LINES / 10)
    },
  }
}

const NAMESPACE = 'shop'
const labelsOf = (app: string): Readonly<Record<string, string>> => ({
  app,
  namespace: NAMESPACE,
  pod: `${app}-0`,
})
const success = (data: unknown) => ({ status: 'success', data })

/** A selector with a filter, as far as it is asked: `{app="x", namespace=~".+"} |~ "words"`. */
function matcherOf(query: string): (line: Line) => boolean {
  const [, selector = '', filter] = /\{([^}]*)\}(?:\s*\|~\s*("(?:\\.|[^"\\])*"))?/.exec(query) ?? []
  const wanted = Array.from(selector.matchAll(/(\w+)(=~|=)"((?:\\.|[^"\\])*)"/g), ([, name, sign, value]) => {
    const pattern = sign === '=~' ? new RegExp(`^(?:${value})$`) : undefined
    return (line: Line) => {
      const found = labelsOf(line.app)[name ?? ''] ?? ''
      return pattern === undefined ? found === value : pattern.test(found)
    }
  })
  const words = filter === undefined ? undefined : (JSON.parse(filter) as string)
  const pattern = words === undefined ? undefined : new RegExp(words.replace(/^\(\?i\)/, ''), 'i')
  return (line) => wanted.every((fits) => fits(line)) && (pattern?.test(line.text) ?? true)
}

function counted(lines: readonly Line[], search: URLSearchParams, query: string) {
  const number = (name: string) => Number(search.get(name)) * 1000
  const width = Number(/\[(\d+)s\]/.exec(query)?.[1] ?? 60) * 1000
  const matches = matcherOf(query)
  const found = Map.groupBy(lines.filter(matches), ({ app }) => app)
  const result = [...found].map(([app, own]) => {
    const values: [number, string][] = []
    for (let at = number('start'); at <= number('end'); at += number('step')) {
      const count = own.filter((line) => line.at > at - width && line.at <= at).length
      if (count > 0) values.push([at / 1000, String(count)])
    }
    return { metric: labelsOf(app), values }
  })
  return success({ resultType: 'matrix', result })
}

function fetched(lines: readonly Line[], search: URLSearchParams, query: string) {
  const instant = (name: string) => Number(BigInt(search.get(name) ?? '0') / 1_000_000n)
  const [from, to, limit] = [instant('start'), instant('end'), Number(search.get('limit') ?? 100)]
  const matches = matcherOf(query)
  const newest = lines
    .filter((line) => line.at >= from && line.at < to && matches(line))
    .toReversed()
    .slice(0, limit)
  const result = [...Map.groupBy(newest, ({ app }) => app)].map(([app, own]) => ({
    stream: labelsOf(app),
    values: own.map(({ at, text }) => [`${at}000000`, text]),
  }))
  return success({ resultType: 'streams', result })
}

/** Answers as Loki does, over the lines of a book; undefined for a path that it does not know. */
export function answerLikeLoki(book: LogBook, path: string, search: URLSearchParams): unknown {
  if (path === '/loki/api/v1/labels') return success(['app', 'namespace', 'pod'])
  const label = /^\/loki\/api\/v1\/label\/(\w+)\/values$/.exec(path)?.[1]
  if (label !== undefined)
    return success([...new Set(book.lines.map(({ app }) => labelsOf(app)[label] ?? ''))])
  if (path !== '/loki/api/v1/query_range') return undefined
  const query = search.get('query') ?? ''
  return (query.includes('count_over_time') ? counted : fetched)(book.lines, search, query)
}
