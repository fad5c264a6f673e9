import { describe, expect, it } from 'vitest'
import { nameMeant } from '#shared/domain/investigation/questions/name-meant.ts'

const SERVICES = [
  ...['payments-core', 'gatekeeper', 'ticket-mailer', 'booking-api', 'booking-db', 'seat-picker', 'node-1'],
  'hold-events',
]
const meant = (plain: string, services: readonly string[] = SERVICES) =>
  nameMeant(plain, services, (word) => ['down', 'the', 'why', 'sold'].includes(word))

describe('a name that was typed in a hurry', () => {
  it.each([
    ['pymnts core down why', 'pymnts core', 'payments-core'],
    ['gatekepr back', 'gatekepr', 'gatekeeper'],
    ['is gatekeepr ok', 'gatekeepr', 'gatekeeper'],
    ['seat pickr slow', 'seat pickr', 'seat-picker'],
    ['seatpickr slow', 'seatpickr', 'seat-picker'],
    ['why is bookng-api slow', 'bookng-api', 'booking-api'],
    ['tcktmailer is down', 'tcktmailer', 'ticket-mailer'],
    ['st picker slow', 'st picker', 'seat-picker'],
  ])('is found in “%s”', (plain, slip, service) => {
    expect(meant(plain)).toEqual({ slip, services: [service] })
  })

  it('is meant by a part of it that no other name has, where a name stands', () => {
    expect(meant('is mailer full')).toEqual({ slip: 'mailer', services: ['ticket-mailer'] })
    expect(meant('how many mailer')).toBeNull()
    expect(meant('the booking fails')).toBeNull()
    // Several of something are no part of a name.
    expect(meant('the events of today')).toBeNull()
  })

  it('is every one that is as near', () => {
    expect(meant('why is ordrs slow', ['orders', 'ordars'])).toEqual({
      slip: 'ordrs',
      services: ['ordars', 'orders'],
    })
  })

  it.each([
    ['payments-core is down', 'a name as it is known is no slip'],
    ['node-2 is down', 'another number is another thing'],
    ['gаtekeeper is down', 'letters of another script are no slip'],
    ['why is it down', 'other words are near to none'],
    ['deploy-seat-pickr-4', 'a part of a longer name is none'],
    ['gate', 'a beginning is no slip'],
  ])('is not found in “%s”: %s', (plain) => {
    expect(meant(plain)).toBeNull()
  })
})
