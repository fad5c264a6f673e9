/**
 * Changes ranked by how likely each of them caused what is observed.
 *
 * In this order: time (hard: what took effect after the onset is no cause; what arrived just before it, where it
 * fails and next to alone, is evidence of its own), place (what the change reaches against what fails), version
 * contrast, mechanism (what its diff can break against what is observed), echoes (a name that the errors quote
 * vanished in the diff, a level that moved exactly as a setting did), words last (IDF-weighted overlap of net changed
 * words; Spärck Jones, 1972). Signs join by noisy-or; place and time scale the result.
 */
import { type ActingWork, workOf } from './acting-changes.ts'
import { type EntityNames, stemOf } from './entity-names.ts'
import type { Observed } from './failing-services.ts'
import { lastRun, type Run } from './first-runs.ts'
import { type FittingMechanism, mechanismOfRecord, strongestMechanism } from './fitting-mechanism.ts'
import { compareText } from './log-templates.ts'
import { misreadFrom } from './misread-answers.ts'
import { isActRecord, quotedResource } from './named-resources.ts'
import {
  effectTime,
  isDelivered,
  isRollout,
  NEAR_PLACE,
  type Place,
  placeOf,
  placeOfTarget,
  surroundingsOf,
} from './place-of-changes.ts'
import {
  type DiffReading,
  DOCUMENTATION,
  quantityOf,
  readDiff,
  type SettingChange,
  TESTS,
  wordsOf,
} from './read-diff.ts'
import type { SeriesShift } from './series-shift.ts'
import type { Change, Snapshot } from './snapshot.ts'
import { anyOf, round6 } from './statistics.ts'
import { quotedNames, type Symptom } from './symptoms.ts'
import { usedUpAfter, usedUpBefore } from './used-up-since.ts'
import { contrastVersions, isSameVersion, type VersionContrast } from './version-contrast.ts'

/** Clocks of two tools differ by this much at most, ms. */
const CLOCK_TOLERANCE_MS = 60_000
/** Time after which half of the credit for being recent is gone: a slow fill takes an hour or two. */
const RECENT_MS = 2 * 3_600_000
/** Time after which half of the credit for closeness is gone, where only closeness speaks: most faults show within it. */
const CLOSE_MS = 30 * 60_000
/** The same for a fault that has nothing to fill first: it shows within a few scrapes. */
const AT_ONCE_MS = 3 * 60_000
/** Credit of what is on record just after the onset: the onset may be told late, or the change early. */
const AFTER = 0.5
/** From this closeness on, time counts as evidence of its own: at most a quarter of an hour, and alone in it. */
const COINCIDES = 0.7
/** Weights of the signs within the noisy-or; none of them is certain, words least of all. */
const WEIGHTS = {
  mechanism: 0.85,
  echo: 0.8,
  named: 0.85,
  contrast: 0.9,
  spent: 0.6,
  words: 0.3,
  // Alone in reaching the failing place just before it failed: more than words, less than any sight of how.
  closeness: 0.5,
  base: 0.03,
} as const
/** What remains of a change whose version does well beside another that does not. */
const ACQUITTED = 0.3
/** What a mechanism is worth where nothing in the change, or around it, names anything observed. */
const UNLINKED = 0.55
/** From here a mechanism is worth a sentence. */
export const FITS = 0.2
/** From here a mechanism is full in the diff, and its own words are much of what is observed. */
const EXACT = 0.8
/** From here work of its own is seen to do what such work does. */
const ACTING = 0.3
/** Share of the credit for closeness that a change claims beside others where nothing in it can do the harm. */
const UNFIT = 0.5
/** The same of a change that has no text to read. */
const UNREAD = 0.75
/** Share of the credit for closeness of settings that nobody recorded to be in effect: most are within minutes. */
const UNSEEN = 0.5
/** A word that at least this share of all changes use links nothing. */
const EVERYWHERE = 0.4

