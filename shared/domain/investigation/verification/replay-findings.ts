/** An investigation done again on the snapshot that it rested on: the same findings, or where they differ. */
import type { Findings, RootCause } from '../findings.ts'
import { investigate } from '../investigate.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { heldAt } from './revise-findings.ts'

/** One place where stored and replayed findings differ; null where one of them has nothing. */
export interface Difference {
  /** Names and positions from the top, joined by dots: `hypotheses.0.confidence`. */
  readonly path: string
  readonly stored: unknown
  readonly replayed: unknown
}

export interface Replay {
  readonly findings: Findings
  /** True when both are the same text, byte for byte. */
  readonly is_same: boolean
  /** True where the stored confidence is that of an earlier look, which a later one without new evidence may not exceed. */
  readonly is_held: boolean
  readonly differences: readonly Difference[]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function differencesOf(stored: unknown, replayed: unknown, path: readonly string[]): Difference[] {
  if (isObject(stored) && isObject(replayed) && Array.isArray(stored) === Array.isArray(replayed)) {
    const names = new Set([...Object.keys(stored), ...Object.keys(replayed)])
    return [...names].flatMap((name) => differencesOf(stored[name], replayed[name], [...path, name]))
  }
  if (JSON.stringify(stored) === JSON.stringify(replayed)) return []
  return [{ path: path.join('.'), stored: stored ?? null, replayed: replayed ?? null }]
}

/**
 * Investigates the snapshot of a stored root cause again and compares.
 * @param service that the incident names, as the investigation had it
 */
export function replayFindings(rootCause: RootCause, snapshot: Snapshot, service: string | null): Replay {
  const { snapshot_digest: _digest, analysed_at: _at, revision, ...stored } = rootCause
  const fresh = investigate(snapshot, { service })
  const isHeld =
    revision !== undefined && revision.new_evidence.length === 0 && fresh.confidence > stored.confidence
  const findings = isHeld ? heldAt(fresh, stored) : fresh
  return {
    findings,
    is_same: JSON.stringify(findings) === JSON.stringify(stored),
    is_held: isHeld,
    differences: differencesOf(stored, findings, []),
  }
}
