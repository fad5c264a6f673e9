/**
 * Statements that make up most of a database's load, or wait without getting anywhere.
 *
 * Source: database load in average active sessions, split by statement and wait (Oracle's ASH, Amazon RDS Performance
 * Insights). A share is no deviation by itself, so whoever uses this asks for a second sign.
 */
import { compareText } from '../records/log-templates.ts'
import type { Statement } from '../records/snapshot.ts'

/** Share of the load from which one statement rules it. */
const RULES = 0.6
/** Average active sessions below which a database is idle, whatever their shares. */
const LEAST_LOAD = 1

export interface HeavyStatement {
  readonly record: Statement
  readonly share: number
  /** The wait that holds most of its load; null where none was given. */
  readonly wait: string | null
  /** Waits and finishes nothing. */
  readonly is_stuck: boolean
}

/** The statements that rule the load or are stuck, most load first. */
export function heavyStatements(statements: readonly Statement[]): readonly HeavyStatement[] {
  const total = statements.reduce((sum, statement) => sum + statement.load, 0)
  if (total < LEAST_LOAD) return []
  return statements
    .map((record): HeavyStatement => {
      const [wait] = Object.entries(record.waits ?? {}).sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
      return {
        record,
        share: record.load / total,
        wait: wait?.[0] ?? null,
        is_stuck: record.calls_per_s === 0 && record.load >= LEAST_LOAD,
      }
    })
    .filter((one) => one.share >= RULES || one.is_stuck)
    .sort((a, b) => b.record.load - a.record.load || compareText(a.record.statement, b.record.statement))
}
