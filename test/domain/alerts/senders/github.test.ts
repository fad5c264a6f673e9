import { describe, expect, it } from 'vitest'
import { readGithub } from '#shared/domain/alerts/senders/github.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const repository = { full_name: 'acme/shop', default_branch: 'main' }
const NOON = '2026-01-31T12:00:00.000Z'
const ARRIVED = new Date(START).toISOString()
const read = (event: string | undefined, payload: object, config: object = {}) =>
  readGithub({
    ...{ integration_id: INTEGRATION, config: config as never, received_at: START },
    ...{ headers: event === undefined ? {} : { 'x-github-event': event }, body: { repository, ...payload } },
  })
const changes = (...given: Parameters<typeof read>) =>
  (read(...given).signals.changes ?? []) as readonly Readonly<Record<string, unknown>>[]
const nothing = (event: string) => ({
  alerts: [],
  signals: {},
  left_out: [`${event} put nothing into effect`],
})

describe('a push', () => {
  const commit = (id: string, more: object = {}) => ({
    ...{
      id,
      message: 'Fix it\n\nat length',
      timestamp: '2026-01-31T13:00:00+01:00',
      author: { username: 'ann', name: 'Ann' },
    },
    ...more,
  })
  const push = (commits: unknown, more: object = {}) =>
    changes('push', { ref: 'refs/heads/main', commits, ...more })

  it('tells its commits by their first line', () => {
    expect(push([commit('a1')])).toEqual([
      {
        ...{
          id: 'a1',
          kind: 'commit',
          recorded_at: NOON,
          title: 'Fix it (acme/shop)',
          after: 'a1',
          actor: 'ann',
        },
        certainty: 'recorded',
      },
    ])
  })

  it('tells what is missing of a commit by nothing, and its time by its arrival', () => {
    expect(push([{}])).toEqual([
      {
        id: 'commit',
        kind: 'commit',
        recorded_at: ARRIVED,
        title: 'Commit (acme/shop)',
        certainty: 'recorded',
      },
    ])
    expect(push([commit('a1', { author: { name: 'Ann' } })])[0]?.actor).toBe('Ann')
  })

  it('tells the last hundred of them', () => {
    const many = Array.from({ length: 101 }, (_, index) => commit(`a${index}`))
    expect(push(many).map(({ id }) => id)).toEqual(many.slice(1).map(({ id }) => id))
  })

  it('tells only the branch that is deployed from, and any branch where nobody says which it is', () => {
    expect(read('push', { ref: 'refs/heads/topic', commits: [commit('a1')] })).toEqual(nothing('push'))
    const nameless = { repository: { full_name: 'acme/shop' } }
    expect(push([commit('a1')], { ...nameless, ref: 'refs/heads/topic' })).toHaveLength(1)
    expect(push([commit('a1')], { ...nameless, ref: 'refs/tags/v1' })).toEqual([])
    expect(push([commit('a1')], { ...nameless, ref: undefined })).toEqual([])
    expect(push([commit('a1')], { ref: 'refs/tags/main' })).toEqual([])
    expect(push('x')).toEqual([])
  })

  it('cuts long titles', () => {
    expect(push([commit('a1', { message: 'x'.repeat(400) })])[0]?.title).toBe(
      `${'x'.repeat(299)}… (acme/shop)`,
    )
  })
})

