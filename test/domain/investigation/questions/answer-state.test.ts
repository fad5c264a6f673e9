import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { answerGround, type Ground } from '#shared/domain/investigation/questions/answer-ground.ts'
import {
  answerAffected,
  answerHowIs,
  answerRecovered,
  answerSpared,
  answerWhen,
} from '#shared/domain/investigation/questions/answer-state.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const errors = (entity: string, from = ONSET, to?: number) =>
  series(entity, 'http_5xx_ratio', 0.003, 0.4, from, to)
/** `web` fails because `stock` does, `calm` is measured and does not. */
const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [errors('web', ONSET + 2), errors('stock'), series('calm', 'http_5xx_ratio', 0.003, 0.003)],
  edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
}
const groundOf = (
  service: string | null,
  more: Partial<Snapshot> = {},
  findings: Partial<Findings> = {},
): Ground => {
  const snapshot = { ...INCIDENT, ...more }
  return answerGround(snapshot, { ...investigate(snapshot), ...findings }, service)
}
const CALM = { alerts: [], edges: [], series: [series('calm', 'http_5xx_ratio', 0.003, 0.003)] }
/** The same ground with something else of the service that failed first. */
const altered = (ground: Ground, more: Partial<FailingService>): Ground => {
  const [one, ...others] = ground.observed.failing.toSorted((a) => (a === ground.observed.first ? -1 : 1))
  const first = { ...(one as FailingService), ...more }
  return { ...ground, observed: { ...ground.observed, first, failing: [first, ...others] } }
}

describe('what is well', () => {
  it('is what was measured and does not fail, apart from what nothing was measured of', () => {
    const unseen = { name: 'mute', kind: 'service' as const, aliases: [] }
    const { answer, evidence } = answerSpared(groundOf(null, { entities: [unseen] }))
    expect(answer.split('\n').slice(0, 3)).toEqual([
      'Not failing as far as anything measured shows: calm.',
      'Not known, since nothing was measured of it: mute.',
      'What fails is this:',
    ])
    for (const line of answer.split('\n').filter((each) => !/:$/.test(each)))
      expect(evidence.map(({ content }) => content)).toContain(line)
    expect(answer).not.toMatch(/^Not failing .*(?:web|stock)/m)
  })

  it('is told as ever where nothing fails', () => {
    expect(answerSpared(groundOf(null, CALM)).answer).toMatch(
      /^Nothing fails as far as anything measured shows\./,
    )
  })
})

describe('how many calls failed in a time that is named', () => {
  const ground = groundOf('stock', { edges: calls('web', 'stock', 0.5) })
  const counted = (from: number, to: number) =>
    answerAffected(ground, null, null, { from: at(from), to: at(to) }).answer.split('\n')[0]

  it('is counted of that time and not of all of it', () => {
    expect(counted(ONSET + 5, ONSET + 10)).toMatch(
      /^Of the calls to stock 1500 of 3000 failed from 2026-03-02 09:35/,
    )
    expect(counted(ONSET - 10, ONSET + 10)).toMatch(/^Of the calls to stock 3000 of 12000 failed/)
  })

  it('is counted of what was read alone, and of nothing outside of it', () => {
    expect(counted(ONSET + 20, ONSET + 600)).toMatch(
      /3000 of 6000 failed from \S+ \S+ UTC to 2026-03-02 10:00:00 UTC/,
    )
    expect(counted(600, 700)).not.toMatch(/^Of the calls/)
  })
})

