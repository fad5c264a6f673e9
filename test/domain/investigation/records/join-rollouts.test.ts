import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinRollouts } from '#shared/domain/investigation/records/join-rollouts.ts'
import type { Change, Entity, Snapshot, SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { EMPTY } from '../incident-scenarios.ts'

const source = (tool: string, query = `GET /${tool}`): SourceAsked => ({
  id: `${tool} ${query}`,
  integration_id: `${tool}_1`,
  tool,
  query,
  outcome: 'answered',
  records: 1,
})
const GITHUB = source('github', 'GET /repos/acme/payments/deployments?per_page=100')
const CLUSTER = source('kubernetes')
const METRICS = source('prometheus')
const image = (version: string) => `registry.example:5000/acme/payments:${version}`

const rollout = (given: Partial<Change> & Pick<Change, 'source' | 'id'>): Change => ({
  kind: 'deploy',
  entity: 'payments',
  title: given.id,
  recorded_at: 1_000,
  effective_at: { from: 1_000, to: 2_000 },
  certainty: 'recorded',
  ...given,
})
const SEEN = { from: 1_200, to: 2_500 }
const { entity: _, ...ofGithub } = rollout({
  source: GITHUB.id,
  id: 'deployment 101',
  carries: ['c0ffee'],
  after: 'c0ffee',
})
const ofCluster = rollout({
  source: CLUSTER.id,
  id: 'revision 2',
  before: image('1.4'),
  after: image('1.5'),
  effective_at: SEEN,
})
const ofMetrics = rollout({
  source: METRICS.id,
  id: 'image',
  after: image('1.5'),
  effective_at: { from: 1_500, to: 3_000 },
  certainty: 'inferred',
})
const joined = (changes: readonly Change[], more: Partial<Snapshot> = {}) =>
  joinRollouts({ ...EMPTY, sources: [GITHUB, CLUSTER, METRICS], changes, ...more }).changes

describe('one rollout that several tools tell of', () => {
  it('is one change of the service whose image is built from the repository, in effect when all say so', () => {
    expect(joined([ofMetrics, ofGithub, ofCluster])).toEqual([
      {
        ...ofGithub,
        entity: 'payments',
        title: 'deployment 101; revision 2',
        effective_at: { from: 1_500, to: 2_000 },
      },
    ])
  })

  it('is the same whatever order they are asked in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([ofGithub, ofCluster, ofMetrics], { minLength: 3 }), (changes) => {
        expect(joined(changes)).toEqual(joined([ofGithub, ofCluster, ofMetrics]))
      }),
    )
  })

  it.each([
    ['of another service', { ...ofMetrics, entity: 'checkout' }],
    ['of another version', { ...ofMetrics, after: image('1.6') }],
    ['at another time', { ...ofMetrics, effective_at: { from: 2_501, to: 3_000 } }],
    ['with no time', (({ effective_at: __, ...rest }) => rest)(ofMetrics)],
    ['of the same tool', { ...ofMetrics, source: CLUSTER.id }],
    ['of a source that nobody knows', { ...ofMetrics, source: 'gone' }],
    ['that is a change of settings', { ...ofMetrics, kind: 'config' as const }],
  ] satisfies [string, Change][])('is told apart from one %s', (_name, other) => {
    expect(joined([ofCluster, other])).toEqual([ofCluster, other])
  })
})

