import { describe, expect, it } from 'vitest'
import { areOutgoing, callsToldBy, endedBadly } from '#shared/domain/investigation/deviations/ended-calls.ts'

describe('how calls ended, told by the name of a series', () => {
  it.each([
    ['availability', 'answered', 'share'],
    ['http_availability_pct', 'answered', 'share'],
    ['success_rate', 'answered', 'share'],
    ['SuccessPercent', 'answered', 'share'],
    ['requests_succeeded', 'answered', 'count'],
    ['http_success_total', 'answered', 'count'],
    ['http_error_ratio', 'failed', 'share'],
    ['error_rate', 'failed', 'share'],
    ['checkout_http_errors_share', 'failed', 'share'],
    ['HTTPCode_Target_5XX_Count', 'failed', 'count'],
    ['5XXError', 'failed', 'count'],
    ['Http5xx', 'failed', 'count'],
    ['Errors', 'failed', 'count'],
    ['FaultCount', 'failed', 'count'],
    ['SystemErrors', 'failed', 'count'],
    ['errors_per_second', 'failed', 'count'],
    ['payment_requests_failed_total', 'failed', 'count'],
    ['grpc_server_handled_errors_total', 'failed', 'count'],
  ])('%s tells which are %s, as a %s', (name, of, as) => {
    expect(callsToldBy(name)).toEqual({ of, as })
  })

  it.each([
    ['of another’s answers', 'http_client_errors_total'],
    ['of another’s answers', 'upstream_requests_failed'],
    ['of a probe', 'probe_success'],
    ['of a cache', 'cache_hit_ratio'],
    ['of instances', 'pods_failed'],
    ['of lines of a log', 'log_error_lines'],
    ['of a store’s statements', 'db_statement_errors_per_second'],
    ['of what a caller got wrong', 'http_4xx_errors_total'],
    ['of a resource', 'memory_errors_total'],
    ['of whatever it is', 'disk_checker_errors'],
    ['of a state', 'up'],
    ['of calls, whatever their end', 'http_requests_total'],
    ['of calls by default', 'http_requests_default_total'],
  ])('nothing is told by what is %s, as %s', (_, name) => {
    expect(callsToldBy(name)).toBeNull()
  })
})

describe('how calls ended, told by the labels of a series', () => {
  it.each([
    { code: '500' },
    { status: '5xx' },
    { http_response_status_code: '503' },
    { 'http.response.status_code': '504' },
    { status_class: '5xx' },
    { envoy_response_code_class: '5' },
    { grpc_code: 'DeadlineExceeded' },
    { outcome: 'SERVER_ERROR' },
    { classification: 'failure' },
    { status_code: 'STATUS_CODE_ERROR', pod: 'a' },
  ])('%j failed', (labels) => {
    expect(endedBadly(labels as Record<string, string>)).toBe(true)
  })

  it.each([
    { code: '200' },
    { status: '404' },
    { grpc_code: 'OK' },
    { grpc_code: 'NotFound' },
    { outcome: 'CLIENT_ERROR' },
    { classification: 'success' },
    { status_code: 'STATUS_CODE_UNSET' },
  ])('%j did not fail', (labels) => {
    expect(endedBadly(labels as Record<string, string>)).toBe(false)
  })

  it.each([{}, { pod: '500' }, { code: 'eu-west' }, { zone_code: '500' }])(
    '%j tells nothing of it',
    (labels) => {
      expect(endedBadly(labels as Record<string, string>)).toBeNull()
    },
  )
})

describe('whose calls they are', () => {
  it.each([
    [{ direction: 'outbound' }, true],
    [{ direction: 'inbound' }, false],
    [{ span_kind: 'SPAN_KIND_CLIENT' }, true],
    [{ 'span.kind': 'server' }, false],
    [{ reporter: 'source' }, true],
    [{ reporter: 'destination' }, false],
    [{ pod: 'client' }, false],
  ])('is told by %j: made by the entity itself is %s', (labels, is) => {
    expect(areOutgoing(labels as unknown as Record<string, string>)).toBe(is)
  })
})
