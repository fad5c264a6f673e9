/** Answers to "what changed": the recorded changes of a service and a time, newest first. */

import type { Cause } from '../findings.ts'
import { changeSentence, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Change, Snapshot, Window } from '../records/snapshot.ts'
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'

/** Changes that are named one by one; the rest is counted. */
const NAMED = 10

/** The changes that somebody made, by the name that the tools have for them, in any case of letters. */
export const changesBy = ({ changes }: Snapshot, actor: string | null): readonly Change[] =>
  actor === null ? [] : changes.filter((change) => change.actor?.toLowerCase() === actor.toLowerCase())

/** Words that leave something out, and the kinds of changes that a word behind them means. */
const LEAVES_OUT = /^(?:besides|except|excluding|apart|aside|than)$/
const KINDS: readonly (readonly [RegExp, ReadonlySet<Change['kind']>])[] = [
  [/^(?:re)?deploy|^releas|^rollout/, new Set(['deploy', 'release'])],
  [/^commit|^merge|^prs?$/, new Set(['commit', 'pull_request'])],
  [/^flag/, new Set(['flag'])],
  [/^config|^setting/, new Set(['config'])],
]

/** Things that a change may be of and that no tool lists as a part of the system. */
const THINGS =
  /^(?:dns|tls|ssl|certs?|certificates?|firewalls?|networks?|routes?|routing|schemas?|index(?:es)?|queues?|caches?|prox(?:y|ies)|gateways?|secrets?|passwords?|credentials?|timeouts?|limits?|quotas?|memory|replicas?|migrations?|infra(?:structure)?|terraform|helm)$/

/** One of many: "certificate" is named by "certificates" too. */
const single = (word: string): string =>
  word.length < SHORTEST_PLURAL ? word : word.replace(/(?:(?<=x)es|s)$/, '').replace(/proxie$/, 'proxy')
/** Letters of the shortest of them that is of many, "certs": what is shorter ends with its own s. */
const SHORTEST_PLURAL = 5

