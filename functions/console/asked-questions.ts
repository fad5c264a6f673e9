/** A question that was asked, and where its answer is kept. */
export interface AskedQuestion {
  /** Id of the stored answer. */
  readonly id: string
  readonly question: string
  /** When it was answered. */
  readonly at: string
}

/** As many as a person looks through; the oldest go first. */
const MOST_KEPT = 20

/** Where the questions are kept: storage of the tab, which ends with it. */
type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
const NAME = 'asked-questions'

const isAsked = (given: unknown): given is AskedQuestion => {
  const { id, question, at } = (given ?? {}) as Partial<Record<keyof AskedQuestion, unknown>>
  return [id, question, at].every((each) => typeof each === 'string')
}

/**
 * What somebody asked in this tab before, newest first. Answers are not kept: they are read again from the service,
 * which decides who may. What another person asked, or nobody can read, is taken for nothing.
 */
export function readAsked(kept: Kept, by: string): readonly AskedQuestion[] {
  try {
    const { by: asker, questions } = JSON.parse(kept.getItem(NAME) ?? '{}') as Record<string, unknown>
    return asker === by && Array.isArray(questions) ? questions.filter(isAsked).slice(0, MOST_KEPT) : []
  } catch {
    return []
  }
}

/** Keeps the newest questions of somebody; where the tab keeps nothing, they end with the page. */
export function writeAsked(kept: Kept, by: string, questions: readonly AskedQuestion[]): void {
  const newest = questions.slice(0, MOST_KEPT).map(({ id, question, at }) => ({ id, question, at }))
  try {
    kept.setItem(NAME, JSON.stringify({ by, questions: newest }))
  } catch {
    // Storage is full or forbidden: nothing but a convenience is lost.
  }
}

/** Forgets what was asked, and what was about to be, such as when people sign out. */
export function forgetAsked(kept: Kept): void {
  kept.removeItem(NAME)
  kept.removeItem(DRAFT)
}

const DRAFT = 'question-draft'

/** What somebody was typing in this tab before it was loaded again; empty where that was nothing, or another person. */
export function readDraft(kept: Kept, by: string): string {
  try {
    const { by: typist, text } = JSON.parse(kept.getItem(DRAFT) ?? '{}') as Record<string, unknown>
    return typist === by && typeof text === 'string' ? text : ''
  } catch {
    return ''
  }
}

/** Keeps what somebody is typing; nothing is kept of an empty text. */
export function writeDraft(kept: Kept, by: string, text: string): void {
  try {
    if (text === '') kept.removeItem(DRAFT)
    else kept.setItem(DRAFT, JSON.stringify({ by, text }))
  } catch {
    // Storage is full or forbidden: nothing but a convenience is lost.
  }
}
