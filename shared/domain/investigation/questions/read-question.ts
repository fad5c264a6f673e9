/**
 * What a question asks for: intent, service, window, filters. Words only; what it cannot read is `unknown`, with the
 * reason of the refusal.
 */

import type { Window } from '../records/snapshot.ts'
import { type Part, partAsked } from './answer-parts.ts'
import { type AskedAbility, abilityAsked, withoutAct } from './asked-ability.ts'
import { type AskedCalls, callsAsked } from './asked-calls.ts'
import {
  type AskedMeasure,
  isAtInstant,
  levelAsked,
  levelExplained,
  type Measure,
  measureAsked,
  measureNamed,
} from './asked-measure.ts'
import { type AskedOfCause, askedOfCause } from './asked-of-cause.ts'
import { type AskedOfChanges, askedOfChanges } from './asked-of-changes.ts'
import { type AskedVersion, asksOfDoing, recordAsked, versionAsked, withoutVersions } from './asked-record.ts'
import { type AskedTool, asksOfTool, toolAsked } from './asked-tool.ts'
import { chosenBy } from './chosen-by.ts'
import { askingParts, isAsking, type LeftOut, leftOut } from './left-out.ts'
import { namesAside, spelt } from './names-aside.ts'
import { EMPTY_WORDS, plainWords, withoutSlips, withVowels } from './plain-words.ts'
import {
  asksOfRollBack,
  asksToCompare,
  asksWhatWouldBe,
  COMPARED_TIME,
  MORE_IN,
  readIntent,
} from './read-intent.ts'
import { type KnownNames, subjectReader } from './read-subject.ts'
import { NUMBERS, type ReaderClock, readWindow, UNITS } from './read-window.ts'
import type { Intent, Refused } from './ways-to-ask.ts'
import { intentByWords, nameAskedAfter } from './word-fields.ts'

/** On which side of a change something is asked about. */
export type ChangeSide = 'before' | 'after'
export type AskedStatus = 'open' | 'investigating' | 'resolved'
export type AskedSeverity = 'low' | 'medium' | 'high' | 'critical'

export interface Question {
  readonly intent: Intent
  /** Why it is not answered; null where it is. */
  readonly refusal: Refused | null
  /** One of the known services, as it is written there. */
  readonly service: string | null
  /** Other known services that it names together with that one. */
  readonly others: readonly string[]
  /** Other questions that stand in the same text, which this reading of it does not answer. */
  readonly left: readonly LeftOut[]
  /** What the question itself takes for the cause. It is looked up, never believed. */
  readonly suspect: string | null
  /** A name that the question is about and that is not known. */
  readonly unknown: string | null
  /** A name of one slip that is taken for the service. */
  readonly slip: string | null
  /** The measure whose value is asked for; only how a service does has one. */
  readonly measure: AskedMeasure | null
  /** The measure whose level is to be explained; only why has it. */
  readonly level?: Measure
  /** Only the last of what is asked for; only what changed has it. */
  readonly is_last: boolean
  /** Which region, copy or endpoint it is is asked for; only what is affected has it. */
  readonly part: Part | null
  /** Who calls a service or is called by it is asked for; only what is affected has it. */
  readonly calls?: AskedCalls
  /** What people are asked to be able to do; only what is affected has it. */
  readonly ability?: AskedAbility
  /** What of the change that is taken for the cause is asked for; only what changed has it. */
  readonly of_cause?: AskedOfCause
  /** What of the changes is asked for beside which they are; only what changed has it. */
  readonly of_changes?: AskedOfChanges
  /** On which side of the beginning of the trouble it is asked about; only what changed or happened has it. */
  readonly onset_side?: ChangeSide
  /** How long a stretch on that side is asked about, ms; absent where all of it is. */
  readonly beside_ms?: number
  /** The time before or after the change that the incident is about is asked about. */
  readonly side: ChangeSide | null
  /** Now beside another time is asked for; only how a service does has it. */
  readonly is_compared: boolean
  /** That other time, where the question names it. */
  readonly compared_with?: Window
  /** An instant is asked about: the window is the time around it. */
  readonly is_at_instant?: true
  /** What a going back that was done has brought is asked for; only whether it is over has it. */
  readonly is_of_roll_back?: true
  /** What is well is asked for, not what fails; only what is affected has it. */
  readonly is_of_spared?: true
  /** What is missing is asked for, not what was looked at; only what was asked has it. */
  readonly is_of_missing?: true
  /** The tool that is asked after; only what was asked has one. */
  readonly tool?: AskedTool
  /** Whose changes are left out ("besides stock"): a known service; only what changed has one. */
  readonly except?: string
  /** The record that is asked for by its name; only what changed has one. */
  readonly record?: string
  /** Which version ran is asked, and when; only what changed has it. */
  readonly version?: AskedVersion
  readonly window: Window | null
  /** Filters; only a list or a count has them. */
  readonly status: AskedStatus | null
  readonly severity: AskedSeverity | null
  /** By what else incidents would be chosen, which nothing does; only a list or a count has it. */
  readonly chosen_by?: string
  /** The words that carry meaning, in lower case, in order, each once. */
  readonly words: readonly string[]
}

