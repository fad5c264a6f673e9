import { describe, expect, it } from 'vitest'
import { ANSWER_PAGES } from '#shared/domain/investigation/causes/answer-pages.ts'
import { SYSTEM_ANSWERS } from '#shared/domain/investigation/causes/system-answers.ts'
import {
  REFUSED_CREDENTIALS,
  saysCredentialsRefused,
} from '#shared/domain/investigation/place/refused-credentials.ts'

describe('what says that credentials are refused', () => {
  it('is read from what the ends themselves answer', () => {
    for (const text of [
      'FATAL: password authentication failed for user "stock"',
      "ERROR 1045 (28000): Access denied for user 'stock'@'10.0.0.7' (using password: YES)",
      'WRONGPASS invalid username-password pair or user is disabled.',
      'An error occurred (InvalidAccessKeyId) when calling the ListBuckets operation',
      'SignatureDoesNotMatch: The request signature we calculated does not match',
      '{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided."}',
      'Incorrect API key provided: sk-…',
    ])
      expect(saysCredentialsRefused(text), text).toBe(true)
  })

  it('is nothing that time ended, that is not permitted, or that another reason refused', () => {
    for (const text of [
      'ExpiredToken: The security token included in the request is expired',
      'ERROR: permission denied for table orders',
      '{"error":"invalid_grant"}',
      'connect ECONNREFUSED 10.0.0.7:5432',
    ])
      expect(saysCredentialsRefused(text), text).toBe(false)
  })

  it('is said by every row of the table that tells so, and by no other', () => {
    const told = SYSTEM_ANSWERS.filter(({ what }) => what === 'credentials that the other end refuses')
    expect(told.map(({ pattern }) => pattern)).toEqual(REFUSED_CREDENTIALS)
    for (const { id } of told) expect(ANSWER_PAGES[id]).toMatch(/^https:/)
  })
})
