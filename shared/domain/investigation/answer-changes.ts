/** Answers to "what changed": the recorded changes of a service and a time, newest first. */
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'
import { changeSentence, timeText } from './compose-answer.ts'
import { EvidenceList } from './evidence-list.ts'
import type { EvidenceSource } from './findings.ts'
import type { Change, Window } from './snapshot.ts'

/** Changes that are named one by one; the rest is counted. */
const NAMED = 10

/** Where evidence of a change of each kind comes from. */
const SOURCE_OF: Readonly<Record<Change['kind'], EvidenceSource>> = {
  commit: 'commits',
  pull_request: 'commits',
  deploy: 'deploys',
  release: 'deploys',
  flag: 'flags',
  config: 'deploys',
  infra: 'deploys',
  migration: 'deploys',
  scale: 'deploys',
  other: 'deploys',
}

const effectOf = (change: Change): number => change.effective_at?.from ?? change.recorded_at

/**
 * The changes that took effect (or, where nothing says when, were recorded) within a time. Of a service are those that
 * name it, those whose files are its own, and those that one of its rollouts carried.
 */
export function answerChanges(ground: Ground, window: Window): Reply {
  const { snapshot, service } = ground
  const evidence = new EvidenceList(snapshot)
  const [record] = snapshot.changes
  if (record === undefined) {
    return notKnown(ground, 'No connected tool gave any change, so what changed is not known.')
  }
  const changes = changesOf(ground)
    .filter((change) => effectOf(change) >= window.from && effectOf(change) < window.to)
    .sort((a, b) => effectOf(b) - effectOf(a) || (a.id < b.id ? -1 : 1))
  const of = service === null ? '' : ` of ${service}`
  const span = `from ${timeText(window.from)} to ${timeText(window.to)}`
  const noun = changes.length === 1 ? 'change' : 'changes'
  const verb = changes.length === 1 ? 'is' : 'are'
  const amount = changes.length === 0 ? 'No' : String(changes.length)
  const lead = say(
    evidence,
    ['deploys', changes.length === 0 ? 'absence' : 'statement'],
    `${amount} ${noun}${of} ${verb} recorded ${span}.`,
    (changes[0] ?? record).source,
  )
  const lines = changes
    .slice(0, NAMED)
    .map((change) => say(evidence, [SOURCE_OF[change.kind], 'change'], sentenceOf(change), change.source))
  const rest = changes.length > NAMED ? ['The earlier ones are not listed here.'] : []
  return stated(ground, [lead, ...lines.map((line) => `- ${line}`), ...rest].join('\n'), evidence)
}

function changesOf({ snapshot, service, names }: Ground): readonly Change[] {
  if (service === null) return snapshot.changes
  const own = (change: Change): boolean =>
    (change.entity !== undefined && names.canonical(change.entity) === service) ||
    (change.files ?? []).some((path) => names.ownersOf(path).includes(service))
  const carried = new Set(snapshot.changes.filter(own).flatMap((change) => change.carries ?? []))
  return snapshot.changes.filter((change) => own(change) || carried.has(change.id))
}

function sentenceOf(change: Change): string {
  const sentence = changeSentence({ change })
  const effect = change.effective_at
  return effect === undefined || effect.from === change.recorded_at
    ? sentence
    : `${sentence.slice(0, -1)}; it took effect at ${timeText(effect.from)}.`
}
