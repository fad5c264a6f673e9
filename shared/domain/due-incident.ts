/** A change of one stored item: what it was and what it is. */
export interface StoredChange {
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

/**
 * The incident whose investigation a change of the incidents table made due, or null.
 * Due means: an incident that waits, and whose waiting this change began (a new one, a new request, another try).
 */
export function dueIncident({ before, after }: StoredChange): string | null {
  if (after === null || after.sk !== 'INCIDENT' || after.analysis !== 'pending') return null
  const began =
    before === null ||
    before.analysis !== 'pending' ||
    before.due_at !== after.due_at ||
    before.fence !== after.fence
  return began && typeof after.id === 'string' ? after.id : null
}
