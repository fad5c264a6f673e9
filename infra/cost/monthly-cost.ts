import type { FunctionId } from '../functions.ts'
import { functionPlan } from '../functions.ts'
import type { DeployedParts } from './deployed-parts.ts'
import { PRICES, type PriceName } from './prices.ts'
import { type Activity, STORE_UNITS } from './store-units.ts'

/** What happens in a month. */
export interface Load {
  /** Requests of the API of every kind; those that open and resolve incidents are among them. */
  readonly requests: number
  readonly incidents: number
  /** Subscribers that each incident's opening and end are told to. */
  readonly fanout: number
  /** Questions among the requests. */
  readonly questions: number
}

/** One line of the bill. */
export interface CostLine {
  readonly part: string
  readonly price: PriceName
  readonly units: number
  readonly usd: number
}

/**
 * What nobody can read from a template. Times are what is expected of Lambda, where most of a run is waiting for the
 * store or for tools; a month with other ones costs that much more or less.
 */
export const ASSUMED = {
  /** A request: two calls to the store one after the other, on 0.3 of a processor. */
  request_s: 0.04,
  /** A question that asks every tool. */
  question_s: 2,
  /** A look at an incident: every tool is asked for up to 8 s, then the engine computes. */
  look_s: 10,
  /** Looks at an incident: when it is opened, 3, 10 and 30 minutes later, and when it is resolved. */
  looks: 5,
  /** An attempt to deliver, which waits for the receiver. */
  attempt_s: 0.5,
  /** A run of the relay, and of what runs by the clock and finds nothing. */
  run_s: 0.1,
  /** Runs that begin a new process, which asks for its data key once. */
  cold_share: 0.01,
  /** A line of ours and the lines that Lambda adds. */
  log_bytes: 1_000,
  /** An answer on its way out, headers and all. */
  answer_bytes: 3_000,
  /** A snapshot of the evidence, packed. */
  snapshot_bytes: 200_000,
  /** Lambda asks each queue from five places, 20 s each time, whether anything is there or not. */
  polls_a_minute: 15,
} as const

const MINUTES_A_MONTH = 730 * 60
const DAYS_A_MONTH = 730 / 24
const GB = 1024 ** 3
/** Calls to a queue for one message: sent, received, deleted. */
const QUEUE_CALLS = 3
/** Events of an incident that subscribers are told of: its opening and its end. */
const EVENTS_OF_AN_INCIDENT = 2

/** Adds up lines of the same part and price. */
class Bill {
  readonly #units = new Map<string, { part: string; price: PriceName; units: number }>()

  add(part: string, price: PriceName, units: number): void {
    if (units === 0) return
    const name = `${part}\n${price}`
    const known = this.#units.get(name)
    this.#units.set(name, { part, price, units: units + (known?.units ?? 0) })
  }

  lines(): CostLine[] {
    return [...this.#units.values()].map((line) => {
      const { usd, per } = PRICES[line.price]
      return { ...line, usd: (line.units * usd) / per }
    })
  }
}

/**
 * What a month costs.
 * @param retentionDays how long incidents are kept: what is stored has piled up for that long
 */