describe('how a service does', () => {
  it('is since when it fails with its signs, all cited', () => {
    const { answer, evidence, confidence } = answerHowIs(groundOf('stock'))
    expect(answer.split('\n')).toEqual([
      expect.stringMatching(/^stock has been failing since 2026-03-02 09:30:00 UTC/),
      expect.stringMatching(/^http_5xx_ratio of stock went up/),
    ])
    expect(evidence.map(({ content }) => content)).toEqual(answer.split('\n'))
    expect(confidence).toBe(0.95)
  })

  it('is told of every service that fails where none is named, one sign each, six at most', () => {
    const { answer } = answerHowIs(groundOf(null))
    expect(answer.split('\n').filter((line) => line.includes('has been failing since'))).toHaveLength(2)
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((name) => [
      errors(name),
      series(name, 'p99_ms', 90, 900),
    ])
    const said = answerHowIs(groundOf(null, { series: many, edges: [] })).answer.split('\n')
    expect(said.filter((line) => line.includes('has been failing since'))).toHaveLength(6)
    expect(said).toHaveLength(12)
  })

  it('is that it does not fail, with what was compared and what else moved', () => {
    const moved = ['a', 'b', 'c', 'd'].map((name) => series('calm', `${name}_items`, 1, 90))
    const { answer, evidence, outcome } = answerHowIs(
      groundOf('calm', { series: [...INCIDENT.series, ...moved] }),
    )
    const [lead, looked, ...rest] = answer.split('\n')
    expect(lead).toBe('calm does not fail as far as anything measured shows.')
    expect(looked).toBe(
      '5 series, 0 log lines and 0 spans of calm were compared with normal time, from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.',
    )
    expect(rest).toHaveLength(3)
    for (const line of rest) expect(line).toMatch(/^[abcd]_items of calm went up/)
    expect(evidence.map(({ content }) => content)).toEqual([looked, ...rest])
    expect(outcome).toBe('identified')
  })

  it('counts its own lines and spans, under any of its names', () => {
    const { answer } = answerHowIs(
      groundOf('calm', {
        entities: [{ name: 'calm', kind: 'service', aliases: [{ alias: 'calm-prod', learnt_from: 'k8s' }] }],
        logs: [...lines('calm-prod', 'INFO', 'served', 0, 10), ...lines('stock', 'INFO', 'served', 0, 10)],
      }),
    )
    expect(answer).toContain('1 series, 10 log lines and 0 spans of calm were compared')
  })

  it('of everything is that nothing fails', () => {
    expect(answerHowIs(groundOf(null, CALM)).answer).toMatch(
      /^Nothing fails as far as anything measured shows\.\n1 series, 0 log lines and 0 spans of all services were compared/,
    )
  })

  it('is not known where nothing was measured, or where nothing says what is normal', () => {
    expect(answerHowIs(groundOf('nobody'))).toMatchObject({
      ...{ answer: 'Nothing was measured of nobody in that time.', confidence: 0, outcome: 'inconclusive' },
    })
    expect(answerHowIs(groundOf(null, { ...CALM, series: [] })).answer).toBe(
      'Nothing was measured of anything in that time.',
    )
    const late = groundOf('late', { logs: lines('late', 'INFO', 'served', 100) })
    expect(answerHowIs(late)).toMatchObject({
      ...{
        answer: 'Whether late fails is not known: there is no normal time to compare with.',
        confidence: 0,
      },
    })
    expect(answerHowIs(groundOf('late', { logs: lines('late', 'INFO', 'served', 50) })).confidence).toBe(0.95)
    const span = {
      source: 'traces',
      trace_id: 't',
      span_id: '1',
      parent_id: null,
      service: 'late',
      name: 'x',
      duration_us: 1,
      status: 'OK',
    }
    expect(answerHowIs(groundOf('late', { spans: [{ ...span, start: at(5) }] })).answer).toContain(
      '0 series, 0 log lines and 1 spans',
    )
    expect(answerHowIs(groundOf('late', { spans: [{ ...span, start: at(95) }] })).confidence).toBe(0)
  })
})

