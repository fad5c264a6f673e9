/**
 * Whether demand comes from outside or is made inside.
 *
 * Who calls passes demand on, so where callers were measured and none of them is asked for more, what arrives more often
 * below them was made on the way: calls that are tried again, or another way through the code.
 */
import type { Observed } from './failing-services.ts'
import { isDemand } from './metric-meaning.ts'
import type { Snapshot } from './snapshot.ts'

/** Callers of an entity whose own demand is measured. */
export function demandingCallers(
  { series }: Snapshot,
  { graph }: Observed,
  entity: string,
): readonly string[] {
  const callers = [...graph.callees].flatMap(([caller, callees]) =>
    callees.has(entity) && caller !== entity ? [caller] : [],
  )
  return callers.filter((caller) => series.some((one) => one.entity === caller && isDemand(one.name)))
}

/**
 * Whether what an entity is asked for more comes in from outside.
 *
 * @param rises - whether an entity's own demand rose
 */
export function comesIn(
  snapshot: Snapshot,
  observed: Observed,
  entity: string,
  rises: (entity: string) => boolean,
  above: ReadonlySet<string> = new Set(),
): boolean {
  const measured = demandingCallers(snapshot, observed, entity)
  const seen = new Set(above).add(entity)
  return (
    measured.length === 0 ||
    measured.some(
      (caller) => !seen.has(caller) && rises(caller) && comesIn(snapshot, observed, caller, rises, seen),
    )
  )
}
