import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import { STAGE, type TableName } from '#shared/names.ts'
import { unbundled } from '../bundling/stack-code.ts'
import { functionPlan } from '../functions.ts'
import { ROOT } from '../root.ts'
import { ServiceStack } from '../service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '../settings.ts'
import type {
  DeployedFunction,
  DeployedQueue,
  Deployment,
  GatewayResponse,
  GatewayValue,
  QueueMapping,
  Route,
  Schedule,
  StreamMapping,
} from './deployment.ts'
import { type Part, reference, type TemplateResource, Templates } from './templates.ts'

const SECOND_MS = 1000
/** What API Gateway waits for a function unless told otherwise. */
const GATEWAY_WAIT_MS = 29_000

type Json = Readonly<Record<string, unknown>>
type Names<Name extends string> = ReadonlyMap<string, Name>

/** What constructs are called in the templates: the one thing that the templates alone do not say. */
interface Naming {
  readonly functions: Names<string>
  readonly queues: Names<string>
  readonly tables: Names<TableName>
}

const logicalId = (construct: IConstruct): string => {
  const element = construct.node.defaultChild ?? construct
  return Stack.of(construct).getLogicalId(element as Parameters<Stack['getLogicalId']>[0])
}

function nameConstructs({ state, api, workers }: ServiceStack): Naming {
  const functions = [...api.functions, ...workers.functions]
  return {
    functions: new Map(functions.map(([id, { lambda }]) => [logicalId(lambda), id])),
    queues: new Map(Object.entries(state.queues).map(([name, queue]) => [logicalId(queue), name])),
    tables: new Map(
      Object.entries(state.tables).map(([name, table]) => [logicalId(table), name as TableName]),
    ),
  }
}

/** Reads one synthesised service. */
class DeploymentReader {
  readonly #templates: Templates
  readonly #names: Naming

  constructor(templates: Templates, names: Naming) {
    this.#templates = templates
    this.#names = names
  }

