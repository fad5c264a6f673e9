/** Incidents made by hand in which services fail. */

import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, LENGTH, ONSET, series } from './incident-scenarios.ts'

export const about = (more: Partial<Snapshot>): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  ...more,
})

export const seen = (more: Partial<Snapshot>, focus: string | null = null): Observed => {
  const snapshot = about(more)
  return observe(snapshot, entityNames(snapshot), focus)
}

export const failingIn = ({ failing }: Observed, entity: string): FailingService | undefined =>
  failing.find((service) => service.entity === entity)

export const names = (list: readonly { readonly entity: string }[]): readonly string[] =>
  list.map(({ entity }) => entity)

export const errors = (entity: string, from = ONSET, to = LENGTH): Series =>
  series(entity, 'http_5xx_ratio', 0.003, 0.4, from, to)

export const well = (entity: string): Series => series(entity, 'http_5xx_ratio', 0.003, 0.003)

export const span = (id: string, parent: string | null, service: string, more: Partial<Span> = {}): Span => ({
  ...{ source: 'traces', trace_id: 't1', span_id: id, parent_id: parent, service, name: `GET /${service}` },
  ...{ start: at(ONSET + 1), duration_us: 1_000, status: 'ERROR', ...more },
})
