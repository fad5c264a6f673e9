/**
 * Text that reports a failure.
 */
import type { LogPattern } from './snapshot.ts'

/** Text that reports a failure, whatever its severity says. */
export const FAILURE_WORDS =
  /\b(fail(ed|ure|ing|s)?|errors?|exceptions?|time(d)?[ -]?out|refused|denied|exhaust(ed|ion)|unavailable|unreachable|expired|throttl(ed|ing)|panic(ked)?|fatal|no space|abort(ed)?|missing|not found|unknown|reset|invalid|dropp(ed|ing)|reject(ed|ing)|oom|killed|crash(ed|ing)?|deadlock|exceed(ed|s)|corrupt(ed)?|unauthori[sz]ed|forbidden|broken pipe|servfail|enotfound|econnrefused|unhealthy|evict(ed|ing)|backoff|misbehaving|stuck|stale|conflict|violat(es|ion)|no such|unable|cannot|can't|could ?n[o']t|broken|lost|blocked|stall(ed)?|degraded|slow|overload(ed)?|saturat(ed|ion)|contended|pressure|disconnect(ed)?|malformed|insufficient|full|5\d\d)\b|(Exception|Error)\b/i

/** Whether a pattern that a log tool counted reports a failure, and at least twice as often as before. */
export const isPatternFailing = (pattern: LogPattern): boolean =>
  FAILURE_WORDS.test(pattern.signature) &&
  pattern.count >= 1 &&
  (pattern.baseline_count === undefined || pattern.count >= 2 * pattern.baseline_count + 1)
