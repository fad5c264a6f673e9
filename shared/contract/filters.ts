import type * as z from 'zod/mini'
import { INTEGRATION_QUOTA } from '../domain/connect-integration.ts'
import { readInstant } from '../domain/instant.ts'
import type { IncidentFilter } from '../domain/ports.ts'
import type { incidentFilters } from './incidents.ts'
import { DEFAULT_LIMIT } from './paging.ts'

/** Items of a page as the checked parameter says, or as many as a page holds by default. */
export const pageSize = (limit: string | undefined): number =>
  limit === undefined ? DEFAULT_LIMIT : Number(limit)

/** Items of a list that a client who knows no paging expects whole: all that the quota allows. */
export const wholeListSize = (limit: string | undefined): number =>
  limit === undefined ? INTEGRATION_QUOTA : Number(limit)

/** Checked query parameters as the store's filter. */
export const incidentFilterOf = (query: z.output<typeof incidentFilters>): IncidentFilter => ({
  status: query.status,
  severity: query.severity,
  after: query.start_time === undefined ? undefined : (readInstant(query.start_time) ?? undefined),
  before: query.end_time === undefined ? undefined : (readInstant(query.end_time) ?? undefined),
})
