/** Answers to which region, copy or endpoint it is: what was measured of each by itself, or that nothing tells them apart. */

import { saysFailed } from '../deviations/failing-spans.ts'
import { quoteText, shiftSentence } from '../hypotheses/compose-answer.ts'
import type { EvidenceList } from '../hypotheses/evidence-list.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { type Ground, namesText, say } from './answer-ground.ts'

/** What a question may ask for one of, both as it is said and as labels of telemetry are called. */
const PARTS = {
  region: /region/,
  zone: /zone|^az(s$|$)|data ?cent/,
  cluster: /cluster/,
  node: /^(\w{1,20}[_ ])?(node|host|machine|server)(s|name|_name)?$/,
  instance: /^(pod|instance|replica|container|shard|partition)(s|_?(name|id))?$/,
  endpoint: /endpoint|route|path|handler|operation|^ur[il]s?$/,
  customer: /customer|tenant|client|guest|visitor|shopper|^(user|plan)(s|_?(id|name))?$/,
} as const
export type Part = keyof typeof PARTS

/** The part that a question in plain lower-case words asks for one of; null where it asks for none. */
export function partAsked(plain: string): Part | null {
  const asked =
    /\b(?:which|(?:is it |are they )(?:all|every|only|just)|how many|one|all) ([\w-]{1,30})(?: ([\w-]{1,30}))?/
      .exec(plain)
      ?.slice(1) ??
    /\b(\w+) or (?:every(?:one|body)|all|others?|the rest)\b/.exec(plain)?.slice(1) ??
    []
  return (Object.keys(PARTS) as Part[]).find((part) => asked.some((word) => PARTS[part].test(word))) ?? null
}

/** Values of a part that are told. */
const MOST = 6

/** The sentences about each value of a part, each cited; what tells none of them apart is said so. */
export function partLines(ground: Ground, part: Part, evidence: EvidenceList): string[] {
  const { snapshot, observed, service } = ground
  const partOf = (labels: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(labels).find(([key]) => PARTS[part].test(key.toLowerCase()))?.[1]
  const failing = new Set(observed.failing.map(({ entity }) => entity))
  const isAbout = (entity: string): boolean => (service === null ? failing.has(entity) : entity === service)
  const shifts = observed.shifts.filter(
    ({ is_bad, series }) => is_bad && isAbout(series.entity) && partOf(series.labels) !== undefined,
  )
  const lines = shifts.slice(0, MOST).map((shift) => {
    evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query)
    return shiftSentence(shift)
  })
  const away = new Set(shifts.map(({ series }) => partOf(series.labels)))
  const onset = observed.first?.onset.at ?? snapshot.window.from
  // Of what was last measured before it began nobody knows how it is.
  const measured = snapshot.series.filter(
    ({ entity, labels, times }) => isAbout(entity) && partOf(labels) && (times.at(-1) ?? 0) >= onset,
  )
  const well = [...new Set(measured.map(({ labels }) => partOf(labels) as string))].filter(
    (one) => !away.has(one),
  )
  const [one] = measured
  if (one !== undefined && well.length > 0)
    lines.push(
      say(
        evidence,
        ['metrics', 'statement'],
        `As usual, as far as was measured: ${namesText(well, MOST)}.`,
        one.source,
      ),
    )
  if (part === 'endpoint') lines.push(...spanLines(snapshot, isAbout, onset, evidence))
  return lines.length > 0 ? lines : [`Nothing that was read tells one ${part} from another.`]
}

/** Of what is asked of those who fail, how many ended in an error since it began, ms; only traces tell operations apart. */
function spanLines(
  { spans }: Snapshot,
  isAbout: (entity: string) => boolean,
  onset: number,
  evidence: EvidenceList,
): string[] {
  const counts = new Map<string, { all: number; failed: number; text: string; source: string }>()
  for (const { service, name, status, start, source } of spans) {
    if (!isAbout(service) || start < onset) continue
    const text = `${quoteText(name)} of ${service}`
    const count = counts.get(text) ?? { all: 0, failed: 0, text, source }
    counts.set(text, { ...count, all: count.all + 1, failed: count.failed + (saysFailed(status) ? 1 : 0) })
  }
  return [...counts.values()]
    .sort((a, b) => b.failed - a.failed || b.all - a.all)
    .slice(0, MOST)
    .map(({ all, failed, text, source }) =>
      say(
        evidence,
        ['traces', 'statement'],
        `${failed} of ${all} spans ${text} failed since it began.`,
        source,
      ),
    )
}
