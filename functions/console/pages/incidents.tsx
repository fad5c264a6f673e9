import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'
import type { AnswerOf } from '../api.ts'
import {
  fieldOfInstant,
  type IncidentFilters,
  instantOfField,
  readFilters,
  writeFilters,
} from '../incident-filters.ts'
import { likelihood, percent } from '../number-text.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { ChoiceField, TextField } from '../parts/form-field.tsx'
import { AnalysisState, IncidentStatus, Severity } from '../parts/incident-badges.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { TextWithTimes } from '../parts/text-with-times.tsx'
import { place } from '../settings.ts'
import { usePagesOf } from '../use-pages-of.ts'
import './incidents.css'

type Incident = AnswerOf<'GET /incidents'>['incidents'][number]

/** The list is read again this often: a fifteenth of what a person may ask in a minute. */
const REFRESH_MS = 10_000

const anyOr = (known: readonly string[], any: string) => [
  ['', any] as const,
  ...known.map((each) => [each, each] as const),
]
const STATUS_CHOICES = anyOr(INCIDENT_STATUSES, 'Any status')
const SEVERITY_CHOICES = anyOr(SEVERITIES, 'Any severity')

function Cause({ of: { root_cause } }: { readonly of: Incident }) {
  if (root_cause === null) return null
  return (
    <>
      <TextWithTimes text={root_cause.summary} />{' '}
      <span class="quiet">
        ({likelihood(root_cause.confidence)}, {percent(root_cause.confidence)})
      </span>
    </>
  )
}

const COLUMNS: readonly Column<Incident>[] = [
  {
    title: 'Incident',
    isHead: true,
    cell: ({ id, title }) => (
      <a href={place(`incidents/${id}`)} dir="auto">
        {title}
      </a>
    ),
  },
  { title: 'Status', cell: ({ status }) => <IncidentStatus of={status} /> },
  { title: 'Severity', cell: ({ severity }) => <Severity of={severity} /> },
  { title: 'Service', cell: ({ service }) => service },
  { title: 'Opened', cell: ({ created_at }) => <InstantText at={created_at} /> },
  {
    title: 'Cause',
    cell: (incident) =>
      incident.root_cause === null ? <AnalysisState of={incident.analysis} /> : <Cause of={incident} />,
  },
]

function Filters({
  filters,
  onChange,
}: {
  readonly filters: IncidentFilters
  readonly onChange: (filters: IncidentFilters) => void
}) {
  // A new choice replaces the address: what is not named any more is gone from it.
  const change = (changed: Record<keyof IncidentFilters, string | undefined>) =>
    onChange(readFilters(changed))
  const { status, severity, start_time, end_time } = filters
  const now = { status, severity, start_time, end_time }
  const hasAny = Object.keys(filters).length > 0
  return (
    <search class="filters" aria-label="Filters">
      <ChoiceField
        label="Status"
        value={status ?? ''}
        choices={STATUS_CHOICES}
        onValue={(value) => change({ ...now, status: value })}
      />
      <ChoiceField
        label="Severity"
        value={severity ?? ''}
        choices={SEVERITY_CHOICES}
        onValue={(value) => change({ ...now, severity: value })}
      />
      <TextField
        label="Opened after"
        type="datetime-local"
        value={fieldOfInstant(start_time)}
        onValue={(value) => change({ ...now, start_time: instantOfField(value) })}
      />
      <TextField
        label="Opened before"
        type="datetime-local"
        value={fieldOfInstant(end_time)}
        onValue={(value) => change({ ...now, end_time: instantOfField(value) })}
      />
      <button type="button" disabled={!hasAny} onClick={() => onChange({})}>
        Clear filters
      </button>
    </search>
  )
}

/** Asks again in a while as long as `isOn`: not while nobody looks, and not after a failure. */
function useRefresh(reload: () => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [reload, isOn])
}

/** Incidents, newest first, narrowed by what the address names. */
export function Incidents() {
  const { query, route, path } = useLocation()
  const filters = readFilters(query)
  const list = usePagesOf('GET /incidents', { query: filters })
  const [readAt, setReadAt] = useState<string>()
  const [first] = list.pages
  useEffect(() => setReadAt(first === undefined ? undefined : new Date().toISOString()), [first])
  // Further pages would go if the first were read anew.
  const isLive = list.pages.length === 1 && list.error === undefined
  useRefresh(list.reload, isLive)
  const incidents = list.pages.flatMap((page) => page.incidents)
  return (
    <Page
      title="Incidents"
      actions={
        <button type="button" onClick={list.reload}>
          Refresh
        </button>
      }
    >
      <Filters filters={filters} onChange={(next) => route(`${path}${writeFilters(next)}`, true)} />
      {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
      {first === undefined && list.isLoading && <Loading what="incidents" />}
      {first !== undefined && incidents.length === 0 && (
        <Empty
          title={
            Object.keys(filters).length > 0 ? 'No incident is like that.' : 'There are no incidents yet.'
          }
        >
          <p>
            {Object.keys(filters).length > 0
              ? 'Choose fewer filters, or a longer time.'
              : 'An alert of a connected tool opens one, and so does a program with a key.'}
          </p>
        </Empty>
      )}
      {incidents.length > 0 && (
        <DataTable caption="Incidents" columns={COLUMNS} rows={incidents} keyOf={({ id }) => id} />
      )}
      <MoreButton more={list.more} state={list.moreState} />
      {readAt !== undefined && (
        <p class="quiet read-at">
          As of <InstantText at={readAt} />
          {isLive ? '; it is kept up to date.' : '.'}
        </p>
      )}
    </Page>
  )
}
