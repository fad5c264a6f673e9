import { describe, expect, it } from 'vitest'
import { isDemand, readMetricName } from '#shared/domain/investigation/metric-meaning.ts'

describe('reading what a series measures from its name', () => {
  it.each([
    ['http_server_5xx_rate', 'errors', 'up'],
    ['grpc_server_handled_errors_total', 'errors', 'up'],
    ['http_server_request_duration_seconds', 'latency', 'up'],
    ['kafka_consumer_lag', 'latency', 'up'],
    ['queue_oldest_message_age_seconds', 'latency', 'up'],
    ['availability', 'availability', 'down'],
    ['cache_hit_ratio', 'availability', 'down'],
    ['CPUUtilization', 'saturation', 'up'],
    ['FreeableMemory', 'saturation', 'down'],
    ['FreeStorageSpace', 'saturation', 'down'],
    ['db_pool_in_use', 'saturation', 'up'],
    ['consumed_write_capacity', 'saturation', 'up'],
    ['provisioned_write_capacity', 'setting', null],
    ['db_pool_max_conns', 'setting', null],
    ['requests_per_second', 'throughput', 'down'],
    ['tls_cert_seconds_until_expiry', 'expiry', null],
    ['weather', 'other', null],
    // A word counts whole: what only begins or ends like it is another one.
    ['errorless', 'other', null],
    ['terror', 'other', null],
    ['uptown', 'other', null],
    ['backup', 'other', null],
    ['maximal', 'other', null],
    ['climax', 'other', null],
    ['reused', 'other', null],
    ['usefulness', 'other', null],
    ['delayed', 'other', null],
    ['forms', 'other', null],
    ['loader', 'other', null],
    ['reload', 'other', null],
    ['recount', 'other', null],
    ['counted', 'other', null],
    ['carefree', 'other', null],
    ['freedom', 'other', null],
    ['HTTPErrors', 'errors', 'up'],
    ['http2Errors', 'errors', 'up'],
    ['x__errors', 'errors', 'up'],
    ['cert_not_after', 'expiry', null],
    ['certNotAfter', 'expiry', null],
    ['certificate_days_remaining', 'expiry', null],
  ])('%s is %s', (name, meaning, bad) => {
    expect(readMetricName(name)).toMatchObject({ meaning, bad })
  })

  it.each([
    ['cpu_seconds', 'cpu'],
    ['cores', 'cpu'],
    ['cpus', null],
    ['vcpu', null],
    ['memory_bytes', 'memory'],
    ['memorys', null],
    ['inmemory', null],
    ['disk_bytes', 'disk'],
    ['diskette', null],
    ['ramdisk', null],
    ['connections', 'connections'],
    ['connectionless', null],
    ['reconnections', null],
    ['network_bytes', 'network'],
    ['networking', null],
    ['subnetwork', null],
  ])('%s is of %s', (name, resource) => {
    expect(readMetricName(name).resource).toBe(resource)
  })

  it('weighs errors of a resource less than errors of requests', () => {
    expect(readMetricName('http_errors').weight).toBe(1)
    expect(readMetricName('disk_errors').weight).toBe(1)
    expect(readMetricName('cpu_throttled').weight).toBe(0.7)
    expect(readMetricName('oom_killed_memory').weight).toBe(0.7)
  })

  it('tells the resource', () => {
    expect(readMetricName('node_memory_utilization_ratio').resource).toBe('memory')
    expect(readMetricName('disk_used_percent').resource).toBe('disk')
    expect(readMetricName('http_5xx').resource).toBeNull()
  })

  it('tells demand from calls that a service makes itself', () => {
    expect(isDemand('http_requests_per_second')).toBe(true)
    expect(isDemand('NewSessions_rps')).toBe(true)
    expect(isDemand('outbound_requests_per_second')).toBe(false)
    expect(isDemand('db_queries_per_request')).toBe(false)
    expect(isDemand('disk_used_percent')).toBe(false)
    expect(isDemand('request_rps')).toBe(false)
    expect(isDemand('request')).toBe(false)
    expect(isDemand('bookings_calls')).toBe(true)
    expect(isDemand('recalls')).toBe(false)
    expect(isDemand('callsign')).toBe(false)
    expect(isDemand('interdb_calls')).toBe(true)
    expect(isDemand('clientele_calls')).toBe(true)
  })

  it('answers the same after its memory was emptied', () => {
    const before = readMetricName('http_5xx_ratio')
    for (let index = 0; index < 6_000; index++) readMetricName(`made_up_${index}`)
    expect(readMetricName('http_5xx_ratio')).toEqual(before)
  })
})
