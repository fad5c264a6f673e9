import { createHash } from 'node:crypto'
import { PAYMENTS_VERSIONS } from './shop.ts'

// Answers in the shapes that GitHub and Kubernetes are recorded to give, about the shop.

const APPS = ['storefront', 'checkout', 'payments'] as const
type App = (typeof APPS)[number]
const OWNER = 'acme'
const HOUR_MS = 3_600_000

/** What the answers depend on: when the world began and what has happened in it. */
export interface Story {
  readonly beganAt: number
  readonly rolledOutAt: number | null
  /** When the provider of card payments became slow. */
  readonly providerSlowSince: number | null
}

const iso = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
const shaOf = (text: string): string => createHash('sha1').update(text).digest('hex')

const versionOf = (app: App, story: Story): string =>
  app !== 'payments'
    ? '3.1.0'
    : story.rolledOutAt === null
      ? PAYMENTS_VERSIONS.before
      : PAYMENTS_VERSIONS.after
const imageOf = (app: App, version: string): string => `registry.example/${OWNER}/${app}:${version}`

const AMOUNT_PATCH = `@@ -14,7 +14,7 @@ export interface Charge {
 
 /** The amount of a charge in cents. */
 export function centsOf(amount: string): number {
-  const value = Number(amount.replaceAll(',', ''))
+  const value = Number(amount)
   if (Number.isNaN(value)) throw new TypeError(\`amount "\${amount}" is not a number\`)
   return Math.round(value * 100)
 }`

const commit = (repository: string, message: string, at: number, files: readonly object[]) => ({
  sha: shaOf(message),
  html_url: `https://github.com/${repository}/commit/${shaOf(message)}`,
  commit: {
    message,
    author: { name: 'Robin Ito', date: iso(at) },
    committer: { name: 'Robin Ito', date: iso(at) },
  },
  author: { login: 'robin-ito' },
  parents: [{ sha: shaOf(`${repository} before`) }],
  files,
})

const deployment = (id: number, sha: string, at: number) => ({
  id,
  sha,
  ref: 'main',
  environment: 'production',
  creator: { login: 'deploy-bot' },
  created_at: iso(at),
  transient_environment: false,
  production_environment: true,
})

/** Commits that stand in a repository, newest first: in one that does not fail too, close to the outage. */
function commitsOf(app: App, repository: string, { beganAt, rolledOutAt }: Story) {
  if (app === 'storefront')
    return [
      commit(repository, 'Describe the pages of the storefront', beganAt + 60_000, [
        {
          filename: 'README.md',
          status: 'modified',
          changes: 2,
          patch: '@@ -1 +1,2 @@\n # Storefront\n+Pages: /, /buy.',
        },
      ]),
    ]
  if (app !== 'payments' || rolledOutAt === null) return []
  return [
    commit(repository, 'Read amounts without a copy of the text', rolledOutAt - 45_000, [
      { filename: 'src/amount.ts', status: 'modified', changes: 2, patch: AMOUNT_PATCH },
    ]),
  ]
}

/** Answers as GitHub does; undefined for what there is none of. */
export function answerLikeGithub(
  story: Story,
  method: string,
  path: string,
  search: URLSearchParams,
): unknown {
  if (method === 'POST') return undefined
  const [, app, rest = ''] = /^\/repos\/acme\/(storefront|checkout|payments)(\/.*)?$/.exec(path) ?? []
  if (app === undefined) return undefined
  const repository = `${OWNER}/${app}`
  if (rest === '') return { id: 1, name: app, full_name: repository, private: false, default_branch: 'main' }
  const commits = commitsOf(app as App, repository, story)
  const old = deployment(100, shaOf(`${repository} before`), story.beganAt - 20 * HOUR_MS)
  const { rolledOutAt } = story
  const [newest] = commits
  const isRolledOut = app === 'payments' && rolledOutAt !== null && newest !== undefined
  if (rest === '/deployments')
    return isRolledOut ? [deployment(101, newest.sha, rolledOutAt - 15_000), old] : [old]
  if (rest === '/deployments/100/statuses') return [{ state: 'success', created_at: old.created_at }]
  if (rest === '/deployments/101/statuses' && rolledOutAt !== null)
    return [
      { state: 'success', created_at: iso(rolledOutAt) },
      { state: 'in_progress', created_at: iso(rolledOutAt - 12_000) },
    ]
  if (rest.startsWith('/compare/') && newest !== undefined)
    return {
      html_url: `https://github.com/${repository}${rest}`,
      status: 'ahead',
      behind_by: 0,
      total_commits: 1,
      commits: [newest],
      files: newest.files,
    }
  if (rest === '/commits') {
    const [since, until] = [search.get('since') ?? '', search.get('until') ?? '~']
    return commits.filter(({ commit: { committer } }) => committer.date >= since && committer.date <= until)
  }
  const single = /^\/commits\/([0-9a-f]{40})(\/check-runs)?$/.exec(rest)
  if (single?.[2] !== undefined)
    return { total_count: 1, check_runs: [{ name: 'test', status: 'completed', conclusion: 'success' }] }
  if (single !== null) return commits.find(({ sha }) => sha === single[1])
  return []
}

