import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answerQuestion, type QuestionActs } from '#shared/domain/answer-question.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { timeText } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { NOTHING_PULLED, type Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import type { StoredAnswer } from '#shared/domain/ports.ts'
import { corpora } from '#test/bench/questions-on-call.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { actsOn } from './acts-by-hand.ts'
import { at, LENGTH, SCENARIOS } from './investigation/incident-scenarios.ts'
import { altered } from './investigation/renamed-scenario.ts'

interface Row {
  readonly text: string
  readonly intent: string
  readonly service?: string
  readonly suspect?: string
  readonly unknown?: string
  readonly refusal?: string
  readonly window?: unknown
  readonly timezone?: string
}
const rows = ['questions-of-every-intent.json', 'questions-asked-otherwise.json'].flatMap(
  (file) => JSON.parse(readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8')).questions as Row[],
)

const corpus = corpora['questions-typed-on-call']
const typed = corpus.questions.map(({ ask }) => ask)

const NOW = at(LENGTH)
/** The names of the scenario become those that the corpus asks about. */
const NAMES = new Map([
  ['ledger-service', 'checkout-service'],
  ['services/ledger', 'services/checkout'],
  ['portal', 'web-frontend'],
  ['catalogue', 'search'],
  ['journal', 'payments-svc'],
])
const SERVICES = ['checkout-service', 'payments-svc', 'search', 'auth', 'inventory-api', 'web-frontend']
const name = (text: string): string =>
  [...NAMES].reduce((renamed, [from, to]) => renamed.replaceAll(from, to), text)
const outage: Pulled = (() => {
  const [first] = SCENARIOS
  if (first === undefined) throw new Error('there is no scenario')
  const { format: _format, ...snapshot } = altered(first.snapshot, { name })
  const entities = SERVICES.map((service) => ({ name: service, kind: 'service' as const, aliases: [] }))
  return { ...snapshot, entities }
})()

const incidents = [
  sampleIncident(NOW - 20 * 60_000, { service: 'checkout-service', title: 'Checkout fails' }),
  sampleIncident(NOW - 9 * 86_400_000, {
    service: 'payments-svc',
    title: 'Payments time out',
    status: 'resolved',
    resolved_at: writeInstant(NOW - 9 * 86_400_000 + 3_600_000),
    root_cause: sampleRootCause(2, 40),
  }),
]

const acts = (pulled: Pulled): QuestionActs => actsOn(pulled, { incidents, id: 'bundle_1', now: NOW })
const ask = (row: Row, pulled = outage): Promise<StoredAnswer> => {
  const context = row.timezone === undefined ? {} : { context: { timezone: row.timezone } }
  return answerQuestion(acts(pulled), { query: row.text, ...context }, NOW + 20_000)
}

/** Numbers, instants and names as they stand in sentences. */
const claimsOf = (text: string): string[] => [
  ...[...text.matchAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC|(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-])/g)].map(
    ([token]) => token,
  ),
  ...[...SERVICES, 'dana', ...incidents.map(({ id }) => id)].filter((each) => text.includes(each)),
]

