import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { alarmAnswer, healthEvent } from '#shared/adapters/tools/cloudwatch-answers.ts'
import { datadogEvent, datadogLog, datadogMonitor, datadogSeries } from '#shared/adapters/tools/datadog.ts'
import {
  appAnswer,
  checkRunAnswer,
  commitAnswer,
  deploymentAnswer,
  errorAnswer,
  rateAnswer,
  releaseAnswer,
  repositoryAnswer,
} from '#shared/adapters/tools/github-answers.ts'
import { tokenAnswer } from '#shared/adapters/tools/github-app.ts'
import {
  pagerDutyAlert,
  pagerDutyIncident,
  pagerDutyLogEntry,
  pagerDutySubscription,
  triggerOf,
} from '#shared/adapters/tools/pagerduty.ts'
import { sentryIssue, sentryRelease } from '#shared/adapters/tools/sentry.ts'
import { statuspageIncident } from '#shared/adapters/tools/statuspage.ts'
import { traceAnswer, xraySpans } from '#shared/adapters/tools/xray-traces.ts'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
import type { CheckResult } from '#shared/domain/integration.ts'
import { RECORD_LISTS } from '#shared/domain/investigation/records/snapshot.ts'
import { answerLikePrometheus } from './adapters/tools/fake-prometheus.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
  withoutWaiting,
} from './adapters/tools/tool-server.ts'
import { outsideFile } from './outside-data.ts'

interface Entry {
  readonly tool: string
  readonly file: string
}
type Read = (payload: unknown, entry: Entry) => string | Promise<string>

const root = outsideFile('payloads', 'INDEX.json') === undefined ? undefined : process.env.INCIDENT_DATA

const member = (value: unknown, ...names: readonly (string | number)[]): unknown =>
  names.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string | number, unknown>> | null)?.[name],
    value,
  )
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Reads every item by the shape that the tool's adapter reads it by. */
const items =
  (schema: z.ZodMiniType, what: string, ...names: readonly (string | number)[]): Read =>
  (payload) => {
    const list = listOf(member(payload, ...names))
    for (const item of list) {
      const read = schema.safeParse(item)
      if (!read.success) throw new Error(`${what}: ${JSON.stringify(read.error.issues[0])}`)
    }
    return counted(list.length, what)
  }

/** Body of a recorded exchange: as it is, or as text. */
const answered = (payload: unknown): unknown => {
  const body =
    member(payload, 0, 'response') ?? member(payload, 0, 'body') ?? member(payload, 'body') ?? payload
  return typeof body === 'string' ? JSON.parse(body) : body
}
const inside =
  (read: Read, ...names: readonly (string | number)[]): Read =>
  (payload, entry) =>
    read(member(answered(payload), ...names), entry)

/** What a sender sends, as intake reads it. */
const sent =
  (type: string, headers: Readonly<Record<string, string>> = {}): Read =>
  (payload) => {
    const posts = member(payload, 'posts')
    const bodies = Array.isArray(posts)
      ? posts.map((post: unknown) => (typeof member(post, 'body') === 'object' ? member(post, 'body') : post))
      : [member(payload, 'headers') === undefined ? payload : (member(payload, 'body') ?? payload)]
    const found = { firing: 0, resolved: 0, signals: 0 }
    const why = new Set<string>()
    for (const body of bodies) {
      const message = readSent(type, { integration_id: 'tool_1', config: {}, headers, received_at: 0, body })
      for (const { status } of message.alerts) found[status] += 1
      found.signals += Object.values(message.signals).flat().length
      for (const reason of message.left_out) why.add(reason)
    }
    const parts = [
      ...(found.firing > 0 ? [`${found.firing} firing`] : []),
      ...(found.resolved > 0 ? [`${found.resolved} resolved`] : []),
      ...(found.signals > 0 ? [counted(found.signals, 'change or event')] : []),
    ]
    if (parts.length === 0 && why.size === 0) throw new Error('nothing was read, and nothing says why')
    return parts.length > 0 ? `sent: ${parts.join(', ')}` : `left out: ${[...why].join('; ')}`
  }