const template = (app: App, version: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: app, image: imageOf(app, version), env: [] }] },
})
const metadata = (name: string, created: number, more: object = {}) => ({
  name,
  namespace: 'shop',
  creationTimestamp: iso(created),
  ...more,
})
const replicaSet = (app: App, revision: number, version: string, created: number) => ({
  metadata: metadata(`${app}-${revision}`, created, {
    annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    ownerReferences: [{ kind: 'Deployment', name: app }],
  }),
  spec: { template: template(app, version) },
})

/** Answers as a Kubernetes API server does; undefined for a list that there is none of. */
export function answerLikeKubernetes(story: Story, path: string): unknown {
  if (path === '/version') return { major: '1', minor: '29', gitVersion: 'v1.29.4' }
  const { beganAt, rolledOutAt } = story
  const installed = beganAt - 20 * HOUR_MS
  const lists: Readonly<Record<string, () => readonly object[]>> = {
    '/api/v1/nodes': () => [
      {
        metadata: { name: 'node-1', creationTimestamp: iso(installed) },
        status: {
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: iso(installed) }],
          addresses: [{ type: 'Hostname', address: 'node-1' }],
        },
      },
    ],
    '/apis/apps/v1/deployments': () =>
      APPS.map((app) => ({
        metadata: metadata(app, installed),
        spec: { template: template(app, versionOf(app, story)) },
      })),
    '/apis/apps/v1/replicasets': () => [
      ...APPS.map((app) => replicaSet(app, 1, versionOf(app, { ...story, rolledOutAt: null }), installed)),
      ...(rolledOutAt === null
        ? []
        : [replicaSet('payments', 2, PAYMENTS_VERSIONS.after, rolledOutAt - 10_000)]),
    ],
    '/api/v1/pods': () =>
      APPS.map((app) => {
        const isNew = app === 'payments' && rolledOutAt !== null
        const started = isNew ? rolledOutAt - 8_000 : installed
        return {
          metadata: metadata(`${app}-0`, started, {
            ownerReferences: [{ kind: 'ReplicaSet', name: `${app}-${isNew ? 2 : 1}` }],
          }),
          spec: {
            nodeName: 'node-1',
            containers: [{ name: app, image: imageOf(app, versionOf(app, story)) }],
          },
          status: {
            phase: 'Running',
            startTime: iso(started),
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: iso(started + 8_000) }],
            containerStatuses: [
              {
                name: app,
                image: imageOf(app, versionOf(app, story)),
                restartCount: 0,
                state: { running: {} },
              },
            ],
          },
        }
      }),
  }
  const empty = /^\/(api\/v1|apis\/[a-z0-9.]+\/v[12])\/[a-z]+$/.test(path) ? () => [] : undefined
  const items = (lists[path] ?? empty)?.()
  return items === undefined ? undefined : { kind: 'List', metadata: {}, items }
}

/** A provider says so only after a while. */
const ADMITS_AFTER_MS = 30_000

/** Answers as the status page of the provider does; undefined for what there is none of. */
export function answerLikeStatuspage({ providerSlowSince }: Story, path: string, now: number): unknown {
  const page = { id: 'cards', name: 'cards.example.com' }
  if (path === '/api/v2/status.json') return { page, status: { indicator: 'none', description: 'All well' } }
  if (!/^\/api\/v2\/incidents(\/unresolved)?\.json$/.test(path)) return undefined
  const admittedAt = (providerSlowSince ?? Number.POSITIVE_INFINITY) + ADMITS_AFTER_MS
  if (providerSlowSince === null || now < admittedAt) return { page, incidents: [] }
  const created_at = new Date(admittedAt).toISOString()
  const name = 'Slow authorizations'
  return {
    page,
    incidents: [
      {
        id: 'slow-authorizations',
        name,
        status: 'investigating',
        impact: 'major',
        created_at,
        started_at: new Date(providerSlowSince).toISOString(),
        resolved_at: null,
        components: [{ name: 'Authorizations' }],
        incident_updates: [
          { status: 'investigating', body: 'Authorizations take longer than usual.', created_at },
        ],
      },
    ],
  }
}

/** What kube-state-metrics exposes about the same cluster. */
export function kubeStateMetrics(story: Story): string {
  return [
    ...APPS.flatMap((app) => {
      const labels = `namespace="shop",pod="${app}-0",container="${app}"`
      const deployed = `namespace="shop",deployment="${app}"`
      return [
        `kube_pod_info{namespace="shop",pod="${app}-0",node="node-1",created_by_kind="ReplicaSet"} 1`,
        `kube_pod_container_info{${labels},image="${imageOf(app, versionOf(app, story))}"} 1`,
        `kube_pod_container_status_restarts_total{${labels}} 0`,
        `kube_deployment_status_replicas_available{${deployed}} 1`,
        `kube_deployment_spec_replicas{${deployed}} 1`,
      ]
    }),
    ...['DiskPressure', 'MemoryPressure'].map(
      (condition) => `kube_node_status_condition{node="node-1",condition="${condition}",status="true"} 0`,
    ),
    'kube_node_status_condition{node="node-1",condition="Ready",status="true"} 1',
    '',
  ].join('\n')
}
