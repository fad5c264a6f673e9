import { describe, expect, it } from 'vitest'
import {
  isAtInstant,
  levelAsked,
  measureAsked,
} from '#shared/domain/investigation/questions/asked-measure.ts'

describe('what lines of a log are to hold', () => {
  it.each([
    ['show me the logs containing "card declined"', 'card declined'],
    ["are there log lines with 'connection reset'?", 'connection reset'],
    ['any logs mentioning quota exceeded?', 'quota exceeded'],
    ['which logs contain timeout in checkout since 14:00', 'timeout'],
  ])('in “%s” is “%s”', (plain, text) => {
    expect(measureAsked(plain)).toMatchObject({ measure: 'logs', holds: text })
  })

  it.each([
    'show me the logs of stock',
    "show me the logs of 'stock'",
    'logs with errors',
    'what is the error message',
  ])('is nothing in “%s”', (plain) => {
    expect(measureAsked(plain)).not.toHaveProperty('holds')
  })
})

describe('an instant at which a measure is asked for', () => {
  it.each([
    'error rate of stock at 14:30?',
    'what was the cpu of stock around 3pm',
    'latency of stock at noon',
    'what was the cpu of stock 30 minutes ago',
    'latency of stock at half past two',
  ])('is told by “%s”', (plain) => {
    expect(measureAsked(plain)?.is_at_instant).toBe(true)
  })

  it.each(['error rate of stock', 'cpu of stock since 14:30', 'latency of stock from noon to 14:00'])(
    'is not told by “%s”',
    (plain) => {
      expect(measureAsked(plain)).not.toHaveProperty('is_at_instant')
    },
  )
})