/** What a question asks for beside its intent, which a follow-up that says nothing of it takes over. */
export type Asks = Pick<
  Question,
  'status' | 'severity' | 'measure' | 'part' | 'side' | 'is_last' | 'is_compared' | 'is_of_roll_back'
>

/** What of a question a follow-up takes over. */
export const asksOf = (asked: Asks): Asks => {
  const { status, severity, measure, part, side, is_last, is_compared } = asked
  return {
    ...{ status, severity, measure, part, side, is_last, is_compared },
    ...(asked.is_of_roll_back ? { is_of_roll_back: true } : {}),
  }
}

export type Known = KnownNames & ReaderClock

/** Words kept. */
const MOST_WORDS = 20

const STATUSES: readonly (readonly [AskedStatus, RegExp])[] = [
  ['open', /\b(unresolved|not (yet )?(resolved|closed|fixed)|still open)\b/],
  ['investigating', /\b(investigating|under investigation|being investigated)\b/],
  ['resolved', /\b(resolved|closed|fixed|over)\b/],
  ['open', /\b(on fire|open|ongoing|active|current(ly)?)\b/],
]
const SEVERITIES: readonly (readonly [AskedSeverity, RegExp])[] = [
  ['critical', /\b(criticals?|sev ?-?[01]s?|p[01]s?)\b/],
  ['high', /\b(high|major|sev ?-?2s?|p2s?)\b(?! (latency|load|cpu|memory|error|traffic|rate))/],
  ['medium', /\b(medium|moderate|sev ?-?3s?|p3s?)\b/],
  ['low', /\b(low|minor|sev ?-?4s?|p4s?)\b(?! (latency|load|memory|disk|traffic))/],
]

/** By which status and severity plain words ask for incidents. */
export const filtersIn = (plain: string): Pick<Question, 'status' | 'severity'> => ({
  status: STATUSES.find(([, pattern]) => pattern.test(plain))?.[0] ?? null,
  severity: SEVERITIES.find(([, pattern]) => pattern.test(plain))?.[0] ?? null,
})

/** What is missing is asked, not what was looked at. */
const OF_MISSING =
  /\b(?:not|never|cannot|unable|missing|missed|gaps?|blind|unknown|unseen|lack\w*|incomplete|without)\b|n't\b/

