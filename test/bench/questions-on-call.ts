/** How many of the questions that are typed on call are read as they are meant, in either half of each corpus. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { spokenOf } from '#shared/domain/investigation/questions/asked-suspicion.ts'
import type { StoredAnswer } from '#shared/domain/ports.ts'
import { type Understood, understand, understoodAs } from '#shared/domain/understand-question.ts'

export type Half = 'A' | 'B'

/** A question with what must be read from it; of a list any member is right. */
export interface TypedQuestion {
  readonly ask: string
  /** The question that this one follows on. */
  readonly after?: string
  /** When it is asked, where that is not when all are asked. */
  readonly now?: string
  readonly intent: string | readonly string[]
  readonly subject: string | null | readonly (string | null)[]
  readonly window: MeantWindow | readonly MeantWindow[]
}
type MeantWindow =
  | null
  | 'any'
  | Span
  | { readonly around: string }
  | { readonly within: Span; readonly holds: string }
interface Span {
  readonly start: string
  readonly end: string
}
export interface Corpus {
  /** Whether all of it may be looked at: none of it is half B then. */
  readonly open?: boolean
  readonly now: string
  readonly timezone: string
  readonly entities: readonly { readonly name: string; readonly kind: keyof typeof KINDS }[]
  readonly questions: readonly TypedQuestion[]
}

const MINUTE = 60_000
/** What is asked "around" a moment may be looked for in so long a window that holds it. */
const MOST_AROUND = 120 * MINUTE

/** The intents of the reading that answer what the corpus says is asked. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  why: ['why'],
  changed: ['what_changed'],
  affected: ['what_is_affected'],
  how: ['how_is'],
  list: ['list_incidents'],
  count: ['count_incidents'],
  since: ['when_started'],
  before: ['seen_before'],
  recovered: ['is_recovered'],
  against: ['what_contradicts'],
  asked: ['what_was_asked'],
  revert: ['should_roll_back'],
  timeline: ['what_happened'],
  // How a service does is told against its normal time.
  compare: ['how_is'],
  suspect: ['why'],
  none: ['unknown'],
}

function corpusOf(name: string): Corpus {
  return JSON.parse(readFileSync(new URL(`../data/${name}.json`, import.meta.url), 'utf8'))
}

/** Every corpus whose reading is guaranteed by tests, by the name of its file, the oldest first. */
export const corpora = {
  'questions-typed-on-call': corpusOf('questions-typed-on-call'),
  'questions-night-and-morning': corpusOf('questions-night-and-morning'),
  'questions-of-many-hands': corpusOf('questions-of-many-hands'),
  'questions-asked-in-passing': corpusOf('questions-asked-in-passing'),
  'questions-in-other-words': corpusOf('questions-in-other-words'),
} as const

/** Every corpus that is scored. */
export const scoredCorpora: Readonly<Record<string, Corpus>> = corpora

/** The half of a question, by the digest of its text alone. */
export function halfOf({ ask, after = '' }: Pick<TypedQuestion, 'ask'> & Partial<TypedQuestion>): Half {
  const digest = createHash('sha256').update(`${after}\n${ask}`).digest('hex')
  return Number.parseInt(digest.slice(0, 1), 16) % 2 === 0 ? 'A' : 'B'
}

/** The kinds of the corpus as tools tell them. */
const KINDS = {
  service: 'service',
  database: 'datastore',
  cache: 'datastore',
  queue: 'queue',
  provider: 'external',
} as const

/** Reads a question, and before it the one that it follows on, with the names of its corpus known. */
export function readTyped(corpus: Corpus, { ask, after, now: at = corpus.now }: TypedQuestion): Understood {
  const now = Date.parse(at)
  const services = corpus.entities.map(({ name }) => name)
  const aliases = spokenOf(corpus.entities.map(({ name, kind }) => ({ name, kind: KINDS[kind] })))
  const read = (query: string, previous: StoredAnswer | undefined): Understood =>
    understand(
      { query, context: { timezone: corpus.timezone } },
      { incident: undefined, previous },
      now,
    )({ services, aliases })
  if (after === undefined) return read(ask, undefined)
  const first = read(after, undefined)
  const previous = {
    query: after,
    timestamp: new Date(now - MINUTE).toISOString(),
    ...understoodAs(first, first.service, first.window),
  } as StoredAnswer
  return read(ask, previous)
}

