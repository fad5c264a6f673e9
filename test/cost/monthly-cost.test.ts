import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { costTable } from '#infra/cost/cost-table.ts'
import { deployedParts } from '#infra/cost/deployed-parts.ts'
import { type Load, monthlyCost, totalOf } from '#infra/cost/monthly-cost.ts'
import { PRICES } from '#infra/cost/prices.ts'
import { functionPlans } from '#infra/functions.ts'
import { synthesise } from '#test/infra/synthesise.ts'

const RETENTION_DAYS = 400
const IDLE: Load = { requests: 0, incidents: 0, fanout: 0, questions: 0 }
const MILLION: Load = { ...IDLE, requests: 1_000_000, questions: 10_000 }
const BUSY: Load = { ...MILLION, incidents: 1_000, fanout: 5 }

const parts = deployedParts(synthesise().references)
const bill = (load: Load, deployed = parts) => monthlyCost(deployed, load, RETENTION_DAYS)
const ofPart = (load: Load, part: string) => totalOf(bill(load).filter((line) => line.part === part))

describe('what a month costs', () => {
  it('is at most $4 when nothing happens, and every line of it is named', () => {
    const lines = bill(IDLE)
    expect(totalOf(lines)).toBeLessThanOrEqual(4)
    expect(new Set(lines.map(({ part }) => part))).toEqual(new Set(['idle']))
    for (const price of ['keyMonths', 'alarmMetrics', 'queueRequests', 'lambdaRequests'])
      expect(lines.map((line) => line.price)).toContain(price)
  })

  it('is at most $8 for a million requests, one in a hundred a question', () => {
    expect(ofPart(MILLION, 'requests') + ofPart(MILLION, 'questions')).toBeLessThanOrEqual(8)
  })

  it.each([
    ['a request more', { ...BUSY, requests: BUSY.requests + 1_000 }],
    ['a question more among the requests', { ...BUSY, questions: BUSY.questions + 1_000 }],
    ['an incident more', { ...BUSY, incidents: BUSY.incidents + 100 }],
    ['a subscriber more', { ...BUSY, fanout: BUSY.fanout + 1 }],
  ])('rises with %s', (_what, load) => {
    expect(totalOf(bill(load))).toBeGreaterThan(totalOf(bill(BUSY)))
  })

  it('has nothing for what does not happen', () => {
    expect(bill(IDLE).every(({ units }) => units > 0)).toBe(true)
    expect(ofPart({ ...BUSY, fanout: 0 }, 'deliveries')).toBe(0)
    expect(ofPart(MILLION, 'incidents')).toBe(0)
  })

  it('is refused where more happens than was asked for', () => {
    expect(() => bill({ ...IDLE, incidents: 1 })).toThrow(RangeError)
    expect(() => bill({ ...IDLE, requests: 1, questions: 2 })).toThrow(RangeError)
  })

  it('follows the settings: a firewall costs its month, its rules and its requests, no traces cost nothing', () => {
    const guarded = deployedParts(synthesise({ waf: true, xray: false }).references)
    const lines = bill(MILLION, guarded)
    expect(lines.filter(({ price }) => price.startsWith('firewall'))).toHaveLength(3)
    expect(lines.filter(({ price }) => price === 'traces')).toEqual([])
    expect(totalOf(bill(IDLE, guarded)) - totalOf(bill(IDLE))).toBeGreaterThan(5)
  })

  it('is each line: its units at its price', () => {
    for (const { price, units, usd } of bill(BUSY)) {
      const { usd: each, per } = PRICES[price]
      expect(usd).toBeCloseTo((units * each) / per, 9)
    }
  })
})

describe('what is deployed', () => {
  it('is read from the templates, every schedule of them', () => {
    const scheduled = functionPlans.filter(({ scheduled }) => scheduled).map(({ purpose }) => purpose)
    expect(new Set(parts.schedules.map(({ purpose }) => purpose))).toEqual(new Set(scheduled))
    expect(parts).toMatchObject({ keys: 1, firewalls: 0, logRetentionDays: 30, tracedShare: 0.05 })
    expect(parts.polledQueues).toBeGreaterThanOrEqual(2)
    expect(parts.alarmMetrics).toBeGreaterThan(10)
    expect(parts.memoryGb.size).toBe(functionPlans.length)
  })
})

describe('docs/cost.md', () => {
  const page = readFileSync('docs/cost.md', 'utf8')
  const told = (section: string): Map<string, number> => {
    const text = page.split('\n## ').find((each) => each.startsWith(section)) ?? ''
    return new Map(
      Array.from(text.matchAll(/^\| (\w+) \| ([\d.]+) \|/gm), ([, part = '', usd = '']) => [
        part,
        Number(usd),
      ]),
    )
  }

  it.each([
    ['A month in which nothing happens', IDLE],
    ['A busy month', BUSY],
  ])('%s: tells each part to a tenth', (section, load) => {
    const parts = told(section)
    expect([...parts.keys()].sort()).toEqual([...new Set(bill(load).map(({ part }) => part))].sort())
    for (const [part, usd] of parts) {
      const now = ofPart(load, part)
      expect(Math.abs(now - usd), `${part} is ${now.toFixed(2)} now`).toBeLessThanOrEqual(0.1 * now + 0.3)
    }
  })
})

describe('npm run cost', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['infra/commands/cost.ts', ...args], { encoding: 'utf8' })

  it('prints the table', () => {
    const { status, stdout } = run('--requests', '1e6', '--incidents', '1000', '--fanout', '5')
    expect(status).toBe(0)
    expect(stdout).toContain(costTable(bill(BUSY)))
  })

  it.each([
    [['--requests', 'many'], '--requests must be a whole number'],
    [['--requests', '10', '--questions', '11'], 'among the requests'],
    [['--color'], "Unknown option '--color'"],
  ])('refuses %j', (args, reason) => {
    const { status, stderr, stdout } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(reason)
  })
})