describe('what is affected', () => {
  const impact = (more: Partial<Findings['impact']>) => ({
    impact: { failed: null, total: null, ratio: null, window: null, ...more },
  })

  it('are the services that fail, the first of them first, each with its strongest sign cited', () => {
    const { answer, evidence } = answerAffected(groundOf(null, {}, impact({})))
    expect(answer.split('\n').map((line) => line.split(' ')[0])).toEqual(['stock', 'web'])
    expect(evidence.map(({ type }) => type)).toEqual(['statement', 'anomaly', 'statement', 'anomaly'])
  })

  it('is no sure answer to which one it is, where nothing that was read tells them apart', () => {
    const { answer, confidence, outcome } = answerAffected(groundOf(null, {}, impact({})), 'customer')
    expect(answer).toMatch(
      /^Nothing that was read tells one customer from another\. Of all together:\nstock /,
    )
    expect([confidence, outcome]).toEqual([0.5, 'best_effort'])
    const apart = { ...errors('stock'), labels: { region: 'north' } }
    const told = answerAffected(groundOf(null, { series: [apart] }, impact({})), 'region')
    expect(told.outcome).toBe('identified')
  })

  it('begins with how much fails, where that is counted', () => {
    const lead = (more: Partial<Findings['impact']>) =>
      answerAffected(groundOf(null, {}, impact(more))).answer.split('\n')[0]
    expect(lead({ failed: 1_260, total: 3_000, ratio: 0.42 })).toBe('1260 of 3000 requests failed (42 %).')
    expect(lead({ ratio: 0.42 })).toBe('42 % of requests failed.')
    expect(lead({ failed: 0, total: 3_000, ratio: 0 })).toMatch(/^stock has been failing since/)
    expect(lead({ failed: 7 })).toMatch(/^stock has been failing since/)
    expect(lead({ failed: 7, ratio: 0.2 })).toBe('20 % of requests failed.')
  })

  it('says whose requests failed, when, and how many fail in normal time', () => {
    const lead = (more: Partial<Findings['impact']>) =>
      answerAffected(groundOf(null, {}, impact(more))).answer.split('\n')[0]
    const whose = {
      service: 'web',
      normal_ratio: 0.01,
      window: { start: '2026-03-02T10:00:00.000Z', end: '2026-03-02T10:30:00.000Z' },
    }
    const span = 'from 2026-03-02 10:00:00 UTC to 2026-03-02 10:30:00 UTC'
    expect(lead({ ...whose, failed: 50, total: 100, ratio: 0.5 })).toBe(
      `50 of 100 requests to web failed ${span} (50 %, in normal time 1 %).`,
    )
    expect(lead({ ...whose, ratio: 0.5 })).toBe(`50 % of requests to web failed ${span}, in normal time 1 %.`)
  })

  it('says of a service that is asked about whether it is among them', () => {
    expect(answerAffected(groundOf('calm')).answer).toMatch(/^calm is not among the services that fail\./)
    expect(answerAffected(groundOf('stock')).answer).not.toContain('not among')
  })

  it('describes six and names the others', () => {
    const some = (count: number) =>
      answerAffected(
        groundOf(
          null,
          { series: Array.from({ length: count }, (_, index) => errors(`s${index}`)), edges: [], alerts: [] },
          impact({}),
        ),
      ).answer.split('\n')
    expect(some(6)).toHaveLength(6)
    expect(some(8)).toHaveLength(7)
    expect(some(8)[6]).toMatch(/^Also failing: s\d, s\d\.$/)
    expect(some(13)[6]).toMatch(/ and 1 more\.$/)
  })

  it('is that nothing fails where nothing does', () => {
    expect(answerAffected(groundOf(null, CALM)).answer).toMatch(/^Nothing fails/)
  })
})

describe('how long something fails', () => {
  it('is told where it is asked for, up to where what was measured ends', () => {
    const { answer, evidence } = answerWhen(groundOf('stock'), ['long', 'stock'])
    const line = answer.split('\n').find((each) => each.startsWith('That is'))
    expect(line).toMatch(
      /^That is (\d h )?\d+ min up to 2026-03-02 \d\d:\d\d:00 UTC, where what was measured ends\.$/,
    )
    expect(evidence.map(({ content }) => content)).toContain(line)
    expect(answerWhen(groundOf('stock')).answer).not.toContain('That is')
  })

  it.each([
    [42, '42 min'],
    [60, '1 h 0 min'],
    [135, '2 h 15 min'],
  ])('is told of %i minutes that are over as %s', (minutes, length) => {
    const ground = groundOf(null)
    const at = ground.observed.first?.onset.at ?? 0
    const over = altered(ground, { ended_at: at + minutes * 60_000 })
    expect(answerWhen(over, ['duration']).answer).toContain(`\nThat was ${length}.`)
  })
})