describe('a deployment', () => {
  const deployment = {
    id: 5,
    sha: 'f95f852bd8',
    environment: 'prod',
    created_at: NOON,
    creator: { login: 'ann' },
  }
  const told = (more: object = {}) => changes('deployment', { deployment: { ...deployment, ...more } })[0]
  const status = (more: object, of: object = {}) =>
    changes('deployment_status', {
      deployment: { ...deployment, ...of },
      deployment_status: { state: 'success', ...more },
    })[0]

  it('is told by its number, with what it brings and where', () => {
    expect(told()).toEqual({
      ...{ id: '5', kind: 'deploy', recorded_at: NOON, title: 'Deploy of f95f852 to prod (acme/shop)' },
      ...{ after: 'f95f852bd8', actor: 'ann', certainty: 'guessed' },
    })
    expect(told({ sha: null, environment: '', creator: null, created_at: 'x' })).toEqual({
      ...{
        id: '5',
        kind: 'deploy',
        recorded_at: ARRIVED,
        title: 'Deploy of 5 to ? (acme/shop)',
        certainty: 'guessed',
      },
    })
    expect(read('deployment', { deployment: {} })).toEqual(nothing('deployment'))
  })

  it.each([
    { environment: 'Preview' },
    { environment: 'Preview – shop' },
    { environment: 'staging' },
    { environment: 'stg-eu' },
    { environment: 'dev' },
    { environment: 'pr-614' },
    { environment: 'shop-pr-614', transient_environment: true },
  ])('to an environment that serves nobody outside changes nothing there: %j', (of) => {
    expect(told(of)).toBeUndefined()
    expect(status({ created_at: NOON }, of)).toBeUndefined()
  })

  it.each([
    { environment: 'production' },
    { environment: 'eu-west-1' },
    { environment: 'devices' },
    { environment: 'prod-staging-cells' },
    { environment: 'testament' },
    { environment: 'staging', production_environment: true },
    { environment: 'prod', transient_environment: false },
  ])('to any other is told: %j', (of) => {
    expect(told(of)).toMatchObject({ id: '5', kind: 'deploy' })
  })

  it('took effect at the latest when it succeeded', () => {
    expect(status({ created_at: '2026-01-31T12:05:00Z' })?.effective_at).toEqual({
      from: NOON,
      to: '2026-01-31T12:05:00.000Z',
    })
    expect(status({ updated_at: '2026-01-31T12:06:00Z' })?.effective_at).toEqual({
      from: NOON,
      to: '2026-01-31T12:06:00.000Z',
    })
    const early = '2026-01-31T11:00:00.000Z'
    expect(status({ created_at: early })?.effective_at).toEqual({ from: early, to: early })
    expect(status({})).not.toHaveProperty('effective_at')
    expect(told()).not.toHaveProperty('effective_at')
  })

  it.each([
    ['success', 'recorded', ''],
    ['failure', 'guessed', ' (failure)'],
    ['error', 'guessed', ' (error)'],
  ])('is known to be in effect only by its success: %s', (state, certainty, note) => {
    const { title, ...told } = status({ state, created_at: NOON }) ?? {}
    expect(title).toBe(`Deploy of f95f852 to prod${note} (acme/shop)`)
    expect(told).toMatchObject({ id: '5', recorded_at: NOON, certainty })
    expect('effective_at' in told).toBe(state === 'success')
  })

  it.each(['pending', 'in_progress', 'queued', undefined])('is told no further while it is %s', (state) => {
    expect(read('deployment_status', { deployment, deployment_status: { state } })).toEqual(
      nothing('deployment_status'),
    )
  })
})

describe('a release', () => {
  const release = {
    tag_name: 'v2',
    name: 'Two',
    published_at: NOON,
    created_at: '2026-01-01T00:00:00Z',
    author: { login: 'ann' },
  }
  const told = (more: object = {}, action = 'published') =>
    changes('release', { action, release: { ...release, ...more } })[0]

  it('is told when it was published', () => {
    expect(told()).toEqual({
      ...{
        id: 'release v2',
        kind: 'release',
        recorded_at: NOON,
        title: 'Two (acme/shop)',
        after: 'v2',
        actor: 'ann',
      },
      certainty: 'recorded',
    })
    expect(told({ name: '', published_at: null })).toMatchObject({
      title: 'v2 (acme/shop)',
      recorded_at: '2026-01-01T00:00:00.000Z',
    })
    expect(told({ published_at: null, created_at: null })?.recorded_at).toBe(ARRIVED)
  })

  it('is none before, or without a tag', () => {
    for (const action of ['created', 'edited', 'deleted']) expect(told({}, action)).toBeUndefined()
    expect(told({ tag_name: null })).toBeUndefined()
  })
})

describe('a pull request', () => {
  const request = {
    number: 3,
    title: 'Fix it',
    merged_at: '2026-01-31T11:00:00Z',
    merge_commit_sha: 'a1',
    user: { login: 'ann' },
  }
  const told = (more: object = {}, action = 'closed') =>
    changes('pull_request', { action, pull_request: { ...request, ...more } })[0]

  it('is told when it was merged, and no later than it is heard of', () => {
    expect(told()).toEqual({
      ...{
        id: '#3',
        kind: 'pull_request',
        recorded_at: '2026-01-31T11:00:00.000Z',
        title: 'Fix it (acme/shop)',
      },
      ...{ after: 'a1', actor: 'ann', certainty: 'recorded' },
    })
    expect(told({ merged_at: '2027-01-01T00:00:00Z' })?.recorded_at).toBe(ARRIVED)
    expect(told({ number: null, title: null })).toMatchObject({ id: '#?', title: 'Pull request (acme/shop)' })
  })

  it('is none while it is open, or closed without being merged', () => {
    expect(told({}, 'opened')).toBeUndefined()
    expect(told({ merged_at: null })).toBeUndefined()
  })
})

