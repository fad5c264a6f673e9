import type { Part, TemplateResource, Templates } from '../local/templates.ts'

const PARTS: readonly Part[] = ['state', 'api', 'workers', 'alarms']
const MINUTES_OF = { minute: 1, hour: 60, day: 1_440 } as const
const MB_OF_GB = 1_024

/** What of a deployed stack costs money, as its templates say. */
export interface DeployedParts {
  /** Metrics that alarms watch: each is billed, however many an alarm has. */
  readonly alarmMetrics: number
  /**
   * Metrics that are made of numbers in logs, which every delivery writes: billed in a month in which they are seen.
   * Those that count lines of what went wrong are not among them: in most months nobody sees them.
   */
  readonly customMetrics: number
  readonly keys: number
  /** Queues that Lambda asks for messages all month long. */
  readonly polledQueues: number
  readonly tables: number
  readonly firewalls: number
  readonly firewallRules: number
  /** What runs by the clock. */
  readonly schedules: readonly {
    readonly purpose: string
    readonly everyMinutes: number
    readonly gb: number
  }[]
  /** GB of memory of each function, by its purpose. */
  readonly memoryGb: ReadonlyMap<string, number>
  /** Share of requests that are traced; 0 where traces are off. */
  readonly tracedShare: number
  /** Whether everything that a queue or stream feeds is traced. */
  readonly tracesWorkers: boolean
  readonly logRetentionDays: number
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** @throws Error when a schedule is written in a way that this does not know */
function minutesOf(expression: unknown): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(expression)) ?? []
  if (count === undefined) throw new Error(`a schedule that nobody can count: ${String(expression)}`)
  return Number(count) * MINUTES_OF[unit as keyof typeof MINUTES_OF]
}

/** Reads from the synthesised templates what is deployed. @throws Error when a template says it in an unknown way */
export function deployedParts(templates: Templates): DeployedParts {
  const of = (type: string): readonly TemplateResource[] =>
    PARTS.flatMap((part) => templates.ofType(part, type).map(([, resource]) => resource))
  const functions = of('AWS::Lambda::Function')
  const gbOf = ({ Properties }: TemplateResource) => Number(Properties.MemorySize) / MB_OF_GB
  const schedules = templates.ofType('workers', 'AWS::Events::Rule').flatMap(([, { Properties }]) =>
    list(Properties.Targets).map((target) => {
      const run = templates.resource(templates.follow('workers', (target as { Arn: unknown }).Arn))
      return {
        purpose: String(run.Properties.Description),
        everyMinutes: minutesOf(Properties.ScheduleExpression),
        gb: gbOf(run),
      }
    }),
  )
  const [sampling] = of('AWS::XRay::SamplingRule')
  const traced = of('AWS::ApiGateway::Stage').some(({ Properties }) => Properties.TracingEnabled === true)
  const rule = sampling?.Properties.SamplingRule as { readonly FixedRate: number } | undefined
  return {
    alarmMetrics: of('AWS::CloudWatch::Alarm').reduce(
      (sum, { Properties }) =>
        sum +
        (Properties.Metrics === undefined
          ? 1
          : list(Properties.Metrics).filter((metric) => (metric as { MetricStat?: unknown }).MetricStat)
              .length),
      0,
    ),
    customMetrics: of('AWS::Logs::MetricFilter').filter(({ Properties }) =>
      list(Properties.MetricTransformations).some((each) =>
        String((each as { MetricValue?: unknown }).MetricValue).startsWith('$.'),
      ),
    ).length,
    keys: of('AWS::KMS::Key').length,
    polledQueues: templates
      .ofType('workers', 'AWS::Lambda::EventSourceMapping')
      .filter(
        ([, { Properties }]) =>
          templates.resource(templates.follow('workers', Properties.EventSourceArn)).Type ===
          'AWS::SQS::Queue',
      ).length,
    tables: of('AWS::DynamoDB::GlobalTable').length,
    firewalls: of('AWS::WAFv2::WebACL').length,
    firewallRules: of('AWS::WAFv2::WebACL').reduce(
      (sum, { Properties }) => sum + list(Properties.Rules).length,
      0,
    ),
    schedules,
    memoryGb: new Map(functions.map((each) => [String(each.Properties.Description), gbOf(each)])),
    tracedShare: traced ? (rule?.FixedRate ?? 1) : 0,
    tracesWorkers: traced,
    logRetentionDays: Math.max(
      ...of('AWS::Logs::LogGroup').map(({ Properties }) => Number(Properties.RetentionInDays)),
    ),
  }
}