export interface RankedChange {
  readonly change: Change
  readonly diff: DiffReading
  readonly score: number
  /** When it took effect; `known` says whether a rollout tells so. */
  readonly effective_at: { readonly from: number; readonly to: number; readonly known: boolean }
  /** The deploy that carried it into effect. */
  readonly carried_by: Change | null
  /** A statement of its changes what is stored, which taking back its version does not undo. */
  readonly acts_on_stored_data: boolean
  /** When the work that it brought ran last before the onset; null where it brought none, or none of it ran. */
  readonly run: Run | null
  readonly place: number
  readonly reaches: string | null
  readonly mechanism: FittingMechanism | null
  readonly echo: { readonly setting: SettingChange; readonly shift: SeriesShift } | null
  /** What began to be used up where it arrived, just after it did, and ran out when users felt it. */
  readonly spent: SeriesShift | null
  /** A name that what fails quotes: the change removes or adds it, or is a flag that bears it. */
  readonly quoted: {
    readonly name: string
    readonly symptom: Symptom
    readonly how: 'removes' | 'adds' | 'bears'
  } | null
  /** Its version does worse than another at the same time. */
  readonly contrast: VersionContrast | null
  readonly words: readonly string[]
  readonly words_score: number
  readonly trivial: string | null
  /** Something in the change names something that is observed. */
  readonly is_linked: boolean
  /** How close before the onset it reached what fails, as a share of all changes that did, 0 to 1. */
  readonly closeness: number
  /** It is next to alone in having reached what fails just before it did. */
  readonly coincides: boolean
}

export interface ChangeRanking {
  /** Most likely first. */
  readonly ranked: readonly RankedChange[]
  /** Took effect too late, earliest first. */
  readonly too_late: readonly RankedChange[]
}

const STYLE = /\.(css|scss|sass|less|svg|png|jpg|gif|ico|woff2?)$|\.html$/i
const PIPELINE =
  /(^|\/)(\.github|\.gitlab-ci\.yml|\.circleci|Jenkinsfile|\.editorconfig|\.gitignore|\.prettierrc|\.eslintrc)/i
const OBSERVATION_ONLY =
  /\b(log|logger|logging|slog|console|print|printf|fmt\.Print|metrics?|prometheus|tracer?|span|otel|attribute|counter|histogram|gauge|LOG_\w+)\b/i
/** What is done when a process is told to stop, and no earlier: signal(7), Java's shutdown hooks, Python's atexit. */
const AT_SHUTDOWN =
  /\bSIG(?:TERM|INT|QUIT)\b|before_?exit|\batexit\b|add_?shutdown_?hook|on_?shutdown|@PreDestroy|\bpre_?stop\b/i
