import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { differences, type RunningService, startService } from './investigate-over-http.ts'

const STAND_IN = fileURLToPath(new URL('stand-in-service.ts', import.meta.url))
const INCIDENT = { title: 'till answers 500', severity: 'high' }

let service: RunningService | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
  vi.unstubAllEnvs()
})
const start = async (mode: string): Promise<RunningService> => {
  vi.stubEnv('STAND_IN', mode)
  service = await startService('/nowhere', '/nowhere', STAND_IN)
  return service
}

test('a bundle is connected, its incident analysed, and the connection taken away so that the next can follow', async () => {
  const running = await start('works')
  expect(await running.investigate('abc', INCIDENT)).toEqual({ summary: 'found', evidence: [] })
  expect(await running.investigate('def', INCIDENT)).toEqual({ summary: 'found', evidence: [] })
})

test('an analysis that failed and a call that is refused are errors that say so', async () => {
  await expect((await start('fails')).investigate('abc', INCIDENT)).rejects.toThrow(
    'analysis of inc_1 failed',
  )
  await service?.stop()
  await expect((await start('refuses')).investigate('abc', INCIDENT)).rejects.toThrow(
    'POST /integrations answered 401',
  )
})

test('a service that ends before it is ready is an error, not a wait', async () => {
  await expect(start('dies')).rejects.toThrow('ended with 7')
})

test('two answers agree whatever the order of their members, and differ by name of the part', () => {
  const findings = {
    cause: { kind: 'code', entity: 'a' },
    outcome: 'identified',
    confidence: 1,
    evidence: [],
  }
  const same = { ...findings, cause: { entity: 'a', kind: 'code' } }
  const other = { ...findings, confidence: 0.5, evidence: [{ content: 'x' }] }
  expect(differences(findings as never, same as never)).toEqual([])
  expect(differences(findings as never, other as never)).toEqual(['confidence', 'evidence'])
})
