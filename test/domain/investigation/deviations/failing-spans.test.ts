import { describe, expect, it } from 'vitest'
import { at, ONSET } from '../incident-scenarios.ts'
import { failingIn, names, seen, span } from '../observed-by-hand.ts'

describe('what fails', () => {
  it('is told by spans where a trace began to fail, in their order, and never by those of normal time', () => {
    const found = seen({
      spans: [
        span('1', null, 'a'),
        span('8', null, 'a', { trace_id: 't2' }),
        span('9', '8', 'd', { trace_id: 't2', start: at(ONSET + 2) }),
        span('10', null, 'd', { status: 'no failure' }),
        span('2', '1', 'b', { start: at(ONSET + 3) }),
        span('3', null, 'b', { status: 'Failed precondition' }),
        span('4', null, 'b', { status: 'OK' }),
        span('5', null, 'c', { start: at(5) }),
        span('6', null, 'c', { start: at(6) }),
        span('7', null, 'b', { start: at(ONSET + 3), duration_us: 9_000 }),
        span('0', null, 'b', { start: at(ONSET + 3) }),
      ],
    })
    expect(names(found.failing)).toEqual(['b'])
    expect(failingIn(found, 'b')?.error_spans.map(({ span_id }) => span_id)).toEqual(['3', '7', '0', '2'])
    expect(failingIn(found, 'b')?.signs).toEqual(['traces'])
    expect(failingIn(found, 'b')?.onset).toEqual({
      at: at(ONSET + 1),
      earliest: at(ONSET + 1),
      latest: at(ONSET + 1),
    })
  })
})