/** The changes whose record names a thing in its title, its files, its part or its diff. */
function changesNaming({ changes }: Snapshot, thing: string): readonly Change[] {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${single(thing)}`, 'iu')
  return changes.filter(({ title, files, entity, before, after, diff }) =>
    [title, entity, before, after, diff, ...(files ?? [])].some((text) => text != null && word.test(text)),
  )
}

/** The kinds of changes that a question leaves out ("except deploys"), by the word for them; null where it leaves out none. */
function kindLeftOut(words: readonly string[]) {
  const at = words.findIndex((one) => LEAVES_OUT.test(one))
  const word = at < 0 ? '' : (words[at + 1] ?? '')
  const kinds = KINDS.find(([pattern]) => pattern.test(word))?.[1]
  return kinds === undefined ? null : { word, kinds }
}

/** Which changes are asked for, beside their service and time. */
export interface AskedChanges {
  /** Whose changes are asked for, where the tools know that name. */
  readonly actor?: string | null
  /** Only the last of them is asked for, and of the rest how many there are. */
  readonly isLast?: boolean
  /** The same of the first of them. */
  readonly isFirst?: boolean
  /** A service whose changes are left out. */
  readonly except?: string | null
  /** The words of the question: one that is the id or the version of a change asks for that one. */
  readonly words?: readonly string[]
}

/**
 * The changes that took effect (or, where nothing says when, were recorded) within a time; where a service has none of
 * its own, those of what it calls, else those of the others.
 */
export function answerChanges(
  ground: Ground,
  window: Window,
  { actor = null, isLast = false, isFirst = false, except = null, words = [] }: AskedChanges = {},
): Reply {
  const { snapshot, service, names } = ground
  const without = except === null ? kindLeftOut(words) : null
  const leftOut = new Set(except === null ? [] : changesOf(ground, new Set([names.canonical(except)])))
  const isLeftOut = (change: Change): boolean =>
    leftOut.has(change) || without?.kinds.has(change.kind) === true
  const evidence = new EvidenceList(snapshot)
  const [record] = snapshot.changes
  if (record === undefined) {
    return notKnown(ground, 'No connected tool gave any change, so what changed is not known.')
  }
  const within = (changes: readonly Change[]): readonly Change[] =>
    changes
      .filter(
        (change) => effectOf(change) >= window.from && effectOf(change) < window.to && !isLeftOut(change),
      )
      .sort((a, b) => effectOf(b) - effectOf(a) || (a.id < b.id ? -1 : 1))
  const span = `from ${spanText(window.from, window.to)}`
  const list = (changes: readonly Change[], of: string): string[] => {
    const amount = changes.length === 0 ? 'No' : String(changes.length)
    const [noun, verb] = changes.length === 1 ? ['change', 'is'] : ['changes', 'are']
    const lead = say(
      evidence,
      ['deploys', changes.length === 0 ? 'absence' : 'statement'],
      `${amount} ${noun}${of} ${verb} recorded ${span}.`,
      (changes[0] ?? record).source,
    )
    const lines = (isFirst ? changes.slice(-1) : changes.slice(0, isLast ? 1 : NAMED)).map((change) =>
      say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source),
    )
    const isOne = isLast || isFirst
    const rest = changes.length > NAMED && !isOne ? ['The earlier ones are not listed here.'] : []
    const mark = isFirst ? 'The first:' : isLast ? 'The last:' : '-'
    return [lead, ...lines.map((line) => `${mark} ${line}`), ...rest]
  }
  const named = within(changesNamed(snapshot, words)).filter(
    (change) => service === null || changesOf(ground, new Set([service])).includes(change),
  )
  if (named.length > 0 && !isLast) return stated(ground, list(named, ' by that name').join('\n'), evidence)
  const made = changesBy(snapshot, actor ?? actorNamed(ground, words))
  if (made.length > 0) {
    const own =
      service === null ? made : changesOf(ground, new Set([service])).filter((one) => made.includes(one))
    const of = service === null ? '' : ` of ${service}`
    const kinds = kindAsked(words)
    const ofKind = own.filter((change) => kinds?.has(change.kind) === true)
    const [told, sort] = ofKind.length > 0 ? [ofKind, ' of that kind'] : [own, '']
    return stated(ground, list(within(told), `${of}${sort} by ${made[0]?.actor}`).join('\n'), evidence)
  }
  const kind = isLast || without !== null || except !== null ? null : kindAsked(words)
  const none: string[] = []
  if (kind !== null) {
    const all = service === null ? snapshot.changes : changesOf(ground, new Set([service]))
    const own = within(all.filter((change) => kind.has(change.kind) && !isLeftOut(change)))
    const lines = list(own, `${service === null ? '' : ` of ${service}`} of that kind`)
    if (own.length > 0) return stated(ground, lines.join('\n'), evidence)
    none.push(...lines)
  }
  if (service === null) {
    const others = without === null ? '' : ` other than ${without.word}`
    const of = except === null ? others : ` of services other than ${except}`
    const thing = isLast ? undefined : words.find((word) => THINGS.test(word))
    if (thing !== undefined) {
      const about = within(changesNaming(snapshot, thing))
      const lines = list(about, ` whose record names “${thing}”`)
      return stated(
        ground,
        [...none, ...lines, ...(about.length > 0 ? [] : list(within(snapshot.changes), ' in all'))].join(
          '\n',
        ),
        evidence,
      )
    }
    return stated(ground, [...none, ...list(within(snapshot.changes), of)].join('\n'), evidence)
  }
  const own = within(changesOf(ground, new Set([service])))
  const lines = [...none, ...list(own, ` of ${service}`)]
  if (own.length === 0) {
    // What a service fails by has often changed elsewhere: first of all in what it calls.
    const called = within(changesOf(ground, ground.observed.graph.reachableFrom(service)))
    const others = called.length > 0 ? called : within(snapshot.changes)
    if (others.length > 0)
      lines.push(...list(others, called.length > 0 ? ` of what ${service} calls` : ' of other services'))
  }
  return stated(ground, lines.join('\n'), evidence)
}

/** The changes of services: those that name one, those whose files are its own, and those that its rollouts carried. */
export function changesOf({ snapshot, names }: Ground, services: ReadonlySet<string>): readonly Change[] {
  const own = (change: Change): boolean =>
    (change.entity !== undefined && services.has(names.canonical(change.entity))) ||
    (change.files ?? []).some((path) => names.ownersOf(path).some((owner) => services.has(owner)))
  const carried = new Set(snapshot.changes.filter(own).flatMap((change) => change.carries ?? []))
  return snapshot.changes.filter((change) => own(change) || carried.has(change.id))
}

/** Somebody who made changes, where the words of a question name one. */
function actorNamed({ snapshot, names }: Ground, words: readonly string[]): string | null {
  const isActor = ({ actor }: Change): boolean =>
    actor !== undefined &&
    words.includes(actor.toLowerCase()) &&
    !names.all.some((name) => name.toLowerCase() === actor.toLowerCase())
  return snapshot.changes.find(isActor)?.actor ?? null
}

/** The kinds of changes that alone are asked for ("any flags?"); null where none is, or more than one. */
export function kindAsked(words: readonly string[]): ReadonlySet<Change['kind']> | null {
  const kinds = KINDS.filter(([pattern]) => words.some((word) => pattern.test(word)))
  const [one, ...others] = kinds
  // "Config changes" are of that kind, "what changed in the config" is whatever did.
  const isAny = words.some(
    (word, at) =>
      /^(?:chang|different|new$|modif)/.test(word) &&
      !(/^changes?$/.test(word) && KINDS.some(([pattern]) => pattern.test(words[at - 1] ?? ''))),
  )
  return one === undefined || others.length > 0 || isAny ? null : one[1]
}

/** The changes of the one kind that words mean ("the flag"); none where they mean none, or more than one. */
export function changesOfKind({ changes }: Snapshot, words: readonly string[]): readonly Change[] {
  const kinds = kindAsked(words)
  return kinds === null ? [] : changes.filter(({ kind }) => kinds.has(kind))
}

/** A digest of so many letters or more is spoken of by the first eight; anything else by the whole of it: `deploy-4` is not `deploy-42`. */
const DIGEST = /^(?=\d*[a-f])[a-f\d]{12,64}$/i

/** What somebody calls a change by its id. */
export const spokenId = (id: string): string => (DIGEST.test(id) ? id.slice(0, 8) : id)

/** The changes whose id or version a question names, by whole words. */
export const changesNamed = ({ changes }: Snapshot, words: readonly string[]): readonly Change[] =>
  changes.filter(({ id, after }) =>
    [id, spokenId(id), after].some((name) => name !== undefined && words.includes(name.toLowerCase())),
  )

/** Whether a change is the one that a cause names, or brought it, or was what it came with. */
export const isOfCause = (
  { id, carries = [] }: Change,
  { change, trigger }: Pick<Cause, 'change' | 'trigger'>,
): boolean => [change, trigger].some((own) => own !== null && (own === id || carries.includes(own)))

/**
 * The change that somebody means who names none: the one that is taken for the cause, as it arrived, else the last that
 * took effect of the service, or of all, before the trouble began.
 */
export function changeMeant(ground: Ground): Change | null {
  const { snapshot, service, findings, observed } = ground
  const { change: id, trigger } = findings.cause
  const cause = snapshot.changes.find((change) => change.id === id)
  const carrier = snapshot.changes.find(
    (change) => change.id === trigger || (id !== null && change.carries?.includes(id)),
  )
  if (cause !== undefined) return carrier ?? cause
  const until = observed.first?.onset.latest ?? snapshot.window.to
  const own = service === null ? [] : changesOf(ground, new Set([service]))
  const all = own.length > 0 ? own : snapshot.changes
  return (
    all.filter((change) => effectOf(change) <= until).sort((a, b) => effectOf(b) - effectOf(a))[0] ?? null
  )
}

/** A change with when it took effect. */
export function effectSentence(change: Change): string {
  const sentence = changeSentence({ change })
  const effect = change.effective_at
  return effect === undefined || effect.from === change.recorded_at
    ? sentence
    : `${sentence.slice(0, -1)}; it took effect at ${timeText(effect.from)}.`
}
