import { describe, expect, it } from 'vitest'
import { servicesOf } from '#shared/domain/investigation/records/speaking-services.ts'
import { lines } from '../incident-scenarios.ts'

describe('the services that records are of', () => {
  it('are told once each, in the order of their first records', () => {
    const logs = [
      ...lines('web', 'INFO', 'x', 0, 2),
      ...lines('cart', 'INFO', 'y', 0, 1),
      ...lines('web', 'INFO', 'z', 0, 1),
    ]
    expect([...servicesOf(logs)]).toEqual(['web', 'cart'])
    expect([...servicesOf([])]).toEqual([])
  })

  it('are those of the list that is asked about, whichever was asked about before', () => {
    const [web, cart] = [lines('web', 'INFO', 'x', 0, 1), lines('cart', 'INFO', 'x', 0, 1)]
    expect([...servicesOf(web), ...servicesOf(cart), ...servicesOf(web)]).toEqual(['web', 'cart', 'web'])
  })
})