export function monthlyCost(parts: DeployedParts, load: Load, retentionDays: number): readonly CostLine[] {
  const bill = new Bill()
  const gbOf = (id: FunctionId): number => {
    const found = parts.memoryGb.get(functionPlan(id).purpose)
    if (found === undefined) throw new Error(`the templates have no function ${id}`)
    return found
  }
  const months = retentionDays / DAYS_A_MONTH

  const run = (part: string, times: number, gb: number, seconds: number) => {
    bill.add(part, 'lambdaRequests', times)
    bill.add(part, 'lambdaGbSeconds', times * gb * seconds)
    const logGb = (times * ASSUMED.log_bytes) / GB
    bill.add(part, 'logGb', logGb)
    bill.add(part, 'logGbMonths', (logGb * parts.logRetentionDays) / DAYS_A_MONTH)
  }
  const store = (part: string, times: number, activity: Activity) => {
    const { writes, reads, stored_bytes } = STORE_UNITS[activity]
    bill.add(part, 'writeUnits', times * writes)
    bill.add(part, 'readUnits', times * reads)
    if (times * stored_bytes <= 0) return
    const gbMonths = (times * stored_bytes * months) / GB
    bill.add(part, 'tableGbMonths', gbMonths)
    bill.add(part, 'backupGbMonths', gbMonths)
  }

  const idle = 'idle'
  bill.add(idle, 'keyMonths', parts.keys)
  bill.add(idle, 'alarmMetrics', parts.alarmMetrics)
  bill.add(idle, 'firewallMonths', parts.firewalls)
  bill.add(idle, 'firewallRules', parts.firewallRules)
  bill.add(idle, 'queueRequests', parts.polledQueues * ASSUMED.polls_a_minute * MINUTES_A_MONTH)
  for (const { purpose, everyMinutes, gb } of parts.schedules) {
    run(idle, MINUTES_A_MONTH / everyMinutes, gb, ASSUMED.run_s)
    const worker = SCHEDULED.find((id) => functionPlan(id).purpose === purpose)
    if (worker === undefined) throw new Error(`nobody has measured what this costs: ${purpose}`)
    store(idle, MINUTES_A_MONTH / everyMinutes, `${worker} finds nothing`)
  }

  const { requests, incidents, fanout, questions } = load
  const plain = requests - questions - EVENTS_OF_AN_INCIDENT * incidents
  if (plain < 0) throw new RangeError('questions and two requests for each incident are among the requests')

  const api = 'requests'
  bill.add(api, 'apiRequests', requests)
  bill.add(api, 'firewallRequests', parts.firewalls * requests)
  bill.add(api, 'traces', requests * parts.tracedShare)
  bill.add(api, 'transferGb', (requests * ASSUMED.answer_bytes) / GB)
  bill.add(api, 'keyRequests', requests * ASSUMED.cold_share)
  run(api, requests - questions, gbOf('get-incident'), ASSUMED.request_s)
  store(api, plain, 'an incident is read')

  run('questions', questions, gbOf('answer-query'), ASSUMED.question_s)
  store('questions', questions, 'a question is answered')
  bill.add('questions', 'objectPuts', questions)
  bill.add('questions', 'objectGbMonths', (questions * ASSUMED.snapshot_bytes * months) / GB)

  const looks = incidents * ASSUMED.looks
  const events = incidents * EVENTS_OF_AN_INCIDENT
  const part = 'incidents'
  store(part, incidents, 'an incident is opened')
  store(part, incidents, 'an incident is resolved')
  store(part, looks, 'an incident is looked at')
  store(part, events, 'an event is fanned out')
  run(part, looks, gbOf('investigate-incident'), ASSUMED.look_s)
  // Each change of an incident that waits, and each event, wakes the relay.
  run(part, looks + events, gbOf('relay-events'), ASSUMED.run_s)
  bill.add(part, 'traces', parts.tracesWorkers ? 2 * looks + events : 0)
  bill.add(part, 'queueRequests', looks * QUEUE_CALLS)
  bill.add(part, 'objectPuts', looks)
  bill.add(part, 'objectGbMonths', (looks * ASSUMED.snapshot_bytes * months) / GB)

  const deliveries = events * fanout
  store('deliveries', deliveries, 'an event is delivered')
  run('deliveries', deliveries, gbOf('deliver-webhook'), ASSUMED.attempt_s)
  bill.add('deliveries', 'traces', parts.tracesWorkers ? deliveries : 0)
  bill.add('deliveries', 'queueRequests', deliveries * QUEUE_CALLS)
  bill.add('deliveries', 'transferGb', (deliveries * ASSUMED.answer_bytes) / GB)
  bill.add('deliveries', 'customMetrics', deliveries > 0 ? parts.customMetrics : 0)
  return bill.lines()
}

const SCHEDULED = ['sweep-investigations', 'sweep-deliveries', 'check-integrations'] as const

/** What lines come to. */
export const totalOf = (lines: readonly CostLine[]): number => lines.reduce((sum, { usd }) => sum + usd, 0)
