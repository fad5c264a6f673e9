import { INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'

/** What the list of incidents is narrowed to; it stands in the address, so that it can be sent to somebody. */
export interface IncidentFilters {
  readonly status?: (typeof INCIDENT_STATUSES)[number]
  readonly severity?: (typeof SEVERITIES)[number]
  /** Opened after it; ISO 8601 UTC, as the API takes it. */
  readonly start_time?: string
  /** Opened before it. */
  readonly end_time?: string
}

const oneOf = <Each extends string>(given: string | undefined, known: readonly Each[]): Each | undefined =>
  known.find((each) => each === given)

/** An instant in the one form that the API takes, or nothing. */
function instantOf(given: string | undefined): string | undefined {
  if (given === undefined || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(given)) return undefined
  const at = new Date(given)
  // A day that does not exist is read as another day.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(given.slice(0, 19))
  return isReal ? at.toISOString() : undefined
}

/** Only what is set, so that an empty filter leaves no trace in the address. */
const given = <Filters extends object>(filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))

/** The filters that an address names; what is none of them, or makes no sense, is passed over. */
export function readFilters(query: Readonly<Record<string, string | undefined>>): IncidentFilters {
  return given({
    status: oneOf(query.status, INCIDENT_STATUSES),
    severity: oneOf(query.severity, SEVERITIES),
    start_time: instantOf(query.start_time),
    end_time: instantOf(query.end_time),
  })
}

/** The filters as the end of an address, with the question mark where there are any. */
export function writeFilters(filters: IncidentFilters): string {
  const search = new URLSearchParams(given(filters) as Record<string, string>).toString()
  return search === '' ? '' : `?${search}`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** An instant as a field for date and time takes it: in the zone of this machine, to the minute. */
export function fieldOfInstant(at: string | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** What a field for date and time holds as an instant; nothing while it is empty or unfinished. */
export function instantOfField(value: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
