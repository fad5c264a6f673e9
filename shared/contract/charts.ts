import * as z from 'zod/mini'
import { fraction, idOut, instantOut } from './fields.ts'

const mark = { at: instantOut(), text: z.string() }

const series = z
  .strictObject({
    service: z.string(),
    name: z.string(),
    unit: z.string(),
    before: z.number(),
    onset: instantOut(),
    start: instantOut(),
    after_ms: z.array(z.number()),
    values: z.array(z.nullable(z.number())),
  })
  .register(z.globalRegistry, {
    id: 'ChartedSeries',
    description:
      'A series that left its normal level `before`. `values` were measured `after_ms` milliseconds after `start`; null where nothing was.',
  })

const node = z
  .strictObject({
    name: z.string(),
    role: z.enum(['cause', 'suspect', 'failing', 'affected', 'calm']),
    blame: fraction(),
    depth: z.int().check(z.minimum(0)),
    row: z.int().check(z.minimum(0)),
  })
  .register(z.globalRegistry, {
    id: 'ChartedService',
    description:
      'A service in the graph of calls: `depth` calls below the outermost callers, in the place `row` among those of its depth. `blame` is the confidence of the hypothesis that names it.',
  })

const charts = z
  .strictObject({
    window: z.strictObject({ start: instantOut(), end: instantOut() }),
    onset: z.nullable(z.strictObject({ at: instantOut(), earliest: instantOut(), latest: instantOut() })),
    alerts: z.array(z.strictObject(mark)),
    changes: z.array(z.strictObject({ ...mark, part: z.enum(['cause', 'rollout', 'other']) })),
    events: z.array(z.strictObject(mark)),
    failing: z.array(z.strictObject({ service: z.string(), start: instantOut(), end: instantOut() })),
    series: z.array(series),
    services: z.array(node),
    calls: z.array(z.strictObject({ caller: z.string(), callee: z.string() })),
  })
  .register(z.globalRegistry, { id: 'Charts' })

/** What can be drawn of one incident. */
export const incidentCharts = z
  .strictObject({ id: idOut('inc'), charts: z.nullable(charts) })
  .register(z.globalRegistry, { id: 'IncidentCharts' })