/** What is well is asked, not what fails. */
const OF_SPARED =
  /\b(?:not|never|(?:is|are|was|were)n't) (?:been |being |yet )?(?:affected|impacted|hit|hurt|touched|failing|broken|involved)\b|\bunaffected\b|\b(?:how many|which|what) services (?:are there|exist|(?:do|does) (?:we|you|they) (?:have|run|know|own))\b|^(?:and |so )?(?:which|what) (?:\S+ )?(?:is|are|was|were) (?:still |all )?(?:healthy|fine|ok(?:ay)?|well|up|working|spared|intact)\b/

/** The last change, not those of the last hour. */
const LAST_CHANGE =
  /\b(last|latest|newest) (change|deploy|deployment|release|commit|rollout|merge)\b|^who \w{1,20} (\S{1,60} )?last[ ?!.]{0,3}$|\b(?:which|what) (?:change|(?:re)?deploy\w*|release|commit|rollout|merge)\b.{0,12}\blast\b|\b(what|which|running) version\b/

/** A time that is told by a change of which neither name nor hour is given: "after the deploy". */
const BESIDE_CHANGE =
  /\b(before|until|prior to|after|since|following) (?:the|that|this|our|it was|we|last|latest)(?: (?:last|latest|bad))? (?:deploy(?:ed|ment|s)?|releas(?:ed?|es)|roll(?:ed )?out|change[ds]?|commit|merged?|flag)\b(?! (?:of|in|to|on|from) )/

/** A time that is told by when the trouble began: "after the outage began", "before it broke". */
const BESIDE_ONSET =
  /\b(before|until|prior to|ahead of|leading up to|after|since|following) (?:(?:the|this|that|our) )?(?:(?:outage|incident|trouble|problems?|failures?|symptoms?|errors|alerts?)\b|(?:it|this|that|everything|things|all this|we|\w+) (?:first )?(?:began|begun|started|broke|hit|failed|set in|went (?:bad|wrong|down|red)))/
/** A stretch that ends or begins with what is told beside it. */
const STRETCH =
  /\b(\d{1,3}|an?|half an|five|ten|fifteen|twenty|thirty)? ?(m|min|minute|h|hour)s? (?:right |just )?(?:before|leading up to|after)\b/
function stretchBeside(plain: string): number | null {
  const [, amount = 'an', unit = ''] = STRETCH.exec(plain) ?? []
  return unit === '' ? null : (NUMBERS[amount] ?? Number(amount)) * (UNITS[unit] as number)
}
const onsetSideOf = (plain: string): ChangeSide | null => {
  const [, word = ''] = BESIDE_ONSET.exec(plain) ?? []
  return word === '' ? null : /^(?:after|since|following)/.test(word) ? 'after' : 'before'
}

/** The question without such a time, which would be read as asking what changed, and on which side it is. */
function besideChange(plain: string): { readonly plain: string; readonly side: ChangeSide | null } {
  const told = BESIDE_CHANGE.exec(plain)
  if (told === null) return { plain, side: null }
  const side = /^(after|since|following)/.test(told[0]) ? 'after' : 'before'
  const rest = plain.replace(told[0], side === 'after' ? 'since then' : 'until then')
  // Whoever asks why or when suspects the change: that is another question.
  return /\b(why|caus\w+|when|because|start\w*|beg[aiu]n|or|how (?:soon|long|quickly|fast|many \w+) (?:after|before|since))\b|\b(?:right|no|correct)[ ?!.]*$/.test(
    plain,
  )
    ? { plain, side: null }
    : { plain: rest, side }
}

/** What stands before a question says when: "after the failover did loyalty calm down". */
const WHEN_FIRST =
  /^((?:after|since|before|following|during|until) (?:the|that|this|our|last|latest) [^,?.;]{2,40}?),? ((?:did|does|do|is|was|are|were|has|have|had|how|what|why|who|which) [^,;]{3,}?)[ ?!.]*$/
const whenLast = (plain: string): string => plain.replace(WHEN_FIRST, '$2 $1')

/** A question without the time that it names, and the plain words that the time is read of. */
export interface AskedInWords extends Omit<Question, 'window'> {
  readonly plain: string
}

/** Questions that an instant is asked about by: a cause is of more than one. */
const OF_INSTANT: ReadonlySet<Intent> = new Set([
  'how_is',
  'what_changed',
  'what_happened',
  'what_is_affected',
])

/** What is asked for of all that may be: nothing stands for what is not. */
const askedAlone = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== false)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], null | false>
  }

/** What plain words say whatever is known of names, with what reads their subject. */
function wordsOf(plain: string, intent: Intent, refusal: Refused | null) {
  const isListing = intent === 'list_incidents' || intent === 'count_incidents'
  const chosen = isListing ? chosenBy(plain) : null
  const tool = intent === 'what_was_asked' ? toolAsked(spelt(plain)) : null
  const calls = intent === 'what_is_affected' ? callsAsked(plain) : null
  const ability = intent === 'what_is_affected' ? abilityAsked(plain) : null
  const onsetSide = intent === 'what_changed' || intent === 'what_happened' ? onsetSideOf(plain) : null
  const ofCause = intent === 'what_changed' ? askedOfCause(plain) : null
  const ofChanges = intent === 'what_changed' ? askedOfChanges(plain) : null
  const version = intent === 'what_changed' ? versionAsked(plain) : null
  const level = intent === 'why' ? levelExplained(plain) : null
  const record = intent === 'what_changed' && version === null ? recordAsked(plain) : null
  return {
    subject: subjectReader(ability === null ? spelt(plain) : withoutAct(spelt(plain)), intent),
    asked: {
      intent,
      refusal,
      left: leftOut(plain, intent),
      ...(isListing ? filtersIn(plain) : { status: null, severity: null }),
      measure: intent === 'how_is' ? measureAsked(plain) : null,
      is_last: intent === 'what_changed' && LAST_CHANGE.test(plain),
      is_compared: intent === 'how_is' && (asksToCompare(plain) || COMPARED_TIME.test(plain)),
      part: intent === 'what_is_affected' ? partAsked(plain) : null,
      ...askedAlone({
        chosen_by: chosen,
        is_of_roll_back: intent === 'is_recovered' && asksOfRollBack(plain),
        is_of_spared: intent === 'what_is_affected' && OF_SPARED.test(plain),
        is_of_missing: intent === 'what_was_asked' && OF_MISSING.test(plain),
        is_at_instant: OF_INSTANT.has(intent) && isAtInstant(plain),
        ...{ level, tool, calls, ability, version, record },
        of_cause: ofCause,
        of_changes: ofChanges,
        onset_side: onsetSide,
        beside_ms: onsetSide === null ? null : stretchBeside(plain),
      }),
      words: wordsIn(spelt(plain)),
      plain,
    },
  }
}