/** A type beside a name, which no compiler leaves in what runs. */
const ANNOTATION = /([)\w])\s*:\s*[A-Z][\w.<>[\]| ]*(?==[^=>]|[,){]|$)/g
/** How much is written to a log, from least to most. */
const LOG_LEVELS = ['off', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace', 'all']

const MANIFEST =
  /(^|\/)(go\.mod|package\.json|requirements[^/]*\.txt|pom\.xml|build\.gradle(\.kts)?|Cargo\.toml|Gemfile)$/i

/** Words of every programming language and of every commit; they connect nothing. */
const COMMON = new Set(
  'the a an and or of to in for on with from by is are was be as at it this that not no if else return func function def class struct type var let const int string bool float err error errors nil null none true false new get set add use used using make map range len append time context ctx req res request response http json data value values name names key id service svc server client config code file line test info debug warn failed failure fail returned returning status call calls called statu handler handle handled message messages msg after before per all any each item items list count total number n s ms go py ts js java yaml yml src main index package import public private static void self async await try catch throw out http2 com github www api v1 v2'.split(
    ' ',
  ),
)

/** Ranks everything that changed and could be the cause. */
export function rankChanges(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): ChangeRanking {
  const carriers = carriersOf(snapshot.changes)
  const known = new Set(snapshot.changes.map((change) => change.id))
  const candidates = snapshot.changes.filter(
    (change) => !(isRollout(change) && (change.carries ?? []).some((id) => known.has(id))),
  )
  const diffs = new Map(candidates.map((change) => [change, readDiff(change.diff, change.files)]))
  const inherited = inheritedRollouts(candidates, diffs, carriers)
  const weigh = wordScorer(candidates, diffs, symptoms, names)
  const quoted = quotedNames(symptoms)
  const contrasts = contrastVersions(snapshot, names, {
    from: observed.onset?.earliest ?? observed.normal.incident.from,
    to: observed.normal.incident.to,
  })
  const latest = observed.onset === null ? null : observed.onset.latest + CLOCK_TOLERANCE_MS
  const ranked: RankedChange[] = []
  const tooLate: RankedChange[] = []
  const surroundings = surroundingsOf(snapshot, names, latest, misreadFrom(observed, symptoms))
  const isTraced = snapshot.edges.length + snapshot.spans.length > 0
  const arrivals = candidates.map((change): Arrival => {
    const diff = diffs.get(change) as DiffReading
    const rollouts = [...(carriers.get(change.id) ?? []), ...(inherited.get(change) ?? [])]
    const rollout = chooseRollout(rollouts, observed, latest, names)
    const work = workOf(change, diff)
    const runFor = (owners: ReadonlySet<string>): Run | null =>
      work === null
        ? null
        : lastRun(work, owners, snapshot, names, change.recorded_at, latest ?? snapshot.window.to)
    const found = placeOf(
      change,
      rollout,
      inherited.has(change),
      observed,
      names,
      surroundings,
      work,
      (owners) => (runFor(owners)?.seen ?? null) !== null,
    )
    // Who is next to whom is not known without calls; that what fails quotes the change says so.
    const place =
      found.score < NEAR_PLACE && !isTraced && findQuoted(diff, quoted) !== null
        ? { ...found, score: NEAR_PLACE }
        : found
    const run = runFor(place.owners)
    const moved = surroundings.movedBy(change).find(({ entity }) => entity === place.reaches)
    const delivered = effectTime(change, rollout)
    // The orchestrator says when it got there, whatever the record of the whole says.
    const seen = moved?.at ?? run?.at
    const isKnown = moved !== undefined || delivered.known || (run?.seen ?? null) !== null
    const effective = seen === undefined ? delivered : { from: seen, to: seen, known: isKnown }
    // What an infrastructure writes down of itself was done then.
    const isDone = isActRecord(change) && (place.is_named || isOwn(change, place, names))
    const mechanism = isActRecord(change)
      ? mechanismOfRecord(names.withoutNames(change.title ?? ''), symptoms, change)
      : strongestMechanism(diff, symptoms)
    return {
      change,
      diff,
      rollout,
      effective: { ...effective, known: effective.known || isDone },
      run,
      work,
      place,
      mechanism,
      trivial: trivialReason(change, diff, mechanism?.score ?? 0),
    }
  })
  const spending = usedUpBefore(observed)
  const spentBy = new Map(
    arrivals.map((arrival) => [
      arrival,
      arrival.effective.known && arrival.trivial === null
        ? usedUpAfter(spending, arrival.place.reaches, arrival.effective.from)
        : null,
    ]),
  )
  const closenessOf = closeness(arrivals, observed, latest, (arrival) => spentBy.get(arrival) ?? null)
  for (const arrival of arrivals) {
    const { change, diff, rollout, effective, place, mechanism, trivial } = arrival
    const echo = findEcho(diff, observed.shifts.filter(isEchoOf(arrival)))
    const spent = spentBy.get(arrival) ?? null
    const named =
      findFlag(change, symptoms) ??
      (place.score >= NEAR_PLACE ? quotedResource(change, quoted, names) : null) ??
      findQuoted(diff, quoted)
    const { score: wordsScore, words, is_linked: hasLink } = weigh(change)
    const { known } = effective
    const delay = observed.onset === null ? 0 : Math.max(0, observed.onset.at - effective.from)
    const recency = Math.exp((-Math.LN2 * delay) / RECENT_MS)
    const { contrast, is_acquitted: isAcquitted } = contrastOf(rollout ?? change, contrasts, names)
    // Whose version does well beside another is not where it began, however close it came.
    const close = isAcquitted ? 0 : closenessOf(arrival)
    const coincides = close >= COINCIDES
    // What it can break is what is seen, in the words of that very fault, where it arrived in time.
    const isExact = (mechanism?.score ?? 0) >= EXACT && close > 0
    // What it brought is done on the very place that fails, and fails it in the manner of such work.
    const isActing =
      arrival.work !== null &&
      place.reaches === observed.first?.entity &&
      (mechanism?.score ?? 0) >= ACTING &&
      close > 0
    const isLinked =
      isActing ||
      hasLink ||
      echo !== null ||
      spent !== null ||
      named !== null ||
      contrast !== null ||
      coincides ||
      isExact
    const signs = anyOf(
      WEIGHTS.mechanism * (mechanism?.score ?? 0) * (isLinked ? 1 : UNLINKED),
      echo === null ? 0 : WEIGHTS.echo,
      named === null ? 0 : WEIGHTS.named * (named.how === 'adds' ? 0.5 : 1),
      contrast === null ? 0 : WEIGHTS.contrast,
      spent === null ? 0 : WEIGHTS.spent,
      WEIGHTS.words * wordsScore,
      WEIGHTS.closeness * close,
      WEIGHTS.base,
    )
    const score = round6(
      signs *
        place.score *
        (0.6 + 0.4 * recency) *
        (known ? 1 : 0.85) *
        (isAcquitted ? ACQUITTED : 1) *
        (trivial === null ? 1 : trivial.factor),
    )
    const entry: RankedChange = {
      change,
      diff,
      score,
      effective_at: { from: effective.from, to: effective.to, known },
      carried_by: rollout,
      run: seenRun(arrival),
      acts_on_stored_data: arrival.work?.of === 'stored data',
      place: place.score,
      reaches: place.reaches,
      mechanism,
      echo,
      spent,
      quoted: named,
      contrast,
      words,
      words_score: wordsScore,
      trivial: trivial?.reason ?? null,
      is_linked: isLinked,
      closeness: close,
      coincides,
    }
    if (latest !== null && effective.from > latest) tooLate.push(entry)
    else ranked.push(entry)
  }
  ranked.sort(compareRanked)
  tooLate.sort((a, b) => a.effective_at.from - b.effective_at.from || compareRanked(a, b))
  return { ranked, too_late: tooLate }
}

/** It is of the very thing that it reached, and nothing else says when it took effect. */
const isOwn = ({ entity, effective_at }: Change, { reaches }: Place, names: EntityNames): boolean =>
  entity !== undefined && effective_at === undefined && names.canonical(entity) === reaches

/** The run that tells when it took effect. */
const seenRun = ({ run, effective }: Arrival): Run | null => (run?.at === effective.from ? run : null)

/** A change with when and where it arrived. */
interface Arrival {
  readonly change: Change
  readonly diff: DiffReading
  readonly rollout: Change | null
  readonly effective: { readonly from: number; readonly to: number; readonly known: boolean }
  readonly place: Place
  readonly run: Run | null
  /** What it brings that is done on what its owner uses. */
  readonly work: ActingWork | null
  readonly mechanism: RankedChange['mechanism']
  readonly trivial: { readonly reason: string; readonly factor: number } | null
}

/**
 * How close before the onset each change reached what fails. Many changes that did so share the credit: then being
 * close tells less about any of them. What does nothing takes no share.
 */
function closeness(
  arrivals: readonly Arrival[],
  observed: Observed,
  latest: number | null,
  spentBy: (arrival: Arrival) => SeriesShift | null,
): (arrival: Arrival) => number {
  const { onset } = observed
  const own = new Map<Arrival, { readonly close: number; readonly claim: number }>()
  // Steps of one flag are one change that was made more of: they do not speak against each other.
  const claims = new Map<string, number>()
  if (onset !== null)
    for (const arrival of arrivals) {
      const { change, diff, effective, place, trivial, mechanism, run } = arrival
      const isLikely = effective.known || run !== null
      if ((!isLikely && !isDelivered(change)) || place.score < NEAR_PLACE || effective.from > (latest ?? 0))
        continue
      // What ran out was being used up from a moment of its own on, which is the nearer one.
      const since = spentBy(arrival)?.onset.at
      const delay = since === undefined ? onset.at - effective.from : Math.max(0, since - effective.from)
      const share = (run?.share ?? 1) * (isLikely ? 1 : UNSEEN)
      const close = share * (delay < 0 ? AFTER : 2 ** (-delay / CLOSE_MS))
      // Among several, what came at once has the better claim; alone, a quarter of an hour is as good.
      const atOnce = share * (delay < 0 ? AFTER : 2 ** (-delay / AT_ONCE_MS))
      // A flag is asked with the next request: what others do at once or later, in halves, it does at once.
      const soon = change.kind === 'flag' ? 2 * atOnce : (close + atOnce) / 2
      const claim = soon * place.score ** 2 * (trivial?.factor ?? 1) * fitOf(diff, mechanism)
      own.set(arrival, { close: close * (trivial?.factor ?? 1), claim })
      const key = stepsOf(change)
      claims.set(key, Math.max(claim, claims.get(key) ?? 0))
    }
  const all = [...claims.values()].reduce((sum, claim) => sum + claim, 0)
  return (arrival) => {
    const { close = 0, claim = 0 } = own.get(arrival) ?? {}
    return all === 0 ? 0 : round6((close * claim) / all)
  }
}

/** The same for all records of one flag; for anything else its own. */
export const stepsOf = ({ kind, id, title, entity }: Change): string =>
  JSON.stringify(kind === 'flag' ? [kind, title ?? id, entity] : [kind, id])

/** What can be read and can do no such harm claims less than what cannot be read at all, as a flag or a machine. */
const fitOf = ({ size }: DiffReading, mechanism: RankedChange['mechanism']): number =>
  (mechanism?.score ?? 0) >= FITS ? 1 : size > 0 ? UNFIT : UNREAD

/** What the versions of a service that run side by side say about the one that a rollout brought. */
function contrastOf(
  rollout: Change,
  contrasts: readonly VersionContrast[],
  names: EntityNames,
): { readonly contrast: VersionContrast | null; readonly is_acquitted: boolean } {
  const { entity, after } = rollout
  if (entity === undefined || after === undefined) return { contrast: null, is_acquitted: false }
  const own = contrasts.filter((each) => each.entity === names.canonical(entity))
  const contrast = own.find(({ worse }) => isSameVersion(after, worse)) ?? null
  return {
    contrast,
    is_acquitted: contrast === null && own.some(({ better }) => isSameVersion(after, better)),
  }
}

/** By score; ties by effect time (the later one is nearer the onset), then by size, at last by the tool's id. */
const compareRanked = (a: RankedChange, b: RankedChange): number =>
  b.score - a.score ||
  b.effective_at.from - a.effective_at.from ||
  b.diff.size - a.diff.size ||
  compareText(a.change.id, b.change.id)

function carriersOf(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const carriers = new Map<string, Change[]>()
  for (const change of changes)
    for (const id of change.carries ?? []) {
      const list = carriers.get(id)
      if (list === undefined) carriers.set(id, [change])
      else list.push(change)
    }
  return carriers
}

/**
 * A library's change takes effect where a manifest takes its new version: a changed module path that ends in
 * the folders of the library's files. The rollouts of the manifest's change then carry both.
 */
function inheritedRollouts(
  candidates: readonly Change[],
  diffs: ReadonlyMap<Change, DiffReading>,
  carriers: ReadonlyMap<string, readonly Change[]>,
): ReadonlyMap<Change, readonly Change[]> {
  const found = new Map<Change, Change[]>()
  for (const bump of candidates) {
    const diff = diffs.get(bump) as DiffReading
    const rollouts = carriers.get(bump.id)
    if (rollouts === undefined || !diff.files.some((path) => MANIFEST.test(path))) continue
    const modules = diff.lines_new.flatMap((line) => line.match(/@?[\w.-]+(?:\/[\w.-]+)+/g) ?? [])
    for (const module of modules) {
      const folders = module.replace(/^@/, '').split('/')
      const tail = folders.slice(-2).join('/')
      for (const change of candidates) {
        if (change === bump || change.recorded_at > bump.recorded_at) continue
        const owns = diffs.get(change)?.files.some((path) => `/${path}`.includes(`/${tail}/`))
        if (owns !== true || (carriers.get(change.id)?.length ?? 0) > 0) continue
        const list = found.get(change)
        if (list === undefined) found.set(change, [...rollouts])
        else list.push(...rollouts)
      }
    }
  }
  return found
}

/** Of several rollouts the one that still precedes the onset and reaches what fails most, latest first. */
function chooseRollout(
  rollouts: readonly Change[],
  observed: Observed,
  latest: number | null,
  names: EntityNames,
): Change | null {
  const rank = (change: Change): number =>
    (latest === null || effectTime(change, null).from <= latest ? 2 : 0) +
    (change.entity === undefined ? 0 : placeOfTarget(names.canonical(change.entity), observed))
  const ordered = [...rollouts].sort(
    (a, b) =>
      rank(b) - rank(a) || effectTime(b, null).from - effectTime(a, null).from || compareText(a.id, b.id),
  )
  return ordered[0] ?? null
}

/** A level follows its setting when the change arrives, or as soon as a rollout is through, ms. */
const FOLLOWS_MS = 15 * 60_000

/** Whether a series moved where the change arrived and, where that is known, when it did: numbers meet by chance. */
const isEchoOf =
  ({ place, effective }: Arrival) =>
  ({ series, onset }: SeriesShift): boolean =>
    (place.reaches === null || series.entity === place.reaches) &&
    (!effective.known ||
      (onset.latest >= effective.from - CLOCK_TOLERANCE_MS && onset.earliest <= effective.to + FOLLOWS_MS))

/** A setting in the diff and a series that moved between the same two values. */
function findEcho(diff: DiffReading, shifts: readonly SeriesShift[]): RankedChange['echo'] {
  for (const setting of diff.settings) {
    const before = quantityOf(setting.before)
    const after = quantityOf(setting.after)
    if (before === null || after === null) continue
    for (const shift of shifts)
      for (const scale of [1, 1_000])
        if (
          isNear(shift.before * scale, before) &&
          isNear(shift.during * scale, after) &&
          isTelling(before, after)
        )
          return { setting, shift }
  }
  return null
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 0.01 * Math.abs(b) + 1e-9
/** 0 and 1 occur everywhere; a pair of them proves nothing. */
const isTelling = (a: number, b: number): boolean => a > 1 || b > 1

/** A key of several parts: one word may be anybody's. */
const FLAG_KEY = /^[a-z\d]+(?:[-_.:][a-z\d]+)+$/i
/** From this weight on a symptom is of the failing place itself. */
const OWN_SYMPTOM = 0.5

/** A flag whose own key stands in what the failing place logs: code under a flag says which flag. */
function findFlag({ kind, id }: Change, symptoms: readonly Symptom[]): RankedChange['quoted'] {
  if (kind !== 'flag' || !FLAG_KEY.test(id)) return null
  const key = new RegExp(`(?<![\\w-])${id.replaceAll('.', '\\.')}(?![\\w-])`, 'i')
  const symptom = symptoms.find(
    ({ origin, weight, text }) =>
      (origin === 'log' || origin === 'pattern') && weight >= OWN_SYMPTOM && key.test(text),
  )
  return symptom === undefined ? null : { name: id, symptom, how: 'bears' }
}

function findQuoted(diff: DiffReading, quoted: ReadonlyMap<string, Symptom>): RankedChange['quoted'] {
  for (const [list, how] of [
    [diff.literals_removed, 'removes'],
    [diff.literals_added, 'adds'],
  ] as const)
    for (const literal of list) {
      const symptom = quoted.get(literal.toLowerCase())
      if (symptom !== undefined && !COMMON.has(literal.toLowerCase())) return { name: literal, symptom, how }
    }
  return null
}

interface WordMatch {
  readonly score: number
  readonly words: readonly string[]
  readonly is_linked: boolean
}

/** Words as they are compared: without a plural's s. */
const compared = (text: string): readonly string[] =>
  wordsOf(text).map((word) => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word))

function wordScorer(
  candidates: readonly Change[],
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
  names: EntityNames,
): (change: Change) => WordMatch {
  // Parts of entities' names speak for the place, which is scored by itself.
  const parts = new Set(names.all.flatMap((name) => [...compared(name), stemOf(name) ?? '']))
  const isTelling = (word: string): boolean =>
    word.length > 2 && !COMMON.has(word) && !parts.has(word) && !/^\d+$/.test(word)
  const observedWords = new Map<string, number>()
  for (const symptom of symptoms)
    for (const word of new Set(compared(symptom.plain)))
      if (isTelling(word))
        observedWords.set(word, Math.min(2, (observedWords.get(word) ?? 0) + symptom.weight))
  const documents = candidates.map((change) => {
    const diff = diffs.get(change) as DiffReading
    const weights = new Map<string, number>()
    const put = (texts: readonly string[], weight: number): void => {
      for (const text of texts)
        for (const word of compared(text))
          if (isTelling(word)) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
    }
    put(diff.net_removed, 1.2)
    put(diff.net_added, 1)
    put([change.title ?? '', change.kind === 'flag' ? change.id : '', ...(change.files ?? [])], 0.4)
    // Lines that stay, in whole or in part, tell what the change is about, not what it does.
    put([...diff.removed, ...diff.added, ...diff.surroundings], 0.1)
    return weights
  })
  const frequency = new Map<string, number>()
  for (const document of documents)
    for (const word of document.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarity = (word: string): number =>
    Math.max(0, Math.log((candidates.length + 1) / ((frequency.get(word) ?? 0) + 0.5)))
  const byChange = new Map(
    candidates.map((change, index) => [change, documents[index] as Map<string, number>]),
  )
  return (change) => {
    const document = byChange.get(change) as Map<string, number>
    const hits: { word: string; value: number }[] = []
    let isLinked = false
    for (const [word, weight] of document) {
      const seen = observedWords.get(word)
      if (seen === undefined) continue
      hits.push({ word, value: round6(weight * Math.min(1, seen) * rarity(word)) })
      if (seen >= 0.2 && (frequency.get(word) ?? 0) <= Math.max(3, EVERYWHERE * candidates.length))
        isLinked = true
    }
    hits.sort((a, b) => b.value - a.value || compareText(a.word, b.word))
    const total = hits.reduce((sum, hit) => sum + hit.value, 0) / Math.sqrt(1 + document.size / 12)
    // Half-saturation at 3: about two rare words.
    return {
      score: round6(total / (total + 3)),
      words: hits.slice(0, 5).map((hit) => hit.word),
      is_linked: isLinked,
    }
  }
}

function trivialReason(
  change: Change,
  diff: DiffReading,
  mechanism: number,
): { reason: string; factor: number } | null {
  const { files } = diff
  const all = (pattern: RegExp): boolean => files.length > 0 && files.every((path) => pattern.test(path))
  if (all(DOCUMENTATION)) return { reason: 'it touches documentation only', factor: 0.1 }
  if (all(TESTS)) return { reason: 'it touches tests only', factor: 0.1 }
  if (all(PIPELINE)) return { reason: 'it touches the build pipeline only', factor: 0.3 }
  if (all(STYLE)) return { reason: 'it touches appearance only', factor: 0.15 }
  if (isQuieter(diff)) return { reason: 'it only makes logs quieter', factor: 0.35 }
  const isCode = change.kind === 'commit' || change.kind === 'pull_request'
  if (!isCode) return null
  if (change.diff === null || change.diff === undefined || change.diff === '')
    return { reason: 'its diff is not known', factor: 0.6 }
  if (diff.size === 0) return { reason: 'it changes comments only', factor: 0.1 }
  if (isMoved(diff) && mechanism < 0.3) return { reason: 'it only moves code', factor: 0.25 }
  const [gone, fresh] = [diff.lines_gone, diff.lines_new]
  if (
    gone.length > 0 &&
    gone.length === fresh.length &&
    gone.every((line, index) => untyped(line) === untyped(fresh[index] ?? ''))
  )
    return { reason: 'it changes types only', factor: 0.15 }
  const touched = [...gone, ...fresh]
  if (touched.length > 0 && touched.every((line) => AT_SHUTDOWN.test(line)))
    return { reason: 'it acts only when a process stops', factor: 0.35 }
  if (touched.length > 0 && touched.every((line) => OBSERVATION_ONLY.test(line) || /^[})\]]/.test(line)))
    return { reason: 'it changes logging and metrics only', factor: 0.35 }
  return null
}

