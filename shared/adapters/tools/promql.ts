/** Parts of an expression that are no code: quoted texts and comments. */
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*/g

/** The expression with quoted texts and comments blanked out, so that positions stay. */
const blanked = (expression: string): string => expression.replace(QUOTED, (part) => ' '.repeat(part.length))

/** Where something stands outside of all brackets, as [from, to) of each match. */
function topLevel(expression: string, pattern: RegExp): [number, number][] {
  let flat = ''
  let depth = 0
  for (const sign of blanked(expression)) {
    if ('([{'.includes(sign)) depth += 1
    flat += depth === 0 ? sign : ' '
    if (')]}'.includes(sign)) depth -= 1
  }
  return Array.from(flat.matchAll(pattern), (match) => [match.index, match.index + match[0].length])
}

const SET_OPERATOR = /\b(?:and|or|unless)\b/gi
const COMPARISON = /(?:[=!<>]=|[<>])(?:\s*\bbool\b)?/g
const NUMBER = /^[\s+-]*(?:\d[\d_.eE+-]*|\.\d+|inf|nan)\s*$/i
/** A pair of brackets around the whole. */
const isWrapped = (expression: string): boolean =>
  /^\(.*\)$/s.test(expression) && topLevel(expression, /\S/g).length === 0

/**
 * What the expression of an alert measures: the expression without its comparison. Of several conditions the first is
 * taken; a number on the left side of the comparison is its bound.
 */
export function measuredBy(alertExpression: string): string {
  let expression = alertExpression.trim()
  for (let at = 0; at < 5; at += 1) {
    const [set] = topLevel(expression, SET_OPERATOR)
    if (set !== undefined) expression = expression.slice(0, set[0]).trim()
    const [comparison] = topLevel(expression, COMPARISON)
    if (comparison !== undefined) {
      const [left, right] = [expression.slice(0, comparison[0]), expression.slice(comparison[1])]
      expression = (NUMBER.test(blanked(left)) ? right : left).trim()
    }
    if (!isWrapped(expression)) break
    expression = expression.slice(1, -1).trim()
  }
  return expression
}

/** The expression with one more label in each `by (…)`; undefined where there is none that lacks it. */
export function widenedBy(expression: string, label: string): string | undefined {
  let widened = ''
  let end = 0
  for (const match of blanked(expression).matchAll(/\bby\s*\(([^()]*)\)/gi)) {
    const labels = (match[1] ?? '').split(',').map((name) => name.trim())
    const kept = labels.filter((name) => name !== '')
    if (kept.includes(label)) continue
    widened += `${expression.slice(end, match.index)}by (${[...kept, label].join(', ')})`
    end = match.index + match[0].length
  }
  return end === 0 ? undefined : widened + expression.slice(end)
}

/** The names of metrics that an expression reads: words before a brace, a bracket or an end that are no function. */
export function metricsIn(expression: string): readonly string[] {
  const code = blanked(expression)
    // Label lists of aggregations and the insides of selectors hold names of labels.
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)/gi, ' ')
    .replace(/\{[^{}]*\}/g, '{}')
    .replace(/\[[^\]]*\]/g, ' ')
  const words = Array.from(code.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*(?=\s*([({]?))/g), (match) =>
    match[1] === '(' || /^(?:and|or|unless|bool|offset|inf|nan|by|without|on|ignoring)$/i.test(match[0])
      ? ''
      : match[0],
  )
  return [...new Set(words.filter((word) => word !== '' && !/^\d/.test(word)))]
}

/** What an expression makes of a single metric. */
export interface PlainMeasure {
  readonly name: string
  readonly type: 'gauge' | 'rate'
}

/** Labels that pick calls by how they ended. */
const BY_END =
  /\b(?:code|status|outcome|result|classification|\w*(?:status_code|response_code|response_code_class|grpc_code|grpc_status|rpc_\w*status_code))\s*[=!]/
/** Functions that make something else of a metric than it is, than its rate, or than a mean or an end of it. */
const OTHERWISE =
  /\b(?:increase|i?delta|deriv|changes|resets|predict_linear|absent|absent_over_time|count|count_values|count_over_time|present_over_time|stddev|stdvar|group|time|timestamp|histogram_fraction)\b\s*(?:by|without)?\s*\(/

/**
 * What an expression gives of a single metric, named so that the name is true: the metric, its rate in a second, a quantile of
 * its buckets. Null where it makes something else: a share, some of the calls that a metric counts, a growth, a number of series.
 */
export function plainMeasure(expression: string): PlainMeasure | null {
  const [metric, ...others] = metricsIn(expression)
  const code = blanked(expression).replace(/\{[^{}]*\}|\[[^\]]*\]/g, ' ')
  if (metric === undefined || others.length > 0 || /[-+*/%^]/.test(code)) return null
  if (BY_END.test(expression) || OTHERWISE.test(code)) return null
  const share = /\bhistogram_quantile\s*\(\s*0?\.(\d{1,3})\b/.exec(code)?.[1]
  if (share !== undefined) {
    const name = `${metric.replace(/_bucket$/, '')}_p${share.padEnd(2, '0')}`
    return { name, type: 'gauge' }
  }
  return { name: metric, type: /\bi?rate\s*\(/.test(code) ? 'rate' : 'gauge' }
}

/** A text as PromQL quotes it. */
export const quoted = (text: string): string => JSON.stringify(text)