describe('a measure that is asked for', () => {
  it.each([
    ['what is the p99 latency of stock', 'latency', 'p99'],
    ['p95 of stock last hour', 'latency', 'p95'],
    ['p95 latency stock', 'latency', 'p95'],
    ['is stock slower than usual', 'latency', null],
    ['what is the error rate of stock', 'errors', null],
    ["what's the 5xx rate", 'errors', null],
    ['did pods of stock restart', 'restarts', null],
    ['which pods restart', 'restarts', null],
    ['are containers restarting', 'restarts', null],
    ['how many times did stock restart', 'restarts', null],
    ['what restarted', 'restarts', null],
    ['did anyone restart anything', 'restarts', null],
    ['has anybody rebooted stock', 'restarts', null],
    ['5xx', 'errors', null],
    ['5xx on stock right now?', 'errors', null],
    ['and 4xxs for web', 'errors', null],
    ['how much traffic does stock get', 'traffic', null],
    ['cpu of stock', 'cpu', null],
    ['how high is the memory of stock', 'memory', null],
    ['is the disk of stock full', 'disk', null],
    ['queue depth of stock', 'queue', null],
    ['any alerts firing', 'alerts', null],
    ['which alerts fired', 'alerts', null],
    ['no alerts', 'alerts', null],
    ["what's the error message", 'logs', null],
    ['show me the stack trace', 'logs', null],
    ['how many connections does stock have', 'connections', null],
    ['stock latency', 'latency', null],
    ['stock error rate since 9:00', 'errors', null],
    ['stock api cpu usage last hour', 'cpu', null],
    ['get error_rate of stock', 'errors', null],
    ['average latency of stock', 'latency', null],
    ['mem of stock', 'memory', null],
    ['how backed up is the queue', 'queue', null],
    ['how many messages are in the queue', 'queue', null],
    ['what percentage of checkouts fails', 'errors', null],
    ['5xx share of stock', 'errors', null],
    ['how long do calls to stock take', 'latency', null],
    ['requests per second of stock', 'traffic', null],
    ['what does the exception say', 'logs', null],
    ['which line of code throws it', 'logs', null],
  ])('“%s” asks for the %s', (plain, measure, quantile) => {
    expect(measureAsked(plain)).toEqual({ measure, quantile })
  })

  it.each([
    ['how many errors does stock have', 'errors'],
    ['number of failed requests', 'errors'],
    ['error count of stock', 'errors'],
    ['how many error lines does stock have', 'logs'],
  ])('“%s” asks how many %s there were', (plain, measure) => {
    expect(measureAsked(plain)).toEqual({ measure, quantile: null, is_counted: true })
  })

  it.each([
    ['how many timeouts', 'errors', 'timeouts'],
    ['number of time-outs of stock since 2:00', 'errors', 'time-outs'],
    ['how many 500s', 'errors', '500s'],
    ['how many 429s does stock return', 'errors', '429s'],
    ['how often did stock throw a timeout', 'logs', 'timeout'],
  ])('“%s” asks how many %s of the sort %s there were', (plain, measure, sort) => {
    expect(measureAsked(plain)).toEqual({ measure, quantile: null, is_counted: true, sort })
  })

  it.each(
    'why|causes|caused|root|reason|since when|should|who|wrong|problem|issue|leak|spiking|spiked|rise|rising|increasing|increases|jump|jumped|drop|dropped|went|going'.split(
      '|',
    ),
  )('is none beside “%s”, which asks for a cause, a time or an act, or tells a symptom', (word) => {
    expect(measureAsked(`is the latency of stock ${word}`)).toBeNull()
  })

  it.each([
    'so what is the latency',
    'and how high is the latency',
    'and stock latency',
    'so stock api latency now',
    'stock latency usage!',
    'stock service latency since 9',
    'stock worker latency in the last hour',
    'stock db latency for an hour',
    'p95 of stock',
    'request_rate and latency',
    'error message of stock',
    'error messages of stock',
    'log of stock',
    'log lines of stock',
    'alert for stock',
    'stacktrace of stock',
    'stack traces of stock',
    'error rate',
    'queue depth',
    'error_count of stock',
    'average latency',
    'peak cpu of stock',
    'response time of stock',
    'qps of stock',
    'which latency',
    'any lag',
    'what are the latencies and the lag',
    'stock queue_size now',
    'stock failure rate today',
    'stock mem',
    'stock throughput at 9',
    'stock p99 around 9',
    'stock cpu usage',
  ])('“%s” asks for a value, however it begins', (plain) => {
    expect(measureAsked(plain)).not.toBeNull()
  })

  it.each([
    'tell of the latency',
    'stock and its latency',
    'stock has bad latency',
    'bad latency',
    'stock latency is new',
    'x stock latency',
    'mind the latency now',
    'nobody said that is stock slower than web',
    'what is stock slower than',
    'what is love',
    'stocks of latency',
    'high latency now',
    'stock latency nowhere',
  ])('“%s” asks for none', (plain) => {
    expect(measureAsked(plain)).toBeNull()
  })

  it.each([
    ['failure count of stock', { measure: 'errors', quantile: null, is_counted: true }],
    ['5xx_count of stock', { measure: 'errors', quantile: null, is_counted: true }],
    ['503 count', { measure: 'errors', quantile: null, is_counted: true, sort: '503' }],
    ['5xx rate of stock', { measure: 'errors', quantile: null }],
  ])('“%s” asks how many where it is a count', (plain, asked) => {
    expect(measureAsked(plain)).toEqual(asked)
  })

  it.each([
    'how many connections does stock have',
    'total cpu of stock',
    'how many messages are in the queue',
  ])('“%s” asks for a level, which nothing counts one by one', (plain) => {
    expect(measureAsked(plain)).not.toHaveProperty('is_counted')
  })

  it.each([
    'why is the latency of stock high',
    'latency of stock spikes',
    'latency is rising',
    'is it a memory leak',
    'when was it, since when is latency high',
    'who caused the traffic',
    'stock has high latency',
    'high latency in stock',
    'stock latency is bad',
    'how is stock',
  ])('“%s” asks for none', (plain) => {
    expect(measureAsked(plain)).toBeNull()
  })
})

describe('the end of the scale', () => {
  it.each([
    ['what was the highest latency of stock', 'highest'],
    ['what is the peak error rate', 'highest'],
    ['max cpu of stock', 'highest'],
    ['what was the lowest throughput of stock', 'lowest'],
    ['what is the latency of stock', undefined],
  ])('of “%s” is %s', (plain, extreme) => {
    expect(measureAsked(plain)?.extreme).toBe(extreme)
    expect(measureAsked(plain)).not.toBeNull()
  })
})

