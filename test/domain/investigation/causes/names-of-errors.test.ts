import { describe, expect, it } from 'vitest'
import { SPOKEN_SIGNS, type Spoken, wordsFor } from '#shared/domain/investigation/causes/spoken-signs.ts'
import { MECHANISMS } from '#shared/domain/investigation/changes/mechanisms.ts'
import { RECORD_MECHANISMS } from '#shared/domain/investigation/changes/record-mechanisms.ts'

/**
 * Errors of platforms and of programs, whose names hold the letters of something else: ENOTFOUND of a resolver is in each of the
 * first, EPIPE of a socket in the next, and what is insufficient or a quote is no limit of a platform.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html ResourceNotFoundException
 * @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/io/FileNotFoundException.html
 * @see https://docs.python.org/3/library/exceptions.html#ModuleNotFoundError
 */
const NOT_FOUND = [
  'ResourceNotFoundException: Requested resource not found',
  'java.io.FileNotFoundException: /data/rates.csv',
  'ModuleNotFoundError: no such module',
  'SourceNotFound: no row for source 17',
  'com.acme.InvoiceNotFoundException',
  'RouteNotFoundException',
  'PriceNotFound for article 9',
]
const BUSINESS = [
  'InsufficientFundsException: account 7',
  'insufficient stock of article 9',
  'insufficient_permissions for scope orders:write',
  'QuotationExpired: the quotation of 3 March',
]
const spoken = (text: string): readonly Spoken[] => [
  ...new Set(SPOKEN_SIGNS.map(({ of }) => of).filter((of) => wordsFor(of).test(text))),
]
const symptom = (id: string): RegExp | undefined =>
  [...MECHANISMS, ...RECORD_MECHANISMS].find((mechanism) => mechanism.id === id)?.symptom

describe('the name of an error', () => {
  it.each(NOT_FOUND)('%s tells of no resolver', (text) => {
    expect(spoken(text)).not.toContain('resolution')
    expect(symptom('record-name')?.test(text)).toBe(false)
    expect(symptom('address')?.test(text)).toBe(false)
  })

  it.each(BUSINESS)('%s tells of no limit of a platform', (text) => {
    expect(spoken(text)).not.toContain('capacity')
  })

  it.each([
    ['resolution', 'getaddrinfo ENOTFOUND mail.internal'],
    ['resolution', 'Error: ENOTFOUND'],
    ['capacity', 'InsufficientInstanceCapacity: no more of this type'],
    ['capacity', 'error code: insufficient_quota'],
    ['capacity', 'QuotaExceededException'],
    ['capacity', 'You exceeded your current quota'],
  ] as const)('tells of a %s where it is that of one: %s', (of, text) => {
    expect(spoken(text)).toContain(of)
  })
})