/** What a tool pulls from a server, which must have been asked for the payload. */
const pulled =
  (
    type: string,
    config: object,
    at: string,
    service: string | null,
    route: (seen: Seen, payload: unknown) => Canned | 'the payload' | undefined,
    statusOf: (payload: unknown) => number = () => 200,
  ): Read =>
  async (payload) => {
    const body = answered(payload)
    let asked = false
    const server = await serveTool((seen) => {
      const answer = route(seen, payload)
      if (answer !== 'the payload') return answer
      asked = true
      return { status: statusOf(payload), body }
    })
    const now = Date.parse(at)
    const tool = loopbackTool(type, { now: () => now, ...withoutWaiting() })
    closeAfterTest(server, tool)
    const found = await tool.pull({ base_url: server.url, ...config }, pullRequest(now, { service }))
    if (!asked) throw new Error('nobody asked for it')
    const parts = RECORD_LISTS.filter((list) => list !== 'gaps').flatMap((list) =>
      found[list].length === 0 ? [] : [list],
    )
    if (parts.length > 0) return `pulled: ${parts.join(', ')}`
    return `pulled: nothing, and says so: ${found.gaps.map(({ why }) => why).join(' ') || 'no records'}`
  }

/** Where a recording of Prometheus was asked for, the rest as Prometheus answers. */
const recordedPath = (payload: unknown): string => new URL(String(member(payload, 'request', 'url'))).pathname
const prometheus = pulled(
  'prometheus',
  {},
  '2026-11-21T05:10:00Z',
  'checkout',
  (seen, payload) => (seen.path === recordedPath(payload) ? 'the payload' : answerLikePrometheus({}, seen)),
  (payload) => Number(member(payload, 'status')),
)
const loki = (path: string, at: string): Read =>
  pulled('loki', {}, at, 'varlogs', (seen) => {
    const of = (data: unknown): Canned => ({ body: { status: 'success', data } })
    const counts = (seen.search.get('query') ?? '').startsWith('sum by')
    if (seen.path === path && !counts) return 'the payload'
    if (seen.path === '/loki/api/v1/labels') return of(['job', 'filename'])
    if (seen.path.endsWith('/values')) return of(['varlogs'])
    return of({ resultType: counts ? 'matrix' : 'streams', result: [] })
  })
/** A search finds one trace, and the payload is that trace. */
const traceOf = (trace: string) => (seen: Seen) =>
  seen.path === '/api/search'
    ? { body: { traces: [{ traceID: trace }] } }
    : seen.path === `/api/traces/${trace}`
      ? ('the payload' as const)
      : undefined
const alertmanager = (path: string) =>
  pulled('alertmanager', {}, '2026-11-21T05:10:00Z', null, (seen) =>
    seen.path === path ? 'the payload' : { body: [] },
  )

/** Files that may be refused in all. */
const MOST_REFUSED = 5
/** Why a payload is none of what is read; each reason is of its own and says what is read instead. */
const refused =
  (why: string): Read =>
  () =>
    `refused: ${why}`

