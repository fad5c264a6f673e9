import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('get-health', () => service)

describe('200', () => {
  it('tells the version, without a key and with any', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }]) {
      const got = await service.call('get-health', { headers })
      expect(got.status).toBe(200)
      expect(got.body).toEqual({ status: 'ok', version: packageJson.version })
      expect(got.headers['Cache-Control']).toBe('no-store')
    }
  })
})
