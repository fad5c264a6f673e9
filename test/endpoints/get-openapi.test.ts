import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationList } from '#shared/contract/operations.ts'
import { refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('get-openapi', () => service)

describe('200', () => {
  it('is the document of this very service, without a key', async () => {
    const got = await service.call('get-openapi', { headers: {} })
    expect(got.status).toBe(200)
    expect(got.body.openapi).toMatch(/^3\.1\./)
    for (const { path, method } of operationList) {
      expect(got.body.paths[path]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined()
    }
  })
})
