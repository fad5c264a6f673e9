import { describe, expect, it } from 'vitest'
import type { Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, deploy, ONSET } from '../incident-scenarios.ts'
import {
  able,
  counted,
  firm,
  fused,
  INCIDENT,
  OBSERVED,
  observedIn,
  record,
  shown,
  stated,
  told,
} from '../verdict-by-hand.ts'

describe('what speaks for and against', () => {
  it('a change is cited as what it is', () => {
    const source = (kind: Change['kind']) => {
      const { items, hypotheses } = fused({ ranked: [able({ change: record({ kind }) })] })
      return items.find(({ id }) => id === hypotheses[0]?.supported_by[0])?.source
    }
    expect((['commit', 'pull_request'] as const).map(source)).toEqual(['commits', 'commits'])
    expect(source('flag')).toBe('flags')
    for (const kind of ['deploy', 'release', 'config', 'infra', 'migration', 'scale', 'other'] as const)
      expect(source(kind)).toBe('deploys')
  })

  it('the rollout and the run of a change are cited as what they are, by the record that tells of them', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const seen = { source: 'k8s', timestamp: at(80), kind: 'Job', name: 'stock-fill' }
    const run = { at: at(80), share: 1, seen, schedule: null }
    const cited = (more: Partial<RankedChange>) => {
      const { items, hypotheses } = fused({ ranked: [able(more)] })
      const { source, type, query, content } = items.find(
        ({ id }) => id === hypotheses[0]?.supported_by[1],
      ) as Evidence
      return [source, type, query, content]
    }
    expect(cited({ carried_by: rollout }).slice(0, 3)).toEqual(['deploys', 'change', 'deploys of the window'])
    expect(cited({ run })).toEqual([
      ...['topology', 'change', 'k8s of the window'],
      'Job stock-fill of commit c1 was recorded at 2026-03-02 09:20:00 UTC.',
    ])
    expect(cited({ run: { ...run, seen: null, schedule: '20 * * * *' } })).toEqual([
      ...['topology', 'change', 'commits of the window'],
      'The schedule “20 * * * *” of commit c1 was due at 2026-03-02 09:20:00 UTC.',
    ])
  })

  it('what was measured, counted or kept of statements is cited by the question that brought it', () => {
    const cited = (one: Sign) => {
      const { items, hypotheses } = fused({ operational: [firm({ signs: [one] })] })
      const found = items.find(({ id }) => id === hypotheses[0]?.supported_by[0])
      return [found?.source, found?.type, found?.query]
    }
    expect(cited(shown('node-7'))).toEqual(['metrics', 'anomaly', 'the memory_used_bytes'])
    expect(cited(stated('select 1'))).toEqual(['integrations', 'anomaly', 'metrics of the window'])
    const calls: Sign = { strength: 0.5, fact: { of: 'calls', flow: counted(9) } }
    expect(cited(calls)).toEqual(['topology', 'dependency', 'edges of the window'])
    expect(cited(told('no such host'))).toEqual(['logs', 'error', 'logs of the window'])
  })

  it('an expiry, a status page, a statement and counted calls are cited as what they are', () => {
    const cited = (fact: Sign['fact']) => {
      const { items, hypotheses } = fused({ operational: [firm({ signs: [{ strength: 0.5, fact }] })] })
      const found = items.find(({ id }) => id === hypotheses[0]?.supported_by[0])
      return [found?.source, found?.type]
    }
    const expiry = { of: 'expiry', entity: 'stock', at: at(ONSET), text: 'x', source: 'metrics' } as const
    expect(cited({ ...expiry, origin: 'metric' })).toEqual(['metrics', 'change'])
    expect(cited({ ...expiry, origin: 'alert' })).toEqual(['alerts', 'change'])
    expect(cited({ ...expiry, origin: 'log' })).toEqual(['logs', 'change'])
    const status = {
      provider: 'p',
      component: null,
      status: 'outage',
      detail: null,
      at: at(ONSET),
      source: 'status',
    }
    expect(cited({ of: 'status', ...status })).toEqual(['integrations', 'statement'])
    const record = { source: 'logs', start: at(0), end: at(9), statement: 'select 1', load: 5 }
    expect(
      cited({ of: 'statement', statement: { record, share: 0.9, wait: null, is_stuck: false } }),
    ).toEqual(['integrations', 'anomaly'])
    const flow = observedIn({ ...INCIDENT, edges: calls('web', 'stock', 0.4) }).flows.get('stock')
    if (flow === undefined) throw new Error('no call was counted')
    expect(cited({ of: 'calls', flow })).toEqual(['topology', 'dependency'])
    const [shift] = OBSERVED.shifts
    if (shift === undefined) throw new Error('nothing shifted')
    expect(cited({ of: 'shift', shift })).toEqual(['metrics', 'anomaly'])
  })
})
