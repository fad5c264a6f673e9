import { describe, expect, it } from 'vitest'
import { FAILURE_WORDS } from '#shared/domain/investigation/records/failure-words.ts'

describe('words of failure', () => {
  it.each([
    'request failed',
    'a failure',
    'it fails',
    'timed out',
    'time-out while reading',
    'timeout',
    'connection refused',
    'pool exhausted',
    'service unavailable',
    'token expired',
    'throttling',
    'panicked at line 7',
    'no space left',
    'aborted',
    'key not found',
    'dropping the message',
    'rejected by the peer',
    'OOM',
    'crashed',
    'limit exceeded',
    'unauthorised',
    'unauthorized',
    'broken pipe',
    'getaddrinfo ENOTFOUND',
    "can't connect",
    "couldn't connect",
    'could not connect',
    'disk full',
    'answered 503',
    'java.lang.IllegalStateException: x',
    'TypeError: x',
  ])('are read from “%s”', (text) => {
    expect(FAILURE_WORDS.test(text)).toBe(true)
  })

  it.each([
    '',
    'posted entry 17 in 12 ms',
    'answered 200',
    'took 5000 ms',
    'order 1503 was sent',
    'the failover group is in sync',
    'a carefully kept list',
    'slowly growing',
  ])('are not read from “%s”', (text) => {
    expect(FAILURE_WORDS.test(text)).toBe(false)
  })
})
