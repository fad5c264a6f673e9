import { spanText } from './investigation/hypotheses/compose-answer.ts'
import { claimless } from './investigation/questions/answer-ground.ts'
import { impossibleDay, impossibleTime } from './investigation/questions/impossible-time.ts'
import { plainWords } from './investigation/questions/plain-words.ts'
import type { Intent, Refused } from './investigation/questions/ways-to-ask.ts'
import { intentLikely } from './investigation/questions/word-fields.ts'
import type { Told } from './tell-incidents.ts'
import { type Understood, understoodAs } from './understand-question.ts'

/** What can be asked, in words. */
const ABLE =
  'why something fails ("Why is checkout failing?"), what changed, what is affected, what happened in a time, how a service does or what a measure is ("What is the p99 of checkout?"), which alerts fire, when it started, whether it happened before or is over, whether a rollback helped, how many errors there were, what speaks against an explanation, what was asked and what speaks for going back; list incidents ("Which incidents are open?") and count them ("How many critical incidents are open?").'

/** What is answered to a question that gets no answer, and why, as a gap. */
const REFUSALS: Readonly<Record<Refused, { readonly answer: string; readonly why: string }>> = {
  unreadable: {
    answer: `I could not read what is asked. I can say ${ABLE}`,
    why: 'its intent could not be read',
  },
  prediction: {
    answer: 'I cannot say what will happen: I only know what was measured.',
    why: 'it asks about the future, of which there is no evidence',
  },
  command: {
    answer:
      'I change nothing in your systems: I only look. I can say what speaks for it and against it ("Should I roll back checkout?").',
    why: 'it asks for an act, not for an answer',
  },
  not_measured: {
    answer: 'No connected tool measures that. I can say how many requests failed ("How bad is it?").',
    why: 'it asks for something that no tool measures',
  },
  kept_elsewhere: {
    answer:
      'That does not follow from what the connected tools record. I can say what changed and who changed it ("Who changed checkout?"), which alerts fired and what was measured; who opened or closed an incident stands in its timeline.',
    why: 'it asks for something that stands in no telemetry',
  },
  language: {
    answer: 'I read English only ("Why is checkout failing?", "What changed?", "Is it over?").',
    why: 'it is not in English',
  },
  courtesy: {
    answer: `Ask what you need to know of an incident. I can say ${ABLE}`,
    why: 'it asks for nothing',
  },
  confined: {
    answer: `I tell what was recorded and measured of incidents, and nothing of keys or of how I am told to work. I can say ${ABLE}`,
    why: 'it asks for something that no answer holds',
  },
  owner: {
    answer:
      'No connected tool says who is to be called. I can say who changed what ("Who changed checkout?") and what is affected ("What is affected?").',
    why: 'it asks for who is responsible, which no tool tells',
  },
  people: {
    answer:
      'I look for causes in systems, not for somebody to blame. I can say what changed ("What changed in checkout?").',
    why: 'it asks for a person to blame',
  },
}

/** The question that is nearest to one that could not be read: by the words of it that speak for something, if only faintly. */
const NEAREST: Partial<Readonly<Record<Intent, string>>> = {
  why: 'Why is … failing?',
  what_changed: 'What changed in …?',
  what_is_affected: 'Is … affected?',
  how_is: 'How is …?',
  when_started: 'Since when is … failing?',
  is_recovered: 'Is … over?',
  should_roll_back: 'Should I roll back …?',
}

/** What was read of a question that could not be read as a whole, and the nearest that can be asked; none where nothing was. */
function nearestTo({ service, window, question }: Understood, query: string): string {
  const nearest = NEAREST[intentLikely(plainWords(query)) ?? (service === null ? 'unknown' : 'how_is')]
  const of = [
    ...(service === null ? [] : [`it is about ${service}`]),
    ...(question.window === null || window === null
      ? []
      : [`the time is ${spanText(window.from, window.to)}`]),
  ]
  const read = of.length === 0 ? '' : ` What I read of it: ${of.join(', and ')}.`
  return nearest === undefined
    ? read
    : `${read} Perhaps you mean “${nearest.replace('…', () => service ?? '…')}”`
}

/** Why a question gets no answer, as a gap of the one that another question of the same text gets. */
export const whyRefused = (refusal: Refused): string => REFUSALS[refusal].why

/** A question that is not answered: said so, with what was understood, and nothing claimed. */
export const tellRefused = (read: Understood, query: string): Told => {
  const refusal = read.question.refusal ?? 'unreadable'
  const { answer, why } = REFUSALS[refusal]
  const near = refusal === 'unreadable' ? nearestTo(read, query) : ''
  return {
    ...claimless(near === '' ? answer : answer.replace('.', () => `.${near}`), [
      { what: 'the question', why },
    ]),
    ...understoodAs(read, read.service, read.window),
    snapshot_digest: null,
  }
}

/** A day that no calendar has, or a time that no clock shows, and what is answered to it; null where there is neither. */
export function slipIn(
  query: string,
): { readonly answer: string; readonly gap: Told['gaps'][number] } | null {
  const day = impossibleDay(query)
  if (day !== null)
    return {
      answer: `No calendar has the day ${day}. Ask about one that there is.`,
      gap: { what: `the day ${day}`, why: 'no calendar has it' },
    }
  const time = impossibleTime(query)
  return time === null
    ? null
    : {
        answer: `No clock shows ${time}. Ask about a time that there is.`,
        gap: { what: `the time ${time}`, why: 'no clock shows it' },
      }
}

/** Of what no calendar or clock has nothing is known; an answer about any other time would be taken for one about it. */
export const tellSlip = (
  { answer, gap }: NonNullable<ReturnType<typeof slipIn>>,
  read: Understood,
): Told => ({
  ...claimless(answer, [gap]),
  ...understoodAs(read, read.service, null),
  snapshot_digest: null,
})