/** In which half of its corpus a question is counted. */
export const halfIn = ({ open = false }: Corpus, typed: TypedQuestion): Half => (open ? 'A' : halfOf(typed))

export type Part = 'intent' | 'subject' | 'window'

/** What of a reading is not what was meant; nothing where all is. Of what is refused nothing but that counts. */
export function missesOf(corpus: Corpus, typed: TypedQuestion): readonly Part[] {
  const read = readTyped(corpus, typed)
  const { question, service, others, window, is_window_carried } = read
  const meant = [typed.intent].flat()
  const isRefused = question.intent === 'unknown'
  if (isRefused) return meant.includes('none') ? [] : ['intent']
  const misses: Part[] = []
  if (!meant.some((label) => MEANT[label]?.includes(question.intent))) misses.push('intent')
  const subjects: readonly (string | null)[] = [typed.subject].flat()
  const named = [service, ...others, meant.includes('suspect') ? question.suspect : null]
  const isNamed = subjects.some((subject) => subject !== null && named.includes(subject))
  const isOpen = question.unknown === null ? subjects.includes(null) : subjects.includes('?')
  if (!isNamed && !(isOpen && service === null)) misses.push('subject')
  const asked = is_window_carried ? null : window
  if (![typed.window].flat().some((meant) => isWindow(meant, asked))) misses.push('window')
  return misses
}

function isWindow(meant: MeantWindow, read: Understood['window']): boolean {
  if (meant === 'any') return true
  if (meant === null || read === null) return meant === read
  if ('around' in meant) {
    const at = Date.parse(meant.around)
    return read.from <= at && at < read.to && read.to - read.from <= MOST_AROUND
  }
  if ('within' in meant) {
    const at = Date.parse(meant.holds)
    const { start, end } = meant.within
    return read.from >= Date.parse(start) && read.from <= at && at < read.to && read.to <= Date.parse(end)
  }
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= MINUTE
  return isNear(read.from, Date.parse(meant.start)) && isNear(read.to, Date.parse(meant.end))
}

export interface Score {
  readonly all: number
  readonly right: number
  readonly intent: number
  readonly subject: number
  readonly window: number
  /** Of what must be refused. */
  readonly to_refuse: number
  readonly refused: number
  /** Of what may be answered, how much is refused all the same. */
  readonly to_answer: number
  readonly refused_wrongly: number
}

/** The score of a half. Subject and window are counted where the intent is answered at all. */
export function scoreOf(corpus: Corpus, half: Half): Score {
  const rows = corpus.questions
    .filter((typed) => halfIn(corpus, typed) === half)
    .map((typed) => ({
      typed,
      misses: missesOf(corpus, typed),
      isRefused: readTyped(corpus, typed).question.intent === 'unknown',
      mustRefuse: typed.intent === 'none',
    }))
  const count = (fits: (row: (typeof rows)[number]) => boolean): number => rows.filter(fits).length
  return {
    all: rows.length,
    right: count(({ misses }) => misses.length === 0),
    intent: count(({ misses }) => !misses.includes('intent')),
    subject: count(({ misses, isRefused, mustRefuse }) =>
      mustRefuse ? isRefused : !isRefused && !misses.includes('subject'),
    ),
    window: count(({ misses, isRefused, mustRefuse }) =>
      mustRefuse ? isRefused : !isRefused && !misses.includes('window'),
    ),
    to_refuse: count(({ mustRefuse }) => mustRefuse),
    refused: count(({ mustRefuse, isRefused }) => mustRefuse && isRefused),
    to_answer: count(({ mustRefuse }) => !mustRefuse),
    refused_wrongly: count(
      ({ mustRefuse, isRefused, misses }) => !mustRefuse && isRefused && misses.length > 0,
    ),
  }
}
