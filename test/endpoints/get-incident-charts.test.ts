import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { doorbellFor, investigate } from '#test/workers/invocations.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
})
afterAll(() => service.stop())

refusesAlike('get-incident-charts', () => service)

const opened = async (): Promise<string> =>
  (
    await service.done('create-incident', {
      body: { title: 'Checkout fails', severity: 'high', service: 'checkout' },
    })
  ).id
const analysed = async (): Promise<string> => {
  const id = await opened()
  await investigate([doorbellFor(id)])
  return id
}

describe('200', () => {
  it('draws what the root cause rests on: the onset, the named change, series with their points, who calls whom', async () => {
    const id = await analysed()
    const { root_cause } = await service.done('get-incident', { id })
    const { charts } = await service.done('get-incident-charts', { id })
    expect(charts.onset).toEqual(root_cause.onset)
    expect(charts.changes.filter(({ part }: { part: string }) => part === 'cause')).toHaveLength(1)
    expect(charts.failing.length).toBeGreaterThan(0)
    expect(charts.series.length).toBeGreaterThan(0)
    for (const { after_ms, values, start } of charts.series) {
      expect(values).toHaveLength(after_ms.length)
      expect(after_ms[0]).toBe(0)
      expect(after_ms).toEqual([...after_ms].sort((a: number, b: number) => a - b))
      expect(Date.parse(start) + after_ms.at(-1)).toBeLessThanOrEqual(Date.parse(charts.window.end))
    }
    const names = charts.services.map(({ name }: { name: string }) => name)
    const { cause } = root_cause
    expect(charts.services.find(({ role }: { role: string }) => role === 'cause')?.name).toBe(cause.entity)
    expect(charts.calls.length).toBeGreaterThan(0)
    for (const { caller, callee } of charts.calls) {
      expect(names).toContain(caller)
      expect(names).toContain(callee)
    }
  })

  it('has nothing to draw of an incident that was not analysed yet', async () => {
    const id = await opened()
    expect(await service.done('get-incident-charts', { id })).toEqual({ id, charts: null })
  })

  it('has nothing to draw when what the root cause rests on is kept no more', async () => {
    const id = await analysed()
    const folder = readdirSync(service.objects, { recursive: true, encoding: 'utf8' })
    const kept = folder.find((name) => name.endsWith(join('snapshots', id)))
    expect(kept).toBeDefined()
    rmSync(join(service.objects, kept as string), { recursive: true })
    expect(await service.done('get-incident-charts', { id })).toEqual({ id, charts: null })
  })
})

describe('400', () => {
  it('refuses a parameter that it does not know, naming it', async () => {
    const id = await opened()
    const got = await service.call('get-incident-charts', { id, query: { points: '9' } })
    expectInvalid(got, 'points')
  })
})
