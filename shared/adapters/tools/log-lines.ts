import type { LogLine, Window } from '#shared/domain/investigation/records/snapshot.ts'

/** Equal slices of a window that lines are fetched from: a limit over the whole would show its end only. */
export const SLICES = 12
/** Lines of one slice. */
export const LINES_A_SLICE = 100
/** A message longer than this is cut; the tail of a stack trace tells little. */
const LONGEST_MESSAGE = 4000

/** Words by which a line says that something is wrong, for tools that search by regular expressions (RE2). */
export const TROUBLE =
  '(?i)(error|warn|fatal|panic|exception|critical|fail|refused|timeout|timed out|unavailable|denied|oom)'

const SEVERITIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:fatal|crit|panic|emerg|alert)/i, 'fatal'],
  [/^(?:err|severe)/i, 'error'],
  [/^warn/i, 'warning'],
  [/^(?:info|notice|information)/i, 'info'],
  [/^(?:debug|trace|verbose|fine)/i, 'debug'],
]
/** A level as many libraries write it into the line: in brackets, in capitals, or `level=…`. */
const LEVEL_IN_LINE =
  /(?:\blevel=|\bseverity=|\blvl=)"?(\w+)|[[|(<](fatal|critical|error|warning|warn|info|debug|trace)[\]|)>]|\b(FATAL|CRITICAL|PANIC|ERROR|SEVERE|WARN|WARNING|INFO|DEBUG|TRACE)\b/i

/** Numbers of pino and bunyan. */
const NUMBERED: Readonly<Record<string, string>> = {
  60: 'fatal',
  50: 'error',
  40: 'warning',
  30: 'info',
  20: 'debug',
  10: 'debug',
}

const severityNamed = (name: string): string | undefined =>
  NUMBERED[name] ?? SEVERITIES.find(([pattern]) => pattern.test(name))?.[1]

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour
const COLOURS = /\u001b\[[0-9;]*m/g

const textIn = (record: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = record[name]
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

const MESSAGE = ['message', 'msg', 'log', 'body', 'event', 'error']
const LEVEL = [
  'level',
  'severity',
  'lvl',
  'log.level',
  'severity_text',
  'severityText',
  'detected_level',
  'loglevel',
]
const TRACE = ['trace_id', 'traceId', 'traceID', 'trace.id', 'otelTraceID', 'dd.trace_id']
const SPAN = ['span_id', 'spanId', 'spanID', 'span.id', 'otelSpanID', 'dd.span_id']

function objectIn(line: string): Readonly<Record<string, unknown>> {
  if (!line.startsWith('{')) return {}
  try {
    const read = JSON.parse(line) as unknown
    return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/**
 * Reads a line as logging libraries write them: JSON with a message and a level, or a text with a level in it.
 * @param known what the tool itself knows of the line: labels, fields, metadata
 */
export function readLine(
  line: string,
  known: Readonly<Record<string, unknown>>,
): Pick<LogLine, 'severity' | 'message' | 'trace_id' | 'span_id'> {
  const plain = line.replace(COLOURS, '').trim()
  const inside = objectIn(plain)
  const message = (textIn(inside, MESSAGE) ?? plain).replace(COLOURS, '').slice(0, LONGEST_MESSAGE)
  const level = textIn(inside, LEVEL) ?? textIn(known, LEVEL)
  const written = LEVEL_IN_LINE.exec(plain)
  const severity =
    (level === undefined ? undefined : severityNamed(level)) ??
    severityNamed(written?.[1] ?? written?.[2] ?? written?.[3] ?? '') ??
    'info'
  const trace_id = textIn(inside, TRACE) ?? textIn(known, TRACE)
  const span_id = textIn(inside, SPAN) ?? textIn(known, SPAN)
  return {
    severity,
    message,
    ...(trace_id === undefined ? {} : { trace_id }),
    ...(span_id === undefined ? {} : { span_id }),
  }
}

/** A window in so many equal slices, without a gap between them. */
export function slicesOf({ from, to }: Window, count = SLICES): Window[] {
  const bounds = Array.from({ length: count + 1 }, (_, at) => Math.round(from + ((to - from) * at) / count))
  return bounds.slice(1).map((end, at) => ({ from: bounds[at] ?? from, to: end }))
}

/** Lines once each, in order of time: questions may overlap. */
export function eachOnce(lines: readonly LogLine[]): LogLine[] {
  const byText = new Map<string, LogLine>()
  for (const line of lines) {
    const key = JSON.stringify([line.timestamp, line.service, line.instance ?? '', line.message])
    if (!byText.has(key)) byText.set(key, line)
  }
  return [...byText.values()].toSorted((a, b) => a.timestamp - b.timestamp)
}
