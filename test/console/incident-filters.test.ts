import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fieldOfInstant,
  instantOfField,
  readFilters,
  writeFilters,
} from '#functions/console/incident-filters.ts'
import { INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'

const instant = fc
  .date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('2999-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const filters = fc.record(
  {
    status: fc.constantFrom(...INCIDENT_STATUSES),
    severity: fc.constantFrom(...SEVERITIES),
    start_time: instant,
    end_time: instant,
  },
  { requiredKeys: [] },
)
const queryOf = (search: string) => Object.fromEntries(new URLSearchParams(search))

describe('the filters in the address', () => {
  it('are read as they were written, whatever they are', () => {
    fc.assert(
      fc.property(filters, (given) => {
        expect(readFilters(queryOf(writeFilters(given)))).toEqual(given)
      }),
    )
  })

  it('leave no trace when there are none', () => {
    expect(writeFilters({})).toBe('')
  })

  it('pass over what the API would refuse, and never throw', () => {
    const refused = {
      status: 'stuck',
      severity: 'High',
      start_time: 'yesterday',
      end_time: '2026-02-30T00:00:00Z',
    }
    expect(readFilters(refused)).toEqual({})
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('status', 'severity', 'start_time', 'x'), fc.string()),
        (query) => {
          expect(Object.keys(readFilters(query)).every((name) => name !== 'x')).toBe(true)
        },
      ),
    )
  })

  it('takes an instant with or without its thousandths, and only in UTC', () => {
    expect(readFilters({ start_time: '2026-01-31T12:00:00Z' })).toEqual({
      start_time: '2026-01-31T12:00:00.000Z',
    })
    expect(readFilters({ start_time: '2026-01-31T12:00:00+01:00' })).toEqual({})
  })
})

describe('a field for date and time', () => {
  it('shows an instant in the zone of this machine and gives back its minute', () => {
    fc.assert(
      fc.property(instant, (at) => {
        const back = instantOfField(fieldOfInstant(at))
        // In the hour that a clock is put back two instants share one reading.
        const off = Math.abs(Date.parse(at) - Date.parse(back ?? ''))
        expect(off % 3_600_000).toBeLessThan(60_000)
        expect(off).toBeLessThanOrEqual(3_660_000)
      }),
    )
  })

  it.each(['', '2026-01-31', '2026-01-31T', 'now', '2026-99-99T99:99'])(
    'holds no instant while it says "%s"',
    (value) => {
      expect(instantOfField(value)).toBeUndefined()
    },
  )

  it.each([undefined, 'never'])('is empty for %s', (at) => {
    expect(fieldOfInstant(at)).toBe('')
  })
})
