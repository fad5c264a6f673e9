import {
  alertsAlone,
  DESCRIPTION_LENGTH,
  nothing,
  type Reading,
  type ReadSent,
  TITLE_LENGTH,
} from '../alert.ts'
import { namedByDimensions } from '../aws-names.ts'
import { instantOf, labelsOf, lineOf, listOf, objectOf, type Payload, textOf } from '../payload-fields.ts'
import { knownSeverity } from '../severity-map.ts'

/** Alarms that autoscaling makes and uses: they go off whenever a service is resized. */
const AUTOSCALING_NAME = /^TargetTracking-/
const AUTOSCALING_ACTION = /^arn:aws[a-z-]*:(autoscaling|application-autoscaling):/
/** One alarm as EventBridge, SNS and a direct call of a function tell it. */
interface Alarm {
  readonly arn: string
  readonly name: string
  readonly state: string | null
  readonly at: number
  readonly reason: string | null
  readonly description: string | null
  readonly dimensions: Payload
  readonly actions: readonly unknown[]
  readonly composite: boolean
}

/** The dimensions of the metrics that an alarm watches. */
const dimensionsOf = (configuration: Payload): Payload =>
  Object.assign(
    {},
    ...listOf(configuration.metrics).map(
      (metric) => objectOf(objectOf(objectOf(metric).metricStat).metric).dimensions ?? {},
    ),
  )

function fromEvent(event: Payload, detail: Payload, arn: string | null, received: number): Alarm | null {
  const name = textOf(detail.alarmName)
  if (name === null) return null
  const state = objectOf(detail.state)
  const configuration = objectOf(detail.configuration)
  return {
    arn: arn ?? name,
    name,
    state: textOf(state.value),
    at: instantOf(state.timestamp, event.time) ?? received,
    reason: textOf(state.reason),
    description: textOf(configuration.description),
    dimensions: dimensionsOf(configuration),
    actions: [
      ...listOf(configuration.alarmActions),
      ...listOf(configuration.okActions),
      ...listOf(configuration.insufficientDataActions),
    ],
    composite: configuration.alarmRule !== undefined,
  }
}

/** What SNS carries: the message of an alarm. */
function fromMessage(message: Payload, received: number): Alarm | null {
  const name = textOf(message.AlarmName)
  if (name === null) return null
  const trigger = objectOf(message.Trigger)
  // An alarm on an expression tells the metrics that it is made of in place of one.
  const told = [
    ...listOf(trigger.Metrics).flatMap((metric) =>
      listOf(objectOf(objectOf(objectOf(metric).MetricStat).Metric).Dimensions),
    ),
    ...listOf(trigger.Dimensions),
  ]
  const dimensions = Object.fromEntries(
    told.flatMap((dimension) => {
      const { name: key, value } = objectOf(dimension)
      return typeof key === 'string' ? [[key, value]] : []
    }),
  )
  return {
    arn: textOf(message.AlarmArn) ?? name,
    name,
    state: textOf(message.NewStateValue),
    at: instantOf(message.StateChangeTime) ?? received,
    reason: textOf(message.NewStateReason),
    description: textOf(message.AlarmDescription),
    dimensions,
    actions: [...listOf(message.AlarmActions), ...listOf(message.OKActions)],
    composite: message.AlarmRule !== undefined,
  }
}

/** The service that settings name for the value of a dimension, else what the dimensions name. */
function serviceOf(labels: Readonly<Record<string, string>>, config: Payload): string | null {
  const map = objectOf(config.service_map)
  const mapped = Object.values(labels).map((value) => textOf(map[value]))
  return mapped.find((name) => name !== null) ?? namedByDimensions(labels) ?? null
}

function read(alarm: Alarm, config: Payload): Reading {
  const { name, state, at, description } = alarm
  if (AUTOSCALING_NAME.test(name)) return nothing(`${name} belongs to autoscaling`)
  if (alarm.actions.some((action) => typeof action === 'string' && AUTOSCALING_ACTION.test(action)))
    return nothing(`${name} acts on autoscaling`)
  // No data says neither that it began nor that it is over.
  if (state !== 'ALARM' && state !== 'OK') return nothing(`${name} is ${state ?? 'in no state'}`)
  const resolved = state === 'OK'
  const labels = labelsOf(alarm.dimensions)
  const chosen = /severity:\s*([a-z0-9]+)/i.exec(description ?? '')?.[1] ?? null
  return alertsAlone([
    {
      fingerprint: alarm.arn,
      status: resolved ? 'resolved' : 'firing',
      at,
      severity: knownSeverity(chosen) ?? (alarm.composite ? 'high' : 'medium'),
      title: lineOf(name, TITLE_LENGTH),
      description: textOf(alarm.reason, description)?.slice(0, DESCRIPTION_LENGTH) ?? null,
      labels,
      service: serviceOf(labels, config),
      sender_group: null,
      starts_at: resolved ? null : at,
      ends_at: resolved ? at : null,
      url: null,
      ending: 'tells',
    },
  ])
}

/** What AWS says of its own services: evidence, and no incident of ours. */
function readHealth(event: Payload, received: number): Reading {
  const detail = objectOf(event.detail)
  const kind = textOf(detail.eventTypeCode)
  if (kind === null) return nothing('a health event without its kind')
  const texts = listOf(detail.eventDescription).map((text) => textOf(objectOf(text).latestDescription))
  const message = textOf(...texts) ?? kind
  const service = textOf(detail.service) ?? 'aws'
  const timestamp = new Date(instantOf(detail.startTime, event.time) ?? received).toISOString()
  const resources = listOf(event.resources).flatMap((resource) => textOf(resource) ?? [])
  return {
    alerts: [],
    signals: {
      events: (resources.length > 0 ? resources : [service]).slice(0, 100).map((resource) => ({
        timestamp,
        resource,
        service,
        kind,
        message: message.slice(0, DESCRIPTION_LENGTH),
      })),
    },
    left_out: [],
  }
}

const parsed = (text: unknown): Payload => {
  if (typeof text !== 'string') return {}
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}

/**
 * Reads what AWS sends: changes of alarms from EventBridge, from SNS and from an alarm's own action, and AWS Health
 * events, which are evidence.
 */
export const readCloudwatch: ReadSent = ({ body, config, received_at }) => {
  const outer = objectOf(body)
  const event = outer.Type === 'Notification' ? parsed(outer.Message) : outer
  if (event.source === 'aws.health') return readHealth(event, received_at)
  const alarm =
    fromMessage(event, received_at) ??
    (event.alarmData === undefined
      ? event['detail-type'] === 'CloudWatch Alarm State Change'
        ? fromEvent(event, objectOf(event.detail), textOf(...listOf(event.resources)), received_at)
        : null
      : fromEvent(event, objectOf(event.alarmData), textOf(event.alarmArn), received_at))
  if (alarm === null)
    return nothing(`${lineOf(textOf(event['detail-type'], outer.Type) ?? 'it', 60)} tells of no alarm`)
  return read(alarm, objectOf(config))
}