describe('a run', () => {
  const run = {
    ...{ id: 8, name: 'Deploy', path: '.github/workflows/x.yml', conclusion: 'success', head_sha: 'a1' },
    ...{
      created_at: NOON,
      updated_at: '2026-01-31T12:09:00Z',
      run_started_at: '2026-01-31T12:01:00Z',
      actor: { login: 'ann' },
    },
  }
  const told = (more: object = {}, outer: object = {}) =>
    changes('workflow_run', { action: 'completed', workflow_run: { ...run, ...more }, ...outer })[0]

  it('is told as a deployment', () => {
    expect(told()).toEqual({
      ...{
        id: 'run 8',
        kind: 'deploy',
        recorded_at: NOON,
        title: 'Deploy (acme/shop)',
        after: 'a1',
        actor: 'ann',
      },
      certainty: 'recorded',
    })
  })

  it('has the time of its beginning, else of its end, else of its arrival', () => {
    expect(told({ created_at: null })?.recorded_at).toBe('2026-01-31T12:09:00.000Z')
    expect(told({ created_at: null, updated_at: null })?.recorded_at).toBe('2026-01-31T12:01:00.000Z')
    expect(told({ created_at: null, updated_at: null, run_started_at: null })?.recorded_at).toBe(ARRIVED)
  })

  it.each(['deploy', 'Release', 'rollout', 'PUBLISH it'])(
    'deploys where its name or its file says “%s”',
    (word) => {
      expect(told({ name: word, path: 'x' })).toBeDefined()
      expect(told({ name: 'x', path: `${word}.yml` })).toMatchObject({ title: 'x (acme/shop)' })
      expect(told({ name: null, path: null }, { workflow: { name: word } })).toBeDefined()
      expect(told({ name: '', path: '' }, { workflow: { path: `${word}.yml` } })?.title).toBe(
        `${word}.yml (acme/shop)`,
      )
    },
  )

  it.each([
    { event: 'pull_request' },
    { event: 'pull_request_target' },
    { event: 'merge_group' },
    { name: 'Deploy preview' },
    { name: 'Deploy', path: '.github/workflows/deploy_staging.yml' },
    { name: 'Deploy review app' },
  ])('is none that deploys to where nobody outside is: %j', (more) => {
    expect(told(more)).toBeUndefined()
  })

  it.each([
    { event: 'push' },
    { event: 'workflow_dispatch' },
    { name: 'Deploy staging, then production' },
    { name: 'Deploy stages' },
  ])('is one by whatever else it was begun or named: %j', (more) => {
    expect(told(more)).toMatchObject({ id: 'run 8', kind: 'deploy' })
  })

  it('is none that does something else, failed, is not over, or has no number', () => {
    expect(told({ name: 'Test' })).toBeUndefined()
    expect(told({ conclusion: 'failure' })).toBeUndefined()
    expect(told({}, { action: 'requested' })).toBeUndefined()
    expect(told({ id: null })).toBeUndefined()
  })
})

describe('a repository', () => {
  const deployment = { id: 5, created_at: NOON }
  const entity = (config: object) => changes('deployment', { deployment }, config)[0]?.entity

  it('is a service where the settings say so, however it is written', () => {
    expect(entity({ repositories: { other: 'acme/other', checkout: 'Acme/Shop' } })).toBe('checkout')
    for (const config of [
      {},
      { repositories: ['acme/shop'] },
      { repositories: { checkout: 'acme/other', x: 7 } },
    ])
      expect(changes('deployment', { deployment }, config)[0]).not.toHaveProperty('entity')
  })

  it('that has no name tells nothing, and neither does an event that is no change', () => {
    const out = (why: string) => ({ alerts: [], signals: {}, left_out: [why] })
    expect(read('push', { repository: {} })).toEqual(out('push is no change'))
    expect(read('star', {})).toEqual(out('star is no change'))
    expect(read('constructor', {})).toEqual(out('constructor is no change'))
    expect(read(undefined, {})).toEqual(out('the event is no change'))
    expect(read('x'.repeat(61), {}).left_out[0]).toBe(`${'x'.repeat(59)}… is no change`)
  })
})
