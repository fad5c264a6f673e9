import type { OperationId } from './operations.ts'

/** One request as the document shows it; a test sends each and checks what it gets. */
export interface Example {
  readonly summary: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An example of every operation that takes a body or filters. Ids in paths are those of freshly made resources. */
export const examples: Partial<Record<OperationId, readonly [Example, ...Example[]]>> = {
  'answer-query': [
    {
      summary: 'Why is a service failing?',
      body: {
        query: 'Why is checkout failing?',
        context: {
          service: 'checkout',
          time_range: { start: '2026-01-31T12:00:00Z', end: '2026-01-31T13:00:00Z' },
        },
      },
    },
    { summary: 'How many incidents?', body: { query: 'How many critical incidents are open?' } },
  ],
  'create-incident': [
    {
      summary: 'Checkout fails',
      body: {
        title: 'Checkout answers 502 to one request in five',
        severity: 'critical',
        service: 'checkout',
        started_at: '2026-01-31T12:14:00Z',
      },
    },
  ],
  'list-incidents': [
    { summary: 'What is open and critical', query: { status: 'open', severity: 'critical', limit: '10' } },
    { summary: 'A day', query: { start_time: '2026-01-31T00:00:00Z', end_time: '2026-02-01T00:00:00Z' } },
  ],
  'update-incident': [{ summary: 'Somebody looks at it', body: { status: 'investigating' } }],
  'create-integration': [
    {
      summary: 'GitHub, public data only',
      body: {
        type: 'github',
        config: { app_id: '123456', client_id: 'Iv1.0123456789abcdef', client_secret: '<CLIENT_SECRET>' },
      },
    },
  ],
  'update-integration': [{ summary: 'Ask it no longer', body: { enabled: false } }],
  'push-signals': [
    {
      summary: 'A deployment, the errors after it and a line that tells of one',
      body: {
        changes: [
          {
            id: 'deploy-1842',
            kind: 'deploy',
            entity: 'checkout',
            title: 'checkout v42',
            recorded_at: '2026-01-31T12:12:00Z',
            effective_at: { from: '2026-01-31T12:12:00Z', to: '2026-01-31T12:14:00Z' },
          },
        ],
        series: [
          {
            entity: 'checkout',
            name: 'http_server_errors_ratio',
            type: 'gauge',
            unit: '1',
            t0: '2026-01-31T12:10:00Z',
            interval_s: 60,
            values: [0.001, 0.001, 0.002, null, 0.19, 0.21],
          },
        ],
        logs: [
          {
            timestamp: '2026-01-31T12:14:31.482Z',
            service: 'checkout',
            severity: 'error',
            message: 'payment refused: connection pool exhausted',
          },
        ],
      },
    },
  ],
  'create-webhook': [
    {
      summary: 'Tell a receiver of both kinds of events',
      body: {
        url: 'https://example.com/hooks/incidents',
        events: ['incident.created', 'incident.resolved'],
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      },
    },
  ],
  'update-webhook': [{ summary: 'Only what is resolved', body: { events: ['incident.resolved'] } }],
  'rotate-webhook-secret': [
    {
      summary: 'A new secret, both valid for an hour',
      body: { secret: 'whsec_pNQ7Tw5q0R9UZ1hS2m3vKx4y5z6A7b8C', overlap_seconds: 3600 },
    },
  ],
  'create-key': [
    {
      summary: 'A key for a chat assistant, valid for a year',
      body: {
        name: 'chat assistant',
        type: 'assistant',
        plan: 'standard',
        expires_at: '2030-01-31T12:00:00Z',
      },
    },
  ],
  'rotate-key': [{ summary: 'Both values valid for an hour', body: { overlap_seconds: 3600 } }],
  'recover-webhook': [{ summary: 'Everything since midnight', body: { since: '2026-01-31T00:00:00Z' } }],
}