describe('whether it began with a change', () => {
  const change = (effect: number, entity = 'stock') => deploy('d-7', effect, entity, 'v7', [])

  it.each([
    [ONSET - 20, 'Before that'],
    [ONSET, 'As it began'],
    [ONSET + 20, 'After that'],
  ])('is told by when that took effect: minute %i', (minute, side) => {
    const { answer, evidence } = answerWhen(groundOf('stock', { changes: [change(minute)] }), ['deploy'])
    const line = answer.split('\n').find((each) => each.includes('d-7'))
    expect(line).toMatch(new RegExp(`^${side}: Deploy d-7 of stock was recorded at `))
    expect(evidence.map(({ content }) => content)).toContain(line?.slice(side.length + 2))
  })

  it('is told of the change of a service that is named, also where that is well', () => {
    const ground = groundOf('calm', {
      changes: [change(ONSET - 5), { ...change(ONSET + 9, 'calm'), id: 'd-8' }],
    })
    const lines = answerWhen(ground, ['release']).answer.split('\n')
    expect(lines[0]).toMatch(/^stock has been failing since/)
    expect(lines.at(-1)).toMatch(/^After that: Deploy d-8 of calm /)
  })

  it('is not told where nobody asks for it, or nothing changed', () => {
    expect(answerWhen(groundOf('stock', { changes: [change(ONSET)] })).answer).not.toContain('d-7')
    expect(answerWhen(groundOf('stock'), ['deploy']).answer).not.toContain('As it began')
  })
})

describe('how long after a change, and before an alert, it began', () => {
  const told = (words: readonly string[], more: Partial<Snapshot>) => {
    const { answer, evidence } = answerWhen(groundOf('stock', more), words)
    return { lines: answer.split('\n'), cited: evidence.map(({ content }) => content) }
  }

  it('is told as an interval, since when it began is one', () => {
    const changes = [deploy('d-7', ONSET - 20, 'stock', 'v7', [])]
    const { lines, cited } = told(['long', 'deploy'], { changes })
    expect(lines.at(-1)).toMatch(/^It began between 1[89] min and 2[0-2] min after that change\.$/)
    expect(cited).toContain(lines.at(-1))
    expect(told(['deploy'], { changes }).lines.join()).not.toContain('after that change')
    const later = [deploy('d-8', ONSET + 20, 'stock', 'v8', [])]
    expect(told(['long', 'deploy'], { changes: later }).lines.join()).not.toContain('after that change')
  })

  it('is told by the first alert since then, and not by how long it goes on', () => {
    const alerts = [9, 4, -30].map((after) => ({
      ...alert('web', 'http_5xx_ratio'),
      ...{ name: `Alert${after}`, fired_at: at(ONSET + after) },
    }))
    const { lines, cited } = told(['long', 'detect'], { alerts })
    const line = lines.find((each) => each.startsWith('The first alert'))
    expect(line).toMatch(
      /^The first alert since then, Alert4, fired at .* UTC: between \d min and \d min after it began\.$/,
    )
    expect(cited).toContain(line)
    expect(lines.join()).not.toContain('That is')
    expect(told(['long', 'detect'], { alerts: [] }).lines.join()).toContain('That is')
  })
})

