/** One price of AWS. */
export interface Price {
  /** US dollars for `per` units. */
  readonly usd: number
  readonly per: number
  readonly unit: string
  readonly source: string
}

/** The day on which the pages below were last read, and the region that they are for. */
export const PRICES_READ = { on: '2026-11-21', region: 'us-east-1' } as const

const MILLION = 1_000_000
const price = (usd: number, per: number, unit: string, page: string): Price => ({
  usd,
  per,
  unit,
  source: `https://aws.amazon.com/${page}/pricing/`,
})

/** List prices without any free tier: the first step of each scale, which nobody at this size leaves. */
export const PRICES = {
  apiRequests: price(3.5, MILLION, 'requests of a REST API', 'api-gateway'),
  lambdaRequests: price(0.2, MILLION, 'invocations', 'lambda'),
  lambdaGbSeconds: price(0.0000133334, 1, 'GB-seconds on arm64', 'lambda'),
  writeUnits: price(0.625, MILLION, 'write request units', 'dynamodb'),
  readUnits: price(0.125, MILLION, 'read request units', 'dynamodb'),
  tableGbMonths: price(0.25, 1, 'GB-months in tables', 'dynamodb'),
  backupGbMonths: price(0.2, 1, 'GB-months of point-in-time recovery', 'dynamodb'),
  queueRequests: price(0.4, MILLION, 'requests of a standard queue', 'sqs'),
  logGb: price(0.5, 1, 'GB of logs taken in', 'cloudwatch'),
  logGbMonths: price(0.03, 1, 'GB-months of logs kept', 'cloudwatch'),
  alarmMetrics: price(0.1, 1, 'metrics that an alarm watches, a month', 'cloudwatch'),
  customMetrics: price(0.3, 1, 'metrics of our own that were seen in a month', 'cloudwatch'),
  traces: price(5, MILLION, 'traces', 'xray'),
  keyMonths: price(1, 1, 'keys, a month', 'kms'),
  keyRequests: price(0.03, 10_000, 'requests of a key', 'kms'),
  objectPuts: price(0.005, 1_000, 'objects written', 's3'),
  objectGbMonths: price(0.023, 1, 'GB-months of objects', 's3'),
  transferGb: price(0.09, 1, 'GB out to the internet', 'ec2'),
  firewallMonths: price(5, 1, 'web firewalls, a month', 'waf'),
  firewallRules: price(1, 1, 'rules of a web firewall, a month', 'waf'),
  firewallRequests: price(0.6, MILLION, 'requests through a web firewall', 'waf'),
} as const satisfies Readonly<Record<string, Price>>

export type PriceName = keyof typeof PRICES
