/**
 * Where the failing of a trace began.
 */
import { compareText, severityOf } from '../records/log-templates.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import type { Snapshot, Span } from '../records/snapshot.ts'

/** Whether the status of a span, as any tool writes it, says that it failed. */
export const saysFailed = (status: string): boolean => severityOf(status) === 'error' || /^fail/i.test(status)

/** Spans that failed with no failed child: where a trace's failure began. */
export function failingSpans(snapshot: Snapshot, normal: NormalTime): ReadonlyMap<string, readonly Span[]> {
  // There are few different statuses: each is read once.
  const failures = new Map<string, boolean>()
  const isFailed = ({ status }: Span): boolean => {
    const known = failures.get(status)
    if (known !== undefined) return known
    const failed = saysFailed(status)
    failures.set(status, failed)
    return failed
  }
  const failed = snapshot.spans.filter(isFailed)
  const failedChild = new Set(failed.map(({ parent_id }) => parent_id))
  const found = new Map<string, Span[]>()
  for (const span of failed) {
    if (failedChild.has(span.span_id) || isNormalTime(normal, span.start)) continue
    const list = found.get(span.service)
    if (list === undefined) found.set(span.service, [span])
    else list.push(span)
  }
  for (const list of found.values())
    list.sort(
      (a, b) => a.start - b.start || b.duration_us - a.duration_us || compareText(a.span_id, b.span_id),
    )
  return found
}