/** A text between quotes, as a statement that is sent elsewhere; longer ones are data. */
const QUOTED_TEXT = /"[^"\n]{2,400}"|'[^'\n]{2,400}'|`[^`\n]{2,400}`/g

/** Next to nothing is new, and no statement in quotes lost a word for good: a clause of a query may be a single one. */
function isMoved({ net_share, settings, net_removed, lines_gone, added }: DiffReading): boolean {
  if (net_share >= 0.1 || settings.length > 0) return false
  const left = new Set(added.flatMap(wordsOf))
  const lost = net_removed.filter((word) => !left.has(word))
  return !lines_gone.some((line) =>
    (line.match(QUOTED_TEXT) ?? []).some(
      (text) => text.includes(' ') && wordsOf(text).some((word) => lost.includes(word)),
    ),
  )
}

const untyped = (line: string): string => line.replace(ANNOTATION, '$1').replace(/\s+/g, '')

/** Nothing but levels of logs changes, and every one of them to write less. */
function isQuieter({ settings, lines_gone, lines_new }: DiffReading): boolean {
  const level = (text: string): number => LOG_LEVELS.indexOf(text.replace(/["']/g, '').toLowerCase())
  return (
    settings.length > 0 &&
    lines_gone.length <= settings.length &&
    lines_new.length <= settings.length &&
    settings.every(({ before, after }) => level(after) >= 0 && level(after) < level(before))
  )
}