describe('which service has most or least of a measure', () => {
  it.each([
    ['which service has the fewest errors?', 'errors', 'least'],
    ['which service has the most failed requests', 'errors', 'most'],
    ['which service is the slowest?', 'latency', 'most'],
    ['what service is the fastest', 'latency', 'least'],
    ['which service gets the least traffic', 'traffic', 'least'],
    ['which app uses the most cpu', 'cpu', 'most'],
  ])('is asked by “%s”', (plain, measure, rank) => {
    expect(measureAsked(plain)).toEqual({ measure, quantile: null, rank })
  })

  it.each([
    'which service is affected the most',
    'which services are failing the most',
    'why does the slowest service fail',
    'which service has the most incidents',
  ])('is not asked by “%s”', (plain) => {
    expect(measureAsked(plain) ?? {}).not.toHaveProperty('rank')
  })
})

describe('whether something was restarted', () => {
  it.each([
    'was stock restarted?',
    'did anything restart',
    'when was stock rebooted',
    'did someone bounce the pods',
  ])('is asked by “%s”', (plain) => {
    expect(measureAsked(plain)).toEqual({ measure: 'restarts', quantile: null })
  })

  it('is asked with who did it', () => {
    expect(measureAsked('who restarted stock?')).toEqual({
      measure: 'restarts',
      quantile: null,
      is_by_whom: true,
    })
  })

  it.each(['did the restart help', 'why did stock restart'])('is not asked by “%s”', (plain) => {
    expect(measureAsked(plain)?.measure).not.toBe('restarts')
  })
})

describe('a level that is asked for plainly', () => {
  it.each([
    ['errors of stock in the last 10 minutes', { measure: 'errors', is_counted: true }],
    ['last 90s errors of stock', { measure: 'errors', is_counted: true }],
    ['stock failures between 9:00 and 9:30', { measure: 'errors', is_counted: true }],
    ['trend of stock errors last 10 min', { measure: 'errors' }],
    ['trend of latency on stock', { measure: 'latency' }],
    ['when was it worst', { measure: 'errors', extreme: 'highest' }],
    ['peak latency of stock and when', { measure: 'latency', extreme: 'highest' }],
    ['when was traffic lowest', { measure: 'traffic', extreme: 'lowest' }],
    ['errors per service', { measure: 'errors', rank: 'most' }],
    ['what is the slowest service right now', { measure: 'latency', rank: 'most' }],
    ['top 3 failing services', { measure: 'errors', rank: 'most' }],
    ['any "timeout" in the logs?', { measure: 'logs', holds: 'timeout' }],
    ['any econnrefused in the logs', { measure: 'logs', holds: 'econnrefused' }],
    ['is this typeerror new?', { measure: 'logs', holds: 'typeerror' }],
  ])('by “%s”', (plain, asked) => {
    expect(levelAsked(plain)).toMatchObject(asked)
    expect(measureAsked(plain)).toMatchObject(asked)
  })

  it.each([
    'errors in stock',
    'errors on stock since 6:30',
    'why did errors peak',
    'who deployed the worst service',
    'deploys per service',
    'any errors in the logs',
    'stock error rate in the last hour',
  ])('is none in “%s”', (plain) => {
    expect(levelAsked(plain)).toBeNull()
  })

  it('may be of two measures, or of two versions', () => {
    expect(measureAsked('cpu and memory of stock')).toMatchObject({ measure: 'cpu', also: ['memory'] })
    expect(measureAsked('v42 vs v41 errors')).toMatchObject({ measure: 'errors' })
    expect(measureAsked('memory of stock ok? any leak?')).toMatchObject({ measure: 'memory' })
  })

  it('is of an instant only where no stretch is told', () => {
    expect(isAtInstant('how was stock an hour ago')).toBe(true)
    expect(isAtInstant('how was stock since an hour ago')).toBe(false)
  })
})
