import type { QuestionActs } from '#shared/domain/answer-question.ts'
import type { Incident } from '#shared/domain/incident.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'

/** What a question acts on where one bundle is connected: what it gives, and the incidents that are known. */
export function actsOn(
  pulled: Pulled,
  {
    incidents,
    id,
    now,
  }: { readonly incidents: readonly Incident[]; readonly id: string; readonly now: number },
): QuestionActs {
  const integration = { id, type: 'bundle', status: 'connected' }
  return {
    incidents: {
      list: async () => ({ items: incidents, next: null }),
      get: async () => undefined,
    } as Partial<QuestionActs['incidents']> as QuestionActs['incidents'],
    integrations: {
      // Only what is asked of it here.
      openAll: async () => [{ integration, config: {} }],
      list: async () => ({ items: [integration], next: null }),
    } as unknown as QuestionActs['integrations'],
    signals: { read: () => Promise.resolve({ batches: [], digest: '', cut: false, unread: 0 }) },
    queries: { put: async () => undefined, get: async () => undefined },
    snapshots: { keep: async () => 'd'.repeat(64), read: async () => undefined },
    tools: () => ({ pull: async () => pulled }) as never,
    abortAfter: () => new AbortController().signal,
    clock: () => now,
    newId: (prefix, when) => `${prefix}_${when}`,
  }
}
