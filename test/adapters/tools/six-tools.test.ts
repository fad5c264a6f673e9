import { describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { toolOfType } from '#shared/adapters/tools/tool-of-type.ts'
import { collectSnapshot } from '#shared/domain/collect-snapshot.ts'
import type { Integration, Tool } from '#shared/domain/integration.ts'
import type { IntegrationTypeName } from '#shared/domain/integration-types.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { IntegrationStore, SignalReader } from '#shared/domain/ports.ts'
import { serveSocket } from '../loopback-server.ts'
import { serveFakePrometheus } from './fake-prometheus.ts'
import { CANARY, SAMPLE_CONFIGS } from './sample-configs.ts'
import { closeAfterTest, serveTool } from './tool-server.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
/** Time that the investigation has for its tools, in milliseconds. */
const WITHIN_MS = 6000
/** Types whose servers of this test never end an answer. */
const HANGING = ['tempo', 'opensearch']

const integration = (type: string): Integration => ({
  id: `${type}_1`,
  type,
  status: 'connected',
  status_detail: null,
  config: {},
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
  connected_at: '2026-03-01T00:00:00.000Z',
  version: 1,
})

describe('an investigation over six integrations of which two hang and one fails', () => {
  it('answers within its deadline, with those three named as gaps and what the others gave', async () => {
    const success = (data: unknown) => ({ body: { status: 'success', data } })
    const servers: Partial<Record<IntegrationTypeName, { readonly url: string; close(): Promise<void> }>> = {
      prometheus: await serveFakePrometheus({
        metrics: ['http_requests_total'],
        series: (query) =>
          query.startsWith('sum by') ? [{ metric: { service: 'checkout' }, at: () => 20 }] : [],
      }),
      alertmanager: await serveTool(() => ({ body: [] })),
      loki: await serveTool(({ path }) =>
        path.endsWith('/query_range')
          ? success({ resultType: 'streams', result: [] })
          : success(path.endsWith('/labels') ? ['app'] : ['checkout']),
      ),
      tempo: await serveSocket(() => {}),
      opensearch: await serveSocket((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"fields":')
      }),
      grafana: await serveTool(() => ({ status: 500, body: { message: `broken ${CANARY}` } })),
    }
    const request = guardedRequest(localRules())
    closeAfterTest(request, ...Object.values(servers))
    const types = Object.keys(servers) as IntegrationTypeName[]
    const integrations = {
      openAll: async () =>
        types.map((type) => ({
          integration: integration(type),
          config: SAMPLE_CONFIGS[type]?.(servers[type]?.url ?? '') ?? null,
        })),
    } as unknown as IntegrationStore
    const signals = {
      read: async () => ({ batches: [], digest: '', cut: false, unread: 0 }),
    } as unknown as SignalReader
    // The deadline comes as soon as only those are left that will never answer.
    const deadlines: { readonly milliseconds: number; readonly ends: AbortController }[] = []
    let answering = types.length - HANGING.length
    const tools = toolOfType({
      request,
      now: Date.now,
      openBundle: () => Promise.reject(new Error('no bundle')),
      aws: {
        issuer: 'tests',
        credentials: () => ({ accessKeyId: 'none', secretAccessKey: 'none' }),
        endpoint: () => 'http://127.0.0.1:9',
      },
    })
    const told = (type: string): Tool | undefined => {
      const tool = tools(type)
      if (tool === undefined) return undefined
      return {
        ...tool,
        pull: async (config, asked) => {
          const pulled = await tool.pull(config, asked)
          if (!HANGING.includes(type)) answering -= 1
          const first = Math.min(...deadlines.map(({ milliseconds }) => milliseconds))
          for (const { milliseconds, ends } of deadlines) {
            if (answering === 0 && milliseconds === first) ends.abort()
          }
          return pulled
        },
      }
    }
    const snapshot = await collectSnapshot(
      {
        integrations,
        signals,
        tools: told,
        clock: () => NOW,
        abortAfter: (milliseconds) => {
          const ends = new AbortController()
          deadlines.push({ milliseconds, ends })
          return ends.signal
        },
      },
      { window: { from: NOW - 3_600_000, to: NOW }, service: 'checkout', within: WITHIN_MS },
    )
    expect(Math.max(...deadlines.map(({ milliseconds }) => milliseconds))).toBe(WITHIN_MS)

    const failed = snapshot.gaps.filter(
      ({ what, why }) => /^(Tempo|OpenSearch|Grafana)/.test(what) && !/^1 request/.test(why),
    )
    expect(new Set(failed.map(({ what }) => what.split(':')[0]))).toEqual(
      new Set(['Tempo', 'OpenSearch', 'Grafana']),
    )
    for (const { what, why } of failed) {
      expect(why).toMatch(
        what.startsWith('Grafana')
          ? /has trouble \(status 500\)/
          : /did not answer in time|the time was up|could not be reached \(ABORTED\)/,
      )
    }
    // What the matrix of Loki's counts is here, streams, is a gap of its own; none of the three that answer is missing.
    expect(
      new Set(
        snapshot.sources
          .filter(({ outcome }) => outcome !== 'failed' && outcome !== 'timed_out')
          .map(({ tool }) => tool),
      ),
    ).toEqual(new Set(['prometheus', 'alertmanager', 'loki']))
    expect(snapshot.series.some(({ entity }) => entity === 'checkout')).toBe(true)
    expect(JSON.stringify(snapshot)).not.toContain(CANARY)
    expect(investigate(snapshot, { service: 'checkout' }).gaps.length).toBeGreaterThanOrEqual(3)
  })
})