/** How a text is read that a question in it may be answered of; an order is refused whatever stands beside it. */
const MAY_HOLD_QUESTION: ReadonlySet<Refused | null> = new Set([
  null,
  'unreadable',
  'prediction',
  'not_measured',
  'kept_elsewhere',
  'people',
  'owner',
  'confined',
])

/** What is asked of what somebody supposes is no question about what is ("if the database were down, what would fail?"). */
const SUPPOSES = /^(?:and |so |but )?(?:suppos(?:e|ing)|if|imagine|assum(?:e|ing)|say|had|let's say)\b/
const isOfSupposed = (plain: string, part: string): boolean =>
  SUPPOSES.test(plain) && !/[?!.;]\s/.test(plain.slice(0, plain.indexOf(part)))

/** What plain words say as a whole; by the first question among them where they begin otherwise or are refused. */
function readingOf(plain: string, { intent, refusal }: ReturnType<typeof readIntent>) {
  // What stands before a question says what it is about; an answer to that alone would leave the question open.
  const isAsked =
    refusal === null &&
    (isAsking(plain) || asksWhatWouldBe(plain) || levelAsked(plain)?.extreme !== undefined)
  const part =
    isAsked || !MAY_HOLD_QUESTION.has(refusal)
      ? undefined
      : askingParts(plain).find(
          (each) => each !== plain && !isOfSupposed(plain, each) && readIntent(each).refusal === null,
        )
  if (part === undefined) return wordsOf(plain, intent, refusal)
  const asked = readIntent(part).intent
  const own = wordsOf(part, asked, null)
  const ofWhole = subjectReader(spelt(plain), 'what_happened')
  return {
    asked: { ...own.asked, left: leftOut(plain, asked), words: wordsIn(spelt(plain)), plain },
    /** Who stands in another sentence is who the question is about, too. */
    subject: (known: KnownNames) => {
      const subject = own.subject(known)
      const { service, others, slip } = ofWhole(known)
      return subject.service === null && subject.unknown === null && service !== subject.suspect
        ? { ...subject, service, others, slip }
        : subject
    },
  }
}

/**
 * Reads what a question asks for, but not the time that it names: once for each set of names that is known, its words
 * once for all of them. What follows on another question is left to it where no known way of asking is found. Never
 * throws.
 *
 * @param meant the intent where what was asked before tells it
 */
export function wordsReader(
  text: string,
  follows = false,
  meant: Intent | null = null,
): (known: KnownNames) => AskedInWords {
  const whole = whenLast(plainWords(text))
  let begun:
    | (ReturnType<typeof besideChange> & {
        readonly typed: string
        readonly asTyped: ReturnType<typeof readIntent>
      })
    | undefined
  let last: ReturnType<typeof wordsOf> | undefined
  return (known) => {
    const typed = withVowels(namesAside(whole, known), known.services)
    if (begun?.typed !== typed) begun = { typed, asTyped: readIntent(typed), ...besideChange(typed) }
    const { asTyped, plain: toldPlain, side } = begun
    if (meant !== null) {
      if (last?.asked.plain !== typed) last = wordsOf(typed, meant, null)
      const measure = meant === 'how_is' ? measureNamed(typed) : null
      return { ...last.asked, ...last.subject(known), measure, side: null }
    }
    // What can be read as it stands is: a slip is looked for where nothing can be read.
    const plain =
      side === null && asTyped.refusal === 'unreadable' ? withoutSlips(typed, known.services) : toldPlain
    if (last?.asked.plain !== plain) {
      last = readingOf(plain, plain === typed ? asTyped : readIntent(plain))
    }
    const subject = last.subject(known)
    const { tool, record } = last.asked
    // Whether a service responds is measured, whether a tool did is on record; a name with a slip in it is of no record.
    const isOfService =
      (subject.service !== null && (tool?.type === null ? IS_NOW.test(plain) : asksOfTool(plain))) ||
      (record !== undefined && record === subject.slip) ||
      (subject.service !== null && asksOfDoing(plain))
    const { asked } = isOfService ? wordsOf(plain, 'how_is', null) : last
    const isOpen = asked.refusal === 'unreadable'
    const cue = isOpen ? intentByWords(plain, subject.service !== null, follows) : null
    if (cue === null) return { ...asked, ...subject, side }
    const read = wordsOf(plain, cue, null)
    const own = read.subject(known)
    // Who is asked after and is nobody that is known is not everybody.
    const unknown = own.unknown ?? (own.service === null ? nameAskedAfter(plain) : null)
    return { ...read.asked, ...own, unknown, side }
  }
}

const IS_NOW = /^(?:and |so )?(?:does|do|is|are)\b/

/** Reads a question with the time that it names, as often as names become known. Never throws. */
export function questionReader(
  text: string,
  clock: ReaderClock,
  follows = false,
  meant: Intent | null = null,
): (known: KnownNames) => Question {
  const read = wordsReader(text, follows, meant)
  let last: { readonly text: string; readonly times: ReturnType<typeof windowAsked> } | undefined
  return (known) => {
    const { plain, ...asked } = read(known)
    const text = `${asked.intent} ${plain}`
    if (last?.text !== text) last = { text, times: windowAsked(plain, asked, clock) }
    return { ...asked, ...last.times }
  }
}

/** Reads a question. Never throws. */
export const readQuestion = (text: string, known: Known): Question => questionReader(text, known)(known)

/** The time that a question names, as far as it counts. */
function windowAsked(
  plain: string,
  { intent, refusal, is_compared, record }: Pick<Question, 'intent' | 'refusal' | 'is_compared' | 'record'>,
  clock: ReaderClock,
): Pick<Question, 'window' | 'compared_with'> {
  // What is asked of the future has no window: nothing was measured there.
  if (plain === '' || refusal === 'prediction') return { window: null }
  // What is rated is rated by numbers that are no time.
  if (intent === 'what_contradicts' && RATED.test(plain)) return { window: null }
  if (is_compared) return windowsCompared(plain, clock)
  const isListing = intent === 'list_incidents' || intent === 'count_incidents'
  const told = record === undefined ? plain : withoutVersions(plain)
  return { window: cut(readWindow(told, isListing ? { ...clock, reach: MOST_ASKED } : clock), isListing) }
}

const RATED = /\b(?:scale|rate|score|grade|quantify|out of)\b/
/** Where what is compared ends. */
const COMPARING = /\b(?:vs\.?|versus|compared|than|against)(?![\w-])|(?<!compared) (?:to|with) (?!\d)/

/**
 * The time that is compared with another one, and that other: what stands before the comparison names it, unless the other is
 * later. Whoever asks whether there was more of something in a time compares now with that.
 */
function windowsCompared(plain: string, clock: ReaderClock): Pick<Question, 'window' | 'compared_with'> {
  const [first = '', ...others] = plain.split(COMPARING)
  const named = cut(readWindow(first, clock), false)
  if (others.length === 0 && MORE_IN.test(plain) && named !== null)
    return { window: null, compared_with: named }
  const other = readWindow(others.join(' '), clock)
  const window = named === null || (other !== null && other.to > named.from) ? null : named
  return { window, ...(other === null ? {} : { compared_with: other }) }
}
/** Tools are asked for a year at most; incidents may be as old as they are. */
const MOST_ASKED = 366 * 24 * 3_600_000
const cut = (window: Window | null, isListing: boolean): Window | null =>
  window === null || isListing ? window : { ...window, from: Math.max(window.from, window.to - MOST_ASKED) }

function wordsIn(plain: string): readonly string[] {
  const found = new Set<string>()
  for (const match of plain.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu)) {
    const word = match[0]
    if (word.length > 1 && word.length <= 60 && !EMPTY_WORDS.has(word)) found.add(word)
    if (found.size >= MOST_WORDS) break
  }
  return [...found]
}
