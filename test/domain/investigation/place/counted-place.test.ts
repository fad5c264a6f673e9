import { describe, expect, it } from 'vitest'
import {
  failsLittleBeside,
  isOnlyCaller,
  isOtherEnd,
  isPlaceCounted,
} from '#shared/domain/investigation/place/counted-place.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Edge, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, EMPTY, series } from '../incident-scenarios.ts'

const seen = (edges: readonly Edge[], more: readonly Series[] = []) => {
  const snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [series('web', 'http_5xx_ratio', 0.003, 0.4), ...more],
    edges,
  }
  return observe(snapshot, entityNames(snapshot), null)
}
const chain = [...calls('web', 'cart', 0.4), ...calls('cart', 'shelf', 0.4), ...calls('cart', 'lamp', 0.001)]

describe('the place that fails first', () => {
  it('is counted where most of all failed calls fail inside of it', () => {
    expect(seen(chain).first?.entity).toBe('shelf')
    expect(isPlaceCounted(seen(chain))).toBe(true)
    expect(isPlaceCounted(seen([]))).toBe(false)
    const apart = [...chain, ...calls('desk', 'press', 0.9), ...calls('desk', 'mill', 0.9)]
    expect(isPlaceCounted(seen(apart))).toBe(false)
  })

  it('leaves next to nothing to who was counted to fail little beside it', () => {
    expect(failsLittleBeside('lamp', seen(chain))).toBe(true)
    expect(failsLittleBeside('shelf', seen(chain))).toBe(false)
    // Of whom nothing was counted nothing is known.
    expect(failsLittleBeside('web', seen(chain))).toBe(false)
    expect(failsLittleBeside('lamp', seen([]))).toBe(false)
    expect(failsLittleBeside('lamp', seen([...chain, ...calls('cart', 'lamp', 0.1)]))).toBe(false)
  })

  it('is shared with the other end of what one caller of several meets', () => {
    const alone = [...chain, ...calls('desk', 'shelf')]
    expect(seen(alone).first?.entity).toBe('cart')
    expect(isOtherEnd('shelf', seen(alone))).toBe(true)
    expect(isOtherEnd('lamp', seen(alone))).toBe(false)
    expect(isOtherEnd('cart', seen(alone))).toBe(false)
    expect(isOtherEnd('shelf', seen(chain))).toBe(false)
    expect(isOtherEnd('shelf', { ...seen(alone), first: null })).toBe(false)
  })

  it('is shared with who alone calls it, while it shows nothing of its own', () => {
    expect(isOnlyCaller('cart', seen(chain))).toBe(true)
    expect(isOnlyCaller('web', seen(chain))).toBe(false)
    expect(isOnlyCaller('cart', seen([...chain, ...calls('desk', 'shelf', 0.4)]))).toBe(false)
    expect(isOnlyCaller('cart', seen(chain, [series('shelf', 'http_5xx_ratio', 0.003, 0.4)]))).toBe(false)
    expect(isOnlyCaller('cart', { ...seen(chain), first: null })).toBe(false)
  })
})
