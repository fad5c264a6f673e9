import { describe, expect, it } from 'vitest'
import {
  INTENTS,
  type Intent,
  type Refused,
  readIntent,
  SYMPTOM,
} from '#shared/domain/investigation/read-intent.ts'

/** Ways of asking, beside those of the corpus of questions. */
const ASKED: Readonly<Partial<Record<Intent, readonly string[]>>> = {
  why: [
    'why is stock slow?',
    'how come stock is slow?',
    'root cause of the outage',
    'diagnose stock',
    'investigate stock',
    'troubleshoot stock',
    'explain the errors',
    'reasons behind the errors',
    'the culprit please',
    'what is wrong with stock?',
    "what's broken in stock?",
    'what broke stock?',
    'what happened to stock?',
    'what caused it?',
    'is it the database?',
    'was it dns?',
    'could the deploy be the cause?',
    'did the deploy cause it?',
    'is it stock because of web?',
    "it is web's fault",
    'did web break stock please?',
    'stock is failing',
    'errors in stock',
    'summary',
    'give me a quick overview',
    'tldr',
  ],
  what_changed: [
    'what changed?',
    'any deploys in stock',
    'recent commits',
    'was a flag toggled?',
    'what went out?',
    'which prs were merged?',
    'what is different in stock',
    'who pushed a migration',
  ],
  what_is_affected: [
    'what is affected?',
    'the blast radius',
    'what else is down?',
    'how many users notice it?',
    'how severe is it?',
    'what depends on stock?',
    'downstream of stock',
    'impact',
  ],
  how_is: [
    'how is stock?',
    "how's stock?",
    'how did stock do?',
    'status',
    'state?',
    'is stock ok?',
    'is stock up and running',
    'stock health',
    'show me the errors of stock',
    'list logs',
  ],
  list_incidents: [
    'list incidents',
    'open incidents',
    'incidents of stock',
    'which incidents are open?',
    'incidents',
    'what is on fire',
    'unresolved incidents',
    'outages',
  ],
  count_incidents: [
    'how many incidents were there?',
    'number of outages',
    'count incidents',
    'how often did stock fail',
    'total number of incidents',
  ],
  when_started: [
    'when did it start?',
    'since when',
    'for how long has it been down',
    'how long is stock out',
    'the first error',
    'onset',
    'at which moment did it begin',
    'what time did stock crash',
  ],
  seen_before: [
    'has this happened before?',
    'did stock fail in the past?',
    'similar incidents',
    'is this the first time',
    'a recurring thing',
    'did it ever break',
    'has stock failed previously',
  ],
  is_recovered: [
    'has it recovered?',
    'is it back to normal?',
    'is it over?',
    'is stock fixed yet',
    'working again?',
    'getting worse?',
    'is stock still failing',
    'is stock back up',
    'did the restart help',
    'was it solved?',
  ],
  what_contradicts: [
    'what speaks against it?',
    'evidence against that',
    'what else could it be',
    'other possible causes',
    'alternatives',
    'how sure are you',
    'are you certain',
    'could it be something else',
    'which causes were ruled out',
  ],
  what_was_asked: [
    'what did you ask?',
    'which tools were queried?',
    'where does this come from',
    'how do you know',
    'show your sources',
    'where did you look at it',
    'sources that you used',
  ],
  should_roll_back: [
    'should we roll back?',
    'would a rollback help',
    'is it safe to revert?',
    'do we go back to v1',
    'what should we do',
    'how do i fix it',
    'next steps',
    "what's next",
    'a workaround',
  ],
}
const REFUSED: Readonly<Record<Refused, readonly string[]>> = {
  people: ['whose fault is it?', 'who should be fired?', 'who is to blame', 'who gets promoted'],
  not_measured: [
    'how much money did we lose?',
    'what revenue is gone',
    'what did it cost us',
    'how many refunds',
    'we lost sales',
  ],
  command: [
    'roll back stock',
    'please restart stock',
    'can you scale stock',
    'now delete the pod',
    'would you roll back stock',
    'page somebody',
    'silence the alert',
    'go and reboot it',
  ],
  prediction: [
    'will it fail?',
    'what happens tomorrow',
    'forecast the load',
    'is it going to break',
    'next week',
    'how long until it is over',
    "it won't recover",
  ],
  unreadable: ['', 'blue', 'write a poem', 'hello there', 'who are you', 'list the things', 'when?'],
}

describe('what a question wants', () => {
  const rows = Object.entries(ASKED).flatMap(([intent, asked]) =>
    asked.map((plain) => [plain, intent] as const),
  )
  it.each(rows)('“%s” wants %s', (plain, intent) => {
    expect(readIntent(plain)).toEqual({ intent, refusal: null })
  })

  it('is one of the intents, and each is asked for', () => {
    expect([...Object.keys(ASKED), 'unknown'].toSorted()).toEqual([...INTENTS].toSorted())
  })
})

describe('what is not answered', () => {
  const rows = Object.entries(REFUSED).flatMap(([refusal, asked]) =>
    asked.map((plain) => [plain, refusal] as const),
  )
  it.each(rows)('“%s” is refused as %s', (plain, refusal) => {
    expect(readIntent(plain)).toEqual({ intent: 'unknown', refusal })
  })

  it('is no history of what was commanded, and no count of anything else', () => {
    expect(readIntent('rollback history').refusal).not.toBe('command')
    expect(readIntent('how many requests failed?').intent).toBe('what_is_affected')
    expect(readIntent('how many incidents hit how many users?').intent).not.toBe('count_incidents')
  })
})

describe('a symptom', () => {
  it.each(
    'slow slower down fail fails failed failing failure failures error errors erroring broken latency timeout timeouts unavailable spike spikes spiked spiking degraded crash crashes crashed crashing 500 503s outage unreachable stuck hanging'.split(
      ' ',
    ),
  )('is “%s”', (word) => {
    expect(SYMPTOM.test(word)).toBe(true)
  })

  it.each(['fine', 'downtown', 'failover', '5000', '404', 'uphanging'])('is not “%s”', (word) => {
    expect(SYMPTOM.test(word)).toBe(false)
  })
})