describe('since when', () => {
  it('is told of the service that is asked about, with two signs', () => {
    const own = ['p99_ms', 'timeouts'].map((name) => series('web', name, 1, 90))
    const { answer } = answerWhen(groundOf('web', { series: [...INCIDENT.series, ...own] }))
    const [since, ...signs] = answer.split('\n').filter((line) => !line.includes('stock'))
    expect(since).toMatch(/^web has been failing since 2026-03-02 09:3\d:00 UTC/)
    expect(signs).toHaveLength(2)
    for (const sign of signs) expect(sign).toMatch(/ of web went up/)
  })

  it('names what failed before it only where that is sure', () => {
    const isNamed = (latest: number) => {
      const ground = groundOf('web', { series: [errors('web', ONSET + 5), errors('stock')] })
      const stock = ground.observed.failing.find(({ entity }) => entity === 'stock') as FailingService
      const first = { ...stock, onset: { ...stock.onset, latest } }
      return answerWhen({ ...ground, observed: { ...ground.observed, first } }).answer.includes(
        'Before it: stock has been failing',
      )
    }
    // The samples leave the onset of web open from 09:34 on.
    expect([isNamed(at(ONSET + 4)), isNamed(at(ONSET + 4) + 1)]).toEqual([true, false])
  })

  it('is told of where the trouble begins where no service is named, once', () => {
    const { answer } = answerWhen(groundOf(null))
    expect(answer).toMatch(/^stock has been failing since 2026-03-02 09:30:00 UTC/)
    expect(answer).not.toContain('Before it')
  })

  it('is never where the service does not fail', () => {
    expect(answerWhen(groundOf('calm')).answer).toMatch(/^calm does not fail/)
    expect(answerWhen(groundOf(null, CALM)).answer).toMatch(/^Nothing fails/)
  })
})

describe('whether it is over', () => {
  const trend = (before: number, during: number, latest: number): string => {
    const ground = groundOf('stock')
    const [shift] = ground.observed.failing.find(({ entity }) => entity === 'stock')?.shifts ?? []
    if (shift === undefined) throw new Error('nothing shifted')
    const stock = altered(
      { ...ground, service: null },
      { shifts: [{ ...shift, before, during, latest }], ended_at: null },
    )
    return /it is ([a-z ]+)\./.exec(answerRecovered(stock).answer.replace('It is not over: ', ''))?.[1] ?? ''
  }

  it('is told by where its level stands between normal and the worst', () => {
    expect(trend(0, 10, 12)).toBe('going on')
    expect(trend(0, 10, 12.1)).toBe('getting worse')
    expect(trend(0, 10, 5)).toBe('going on')
    expect(trend(0, 10, 4.9)).toBe('getting better')
    expect(trend(10, 0, -2.1)).toBe('getting worse')
    expect(trend(10, 0, 5.1)).toBe('getting better')
    expect(trend(5, 5, 9)).toBe('going on')
    expect(trend(2, 12, 8)).toBe('going on')
  })

  it('is over where everything that hurt is over', () => {
    const { answer, confidence } = answerRecovered(
      groundOf('stock', { series: [errors('stock', ONSET, 105)] }),
    )
    expect(answer).toMatch(
      /^It is over, as far as was measured\. stock failed from .* until 2026-03-02 09:45:00 UTC\.\nhttp_5xx_ratio/,
    )
    expect(confidence).toBe(0.95)
  })

  it('is not known where no series tells the level', () => {
    const ground = groundOf('stock', {
      series: [],
      logs: lines('stock', 'ERROR', 'the ledger refused it', ONSET),
    })
    const { answer, confidence, evidence } = answerRecovered(ground)
    expect(answer).toMatch(
      /^Whether stock has recovered is not known: no series tells its level now\.\nstock has been failing since/,
    )
    expect(confidence).toBe(0)
    expect(evidence.length).toBeGreaterThan(0)
  })

  it('is told by a series that hurts before any other', () => {
    const ground = groundOf(null)
    const [shift] = ground.observed.first?.shifts ?? []
    if (shift === undefined) throw new Error('nothing shifted')
    const good = { ...shift, is_bad: false, before: 0, during: 10, latest: 10 }
    const bad = { ...shift, before: 0, during: 10, latest: 0 }
    expect(answerRecovered(altered(ground, { shifts: [good, bad] })).answer).toContain('getting better')
    expect(answerRecovered(altered(ground, { shifts: [good] })).answer).toContain('going on')
  })

  it('is nothing to ask where nothing fails', () => {
    expect(answerRecovered(groundOf('calm')).answer).toMatch(/^calm does not fail/)
  })
})