  read(): Deployment {
    return {
      stage: STAGE,
      routes: this.#routes(),
      functions: this.#functions(),
      gatewayResponses: this.#gatewayResponses(),
      throttle: this.#throttle(),
      queues: this.#queues(),
      queueMappings: this.#mappings((source) => this.#names.queues.has(source)).map((mapping) =>
        this.#queueMapping(mapping),
      ),
      streamMappings: this.#mappings((source) => this.#names.tables.has(source)).map((mapping) =>
        this.#streamMapping(mapping),
      ),
      schedules: this.#schedules(),
    }
  }

  #name<Name extends string>(names: Names<Name>, part: Part, value: unknown): Name {
    const { logicalId: id } = this.#templates.follow(part, value)
    const name = names.get(id)
    if (name === undefined) throw new Error(`the resource ${id} has no name`)
    return name
  }

  #pathOf(resourceId: unknown): string {
    const to = reference(resourceId)
    if (to === null || to.attribute === 'RootResourceId') return ''
    const { Properties } = this.#templates.resource({ part: 'api', logicalId: to.id })
    return `${this.#pathOf(Properties.ParentId)}/${Properties.PathPart}`
  }

  #routes(): Route[] {
    return this.#templates.ofType('api', 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
      const integration = Properties.Integration as {
        readonly TimeoutInMillis?: number
        readonly Uri: { readonly 'Fn::Join': readonly [string, readonly unknown[]] }
      }
      const target = integration.Uri['Fn::Join'][1].find((piece) => reference(piece)?.attribute === 'Arn')
      return {
        method: Properties.HttpMethod as Route['method'],
        resource: this.#pathOf(Properties.ResourceId) || '/',
        functionId: this.#name(this.#names.functions, 'api', target),
        timeoutMs: integration.TimeoutInMillis ?? GATEWAY_WAIT_MS,
      }
    })
  }

  #functions(): Record<string, DeployedFunction> {
    const found = (['api', 'workers'] as const).flatMap((part) =>
      this.#templates.ofType(part, 'AWS::Lambda::Function'),
    )
    const entries = found.map(([logical, { Properties }]) => {
      const id = this.#names.functions.get(logical)
      if (id === undefined) throw new Error(`the function ${logical} has no name`)
      const { Variables = {} } = (Properties.Environment ?? {}) as { readonly Variables?: Json }
      const plan = functionPlan(id as Parameters<typeof functionPlan>[0])
      return [
        id,
        {
          file: plan.file,
          timeoutMs: Number(Properties.Timeout) * SECOND_MS,
          memoryMb: Number(Properties.MemorySize),
          environment: Object.fromEntries(
            Object.entries(Variables).map(([name, value]) => [
              name,
              typeof value === 'string' ? value : null,
            ]),
          ),
        },
      ] as const
    })
    return Object.fromEntries(entries)
  }

  #gatewayResponses(): Record<string, GatewayResponse> {
    const value = (text: string): GatewayValue =>
      text.startsWith("'") ? { literal: text.slice(1, -1) } : { context: text }
    const responses = this.#templates.ofType('api', 'AWS::ApiGateway::GatewayResponse')
    return Object.fromEntries(
      responses.map(([, { Properties }]) => {
        const templates = Properties.ResponseTemplates as Readonly<Record<string, string>>
        const headers = Object.entries(Properties.ResponseParameters as Readonly<Record<string, string>>)
        const [contentType = '', template = ''] = Object.entries(templates)[0] ?? []
        return [
          String(Properties.ResponseType),
          {
            status: Number(Properties.StatusCode),
            headers: {
              'Content-Type': { literal: contentType },
              ...Object.fromEntries(
                headers.map(([name, text]) => [name.replace('gatewayresponse.header.', ''), value(text)]),
              ),
            },
            template,
          },
        ] as const
      }),
    )
  }

  #throttle(): Deployment['throttle'] {
    const [stage] = this.#templates.ofType('api', 'AWS::ApiGateway::Stage')
    const [settings] = (stage?.[1].Properties.MethodSettings ?? []) as readonly Json[]
    return {
      ratePerSecond: Number(settings?.ThrottlingRateLimit),
      burst: Number(settings?.ThrottlingBurstLimit),
    }
  }

  #queues(): Record<string, DeployedQueue> {
    const queues = this.#templates.ofType('state', 'AWS::SQS::Queue')
    return Object.fromEntries(
      queues.map(([logical, { Properties }]) => {
        const redrive = Properties.RedrivePolicy as Json | undefined
        return [
          this.#name(this.#names.queues, 'state', { Ref: logical }),
          {
            // SQS's own defaults where the template leaves them out.
            visibilityTimeoutMs: Number(Properties.VisibilityTimeout ?? 30) * SECOND_MS,
            retentionMs: Number(Properties.MessageRetentionPeriod ?? 345_600) * SECOND_MS,
            redrive:
              redrive === undefined
                ? null
                : {
                    maxReceiveCount: Number(redrive.maxReceiveCount),
                    queue: this.#name(this.#names.queues, 'state', redrive.deadLetterTargetArn),
                  },
          },
        ] as const
      }),
    )
  }

  #mappings(isSource: (logicalId: string) => boolean): readonly Json[] {
    return this.#templates
      .ofType('workers', 'AWS::Lambda::EventSourceMapping')
      .map(([, { Properties }]) => Properties)
      .filter(({ EventSourceArn }) => isSource(this.#templates.follow('workers', EventSourceArn).logicalId))
  }

  /** What mappings of both kinds have. */
  #mapping(properties: Json) {
    return {
      functionId: this.#name(this.#names.functions, 'workers', properties.FunctionName),
      batchSize: Number(properties.BatchSize),
      windowMs: Number(properties.MaximumBatchingWindowInSeconds ?? 0) * SECOND_MS,
      reportsBatchItemFailures: JSON.stringify(properties.FunctionResponseTypes ?? []).includes(
        'ReportBatchItemFailures',
      ),
    }
  }

  #queueMapping(properties: Json): QueueMapping {
    const scaling = properties.ScalingConfig as Json | undefined
    return {
      ...this.#mapping(properties),
      queue: this.#name(this.#names.queues, 'workers', properties.EventSourceArn),
      maxConcurrency: scaling === undefined ? null : Number(scaling.MaximumConcurrency),
    }
  }

  #streamMapping(properties: Json): StreamMapping {
    const { Filters = [] } = (properties.FilterCriteria ?? {}) as {
      readonly Filters?: readonly { readonly Pattern: string }[]
    }
    const destination = properties.DestinationConfig as
      | { readonly OnFailure?: { readonly Destination: unknown } }
      | undefined
    const onFailure = destination?.OnFailure?.Destination
    const age = Number(properties.MaximumRecordAgeInSeconds ?? -1)
    return {
      ...this.#mapping(properties),
      table: this.#name(this.#names.tables, 'workers', properties.EventSourceArn),
      filters: Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown),
      maxRetries: Number(properties.MaximumRetryAttempts ?? -1),
      maxRecordAgeMs: age < 0 ? null : age * SECOND_MS,
      bisectsBatchOnError: properties.BisectBatchOnFunctionError === true,
      onFailure: onFailure === undefined ? null : this.#name(this.#names.queues, 'workers', onFailure),
    }
  }

  #schedules(): Schedule[] {
    return this.#templates.ofType('workers', 'AWS::Events::Rule').flatMap(([, rule]) => this.#schedule(rule))
  }

  #schedule({ Properties }: TemplateResource): Schedule[] {
    const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(Properties.ScheduleExpression))
    if (rate === null) return []
    const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[rate[2] as 'minute' | 'hour' | 'day']
    return (Properties.Targets as readonly { readonly Arn: unknown }[]).map(({ Arn }) => ({
      functionId: this.#name(this.#names.functions, 'workers', Arn),
      everyMs: Number(rate[1]) * unitMs,
    }))
  }
}

/** The feature flags of `cdk.json`: without them the templates would be others than those that are deployed. */
export function cdkContext(): Record<string, unknown> {
  const file = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8')) as {
    readonly context: Record<string, unknown>
  }
  return file.context
}

/**
 * Synthesises the service in this process, without bundling and without touching `cdk.out`, and says what the local
 * runner needs to do as the deployed service does.
 * @param settings default: the file that a deployment without arguments uses
 * @throws Error when the settings are wrong or a template refers to something it does not have
 */
export function readDeployment(
  settings: Settings = readSettingsFile(path.join(ROOT, SETTINGS_FILE)),
): Promise<Deployment> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'incident-investigator-reading-'))
  try {
    const app = new App({
      outdir,
      context: cdkContext(),
      treeMetadata: false,
      analyticsReporting: false,
      // It takes a second to load and changes no template; `cdk synth` and the tests run it.
      builtinCloudFormationValidation: false,
    })
    const stack = new ServiceStack(app, settings, unbundled)
    app.synth()
    return Promise.resolve(new DeploymentReader(new Templates(outdir, stack), nameConstructs(stack)).read())
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}
