/**
 * Records whose texts read as what they are, as they come in: from there on a name is the same wherever it is compared,
 * counted or told, and nothing that a tool gave begins a line of an answer of its own. What log lines and attributes of
 * spans say is left as it came, since nothing of it is told but by quotation, which makes it legible.
 */
import { legible, legibleLine } from '../legible-text.ts'
import { mapTexts } from '../told-text.ts'
import type { LogLine, Series, Snapshot } from './snapshot.ts'

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

/** Whether a name is legible; lists of tens of thousands of records repeat a few. */
function legibleNames(): (name: string | undefined) => boolean {
  const known = new Set<string>()
  return (name) => {
    if (name === undefined || known.has(name)) return true
    if (legibleLine(name) !== name) return false
    if (known.size < MOST_REMEMBERED) known.add(name)
    return true
  }
}

/** The same of one field, whose text mostly is that of the record before. */
function repeatedly(isFine: (name: string | undefined) => boolean): (name: string | undefined) => boolean {
  let last: string | undefined
  return (name) => {
    if (name === last) return true
    if (!isFine(name)) return false
    last = name
    return true
  }
}

/** A list with records of which a name is not legible made so; itself where all names are. */
const withLegible = <Item>(list: readonly Item[], isFine: (record: Item) => boolean): readonly Item[] =>
  list.every(isFine) ? list : list.map((record) => (isFine(record) ? record : mapTexts(record, legibleField)))

/** Whether all texts of a series are legible: what it is called, what it is told apart by, how it was asked for. */
function legibleSeries(isFine: (name: string | undefined) => boolean): (series: Series) => boolean {
  const [isFineEntity, isFineName] = [repeatedly(isFine), repeatedly(isFine)]
  const [isFineSource, isFineUnit, isFineAgg] = [repeatedly(isFine), repeatedly(isFine), repeatedly(isFine)]
  return ({ entity, name, labels, source, type, unit, agg, window_of: window, query }) => {
    for (const label in labels) if (!isFine(label) || !isFine(labels[label])) return false
    return (
      isFineEntity(entity) &&
      isFineName(name) &&
      isFineSource(source) &&
      isFine(type) &&
      isFineUnit(unit) &&
      isFineAgg(agg) &&
      isFine(window) &&
      (isFine(query) || legible(query as string) === query)
    )
  }
}

/** The same of a line. */
function legibleLines(isFine: (name: string | undefined) => boolean): (line: LogLine) => boolean {
  const isFineSeverity = repeatedly(isFine)
  return ({ service, instance, node, severity }) =>
    isFineSeverity(severity) && isFine(service) && isFine(instance) && isFine(node)
}

/** What was looked through before, so that a question that is answered in several steps does it once. */
const madeBefore = new WeakMap<Snapshot, Snapshot>()

/** The snapshot with texts that read as what they are; itself where all do. */
export function withLegibleTexts(snapshot: Snapshot): Snapshot {
  const known = madeBefore.get(snapshot)
  if (known !== undefined) return known
  const isFine = legibleNames()
  const { series, spans, logs, log_counts, edges, ...short } = snapshot
  const long = {
    series: withLegible(series, legibleSeries(isFine)),
    spans: withLegible(spans, (one) => isFine(one.service) && isFine(one.instance) && isFine(one.name)),
    logs: withLegible(logs, legibleLines(isFine)),
    log_counts: withLegible(log_counts, (one) => isFine(one.service) && isFine(one.severity)),
    edges: withLegible(edges, (one) => isFine(one.caller) && isFine(one.callee)),
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
