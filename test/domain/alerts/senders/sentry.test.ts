import { describe, expect, it } from 'vitest'
import { readSentry } from '#shared/domain/alerts/senders/sentry.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const TOLD = 1_769_861_400_000
const read = (
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'sentry-hook-timestamp': `${TOLD / 1_000}` },
) => readSentry({ integration_id: INTEGRATION, config: {}, headers, received_at: START, body })
const one = (...given: Parameters<typeof read>) => read(...given).alerts[0]
const at = (text: string) => Date.parse(text)
const BEGAN = '2026-01-31T11:00:00Z'

describe('a metric alert', () => {
  const metric = { id: 7, title: 'p95', projects: ['web'], date_started: BEGAN, status: 20 }
  const told = (action: string | undefined, more: object = {}, data: object = {}) =>
    one({ action, data: { metric_alert: { ...metric, ...more }, ...data } })

  it('is told whole', () => {
    expect(
      told(
        'critical',
        {},
        { description_title: 'p95 is high', description_text: 'slow', web_url: 'https://sentry.example/7' },
      ),
    ).toEqual({
      ...{
        fingerprint: 'metric:7',
        status: 'firing',
        at: at(BEGAN),
        severity: 'critical',
        title: 'p95 is high',
      },
      ...{
        description: 'slow',
        labels: {},
        service: 'web',
        sender_group: null,
        starts_at: at(BEGAN),
        ends_at: null,
      },
      ...{ url: 'https://sentry.example/7', ending: 'tells' },
    })
    expect(told('warning')).toMatchObject({ severity: 'medium', title: 'p95', description: null, url: null })
  })

  it('begins when it started, else when it was detected, else when it is told', () => {
    expect(told('critical', { date_started: null, date_detected: '2026-01-31T11:30:00Z' })?.at).toBe(
      at('2026-01-31T11:30:00Z'),
    )
    expect(told('critical', { date_started: null })?.at).toBe(TOLD)
    expect(one({ action: 'critical', data: { metric_alert: { id: 7 } } }, {})?.at).toBe(START)
  })

  it('is over when it is resolved, or closed where nobody says what happened', () => {
    const closed = { date_closed: '2026-01-31T12:30:00Z' }
    expect(told('resolved', closed)).toMatchObject({
      ...{
        status: 'resolved',
        at: at('2026-01-31T12:30:00Z'),
        ends_at: at('2026-01-31T12:30:00Z'),
        starts_at: null,
      },
    })
    expect(told('resolved')?.at).toBe(TOLD)
    expect(told(undefined, { status: 2 })?.status).toBe('resolved')
    expect(told(undefined)?.status).toBe('firing')
    expect(told('critical', { status: 2 })?.status).toBe('firing')
  })

  it('is none without an id', () => {
    expect(read({ data: { metric_alert: {} } }).left_out).toEqual(['a metric alert without id'])
  })
})

describe('an issue', () => {
  const issue = {
    id: 123,
    title: 'Boom',
    culprit: 'pay()',
    level: 'fatal',
    platform: 'node',
    project: { slug: 'web' },
    firstSeen: BEGAN,
  }
  const told = (action: string, more: object = {}) => one({ action, data: { issue: { ...issue, ...more } } })

  it('begins when it was first seen, and again when it comes back', () => {
    expect(told('created')).toEqual({
      ...{ fingerprint: 'issue:123', status: 'firing', at: at(BEGAN), severity: 'critical', title: 'Boom' },
      ...{
        description: 'pay()',
        labels: { level: 'fatal', platform: 'node' },
        service: 'web',
        sender_group: null,
      },
      ...{ starts_at: at(BEGAN), ends_at: null, url: null, ending: 'silent' },
    })
    expect(told('unresolved')?.at).toBe(TOLD)
    expect(told('created', { firstSeen: null })?.at).toBe(TOLD)
    expect(told('created', { title: '', message: 'said' })?.title).toBe('said')
    expect(told('created', { title: '', level: null })).toMatchObject({
      title: 'Sentry alert',
      severity: 'medium',
    })
  })

  it.each(['resolved', 'archived', 'ignored'])('is over when it is %s', (action) => {
    expect(told(action)).toMatchObject({ status: 'resolved', at: TOLD, ends_at: TOLD, starts_at: null })
  })

  it('is left out where that neither begins nor ends it', () => {
    expect(read({ action: 'assigned', data: { issue } }).left_out).toEqual([
      'an issue that is assigned neither begins nor ends',
    ])
    expect(read({ data: { issue } }).left_out).toEqual(['an issue that is nothing neither begins nor ends'])
    expect(told('created', { id: null })).toBeUndefined()
  })
})

describe('an event of an alert rule', () => {
  const event = {
    issue_id: '123',
    title: 'Boom',
    level: 'warning',
    datetime: BEGAN,
    web_url: 'https://sentry.example/1',
  }

  it('is told as its issue, when it is triggered', () => {
    expect(one({ action: 'triggered', data: { event } })).toMatchObject({
      ...{
        fingerprint: 'issue:123',
        status: 'firing',
        at: at(BEGAN),
        severity: 'medium',
        title: 'Boom',
        service: null,
      },
      ...{ url: 'https://sentry.example/1', ending: 'silent' },
    })
    expect(
      one({ action: 'triggered', data: { event: { ...event, datetime: null, timestamp: TOLD / 1_000 - 5 } } })
        ?.at,
    ).toBe(TOLD - 5_000)
    expect(one({ action: 'triggered', data: { event: { ...event, datetime: null } } })?.at).toBe(TOLD)
    expect(one({ action: 'triggered', data: { event: { ...event, level: null } } })?.severity).toBe('high')
    expect(one({ action: 'triggered', data: { event }, project: 'web' })?.service).toBe('web')
  })

  it('is none otherwise, and says what came instead', () => {
    const headers = { 'sentry-hook-resource': 'event_alert' }
    expect(read({ action: 'created', data: { event } }, headers).left_out).toEqual([
      'event_alert tells of no alert',
    ])
    expect(read({ action: 'triggered', data: { event: {} }, id: 9 }).left_out).toEqual([
      'the payload tells of no alert',
    ])
    expect(read({}).left_out).toEqual(['the payload tells of no alert'])
    expect(read(null).left_out).toHaveLength(1)
  })

  it('of the older plugin is told by the id of its issue', () => {
    const older = {
      id: '9',
      project_slug: 'web',
      project: 'x',
      level: 'error',
      event: { title: 'x', timestamp: 1_769_860_800.5 },
    }
    expect(one(older)).toMatchObject({
      ...{ fingerprint: 'issue:9', service: 'web', severity: 'high', at: 1_769_860_800_500, title: 'x' },
    })
    expect(one({ ...older, event: { ...older.event, issue_id: '10' } })?.fingerprint).toBe('issue:10')
    expect(read({ id: '9', level: 'error' }).left_out).toHaveLength(1)
  })
})
