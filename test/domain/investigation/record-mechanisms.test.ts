import { describe, expect, it } from 'vitest'
import { mechanismOfRecord } from '#shared/domain/investigation/fitting-mechanism.ts'
import { RECORD_MECHANISMS } from '#shared/domain/investigation/record-mechanisms.ts'
import { RECORD_PAGES } from '#shared/domain/investigation/row-pages.ts'
import type { Symptom } from '#shared/domain/investigation/symptoms.ts'

/** What a record may be titled, what is then observed, and a title that sounds alike. */
const EXAMPLES: Readonly<Record<string, readonly [title: string, symptom: string, other: string]>> = {
  'record-secret': [
    'PutSecretValue live/reader',
    'WRONGPASS invalid username-password pair',
    'Secretary of the day',
  ],
  'record-permission': [
    'Role report-reader: policy detached',
    'AccessDenied: not authorized',
    'Policing the queue',
  ],
  'record-network-rule': [
    'Security group sg-1: rule revoked',
    'connect ETIMEDOUT 10.0.0.9:6379',
    'Groups of users',
  ],
  'record-name': ['Record set mail.internal changed', 'getaddrinfo ENOTFOUND mail.internal', 'Zonal report'],
  'record-certificate': [
    'CA bundle of the mesh replaced',
    'x509: unknown authority',
    'Certification of staff',
  ],
  'record-parameter': [
    'max_connections 400 to 90',
    'FATAL: sorry, too many clients already',
    'Parametric tests',
  ],
  'record-size': ['Instance class large to small', 'ReadThrottleEvents', 'Instances of a word'],
  'record-quota': ['Usage plan of partners', '429 Too Many Requests', 'Quoted prices'],
  'record-balancing': ['Health check path of the target group', 'no healthy upstream', 'Balance of the day'],
  'record-queue': ['Visibility timeout of jobs 300 to 3', 'message redelivered 14 times', 'Topical news'],
  'record-cache': ['FLUSHALL by an operator', 'cache hit ratio', 'Cached in hand'],
  'record-engine': [
    'Engine upgraded 15 to 16',
    'terminating connection due to administrator command',
    'Engineers met',
  ],
}

const symptom = (plain: string): Symptom => ({ plain, weight: 1 }) as Symptom

describe('what an infrastructure’s own record can break', () => {
  it('has an example for each row, and each row its vendor’s page', () => {
    expect(Object.keys(EXAMPLES)).toEqual(RECORD_MECHANISMS.map(({ id }) => id))
    expect(Object.keys(RECORD_PAGES)).toEqual(RECORD_MECHANISMS.map(({ id }) => id))
    for (const page of Object.values(RECORD_PAGES))
      expect(page).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/.+\.html$/)
  })

  it.each(RECORD_MECHANISMS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const [title, observed, other] = EXAMPLES[id] as (typeof EXAMPLES)[string]
    expect(row.symptom.test(observed)).toBe(true)
    expect(mechanismOfRecord(title, [symptom(observed)])).toMatchObject({ mechanism: { id }, score: 0.7 })
    expect(mechanismOfRecord(other, [symptom(observed)])).toBeNull()
  })

  it('counts where its title and the symptoms fit, and not for either alone', () => {
    const [title, observed] = EXAMPLES['record-network-rule'] as (typeof EXAMPLES)[string]
    expect(mechanismOfRecord(title, [symptom(observed)])).toMatchObject({
      mechanism: { id: 'record-network-rule' },
      score: 0.7,
    })
    expect(mechanismOfRecord(title, [symptom('null pointer')])).toBeNull()
    expect(mechanismOfRecord('A name for it', [symptom(observed)])).toBeNull()
  })

  it('is told by values that say that there is less, whatever the title is, and surer than by a title', () => {
    const busy = [symptom('cpu credit balance')]
    const of = (before: string, after: string) => mechanismOfRecord('A review', busy, { before, after })
    expect(of('db.r6g.2xlarge', 'db.r6g.large')).toMatchObject({
      mechanism: { id: 'record-less', kind: 'infra' },
      score: 0.9,
    })
    expect(of('db.r6g.large', 'db.r6g.2xlarge')).toBeNull()
    expect(mechanismOfRecord('Right-size the store', busy, { before: 'm5.large' })).toMatchObject({
      mechanism: { id: 'record-size' },
      score: 0.7,
    })
    expect(mechanismOfRecord('A review', [symptom('null pointer')], { before: '8', after: '4' })).toBeNull()
  })
})