describe('a deploy that a pipeline pushed without saying when it took effect', () => {
  const PIPELINE: SourceAsked = {
    ...{ id: 'signals', tool: 'signals', query: 'everything pushed', outcome: 'answered', records: 1 },
  }
  const pushed: Change = {
    ...{ source: 'signals', id: 'deploy-5', kind: 'deploy', entity: 'payments', after: 'v1.5' },
    recorded_at: 2_500 + 300_000,
  }
  const told = (changes: readonly Change[]) =>
    joined(changes, { sources: [GITHUB, CLUSTER, METRICS, PIPELINE] })

  it('is the rollout of that version that the cluster saw when it was reported', () => {
    const one = { ...ofCluster, title: 'revision 2' }
    expect(told([pushed, ofCluster])).toEqual([one])
    expect(told([ofCluster, { ...pushed, recorded_at: 1_200 - 300_000 }])).toEqual([one])
    expect(told([{ ...pushed, title: 'by hand', certainty: 'recorded' }, ofCluster])).toEqual([
      { ...one, title: 'revision 2; by hand' },
    ])
  })

  it('is told by the record that says most, with the time and the versions that the other knows', () => {
    const carrying = { ...pushed, carries: ['c0ffee'], title: 'Deploy 5' }
    expect(told([ofCluster, carrying])).toEqual([
      {
        ...carrying,
        ...{ before: ofCluster.before, after: ofCluster.after, effective_at: SEEN },
        title: 'Deploy 5; revision 2',
      },
    ])
  })

  it('is one with what the repository tells of a commit, and with both', () => {
    const ofRepository = { ...ofGithub, entity: 'payments' }
    expect(told([{ ...pushed, recorded_at: 2_000 }, ofRepository])).toEqual([ofRepository])
    expect(told([ofCluster, { ...pushed, recorded_at: 2_000 }, ofRepository])).toHaveLength(1)
    const another = { ...pushed, recorded_at: 2_000, after: 'v1.6' }
    expect(told([ofCluster, another, ofRepository])).toHaveLength(2)
  })

  it('is the nearest of several rollouts', () => {
    const later = {
      ...ofCluster,
      ...{ id: 'revision 3', after: image('latest'), effective_at: { from: 290_000, to: 300_000 } },
    }
    expect(told([ofCluster, later, { ...pushed, title: 'reported', certainty: 'recorded' }])).toEqual([
      ofCluster,
      { ...later, title: 'revision 2; reported' },
    ])
  })

  it.each([
    ['of another version', { after: '1.6' }],
    ['of another service', { entity: 'checkout' }],
    ['long after', { recorded_at: 2_501 + 300_000 }],
    ['long before', { recorded_at: 1_199 - 300_000 }],
    ['of a tool that nobody knows', { source: 'gone' }],
    ['that metrics tell of', { source: METRICS.id }],
    ['of the cluster itself', { source: CLUSTER.id }],
    ['that is a setting', { kind: 'config' as const }],
  ] satisfies [string, Partial<Change>][])('is told apart from one %s', (_name, more) => {
    const other = { ...pushed, ...more }
    expect(told([ofCluster, other])).toEqual([ofCluster, other])
  })

  it('joins by its own time where it says so, and two that were pushed are two', () => {
    const timed = { ...pushed, certainty: 'recorded' as const, effective_at: SEEN }
    expect(told([{ ...timed, title: 'timed' }, ofCluster])).toHaveLength(1)
    expect(told([timed, pushed])).toEqual([timed, pushed])
  })
})

describe('a change in a repository', () => {
  const service = (name: string, kind: Entity['kind'] = 'service'): Entity => ({ name, kind, aliases: [] })
  const commit: Change = { ...ofGithub, kind: 'commit', id: 'c0ffee' }
  const entityOf = (changes: readonly Change[], entities: readonly Entity[] = []) =>
    joined(changes, { entities }).find(({ id }) => id === 'c0ffee')?.entity

  it('is of the service that has its name, where no image tells', () => {
    expect(entityOf([commit], [service('payments'), service('checkout')])).toBe('payments')
  })

  it.each([
    ['nothing has its name', [commit], [service('checkout')]],
    ['only a host has its name', [commit], [service('payments', 'host')]],
    [
      'two services run images of it',
      [commit, ofCluster, { ...ofCluster, id: 'other', entity: 'payments-worker' }],
      [],
    ],
  ] satisfies [string, Change[], Entity[]][])('is of nobody where %s', (_name, changes, entities) => {
    expect(entityOf(changes, entities)).toBeUndefined()
  })

  it('keeps the service that the settings gave it', () => {
    expect(entityOf([{ ...commit, entity: 'billing' }, ofCluster])).toBe('billing')
  })
})
