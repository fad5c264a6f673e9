import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerInWords, answerUnknown } from '#shared/domain/investigation/questions/answer-in-words.ts'
import type { Intent } from '#shared/domain/investigation/questions/ways-to-ask.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, deploy, EMPTY, LENGTH, MINUTE, ONSET, SCENARIOS, series } from '../incident-scenarios.ts'
import { altered } from '../renamed-scenario.ts'

const INTENTS = [
  'why',
  'what_changed',
  'what_is_affected',
  'how_is',
  'when_started',
  'is_recovered',
  'what_contradicts',
  'what_was_asked',
  'should_roll_back',
] as const satisfies readonly Intent[]

const answer = (
  snapshot: Snapshot,
  intent: Intent,
  part: {
    service?: string
    others?: readonly string[]
    suspect?: string
    unknown?: string
    window?: Snapshot['window']
  } = {},
) => {
  const service = part.service ?? null
  const question = {
    ...{ intent, suspect: part.suspect ?? null, unknown: part.unknown ?? null, window: part.window ?? null },
  }
  return answerInWords(question, service, snapshot, investigate(snapshot, { service }), part.others)
}
const scenario = (name: string): Snapshot => {
  const found = SCENARIOS.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no scenario ${name}`)
  return found.snapshot
}
const TIMEOUT = scenario('a timeout is cut to a tenth')

/** Numbers and instants as they stand in sentences; ids and versions that are part of a word count as words. */
const tokens = (text: string): string[] =>
  [...text.matchAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC|(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g)].map(
    ([token]) => token,
  )
const NAMES = ['ledger-service', 'portal', 'catalogue', 'journal', 'refunds', 'node-7', 'dana', 'paylane']
const cases = SCENARIOS.flatMap(({ name, snapshot }) =>
  INTENTS.flatMap((intent) =>
    [undefined, 'ledger-service', 'portal', 'catalogue'].map((service) => ({
      name,
      snapshot,
      intent,
      service,
    })),
  ),
)

/** Each scenario and intent once, asked of whatever fails. */
const plainCases = cases.filter(({ service }) => service === undefined)

describe('every answer', () => {
  it('holds only numbers, times and names that its evidence holds', () => {
    let seen = 0
    for (const { snapshot, intent, service } of cases) {
      const told = answer(snapshot, intent, service === undefined ? {} : { service })
      const cited = told.evidence.map(({ content }) => content).join('\n')
      for (const token of [...tokens(told.answer), ...NAMES.filter((name) => told.answer.includes(name))]) {
        if (token === service) continue
        seen += 1
        expect(cited, `${intent}: ${told.answer}`).toContain(token)
      }
      expect(new Set(told.evidence.map(({ id }) => id)).size).toBe(told.evidence.length)
    }
    expect(seen).toBeGreaterThan(1_000)
  })

  it('tells another time when what was measured lies at another time', () => {
    for (const { snapshot, intent } of plainCases) {
      const before = answer(snapshot, intent)
      const after = answer(altered(snapshot, { later: 26 * 60 * MINUTE + 61_000 }), intent)
      const times = (text: string) => tokens(text).filter((token) => token.endsWith('UTC'))
      expect(times(after.answer)).toHaveLength(times(before.answer).length)
      for (const time of times(before.answer)) expect(after.answer).not.toContain(time)
    }
  })

  it('tells other names when what was measured has other names', () => {
    const name = (text: string) =>
      text.replaceAll('ledger', 'quartz').replaceAll('portal', 'harbor').replaceAll('dana', 'robin')
    for (const { snapshot, intent } of plainCases) {
      const before = answer(snapshot, intent).answer
      const after = answer(altered(snapshot, { name }), intent).answer
      expect(after).not.toMatch(/ledger|portal|dana/)
      expect(after.includes('quartz')).toBe(before.includes('ledger'))
    }
  })

  it('tells other numbers when other levels were measured', () => {
    for (const intent of ['how_is', 'when_started', 'is_recovered'] as const) {
      const before = answer(TIMEOUT, intent)
      const after = answer(altered(TIMEOUT, { level: 1.3 }), intent)
      const levels = before.evidence.filter(({ type }) => type === 'anomaly')
      expect(levels.length).toBeGreaterThan(0)
      for (const { content } of levels) expect(after.answer).not.toContain(content)
    }
  })

  it('loses the sentences whose records are gone', () => {
    for (const { snapshot, intent } of plainCases) {
      const before = answer(snapshot, intent)
      for (const list of ['series', 'logs', 'changes', 'alerts'] as const) {
        const after = answer({ ...snapshot, [list]: [] }, intent)
        const cited = after.evidence.map(({ content }) => content).join('\n')
        const kept = before.answer.split('\n').filter((line) => after.answer.includes(line))
        for (const line of kept) for (const token of tokens(line)) expect(cited).toContain(token)
      }
    }
  })

  it('claims nothing where nothing was measured', () => {
    for (const intent of INTENTS) {
      const told = answer({ ...EMPTY, sources: [] }, intent)
      expect(told, intent).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
      expect(told.gaps.length).toBeGreaterThan(0)
    }
  })
})

describe('what changed', () => {
  it('lists the changes of a service by when they took effect, newest first, with those its rollouts carried', () => {
    const told = answer(TIMEOUT, 'what_changed', { service: 'ledger-service' })
    const lines = told.answer.split('\n').slice(1)
    expect(told.answer).toMatch(/^6 changes of ledger-service are recorded from /)
    expect(lines).toHaveLength(6)
    expect(lines[0]).toContain('d-4')
    expect(told.answer).toContain('tune client settings')
    expect(told.answer).not.toContain('explain the release')
  })

  it('keeps to the time that is asked about, and says when there was none', () => {
    const window = { from: at(ONSET - 3), to: at(ONSET - 1) }
    expect(answer(TIMEOUT, 'what_changed', { window }).answer).toMatch(/^1 change is recorded/)
    const none = answer(TIMEOUT, 'what_changed', { window: { from: at(1), to: at(2) } })
    expect(none.answer).toBe(
      `No changes are recorded from 2026-03-02 08:01:00 UTC to 2026-03-02 08:02:00 UTC.`,
    )
    expect(none.evidence[0]?.type).toBe('absence')
  })

  it('names ten and says that there are more', () => {
    const [change] = TIMEOUT.changes
    const changes = Array.from({ length: 12 }, (_, index) => ({ ...change, id: `c${index}` }) as never)
    const told = answer({ ...TIMEOUT, changes }, 'what_changed')
    expect(told.answer.split('\n')).toHaveLength(12)
    expect(told.answer).toMatch(/^12 changes [\s\S]*\nThe earlier ones are not listed here\.$/)
  })

  it('says of a change that took effect later than it was recorded when it did', () => {
    const changes = TIMEOUT.changes.map((change) =>
      change.id === 'd-c'
        ? { ...change, effective_at: { from: change.recorded_at + MINUTE, to: change.recorded_at + MINUTE } }
        : change,
    )
    expect(answer({ ...TIMEOUT, changes }, 'what_changed').answer).toContain(
      'it took effect at 2026-03-02 09:29:00 UTC.',
    )
  })
})

describe('what changed where the service that was asked about did not', () => {
  const calls = { caller: 'portal', callee: 'ledger-service', from: at(0), to: at(1), calls: 9, failed: 0 }
  const edges = [{ ...calls, latency_sum_ms: null, latency_count: null, source: 'edges' }] as never
  const window = { from: at(ONSET - 3), to: at(ONSET + 1) }
  const changes = TIMEOUT.changes.filter(({ entity, files }) => entity === 'ledger-service' && !files?.length)
  const nothing = / UTC to 2026-03-02 .* UTC\.\n/

  it('lists what changed of what it calls', () => {
    const told = answer({ ...TIMEOUT, changes, edges }, 'what_changed', { service: 'portal', window })
    expect(told.answer).toMatch(/^No changes of portal are recorded from /)
    expect(told.answer).toMatch(nothing)
    expect(told.answer).toMatch(/\n\d+ changes? of what portal calls (is|are) recorded from .*\n- /)
    expect(told.evidence.map(({ type }) => type)).toEqual(expect.arrayContaining(['absence', 'change']))
  })

  it('lists what changed elsewhere, where it calls nothing that changed', () => {
    const told = answer({ ...TIMEOUT, changes }, 'what_changed', { service: 'catalogue', window })
    expect(told.answer).toMatch(/^No changes of catalogue are recorded from /)
    expect(told.answer).toMatch(/\n\d+ changes? of other services (is|are) recorded from .*\n- /)
  })

  it('says no more where nothing changed at all', () => {
    const calm = { from: at(1), to: at(2) }
    const told = answer(TIMEOUT, 'what_changed', { service: 'catalogue', window: calm })
    expect(told.answer).toMatch(/^No changes of catalogue are recorded from [^\n]*$/)
  })
})

describe('why', () => {
  it('says of a service that fails by another since when it fails, before the cause', () => {
    const neutral = answer(TIMEOUT, 'why')
    const told = answer(TIMEOUT, 'why', { service: 'portal' })
    const [place, cause] = told.answer.split('\n')
    expect(place).toMatch(/^portal has been failing since 2026-03-02 09:/)
    expect(cause).toMatch(/^ledger-service has been failing since /)
    expect(told.evidence.map(({ content }) => content)).toContain(place)
    expect(answer(TIMEOUT, 'why', { service: 'ledger-service' }).answer).toBe(neutral.answer)
  })

  it('says of a service that is well that it does not fail, before what does', () => {
    const told = answer(TIMEOUT, 'why', { service: 'catalogue' })
    expect(told.answer).toMatch(
      /^catalogue does not fail as far as anything measured shows\.\n1 series, 0 log .*\nWhat fails is this:\nledger-service has been failing since /s,
    )
    expect(new Set(told.evidence.map(({ id }) => id)).size).toBe(told.evidence.length)
    expect(answer(TIMEOUT, 'why', { service: 'refunds' }).answer).toMatch(
      /^Nothing was measured of refunds in that time\.\nWhat fails is this:\n/,
    )
  })

  it('does not call a service well of which an alert tells', () => {
    const [alert] = TIMEOUT.alerts
    const alerts = [...TIMEOUT.alerts, { ...alert, service: 'catalogue' } as never]
    const told = answer({ ...TIMEOUT, alerts }, 'why', { service: 'catalogue' })
    expect(told.answer).not.toContain('does not fail')
  })
})

describe('several services at once', () => {
  it('are answered one by one, each fact cited once', () => {
    for (const intent of ['how_is', 'what_changed', 'when_started', 'is_recovered'] as const) {
      const one = answer(TIMEOUT, intent, { service: 'ledger-service' })
      const other = answer(TIMEOUT, intent, { service: 'catalogue' })
      const both = answer(TIMEOUT, intent, { service: 'ledger-service', others: ['catalogue'] })
      expect(both.answer).toBe(`${one.answer}\n${other.answer}`)
      const contents = both.evidence.map(({ content }) => content)
      expect(new Set(contents)).toEqual(
        new Set([...one.evidence, ...other.evidence].map(({ content }) => content)),
      )
      expect(contents).toHaveLength(new Set(contents).size)
      expect(both.evidence.map(({ id }) => id)).toEqual(contents.map((_, index) => `ev_${index + 1}`))
    }
  })

  it('are as sure as the least sure answer', () => {
    const told = answer(TIMEOUT, 'how_is', { service: 'ledger-service', others: ['refunds'] })
    expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
  })

  it('are not all answered where the question is about what fails, and that is said', () => {
    const told = answer(TIMEOUT, 'why', { service: 'portal', others: ['catalogue', 'journal'] })
    const alone = answer(TIMEOUT, 'why', { service: 'portal' })
    expect(told.answer).toBe(
      `${alone.answer}\nThis is answered for portal alone, not for catalogue, journal.`,
    )
    expect(told.confidence).toBe(alone.confidence)
  })
})

describe('a time in which nothing failed', () => {
  it('is not answered with what came later alone', () => {
    const window = { from: at(1), to: at(ONSET - 20) }
    for (const intent of ['why', 'how_is', 'what_is_affected', 'is_recovered'] as const) {
      const [first, ...rest] = answer(TIMEOUT, intent, { service: 'ledger-service', window }).answer.split(
        '\n',
      )
      expect(first).toBe(
        'ledger-service did not fail yet in the time that was asked about, as far as anything measured shows.',
      )
      expect(rest.join('\n')).toBe(answer(TIMEOUT, intent, { service: 'ledger-service' }).answer)
    }
  })

  it('is not answered with what was over before', () => {
    const over = {
      ...EMPTY,
      alerts: TIMEOUT.alerts,
      series: [series('ledger-service', 'http_5xx_ratio', 0.004, 0.41, ONSET, ONSET + 15)],
    }
    const window = { from: at(ONSET + 25), to: at(LENGTH) }
    expect(answer(over, 'how_is', { service: 'ledger-service', window }).answer).toMatch(
      /^ledger-service no longer failed in the time that was asked about, /,
    )
  })

  it('is none where what fails reaches into it', () => {
    const window = { from: at(ONSET - 20), to: at(ONSET + 5) }
    expect(answer(TIMEOUT, 'how_is', { service: 'ledger-service', window }).answer).not.toContain(
      'in the time',
    )
  })
})

describe('what is doubted for something else', () => {
  it('is told what the evidence says of that first, then what speaks against what fits best', () => {
    const [suspected, ...doubts] = answer(TIMEOUT, 'what_contradicts', { suspect: 'dns' }).answer.split('\n')
    expect(suspected).toBe('You asked about “dns”: nothing that was measured points there.')
    expect(doubts).toEqual(answer(TIMEOUT, 'what_contradicts').answer.split('\n'))
  })
})

describe('a change that it is suspected to have begun with', () => {
  const late = deploy('d-7', ONSET + 9, 'catalogue', 'v7', [])
  const begun = (service?: string) =>
    answer({ ...TIMEOUT, changes: [...TIMEOUT.changes, late] }, 'when_started', {
      suspect: 'catalogue',
      ...(service === undefined ? {} : { service }),
    })

  it('is looked at behind since when it fails, also where nobody else is named', () => {
    for (const told of [begun(), begun('catalogue')]) {
      const lines = told.answer.split('\n')
      expect(lines[0]).toMatch(/ has been failing since /)
      expect(lines[0]).not.toMatch(/^catalogue/)
      expect(lines.at(-1)).toMatch(
        /^You asked about “catalogue”: what changed there came after the symptoms began\. Deploy d-7 of catalogue /,
      )
    }
  })
})

describe('a name that is near to several', () => {
  it('is asked back about, and none of them is chosen', () => {
    const { answer: told, confidence } = answerUnknown('ordrs', EMPTY, ['web', 'orders', 'ordars'])
    expect(told).toMatch(/^Nothing is known by the name “ordrs”\. Did you mean ordars or orders\? /)
    expect(confidence).toBe(0)
    expect(answerUnknown('ordrz', EMPTY, ['web', 'orders']).answer).not.toContain('web or')
  })
})

describe('what somebody did', () => {
  it('is all that is on record where no time is named, and what lies in it where one is', () => {
    const own = [deploy('d-1', -30, 'portal', 'v1', []), deploy('d-2', 40, 'portal', 'v2', [])].map(
      (change) => ({ ...change, actor: 'kim' }),
    )
    const told = (window: Snapshot['window'] | null) =>
      answer({ ...TIMEOUT, changes: own }, 'what_changed', {
        unknown: 'kim',
        ...(window === null ? {} : { window }),
      }).answer
    expect(told(null)).toMatch(/^2 changes by kim are recorded/)
    expect(told({ from: at(30), to: at(50) })).toMatch(/^1 change by kim is recorded/)
  })
})

describe('an act that is no going back', () => {
  const advice = (words: readonly string[]) =>
    answerInWords(
      { intent: 'should_roll_back', suspect: null, window: null, words },
      null,
      TIMEOUT,
      investigate(TIMEOUT, { service: null }),
    ).answer
  const lead = /^Nothing that was measured says what that would do\./

  it.each(['restart', 'scale', 'failover', 'drain'])('is not weighed: %s', (word) => {
    expect(advice([word, 'stock'])).toMatch(lead)
  })

  it('is told with what the evidence says of what is to be switched off', () => {
    const flag = { ...deploy('new_order', ONSET + 9, 'catalogue', 'on', []), kind: 'flag' as const }
    const snapshot = { ...TIMEOUT, changes: [...TIMEOUT.changes, flag] }
    const { answer: told, evidence } = answerInWords(
      { intent: 'should_roll_back', suspect: null, window: null, words: ['turn', 'new_order', 'off'] },
      null,
      snapshot,
      investigate(snapshot, { service: null }),
    )
    expect(told.split('\n')[0]).toMatch(
      /^You asked about “new_order”: ruled out\. It took effect at 2026-03-02 09:39:00 UTC, after the symptoms/,
    )
    expect(told.split('\n')[1]).toMatch(lead)
    expect(evidence.some(({ content }) => content.includes('new_order'))).toBe(true)
  })

  it('is none where going back is asked for', () => {
    for (const words of [['roll', 'back'], ['restart', 'revert'], []]) expect(advice(words)).not.toMatch(lead)
  })
})

describe('a suspicion of what has a change on record', () => {
  const suspected = (suspect: string, changes: Snapshot['changes']) =>
    answer({ ...TIMEOUT, changes: [...TIMEOUT.changes, ...changes] }, 'why', { suspect })

  it('is told that it came after the symptoms began, with the record', () => {
    const told = suspected('catalogue', [deploy('d-7', ONSET + 9, 'catalogue', 'v7', [])])
    const line = told.answer.split('\n').at(-1)
    expect(line).toMatch(
      /^You asked about “catalogue”: what changed there came after the symptoms began\. Deploy d-7 of catalogue was recorded at /,
    )
    expect(told.evidence.map(({ content }) => content)).toContain(line?.slice(line.indexOf('Deploy')))
  })

  it('is told with the record also where it came before, by the name of the version too', () => {
    const early = [deploy('d-7', ONSET - 50, 'catalogue', 'v7', [])]
    for (const suspect of ['catalogue', 'release v7'])
      expect(suspected(suspect, early).answer.split('\n').at(-1)).toMatch(
        /: nothing that was measured points there\. Deploy d-7 of catalogue was recorded at /,
      )
  })

  it('is not told to have come too late where only the last of several did', () => {
    const both = [
      deploy('d-6', ONSET - 50, 'catalogue', 'v6', []),
      deploy('d-7', ONSET + 9, 'catalogue', 'v7', []),
    ]
    expect(suspected('catalogue', both).answer.split('\n').at(-1)).toMatch(
      /: nothing that was measured points there\. Deploy d-7 of catalogue was recorded at /,
    )
  })
})

describe('what the change that is taken for the cause was', () => {
  const asked = (words: readonly string[]) => {
    const late = deploy('d-77', ONSET + 9, 'catalogue', 'v77', [])
    const snapshot = { ...TIMEOUT, changes: [...TIMEOUT.changes, late] }
    const question = { intent: 'what_changed', suspect: null, window: null, of_cause: 'diff', words } as const
    return answerInWords(question, null, snapshot, investigate(snapshot)).answer
  }

  it('is not told where another one is asked about by its version or its digest', () => {
    expect(asked(['diff'])).toMatch(/^The change that is taken for the cause: /)
    expect(asked(['diff', 'v77'])).toMatch(/^Deploy d-77 of catalogue was recorded at /)
    expect(asked(['diff', 'c0ffee77'])).toMatch(/^Nothing is on record by the name “c0ffee77”\. /)
  })
})

describe('what somebody changed', () => {
  it('is every change of which a tool names that person, in any case of letters', () => {
    const told = answer(TIMEOUT, 'what_changed', { unknown: 'DANA' })
    const own = TIMEOUT.changes.filter(({ actor }) => actor === 'dana').length
    expect(told.answer).toMatch(new RegExp(`^${own} changes by dana are recorded from `))
    expect(answer(TIMEOUT, 'what_changed', { unknown: 'nobody' }).answer).toBe(
      answer(TIMEOUT, 'what_changed').answer,
    )
  })
})

describe('the reason, word by word', () => {
  const findings = investigate(TIMEOUT, { service: null })
  const told = (
    given: { service?: string | null; suspect?: string; snapshot?: Snapshot },
    more: Partial<typeof findings> = {},
  ) =>
    answerInWords(
      { intent: 'why', suspect: given.suspect ?? null, window: null },
      given.service ?? null,
      given.snapshot ?? TIMEOUT,
      { ...findings, ...more },
    ).answer
  const place = (entity: string | null) => ({ cause: { ...findings.cause, entity } })

  it('is the summary alone where no service was asked about, or the cause lies in it', () => {
    expect(told({})).toBe(findings.summary)
    expect(told({ service: 'ledger-service' })).toBe(findings.summary)
    expect(told({ service: 'portal' }, place('portal'))).toBe(findings.summary)
    expect(told({ service: 'ledger-service' }, place(null))).toBe(findings.summary)
    expect(told({ service: 'portal', snapshot: EMPTY })).toBe(findings.summary)
  })

  it('is the summary alone of a service of which an alert tells, whatever other alerts do not say', () => {
    const [alert] = TIMEOUT.alerts
    const { service: _nobody, ...unplaced } = alert as NonNullable<typeof alert>
    const placed = { ...unplaced, service: 'catalogue' }
    const snapshot = { ...TIMEOUT, alerts: [...TIMEOUT.alerts, unplaced, placed] }
    expect(told({ service: 'catalogue', snapshot })).toBe(findings.summary)
  })

  it('says of what the question suspects where it stands', () => {
    const [hypothesis] = findings.hypotheses
    if (hypothesis === undefined) throw new Error('nothing was found')
    const about = (entity: string, contributing: readonly string[] = []) => ({
      ...hypothesis,
      cause: { ...hypothesis.cause, entity, contributing },
    })
    const hypotheses = [about('ledger-service'), about('journal', ['refunds'])]
    const ruled_out = [{ statement: 'paylane is down', reason: 'Its calls are answered.' }]
    const last = (suspect: string) =>
      told({ suspect }, { hypotheses, ruled_out } as never).slice(findings.summary.length)
    expect(last('ledger-service')).toBe(
      '\nYou asked about “ledger-service”: what fits best points there too.',
    )
    for (const suspect of ['journal', 'refunds'])
      expect(last(suspect)).toBe(
        `\nYou asked about “${suspect}”: it is a possibility, but another fits better.`,
      )
    expect(last('paylane')).toBe('\nYou asked about “paylane”: ruled out. Its calls are answered.')
    expect(last('pay')).toBe('\nYou asked about “pay”: nothing that was measured points there.')
    expect(last('portal')).toBe('\nYou asked about “portal”: nothing that was measured points there.')
  })

  it('is not when it started, and neither is whether it is over', () => {
    const [why, when, over] = (['why', 'when_started', 'is_recovered'] as const).map(
      (intent) => answer(TIMEOUT, intent).answer,
    )
    expect(new Set([why, when, over]).size).toBe(3)
  })
})

describe('a name that is not known', () => {
  it('is told with what is known and what was looked at, and nothing is claimed of it', () => {
    expect(answerUnknown('search', TIMEOUT, ['b', 'a'])).toMatchObject({
      ...{ answer: 'Nothing is known by the name “search”. Known are: a, b.', confidence: 0 },
      ...{ outcome: 'inconclusive', hypotheses: [], ruled_out: [] },
      evidence: [{ source: 'topology', type: 'statement', content: 'Known are: a, b.' }],
      gaps: [{ what: '“search”', why: 'no connected tool and no incident names it' }],
    })
    expect(answerUnknown('search', TIMEOUT, ['a']).evidence[0]?.query).toBe(TIMEOUT.sources[0]?.query)
    expect(answerUnknown('search', { ...TIMEOUT, sources: [] }, ['a']).answer).toContain('Known are: a.')
  })

  it('is told by whom what is known was told, and by none that did not answer', () => {
    const [asked] = TIMEOUT.sources
    const source = (id: string, records: number) =>
      ({ ...asked, id, query: `ask ${id}`, records }) as typeof asked & object
    const sources = [source('silent', 0), source('metrics', 9), source('logs', 5)]
    const cited = (names: readonly string[], more: Partial<typeof TIMEOUT> = {}) =>
      answerUnknown('search', { ...EMPTY, sources, ...more }, names).evidence[0]?.query
    const logs = ['till', 'mail'].map((service) => ({
      ...{ source: 'logs', timestamp: 0, service, severity: 'INFO', message: 'up' },
    }))
    expect(cited(['a'])).toBe('ask metrics')
    expect(cited(['till', 'mail'], { logs })).toBe('ask logs')
    expect(cited(['till', 'mail'], { logs, sources: sources.slice(0, 1) })).toBe('')
  })

  it('is told with ten known names at most, the one that is meant first', () => {
    const known = ['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'payment']
    expect(answerUnknown('paymnet', TIMEOUT, known).answer).toBe(
      'Nothing is known by the name “paymnet”. Did you mean payment? Known are: payment, c, d, e, f, g, h, i, j, k.',
    )
    expect(answerUnknown('search', TIMEOUT, [...known, 'zz']).answer).toBe(
      'Nothing is known by the name “search”. Some of what is known: c, d, e, f, g, h, i, j, k, payment.',
    )
  })

  it('is answered with the one that is meant, where one is a slip away', () => {
    const known = ['basket', 'checkout', 'pricing']
    const told = answerUnknown('chekout', TIMEOUT, known)
    expect(told.answer).toBe(
      'Nothing is known by the name “chekout”. Did you mean checkout? Known are: checkout, basket, pricing.',
    )
    expect(answerUnknown('search', TIMEOUT, known).answer).not.toContain('Did you mean')
  })
})

describe('how a service does', () => {
  it('says since when a failing one fails and shows its signs', () => {
    const told = answer(TIMEOUT, 'how_is', { service: 'ledger-service' })
    expect(told.answer).toMatch(/^ledger-service has been failing since 2026-03-02 09:/)
    expect(told.outcome).toBe('identified')
    expect(told.evidence.length).toBeGreaterThanOrEqual(3)
  })

  it('says of a calm one how much was compared', () => {
    const told = answer(TIMEOUT, 'how_is', { service: 'catalogue' })
    expect(told.answer).toMatch(
      /^catalogue does not fail as far as anything measured shows\.\n1 series, 0 log/,
    )
  })

  it('does not call calm what cannot be compared with normal time', () => {
    const level = series('catalogue', 'http_5xx_ratio', 0.1, 0.1)
    const baselines = [{ name: 'b2', from: at(-900), to: at(-800) }]
    const told = answer({ ...EMPTY, baselines, series: [level] }, 'how_is', { service: 'catalogue' })
    expect(told.outcome).toBe('inconclusive')
  })

  it('says of everything together which fail', () => {
    const told = answer(TIMEOUT, 'how_is')
    expect(told.answer).toContain('ledger-service has been failing since')
    expect(told.answer).toContain('portal has been failing since')
  })

  it('is half as sure where a tool failed', () => {
    const sources = TIMEOUT.sources.map((source, index) =>
      index === 0 ? { ...source, outcome: 'failed' as const } : source,
    )
    const told = answer({ ...TIMEOUT, sources }, 'how_is')
    expect(told).toMatchObject({ outcome: 'best_effort', confidence: 0.5 })
  })
})

describe('whether it is over', () => {
  it('says no and which way it goes while the level stays away from normal', () => {
    expect(answer(TIMEOUT, 'is_recovered').answer).toMatch(
      /^It is not over: it is going on\. ledger-service has been failing since/,
    )
  })

  it('says yes, with the instant, where every sign is back to normal', () => {
    const over = {
      ...EMPTY,
      alerts: TIMEOUT.alerts,
      series: [series('ledger-service', 'http_5xx_ratio', 0.004, 0.41, ONSET, ONSET + 18)],
    }
    const told = answer(over, 'is_recovered')
    expect(told.answer).toMatch(
      /^It is over, as far as was measured\. ledger-service failed from .* until .*UTC\./,
    )
  })

  it('says no while the service that was alerted still fails, where what failed first no longer does', () => {
    const still = {
      ...EMPTY,
      alerts: TIMEOUT.alerts,
      edges: calls('ledger-service', 'vault-db', 0),
      series: [
        series('ledger-service', 'http_5xx_ratio', 0.004, 0.41),
        series('vault-db', 'http_5xx_ratio', 0.004, 0.9, ONSET, ONSET + 5),
      ],
    }
    expect(answer(still, 'is_recovered').answer).toMatch(
      /^It is not over: it is going on\. ledger-service has been failing since/,
    )
  })

  it('does not know where only log lines tell of the failure', () => {
    const told = answer({ ...TIMEOUT, series: [] }, 'is_recovered')
    expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
  })

  it.each([
    [0.41, 0.9, 'getting worse'],
    [0.41, 0.03, 'getting better'],
  ])('tells the trend of a level of %d that ends at %d', (during, last, trend) => {
    const shift = series('ledger-service', 'http_5xx_ratio', 0.004, during)
    const values = shift.values.map((value, minute) => (minute >= LENGTH - 3 ? last : value))
    const told = answer({ ...EMPTY, alerts: TIMEOUT.alerts, series: [{ ...shift, values }] }, 'is_recovered')
    expect(told.answer).toContain(`It is not over: it is ${trend}.`)
  })
})

describe('what is affected', () => {
  it('begins where the trouble begins and names who fails with it', () => {
    const told = answer(TIMEOUT, 'what_is_affected')
    expect(told.answer).toMatch(/ledger-service has been failing since.*\n.*portal has been failing since/)
  })

  it('says when the service that was asked about is not affected', () => {
    expect(answer(TIMEOUT, 'what_is_affected', { service: 'catalogue' }).answer).toContain(
      'catalogue is not among the services that fail.',
    )
  })

  it('names those that there is no room to describe', () => {
    const more = Array.from({ length: 9 }, (_, index) =>
      series(`shop-${index}`, 'http_5xx_ratio', 0.002, 0.3, ONSET + 2),
    )
    const told = answer({ ...TIMEOUT, series: [...TIMEOUT.series, ...more] }, 'what_is_affected')
    expect(told.answer).toMatch(/Also failing: .*shop-/)
  })
})

describe('what was asked', () => {
  it('lists every request with what became of it, and what was not looked at', () => {
    const told = answer({ ...TIMEOUT, gaps: [{ what: 'traces', why: 'none kept' }] }, 'what_was_asked')
    expect(told.answer).toMatch(/^12 requests were made to 12 tools; /)
    expect(told.answer).toContain('bundle was asked “metrics of the window” for')
    expect(told.answer).toContain('Not looked at: ')
  })

  it('does not show more than a dozen requests', () => {
    const sources = Array.from({ length: 20 }, (_, index) => {
      const { window: _window, ...source } = EMPTY.sources[0] as (typeof EMPTY.sources)[0]
      return { ...source, id: `s${index}`, query: `q${index}` }
    })
    const told = answer({ ...TIMEOUT, sources }, 'what_was_asked')
    expect(told.answer).toContain('The other requests are in the snapshot.')
    expect(told.answer).not.toContain('“q19”')
  })
})

describe('what speaks against it', () => {
  it('gives the evidence of the findings themselves, so that every id leads somewhere', () => {
    const told = answer(TIMEOUT, 'what_contradicts')
    const findings = investigate(TIMEOUT)
    expect(told.evidence.slice(0, -1)).toEqual(findings.evidence)
    expect(told.evidence.at(-1)?.content).toBe(`That rests on this: ${findings.confidence_basis}`)
    expect(told.answer).toContain(`\nThat rests on this: ${findings.confidence_basis}\n`)
    expect(told.hypotheses).toEqual(findings.hypotheses)
    expect(told.answer).toContain('Ruled out: ')
  })
})

describe('the time beside a change that is not named', () => {
  const asked = (
    intent: Intent,
    side: 'before' | 'after',
    snapshot = TIMEOUT,
    service: string | null = null,
  ) => answerInWords({ intent, suspect: null, window: null, side }, service, snapshot, investigate(snapshot))
  const EFFECT = '2026-03-02 09:28:00 UTC'
  const TAKEN = 'The change that is meant is taken to be this one: Deploy d-c of ledger-service'

  it('is told from when that change took effect which is taken for the cause, and it is cited', () => {
    const after = asked('what_changed', 'after')
    expect(after.answer).toContain(TAKEN)
    expect(after.answer).toContain(`recorded from ${EFFECT} to 2026-03-02 10:00:00 UTC.`)
    expect(after.evidence.some(({ content }) => content.startsWith('Deploy d-c of ledger-service'))).toBe(
      true,
    )
    expect(asked('what_changed', 'before').answer).toContain(`from 2026-03-02 08:00:00 UTC to ${EFFECT}.`)
  })

  it('says of how it was before that nothing failed yet', () => {
    expect(asked('how_is', 'before').answer).toContain(
      'ledger-service did not fail yet in the time that was asked about',
    )
    expect(asked('how_is', 'after').answer).not.toContain('did not fail yet')
  })

  it('is that of the last change before the trouble where none is taken for the cause', () => {
    const calm = {
      ...EMPTY,
      changes: [deploy('d-1', 10, 'web', 'v1', []), deploy('d-9', 50, 'web', 'v9', [])],
    }
    expect(asked('what_changed', 'after', calm).answer).toContain(
      'taken to be this one: Deploy d-9 of web was recorded at 2026-03-02 08:50:00 UTC',
    )
  })

  it('is not known where no change is', () => {
    expect(asked('how_is', 'before', EMPTY).answer).toMatch(/^Which change is meant is not known\.\n/)
  })
})

describe('what is measured beside another time', () => {
  it('is told for each stretch of normal time by itself, both values cited', () => {
    const baselines = [
      { name: 'b1', from: at(0), to: at(40) },
      { name: 'b2', from: at(40), to: at(80) },
    ]
    const snapshot = { ...EMPTY, baselines, series: [series('stock', 'http_5xx_ratio', 0.01, 0.4)] }
    const told = answerInWords(
      { intent: 'how_is', suspect: null, window: null, is_compared: true },
      null,
      snapshot,
      investigate(snapshot),
    )
    const line = told.answer.split('\n').find((each) => each.startsWith('The median of '))
    expect(line).toMatch(
      /^The median of http_5xx_ratio of stock was 0\.(39|4|40)\d* from 2026-03-02 09:30:00 UTC to 2026-03-02 10:00:00 UTC, and 0\.0\d+ from 2026-03-02 08:00:00 UTC to 2026-03-02 08:40:00 UTC, and 0\.0\d+ from 2026-03-02 08:40:00 UTC to 2026-03-02 09:20:00 UTC\.$/,
    )
    expect(told.evidence.map(({ content }) => content)).toContain(line)
  })

  it('is not told where nothing was measured in normal time', () => {
    const baselines = [{ name: 'b1', from: at(-60), to: at(-1) }]
    const snapshot = { ...EMPTY, baselines, series: [series('stock', 'http_5xx_ratio', 0.01, 0.4)] }
    const question = { intent: 'how_is', suspect: null, window: null, is_compared: true } as const
    expect(answerInWords(question, null, snapshot, investigate(snapshot)).answer).not.toContain(
      'The median of',
    )
  })
})

describe('whether to go back', () => {
  it('gives evidence both ways, the version before, and leaves the decision', () => {
    const told = answer(TIMEOUT, 'should_roll_back')
    expect(told.answer).toMatch(/^For going back: /)
    expect(told.answer).toMatch(/The decision is yours\.$/)
    expect(told.answer).not.toMatch(/you should|must/i)
  })

  it('speaks against it where what fits best is no change', () => {
    expect(answer(scenario('names no longer resolve'), 'should_roll_back').answer).toMatch(
      /^Against going back: what fits best is no change\./,
    )
  })
})

describe('a leading question', () => {
  it('ranks like the neutral one, whatever it suspects', () => {
    for (const { snapshot } of SCENARIOS) {
      const neutral = answer(snapshot, 'why', { service: 'ledger-service' })
      for (const suspect of ['portal', 'catalogue', 'ledger-service', 'dana', 'the moon']) {
        const leading = answer(snapshot, 'why', { service: 'ledger-service', suspect })
        expect({ ...leading, answer: neutral.answer }).toEqual(neutral)
        expect(leading.answer).toContain(`You asked about “${suspect}”: `)
      }
    }
  })

  it('is told whether the evidence points there', () => {
    const of = (suspect: string) => answer(TIMEOUT, 'why', { service: 'ledger-service', suspect }).answer
    expect(of('ledger-service')).toContain('what fits best points there too')
    expect(of('catalogue')).toContain('nothing that was measured points there')
  })
})

describe('an unknown name', () => {
  it('is said to be unknown, with the names that are known', () => {
    const told = answerUnknown('warehouse', TIMEOUT, ['portal', 'ledger-service'])
    expect(told.answer).toBe('Nothing is known by the name “warehouse”. Known are: ledger-service, portal.')
    expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
    expect(told.evidence[0]?.content).toContain('ledger-service')
  })

  it('is not answered with a page of names', () => {
    const many = Array.from({ length: 30 }, (_, index) => `svc-${index}`)
    expect(answerUnknown('warehouse', EMPTY, many).answer).toMatch(/Some of what is known: (\S+ ?){10}$/)
  })
})

describe('why a level is as it is', () => {
  const why = (level: 'memory' | 'traffic', more: readonly Snapshot['series'][number][] = []) => {
    const snapshot = { ...TIMEOUT, series: [...TIMEOUT.series, ...more] }
    const question = { intent: 'why', suspect: null, window: null, level } as const
    return answerInWords(question, null, snapshot, investigate(snapshot))
  }
  const memory = (during: number) => series('portal', 'container_memory_working_set_bytes', 1e9, during)

  it('is not answered by why something fails, where the level is as usual or nothing tells it', () => {
    const calm = why('memory', [memory(1e9)])
    expect(calm.answer).toMatch(
      /^Nothing that was measured shows the memory of anything away from its normal level\.\ncontainer_memory_working_set_bytes of portal was /,
    )
    expect([calm.confidence, calm.outcome]).toEqual([0.5, 'best_effort'])
    const cited = new Set(calm.evidence.map(({ id }) => id))
    expect(cited.size).toBe(calm.evidence.length)
    expect(
      calm.hypotheses.flatMap(({ supported_by }) => supported_by).filter((id) => !cited.has(id)),
    ).toEqual([])
    expect(why('memory').answer).toContain('No series that was read tells the memory of anything.')
  })

  it('is answered as any failure is where the level went away from normal', () => {
    expect(why('memory', [memory(4e9)]).answer).not.toContain('Nothing that was measured shows the memory')
  })
})
