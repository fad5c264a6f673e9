import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

/** How a snapshot is altered: every name, instant and measured level goes through one of these. */
export interface Alteration {
  readonly name?: (text: string) => string
  /** Added to every instant, milliseconds. */
  readonly later?: number
  /** Every measured level is multiplied by this. */
  readonly level?: number
}

/** The same incident with other names, another time or other levels: nothing else about it changes. */
export function altered(
  snapshot: Snapshot,
  { name = (text) => text, later = 0, level = 1 }: Alteration,
): Snapshot {
  const at = (instant: number): number => instant + later
  const window = <Of extends { readonly from: number; readonly to: number }>(of: Of): Of => ({
    ...of,
    from: at(of.from),
    to: at(of.to),
  })
  const named = <Of>(value: Of): Of => JSON.parse(name(JSON.stringify(value))) as Of
  return {
    ...snapshot,
    window: window(snapshot.window),
    baselines: snapshot.baselines.map(window),
    sources: snapshot.sources.map((source) => ({
      ...source,
      ...(source.window === undefined ? {} : { window: window(source.window) }),
    })),
    entities: named(snapshot.entities),
    alerts: named(snapshot.alerts).map((alert) => ({ ...alert, fired_at: at(alert.fired_at) })),
    series: snapshot.series.map(({ times, values, ...series }) => ({
      ...named(series),
      times: times.map(at),
      values: values.map((value) => value * level),
    })),
    logs: named(snapshot.logs).map((line) => ({ ...line, timestamp: at(line.timestamp) })),
    changes: named(snapshot.changes).map((change) => ({
      ...change,
      recorded_at: at(change.recorded_at),
      ...(change.effective_at === undefined ? {} : { effective_at: window(change.effective_at) }),
    })),
    k8s: named(snapshot.k8s).map((record) => ({ ...record, timestamp: at(record.timestamp) })),
    status: named(snapshot.status).map((status) => ({
      ...status,
      events: status.events.map((event) => ({ ...event, timestamp: at(event.timestamp) })),
    })),
  }
}
