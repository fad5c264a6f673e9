/**
 * Records whose texts read as what they are, as they come in: from there on a name is the same wherever it is compared,
 * counted or told, and nothing that a tool gave begins a line of an answer of its own. What log lines and attributes of
 * spans say is left as it came, since nothing of it is told but by quotation, which makes it legible.
 */
import { legible, legibleLine } from '../legible-text.ts'
import { mapTexts } from '../told-text.ts'
import type { Edge, LogCount, LogLine, Series, Snapshot, Span } from './snapshot.ts'

/** Fields whose texts may have several lines, which mean something; of all others each is a name or a value, on one line. */
const OF_LINES: ReadonlySet<string> = new Set([
  'message',
  'diff',
  'title',
  'summary',
  'detail',
  'statement',
  'signature',
  'query',
  'why',
])
const legibleField = (text: string, field: string): string =>
  OF_LINES.has(field) ? legible(text) : legibleLine(text)

/** Names that are remembered; where there are more, as of routes with an id in them, they hardly repeat. */
const MOST_REMEMBERED = 10_000

/** Whether names are legible; lists of tens of thousands of records repeat a few. */
class LegibleNames {
  readonly #known = new Set<string>()

  isFine(name: string | undefined): boolean {
    if (name === undefined || this.#known.has(name)) return true
    if (legibleLine(name) !== name) return false
    if (this.#known.size < MOST_REMEMBERED) this.#known.add(name)
    return true
  }
}

/**
 * Each is called for every record, so none is made anew for a snapshot.
 * @param before - a record that is fine, of which most have many names: those need not be looked up again
 */
type IsFine<Item> = (record: Item, names: LegibleNames, before: Item | undefined) => boolean

/** A list with records of which a name is not legible made so; itself where all names are. */
function withLegible<Item>(
  list: readonly Item[],
  names: LegibleNames,
  isFine: IsFine<Item>,
): readonly Item[] {
  let before: Item | undefined
  for (let index = 0; index < list.length; index++) {
    const one = list[index] as Item
    if (!isFine(one, names, before))
      return list.map((record) =>
        isFine(record, names, undefined) ? record : mapTexts(record, legibleField),
      )
    before = one
  }
  return list
}

/** Whether all texts of a series are legible: what it is called, what it is told apart by, how it was asked for. */
function isSeriesFine(series: Series, names: LegibleNames, before: Series | undefined): boolean {
  const { entity, name, labels, source, type, unit, agg, window_of: window, query } = series
  for (const label in labels) if (!names.isFine(label) || !names.isFine(labels[label])) return false
  return (
    (entity === before?.entity || names.isFine(entity)) &&
    (name === before?.name || names.isFine(name)) &&
    (source === before?.source || names.isFine(source)) &&
    (type === before?.type || names.isFine(type)) &&
    (unit === before?.unit || names.isFine(unit)) &&
    (agg === before?.agg || names.isFine(agg)) &&
    (window === before?.window_of || names.isFine(window)) &&
    (query === before?.query || names.isFine(query) || legible(query as string) === query)
  )
}

const isLineFine = (
  { service, instance, node, severity }: LogLine,
  names: LegibleNames,
  before: LogLine | undefined,
): boolean =>
  (service === before?.service || names.isFine(service)) &&
  (instance === before?.instance || names.isFine(instance)) &&
  (node === before?.node || names.isFine(node)) &&
  (severity === before?.severity || names.isFine(severity))
const isSpanFine = (
  { service, instance, name }: Span,
  names: LegibleNames,
  before: Span | undefined,
): boolean =>
  (service === before?.service || names.isFine(service)) &&
  (instance === before?.instance || names.isFine(instance)) &&
  (name === before?.name || names.isFine(name))
const isCountFine = ({ service, severity }: LogCount, names: LegibleNames): boolean =>
  names.isFine(service) && names.isFine(severity)
const isEdgeFine = ({ caller, callee }: Edge, names: LegibleNames, before: Edge | undefined): boolean =>
  (caller === before?.caller || names.isFine(caller)) && (callee === before?.callee || names.isFine(callee))

/** What was looked through before, so that a question that is answered in several steps does it once. */
const madeBefore = new WeakMap<Snapshot, Snapshot>()

/** The snapshot with texts that read as what they are; itself where all do. */
export function withLegibleTexts(snapshot: Snapshot): Snapshot {
  const known = madeBefore.get(snapshot)
  if (known !== undefined) return known
  const names = new LegibleNames()
  const { series, spans, logs, log_counts, edges, ...short } = snapshot
  const long = {
    series: withLegible(series, names, isSeriesFine),
    spans: withLegible(spans, names, isSpanFine),
    logs: withLegible(logs, names, isLineFine),
    log_counts: withLegible(log_counts, names, isCountFine),
    edges: withLegible(edges, names, isEdgeFine),
  }
  const others = mapTexts(short, legibleField)
  const isSame =
    others === short &&
    long.series === series &&
    long.spans === spans &&
    long.logs === logs &&
    long.log_counts === log_counts &&
    long.edges === edges
  const made = isSame ? snapshot : { ...others, ...long }
  madeBefore.set(snapshot, made)
  madeBefore.set(made, made)
  return made
}