describe('the corpus, asked of an outage', () => {
  it('has at least two hundred questions', () => {
    const first = JSON.parse(readFileSync(new URL('../data/questions.json', import.meta.url), 'utf8'))
    expect(rows.length + first.questions.length).toBeGreaterThanOrEqual(250)
  })

  it.each(rows.map((row) => [row.text, row] as const))(
    'answers “%s” by evidence alone',
    async (_text, row) => {
      const told = await ask(row)
      expect(told.understood.intent).toBe(row.intent)
      const cited = told.evidence.map(({ content }) => content).join('\n')
      // What the service says of itself holds examples; they claim nothing.
      const said = row.refusal === undefined ? told.answer : ''
      // What is not known stands among the gaps.
      const asked = JSON.stringify([told.understood, row.suspect, told.gaps])
      for (const claim of claimsOf(said)) {
        if (!row.text.includes(claim) && !asked.includes(claim)) expect(cited, told.answer).toContain(claim)
      }
      if (row.refusal !== undefined) {
        expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [] })
        expect(told.gaps.map(({ what }) => what)).toEqual(['the question'])
      }
      if (row.unknown !== undefined && row.window === undefined) {
        expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
        expect(told.answer).toContain(`Nothing is known by the name “${row.unknown}”.`)
      }
      // Without asking a tool only the services of incidents are known: then none is named, never another one.
      const fromStore = row.refusal !== undefined || /incidents|seen_before/.test(row.intent)
      if (row.service !== undefined)
        expect(fromStore ? [row.service, null] : [row.service]).toContain(told.understood.service)
    },
  )

  it('is answered by evidence alone where it is typed in haste', async () => {
    for (const text of typed) {
      const told = await ask({ text, intent: '' })
      const cited = told.evidence.map(({ content }) => content).join('\n')
      const known = JSON.stringify([told.understood, told.gaps, text])
      if (told.understood.intent === 'unknown')
        expect(told, text).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [] })
      else
        for (const claim of claimsOf(told.answer))
          if (!known.includes(claim)) expect(cited, told.answer).toContain(claim)
    }
  })

  it('is answered with nothing where the tools know nothing', async () => {
    for (const row of rows.filter(({ intent }) => !/incidents|seen_before/.test(intent))) {
      const told = await ask(row, NOTHING_PULLED)
      expect(told, row.text).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
    }
  })

  it('says which time it is about, and of a cause from which time it is drawn', async () => {
    const changed = await ask({ text: 'What changed between 09:20 and 09:40?', intent: 'what_changed' })
    expect(changed.understood.window).toEqual({ start: writeInstant(at(80)), end: writeInstant(at(100)) })
    const why = await ask({ text: 'Why did checkout fail between 09:20 and 09:40?', intent: 'why' })
    expect(why.understood.window).toEqual(changed.understood.window)
    expect(why.gaps[0]?.why).toContain(
      `${timeText(at(0))} to ${timeText(NOW)}, all of which the answer rests on`,
    )
  })

  it('answers what changed of a person whom a tool names, and of no other', async () => {
    const told = await ask({ text: 'What did dana change?', intent: 'what_changed' })
    expect(told.answer).toMatch(/^\d+ changes by dana are recorded from /)
    expect((await ask({ text: 'What did jonas change?', intent: 'what_changed' })).answer).toContain(
      'Nothing is known by the name “jonas”.',
    )
  })

  it('says of an answer about now when what it rests on ends, where that is a while ago', async () => {
    const later = (text: string, minutes: number, context = {}) =>
      answerQuestion(
        { ...acts(outage), clock: () => NOW + minutes * 60_000 },
        { query: text, context },
        NOW + minutes * 60_000 + 20_000,
      )
    const ends = `What the connected tools gave ends at 2026-03-02 10:00:00 UTC; how it is now is not known.`
    for (const text of ['How is checkout now?', 'Has checkout recovered?']) {
      const told = await later(text, 40)
      expect(told.answer.endsWith(`\n${ends}`), told.answer).toBe(true)
      expect(told.gaps[0]?.what).toBe('the time since 2026-03-02 10:00:00 UTC')
      expect((await later(text, 5)).answer).not.toContain(ends)
    }
    expect((await later('Why does checkout fail?', 40)).answer).not.toContain(ends)
    const time_range = { start: writeInstant(at(60)), end: writeInstant(at(110)) }
    expect((await later('How is checkout?', 40, { time_range })).answer).not.toContain(ends)
  })

  it('answers several questions, each below its own words, and says which it does not answer', async () => {
    const told = await ask({
      text: 'What changed in search? How is checkout doing? And who is on call?',
      intent: 'what_changed',
    })
    const [own, further = ''] = told.answer.split('\nOn “how is checkout doing”:\n')
    expect(own).toMatch(/^No changes of search are recorded/)
    const alone = await ask({ text: 'How is checkout doing?', intent: 'how_is' })
    expect(further.split('\n')).toEqual([
      ...alone.answer.split('\n'),
      'Not answered: “who is on call”; it asks for who is responsible, which no tool tells.',
    ])
    const cited = told.evidence.map(({ content }) => content)
    for (const { content } of alone.evidence) expect(cited).toContain(content)
    expect(new Set(told.evidence.map(({ id }) => id)).size).toBe(cited.length)
    expect(told.gaps.at(-1)).toEqual({
      what: 'the question “who is on call”',
      why: 'it asks for who is responsible, which no tool tells',
    })
    const list = await ask({ text: 'Which incidents are open and who is on call?', intent: 'list_incidents' })
    expect(list.answer).toMatch(
      /\nNot answered: “who is on call”; it asks for who is responsible, which no tool tells\.$/,
    )
  })

  it('says of what it cannot read of whom it is and what comes near', async () => {
    const { answer } = await ask({ text: 'frobnicate the checkout wobble', intent: 'unknown' })
    expect(answer).toMatch(
      /^I could not read what is asked\. What I read of it: it is about checkout-service\. Perhaps you mean “How is checkout-service\?” I can say /,
    )
  })

  it('says for which service it answers where the context names another than the question', async () => {
    const query = 'Why does checkout fail?'
    const told = await answerQuestion(acts(outage), { query, context: { service: 'search' } }, NOW + 20_000)
    expect(told.understood.service).toBe('search')
    expect(told.answer).toMatch(/\nThis is answered for search alone, not for checkout-service\.$/)
  })

  it('ranks the same hypotheses for a leading question as for the neutral one', async () => {
    const neutral = await ask({ text: 'Why is checkout failing?', intent: 'why' })
    const leading = rows.filter(
      ({ suspect, service, window }) =>
        suspect !== undefined && service === 'checkout-service' && window === undefined,
    )
    expect(leading.length).toBeGreaterThan(5)
    for (const row of leading) {
      const told = await ask(row)
      expect(told.hypotheses, row.text).toEqual(neutral.hypotheses)
      expect(told.confidence).toBe(neutral.confidence)
      expect(told.answer.startsWith(neutral.answer)).toBe(true)
    }
  })
})
