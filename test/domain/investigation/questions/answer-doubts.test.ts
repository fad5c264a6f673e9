import { describe, expect, it } from 'vitest'
import type { Findings, Hypothesis } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import {
  answerAsked,
  answerDoubts,
  answerRollBack,
} from '#shared/domain/investigation/questions/answer-doubts.ts'
import { answerGround, type Ground } from '#shared/domain/investigation/questions/answer-ground.ts'
import type { Snapshot, SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { at, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const evidence = ['a', 'b', 'c', 'd', 'e'].map((letter, index) => ({
  ...{
    id: `ev_${index + 1}`,
    source: 'metrics' as const,
    type: 'anomaly' as const,
    content: `fact ${letter}`,
  },
  ...{ integration_id: null, query: '', window: null, link: null, digest: null },
}))
const hypothesis = (statement: string, more: Partial<Hypothesis> = {}): Hypothesis => ({
  cause: {
    ...{ kind: 'code', level: 'change', entity: 'stock', change: statement, trigger: null },
    ...{ contributing: [], since: null },
  },
  ...{ statement, confidence: 0.7, supported_by: ['ev_1'], contradicted_by: [], ...more },
})
const NOTHING = investigate(EMPTY)
const groundOf = (findings: Partial<Findings>, more: Partial<Snapshot> = {}): Ground =>
  answerGround({ ...EMPTY, ...more }, { ...NOTHING, evidence, ...findings }, null)
const change = {
  kind: 'code',
  level: 'change',
  entity: 'stock',
  change: 'x',
  trigger: null,
  contributing: [],
  since: null,
} as const

describe('what speaks against the findings', () => {
  const told = (findings: Partial<Findings>) =>
    answerDoubts(groundOf({ confidence: 0.7, outcome: 'identified', confidence_basis: '', ...findings }))

  it('is told with the number of the confidence where it is asked how sure it is, which is cited', () => {
    const asked = (words: readonly string[], confidence = 0.7) =>
      answerDoubts(
        groundOf({ confidence, confidence_basis: 'a margin', hypotheses: [hypothesis('It is x.')] }),
        words,
      )
    const { answer, evidence: cited } = asked(['sure'])
    expect(answer.split('\n')[1]).toBe('The confidence in it is 0.7 on a scale from 0 to 1.')
    expect(answer).toContain('That rests on this: a margin')
    expect(cited.map(({ content }) => content)).toContain(answer.split('\n')[1])
    expect(asked(['confidence'], 0.41).answer).toContain('The confidence in it is 0.41')
    expect(asked(['against']).answer).not.toContain('on a scale')
  })

  it('is told with what speaks for it where proof is asked for', () => {
    const findings = { hypotheses: [hypothesis('It is x.')], confidence_basis: '' }
    expect(answerDoubts(groundOf(findings), ['proof']).answer).toContain('For it: fact a')
    expect(answerDoubts(groundOf(findings), ['against']).answer).not.toContain('For it:')
  })

  it('is not known where nothing is explained', () => {
    expect(told({ hypotheses: [], ruled_out: [] })).toMatchObject({
      ...{ answer: 'There is no explanation yet that anything could speak against.', confidence: 0 },
      ...{ outcome: 'inconclusive', evidence },
    })
  })

  it('is told with the leading hypothesis, what contradicts it, the others and what was ruled out', () => {
    const ruled = { statement: 'Commit y is not the cause.', reason: 'It came later.', evidence: [] }
    expect(
      told({
        hypotheses: [
          hypothesis('It is x.', { contradicted_by: ['ev_2', 'gone', 'ev_3'] }),
          hypothesis('It is z.'),
        ],
        ruled_out: [ruled],
      }),
    ).toMatchObject({
      answer: [
        'The leading explanation (likely): It is x.',
        'Against it: fact b',
        'Against it: fact c',
        'It could also be: It is z.',
        'Ruled out: Commit y is not the cause. It came later.',
      ].join('\n'),
      ...{ confidence: 0.7, outcome: 'identified', evidence },
    })
  })

  it('says so where nothing does, and says how likely the explanation is', () => {
    expect(told({ hypotheses: [hypothesis('It is x.')] }).answer).toBe(
      'The leading explanation (likely): It is x.\nNothing that was measured speaks against it.',
    )
    expect(told({ hypotheses: [hypothesis('It is x.')], confidence: 0.4 }).answer).toContain('(possible)')
  })

  it('says what the confidence rests on, as a fact of its own behind the others', () => {
    const reply = told({ hypotheses: [hypothesis('It is x.')], confidence_basis: '2 kinds agree.' })
    expect(reply.answer.split('\n')[1]).toBe('That rests on this: 2 kinds agree.')
    expect(reply.evidence.slice(0, -1)).toEqual(evidence)
    expect(reply.evidence.at(-1)?.content).toBe('That rests on this: 2 kinds agree.')
  })

  it('is what was ruled out alone where nothing else is known', () => {
    const ruled = { statement: 'Commit y is not the cause.', reason: 'It came later.', evidence: [] }
    expect(told({ hypotheses: [], ruled_out: [ruled] }).answer).toBe(
      'Ruled out: Commit y is not the cause. It came later.',
    )
  })

  it('is three of each at most', () => {
    const five = ['1', '2', '3', '4', '5']
    const { answer } = told({
      hypotheses: [
        hypothesis('It is x.', { contradicted_by: five.map((number) => `ev_${number}`) }),
        ...five.map((number) => hypothesis(`It is ${number}.`)),
      ],
      ruled_out: five.map((number) => ({ statement: `Not ${number}.`, reason: 'So.', evidence: [] })),
    })
    for (const lead of ['Against it:', 'It could also be:', 'Ruled out:'])
      expect(answer.split('\n').filter((line) => line.startsWith(lead))).toHaveLength(3)
  })
})

describe('what was asked', () => {
  const source = (id: string, more: Partial<SourceAsked> = {}): SourceAsked => ({
    ...{
      id,
      integration_id: 'int_a',
      tool: 'prometheus',
      query: 'up',
      outcome: 'answered',
      records: 2,
      ...more,
    },
  })
  const told = (sources: readonly SourceAsked[], findings: Partial<Findings> = {}) =>
    answerAsked(groundOf({ gaps: [], ...findings }, { sources }))

  it('begins with what was not looked at of the service that is asked about, or that nothing is on record so', () => {
    const gaps = [
      { what: 'slow query log of stock', why: 'no tool collects it' },
      { what: 'traces of web', why: 'none are kept' },
    ]
    const of = (service: string) => {
      const ground = groundOf({ gaps }, { sources: [source('a')] })
      return answerAsked({ ...ground, service }).answer.split('\n')
    }
    expect(of('stock')[0]).toBe('Not looked at: slow query log of stock: no tool collects it')
    expect(of('stock').at(-1)).toBe('Not looked at: traces of web: none are kept')
    expect(of('toc')[0]).toBe('Nothing of toc is on record as not looked at.')
  })

  it('begins with what was not looked at where that is asked for', () => {
    const ground = groundOf(
      { gaps: [{ what: 'logs', why: 'nobody gives them' }] },
      { sources: [source('a')] },
    )
    const missing = answerAsked(ground, true).answer.split('\n')
    const asked = answerAsked(ground).answer.split('\n')
    expect(missing[0]).toBe('Not looked at: logs: nobody gives them')
    expect(asked.at(-1)).toBe(missing[0])
    expect(missing.toSorted()).toEqual(asked.toSorted())
  })

  it('is not known where no tool was asked', () => {
    expect(told([])).toMatchObject({ answer: 'No tool was asked.', confidence: 0 })
  })

  it('is every request with its time, what became of it and how much came back', () => {
    const window = { from: at(0), to: at(60) }
    const { answer, evidence: cited } = told([
      source('a', { window }),
      source('b', { integration_id: 'int_b', query: 'down', records: 1 }),
    ])
    expect(answer).toBe(
      [
        '2 requests were made to 2 tools; each was answered.',
        '- prometheus was asked “up” for 2026-03-02 08:00:00 UTC to 2026-03-02 09:00:00 UTC: it answered, 2 records.',
        '- prometheus was asked “down”: it answered, 1 record.',
      ].join('\n'),
    )
    expect(cited.map(({ content }) => `- ${content}`).slice(1)).toEqual(answer.split('\n').slice(1))
  })

  it('counts one request and one tool as one, and tools that are no integration by their kind', () => {
    expect(told([source('a')]).answer).toMatch(/^1 request was made to 1 tool; it was answered\./)
    expect(told([source('a'), source('b')]).answer).toMatch(/^2 requests were made to 1 tool; /)
    const { integration_id: _, ...own } = source('c')
    expect(told([own, { ...own, id: 'd', tool: 'bundle' }]).answer).toMatch(/to 2 tools; /)
  })

  it.each([
    ['empty', 'found nothing'],
    ['cut', 'was cut short'],
    ['failed', 'failed'],
    ['timed_out', 'did not answer in time'],
  ] as const)('says of one that was %s that it %s', (outcome, words) => {
    expect(told([source('a', { outcome })]).answer).toContain(`it ${words}, 2 records.`)
  })

  it('says how many were not answered whole, and shows those first', () => {
    const some = Array.from({ length: 14 }, (_, index) =>
      source(`s${index}`, index === 13 ? { outcome: 'failed' } : {}),
    )
    const [lead, first] = told(some).answer.split('\n')
    expect(lead).toBe('14 requests were made to 1 tool; 1 was not answered whole.')
    expect(first).toContain('it failed')
    const two = [source('a', { outcome: 'cut' }), source('b', { outcome: 'timed_out' })]
    expect(told(two).answer).toContain('; 2 were not answered whole.')
  })

  it('shows twelve one by one', () => {
    const many = (count: number) =>
      told(Array.from({ length: count }, (_, index) => source(`s${index}`, { query: `q${index}` }))).answer
    expect(many(12).split('\n')).toHaveLength(13)
    expect(many(13).split('\n')).toHaveLength(14)
    expect(many(13)).toMatch(/The other requests are in the snapshot\.$/)
    expect(many(12)).not.toContain('other requests')
  })

  it('tells what was not looked at, three at most', () => {
    const gaps = ['1', '2', '3', '4'].map((number) => ({ what: `logs ${number}`, why: 'nobody gives them' }))
    const { answer, evidence: cited } = told([source('a')], { gaps })
    expect(answer.split('\n').slice(2)).toEqual(
      ['1', '2', '3'].map((number) => `Not looked at: logs ${number}: nobody gives them`),
    )
    expect(cited.filter(({ type }) => type === 'absence')).toHaveLength(3)
  })
})

describe('whether to go back', () => {
  const told = (findings: Partial<Findings>, more: Partial<Snapshot> = {}) =>
    answerRollBack(
      groundOf(
        {
          ...{ hypotheses: [hypothesis('It is x.')], cause: change, state: 'ongoing', next_check: null },
          ...{ revert_to: null, remediation: { action: 'none', target: null, why: '' } },
          ...findings,
        },
        more,
      ),
    )

  it('is not known where nothing is explained', () => {
    expect(told({ hypotheses: [] })).toMatchObject({ confidence: 0, outcome: 'inconclusive', evidence })
  })

  it('is told with what speaks for and against a change, and left to a person', () => {
    expect(told({ hypotheses: [hypothesis('It is x.', { contradicted_by: ['ev_2'] })] }).answer).toBe(
      ['For going back: It is x.', 'For: fact a', 'Against: fact b', 'The decision is yours.'].join('\n'),
    )
  })

  it('turns around where what fits best is no change', () => {
    const best = hypothesis('It is the load.', {
      cause: { ...change, level: 'kind', change: null },
      contradicted_by: ['ev_2'],
    })
    expect(told({ hypotheses: [best], cause: best.cause }).answer).toBe(
      [
        'Against going back: what fits best is no change. It is the load.',
        ...['Against: fact a', 'For: fact b', 'The decision is yours.'],
      ].join('\n'),
    )
  })

  it('names the rollout and the version before it, and cites the record', () => {
    const rollouts = [
      // Another service went from v1 to v2, too.
      { ...deploy('d2', 70, 'web', 'v2', []), before: 'v1' },
      { ...deploy('d1', 80, 'stock', 'v2', ['It is x.']), before: 'v1' },
      { ...deploy('d0', 10, 'stock', 'v1', []), before: 'v0' },
    ]
    const { answer, evidence: cited } = told({ revert_to: 'v1' }, { changes: rollouts })
    const [record] = answer.split('\n').filter((line) => line.includes('Deploy d1'))
    expect(record).toMatch(/^For: Deploy d1 of stock/)
    expect(answer).toContain('The version of stock before is v1.')
    expect(cited.at(-1)).toMatchObject({
      id: 'ev_6',
      source: 'deploys',
      type: 'change',
      content: record?.slice(5),
    })
    expect(told({ revert_to: 'v9' }, { changes: rollouts }).answer).not.toContain('before is')
    const load = hypothesis('It is the load.', { cause: { ...change, level: 'kind' } })
    expect(told({ revert_to: 'v1', hypotheses: [load] }, { changes: rollouts }).answer).not.toContain(
      'before is',
    )
  })

  it('says so where the evidence does not suffice to name the change', () => {
    const words = 'Against: the evidence does not suffice to name that change as the cause.'
    expect(told({ cause: { ...change, level: 'service' } }).answer).toContain(words)
    expect(told({}).answer).not.toContain(words)
    const load = hypothesis('It is the load.', { cause: { ...change, level: 'kind' } })
    expect(told({ hypotheses: [load], cause: load.cause }).answer).not.toContain(words)
  })

  it.each([
    ['recovered', true],
    ['recovering', true],
    ['ongoing', false],
    ['worsening', false],
    ['unknown', false],
  ] as const)('says where it is %s whether that speaks against it: %s', (state, speaks) => {
    expect(told({ state }).answer.includes(`Against: it is ${state} without it.`)).toBe(speaks)
  })

  it('names the next explanation unless it is the same change', () => {
    const rival = (more: Partial<Hypothesis>) =>
      told({ hypotheses: [hypothesis('It is x.'), hypothesis('It is z.', more)] }).answer
    expect(rival({})).toContain('Against: it could also be this: It is z.')
    expect(rival({ cause: { ...change, change: 'It is x.' } })).not.toContain('it could also be')
  })

  it('gives the advice and the next check where there are any', () => {
    const { answer } = told({
      remediation: { action: 'rollback', target: 'x', why: 'It takes its effect away.' },
      next_check: { text: 'Look at the pool.', query: null, link: null },
    })
    expect(answer).toContain(
      'Advice: It takes its effect away.\nNext check: Look at the pool.\nThe decision is yours.',
    )
    expect(told({}).answer).not.toMatch(/Advice|Next check/)
  })

  describe('with a service whose change is not what fits best', () => {
    const ofStock = hypothesis('It is x.', { cause: { ...change, change: 'd9' } })
    const shown = (changes: Snapshot['changes'], service = 'web', best = ofStock) =>
      answerRollBack(
        answerGround(
          { ...EMPTY, changes, series: [series('stock', 'http_5xx_ratio', 0.004, 0.41)] },
          {
            ...{
              ...NOTHING,
              evidence,
              hypotheses: [best],
              cause: best.cause,
              state: 'ongoing',
              next_check: null,
            },
            ...{ revert_to: null, remediation: { action: 'none', target: null, why: '' } },
          },
          service,
        ),
      )

    it('says so first, so that nobody takes the wrong one back', () => {
      expect(shown([]).answer.split('\n').slice(0, 2)).toEqual([
        'Against going back with web: what fits best is a change of stock.',
        'For going back with stock: It is x.',
      ])
    })

    it('says elsewhere where nobody knows of whom the change is', () => {
      const unplaced = hypothesis('It is x.', { cause: { ...change, change: 'd9', entity: null } })
      expect(shown([], 'web', unplaced).answer.split('\n').slice(0, 2)).toEqual([
        'Against going back with web: what fits best is a change elsewhere.',
        'For going back: It is x.',
      ])
    })

    it('shows what was changed there, and that it came after the symptoms began, with its record', () => {
      const early = deploy('d1', ONSET - 10, 'web', 'v2', [])
      const late = deploy('d2', ONSET + 10, 'web', 'v3', [])
      const { answer, evidence: cited } = shown([early, late, deploy('d9', ONSET - 1, 'stock', 'v9', [])])
      const lines = answer.split('\n')
      expect(lines[1]).toMatch(
        /^Against, since it came after the symptoms began: Deploy d2 of web was recorded at /,
      )
      expect(lines[2]).toMatch(/^Of it is recorded: Deploy d1 of web was recorded at /)
      for (const line of lines.slice(1, 3))
        expect(cited.map(({ content }) => content)).toContain(line.slice(line.indexOf(': ') + 2))
    })

    it('says nothing of it where the change is its own, by place or by record', () => {
      expect(shown([], 'stock').answer).not.toContain('Against going back')
      expect(shown([deploy('d9', ONSET - 1, 'web', 'v9', [])]).answer).not.toContain('Against going back')
    })
  })
})