/** How each payload is read: by its name, the first that fits. */
const READINGS: readonly (readonly [RegExp, Read])[] = [
  [/^alertmanager\/(webhook_|stream_)/, sent('alertmanager')],
  [/^alertmanager\/alertmanager_issue/, ofOneAlert()],
  [/^alertmanager\/api_v2_alerts/, alertmanager('/api/v2/alerts')],
  [/^alertmanager\/api_v2_silences/, alertmanager('/api/v2/silences')],
  [/^alertmanager\/api_v2_status/, checked('alertmanager', {})],
  [/^awshealth\/eventbridge/, sent('cloudwatch')],
  [/^awshealth\/awscli_health_describe_events/, items(healthEvent, 'event', 0, 'events')],
  [/^cloudwatch\/(eventbridge|lambda)/, sent('cloudwatch')],
  [/^cloudwatch\/awscli_cloudwatch_describe_alarms/, items(alarmAnswer, 'alarm', 'MetricAlarms')],
  [
    /^cloudwatch\/awscli_cloudwatch_get_metric_statistics/,
    refused(
      'GetMetricData is asked instead, which gives 200 metrics in one call and in order of time; this call gives one, unsorted and without its name',
    ),
  ],
  [/^datadog\/webhook_stream/, sent('datadog')],
  [/^datadog\/api_events/, inside(items(datadogEvent, 'event'), 'data')],
  [/^datadog\/api_logs/, inside(items(datadogLog, 'log line'), 'data')],
  [/^datadog\/api_metrics/, inside(items(datadogSeries, 'series'), 'series')],
  [/^datadog\/api_monitor/, inside(items(datadogMonitor, 'monitor'))],
  [/^datadog\/api_webhook_integration_create/, checkedDatadog()],
  [/^github\/webhook_(\w+?)(_created|_closed|_completed)?\.json/, githubEvent()],
  [/^github\/recorded_get_repository/, inside(items(repositoryAnswer, 'repository'))],
  [/^github\/recorded_errors/, inside(items(errorAnswer, 'error'))],
  [/^github\/rest_check_run/, items(checkRunAnswer, 'check run', 'check_runs')],
  [/^github\/rest_commit/, items(commitAnswer, 'commit')],
  [/^github\/rest_deployment/, items(deploymentAnswer, 'deployment')],
  [/^github\/rest_release/, items(releaseAnswer, 'release')],
  [/^github\/rest_installation_token/, items(tokenAnswer, 'token')],
  [/^github\/rest_integration/, items(appAnswer, 'app')],
  [/^github\/rest_rate_limit/, items(rateAnswer, 'limit')],
  [
    /^github\/recorded_paginate_issues/,
    refused(
      'it is what people wrote, at any time and of anything; what changed is read from commits, deployments, releases, merged pull requests and check runs',
    ),
  ],
  [/^grafana\//, sent('grafana')],
  [
    /^jaeger\/api_trace/,
    pulled(
      'tempo',
      {},
      '2017-01-27T03:00:00Z',
      'example-service-2',
      traceOf('00000000000000000000000000000011'),
    ),
  ],
  [/^jaeger\//, jaegerTrace()],
  [
    /^kubernetes\/events_oomkilled_summary/,
    refused(
      'another program wrote it as a summary of events; they are read themselves, from the API of the cluster, with who they are about',
    ),
  ],
  [
    /^kubernetes\/kubectl_events_crashloop/,
    refused(
      'it is a table that kubectl prints for people, with ages in place of instants; the events are read from the API of the cluster',
    ),
  ],
  [/^loki\/api_doc_03/, loki('/loki/api/v1/query_range', '2019-09-23T19:30:00Z')],
  [/^loki\/api_doc_05/, loki('/loki/api/v1/labels', '2019-09-23T19:30:00Z')],
  [/^loki\/api_doc_01/, checkedLoki('/loki/api/v1/query', ['app'])],
  [/^loki\/api_doc_07/, lokiSize()],
  [/^loki\/api_doc_09/, checkedLoki('/loki/api/v1/detected_fields', ['filename'])],
  [
    /^loki\/api_doc_11/,
    refused('it is the state of jobs within Loki, told to whoever runs it; it holds nothing that was logged'),
  ],
  [/^opensearch\/hits/, openSearchHits()],
  [/^opensearch\/es_cluster_health/, checkedOpenSearch()],
  [/^pagerduty\/rest_get_incidents\.json/, items(pagerDutyIncident, 'incident', 'incidents')],
  [/^pagerduty\/rest_get_incidents_id_alerts/, items(pagerDutyAlert, 'alert', 'alerts')],
  [/^pagerduty\/webhook_data_incident\.json/, items(pagerDutyIncident, 'incident')],
  [/^pagerduty\/webhook_incident_/, sent('pagerduty')],
  [/^pagerduty\/webhook_data_incident_note/, noteOfPagerduty()],
  [
    /^pagerduty\/rest_get_webhook_subscriptions/,
    items(pagerDutySubscription, 'webhook', 'webhook_subscriptions'),
  ],
  [
    /^pagerduty\/rest_post_webhook_subscriptions/,
    items(pagerDutySubscription, 'webhook', 'webhook_subscription'),
  ],
  [/^pagerduty\/rest_get_incidents_id_log_entries/, logOfPagerduty()],
  [/^prometheus\/(buildinfo|alerts\.)/, checkedPrometheus()],
  [/^prometheus\//, prometheus],
  [/^sentry\/rest_organizations_org_releases/, items(sentryRelease, 'release')],
  [/^sentry\/rest_/, items(sentryIssue, 'issue')],
  [/^sentry\//, sentryHook()],
  [/^sns\//, envelope()],
  [/^statuspage\//, items(statuspageIncident, 'incident', 'incident')],
  [/^tempo\//, pulled('tempo', {}, '2026-11-21T05:10:00Z', 'checkout', traceOf('aa11'))],
  [/^xray\//, tracesOfXray()],
]

/** What a check makes of a server that gives this answer to everything. */
function checked(type: string, config: object): Read {
  return async (payload) => {
    const body = answered(payload)
    const server = await serveTool(() => ({ body }))
    const tool = loopbackTool(type)
    closeAfterTest(server, tool)
    const { status, detail } = await tool.check(
      { base_url: server.url, ...config },
      AbortSignal.timeout(5000),
    )
    return told({ status, detail })
  }
}

/** The result of a check in words. */
const told = ({ status, detail }: CheckResult): string =>
  `check: ${status}${detail === null ? '' : ` (${detail})`}`

/** One alert as a message of its own. */
function ofOneAlert(): Read {
  return (payload, entry) => {
    const alert = member(payload, 'raw')
    return sent('alertmanager')({ version: '4', status: 'firing', groupKey: '{}', alerts: [alert] }, entry)
  }
}

/** An envelope of SNS as other services hand it on: it is sent as it is. */
function envelope(): Read {
  return (payload, entry) => {
    const body = member(payload, 'Records', 0, 'body')
    const message =
      typeof body === 'string' ? (JSON.parse(body) as unknown) : member(payload, 'Records', 0, 'Sns')
    return sent('cloudwatch')(message, entry)
  }
}

/** What is documented is the data of an event; it is sent inside of one. */
function noteOfPagerduty(): Read {
  return (payload, entry) =>
    sent('pagerduty')({ event: { event_type: 'incident.annotated', data: payload } }, entry)
}

/** Prometheus tells its version; what else is asked answers as it does. */
function checkedPrometheus(): Read {
  return async (payload) => {
    const body = answered(payload)
    const server = await serveTool((seen) =>
      seen.path === recordedPath(payload) ? { body } : answerLikePrometheus({}, seen),
    )
    const tool = loopbackTool('prometheus')
    closeAfterTest(server, tool)
    return told(await tool.check({ base_url: server.url }, AbortSignal.timeout(5000)))
  }
}

/** What a check makes of a server that gives the payload at one path and what is usual at the others. */
function checkedAt(
  type: string,
  config: object,
  path: string,
  others: Readonly<Record<string, unknown>>,
): (payload: unknown) => Promise<string> {
  return async (payload) => {
    let asked = false
    const server = await serveTool((seen) => {
      asked ||= seen.path === path
      const body = seen.path === path ? payload : others[seen.path]
      return body === undefined ? undefined : { body }
    })
    const tool = loopbackTool(type)
    closeAfterTest(server, tool)
    const checked = await tool.check({ base_url: server.url, ...config }, AbortSignal.timeout(5000))
    if (!asked) throw new Error('nobody asked for it')
    return told(checked)
  }
}

/** A check of Datadog reads the webhook that sends here, whoever set it up. */
function checkedDatadog(): Read {
  const none = { data: [] }
  const others = {
    '/api/v1/validate': { valid: true },
    '/api/v1/monitor': [],
    '/api/v1/metrics': { metrics: [] },
    '/api/v2/logs/events/search': none,
    '/api/v2/events/search': none,
  }
  const path = '/api/v1/integration/webhooks/configuration/webhooks/incident-investigator'
  return (payload) =>
    checkedAt('datadog', { api_key: 'k', app_key: 'k' }, path, others)(member(payload, 0, 'body'))
}

function checkedLoki(path: string, labels: readonly string[]): Read {
  return (payload) =>
    checkedAt('loki', {}, path, { '/loki/api/v1/labels': { status: 'success', data: labels } })(payload)
}

function checkedOpenSearch(): Read {
  const others = {
    '/': { version: { number: '8.0.0' } },
    '/logs-*/_field_caps': { fields: { '@timestamp': { date: {} } } },
  }
  return (payload) =>
    checkedAt('opensearch', { index_pattern: 'logs-*' }, '/_cluster/health/logs-*', others)(payload)
}

/** Asked for when slices were cut: it says out of how many lines. */
function lokiSize(): Read {
  return async (payload) => {
    const line = (index: number) => [`${1569266000000 + index}000000`, 'an error']
    const values = Array.from({ length: 100 }, (_, index) => line(index))
    const server = await serveTool(({ path: asked, search }): Canned | undefined => {
      const of = (data: unknown): Canned => ({ body: { status: 'success', data } })
      const counts = (search.get('query') ?? '').startsWith('sum by')
      if (asked === '/loki/api/v1/index/stats') return { body: payload }
      if (asked === '/loki/api/v1/labels') return of(['job'])
      if (asked.endsWith('/values')) return of(['varlogs'])
      const streams = [{ stream: { job: 'varlogs' }, values }]
      return of(counts ? { resultType: 'matrix', result: [] } : { resultType: 'streams', result: streams })
    })
    const now = Date.parse('2019-09-23T19:30:00Z')
    const tool = loopbackTool('loki', { now: () => now, ...withoutWaiting() })
    closeAfterTest(server, tool)
    const { gaps } = await tool.pull({ base_url: server.url }, pullRequest(now, { service: null }))
    const said = gaps.map(({ why }) => why).find((why) => why.includes('holds about'))
    if (said === undefined) throw new Error('nobody asked for it')
    return `pulled: ${said}`
  }
}

function logOfPagerduty(): Read {
  return (payload) => {
    const list = listOf(member(payload, 'log_entries'))
    const detail = triggerOf(list.map((entry) => pagerDutyLogEntry.parse(entry)))
    if (detail === undefined) throw new Error('it says nothing of how it began')
    return `how an incident began: ${detail}`
  }
}

function tracesOfXray(): Read {
  return (payload) => {
    const read = listOf(member(payload, 'Traces')).map((trace) =>
      xraySpans(traceAnswer.parse(trace), 'source', (name) => name),
    )
    if (read.some(({ malformed }) => malformed > 0)) throw new Error('a segment cannot be read')
    return `spans: ${read.flatMap(({ spans }) => spans).length}`
  }
}

/** A trace as the page of Jaeger has it, in the list that its query API answers. */
function jaegerTrace(): Read {
  return (payload, entry) =>
    pulled('tempo', { api: 'jaeger' }, '2022-08-09T12:30:00Z', 'load-generator', ({ path: asked }) =>
      asked === '/api/traces'
        ? 'the payload'
        : { body: { data: asked === '/api/services' ? ['load-generator'] : [] } },
    )({ data: [member(payload, 'data')] }, entry)
}

/** Hits as a search answers them. */
function openSearchHits(): Read {
  return (payload, entry) => {
    const hits = { total: { value: 1, relation: 'eq' }, hits: payload }
    const answer = { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits }
    const fields = { '@timestamp': { date: {} }, message: { text: {} } }
    return pulled('opensearch', { index_pattern: 'logs-*' }, '2025-05-05T12:30:00Z', null, (seen) =>
      seen.path === '/logs-*/_field_caps'
        ? { body: { fields } }
        : JSON.parse(seen.body || '{}').size === 0
          ? { body: { ...answer, hits: { total: { value: 1, relation: 'eq' }, hits: [] } } }
          : 'the payload',
    )(answer, entry)
  }
}

/** GitHub says in a header what it tells of. */
function githubEvent(): Read {
  return (payload, entry) => {
    const event = /webhook_(.+?)(?:_created|_closed|_completed)?\.json$/.exec(entry.file)?.[1] ?? ''
    return sent('github', { 'x-github-event': event, 'x-github-delivery': 'd' })(payload, entry)
  }
}

/** Sentry says in a header what it tells of; the samples say it in their names. */
function sentryHook(): Read {
  return (payload, entry) => {
    const resource = /(event_alert|metric_alert|installation|issue)/.exec(entry.file)?.[1] ?? 'error'
    return sent('sentry', { 'sentry-hook-resource': resource })(payload, entry)
  }
}

const readingOf = (entry: Entry): Read | undefined =>
  READINGS.find(([pattern]) => pattern.test(`${entry.tool}/${entry.file}`))?.[1]

describe('recorded payloads', () => {
  const given = root !== undefined
  const entries = given
    ? (JSON.parse(readFileSync(path.join(root, 'payloads', 'INDEX.json'), 'utf8')) as readonly Entry[])
    : []

  test.skipIf(!given)(
    'are each read, or refused with a reason: docs/payloads.md (not run without INCIDENT_DATA: 96 files)',
    async () => {
      const rows: string[] = []
      for (const entry of entries) {
        const payload: unknown = JSON.parse(
          readFileSync(path.join(root ?? '', 'payloads', entry.tool, entry.file), 'utf8'),
        )
        const read = readingOf(entry)
        expect(read, `${entry.tool}/${entry.file} is read by nothing`).toBeDefined()
        const outcome = await Promise.resolve()
          .then(() => read?.(payload, entry))
          .catch((error: unknown) => `THROWN ${(error as Error).message}`)
        rows.push(`| ${entry.tool} | ${entry.file} | ${String(outcome).replaceAll('|', '\\|')} |`)
      }
      expect(rows.filter((row) => /THROWN|undefined/.test(row))).toEqual([])
      const refused = rows.flatMap((row) => /\| refused: (.+) \|$/.exec(row)?.[1] ?? [])
      expect(refused.length).toBeLessThanOrEqual(MOST_REFUSED)
      const page = `# Payloads

What the service makes of ${entries.length} answers and messages of real tools and of their documentation; ${refused.length} are refused, each for a reason of its own. Written by \`vitest run test/payloads.test.ts -u\`; the files are not part of this repository.

| tool | file | reading |
|---|---|---|
${rows.join('\n')}
`
      await expect(page).toMatchFileSnapshot('../docs/payloads.md')
    },
  )
})
