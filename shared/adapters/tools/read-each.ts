import type * as z from 'zod/mini'
import type { Answered, ToolSession } from './tool-session.ts'

/**
 * Reads a list item by item, so that one strange item does not cost the others: those that cannot be read are counted in
 * a gap. What is no list is written down as a failed answer, and gives undefined.
 */
export function readEach<Item>(
  session: ToolSession,
  answer: Answered,
  schema: z.ZodMiniType<Item>,
  list: unknown,
): readonly Item[] | undefined {
  const { what } = answer.asked
  if (!Array.isArray(list)) {
    const why = `What ${session.reach.title} answers is not what was asked for.`
    session.answered(answer, { items: [], outcome: 'failed', detail: why })
    session.gap({ what, why, source: answer.id })
    return undefined
  }
  const read: Item[] = []
  for (const item of list as readonly unknown[]) {
    const parsed = schema.safeParse(item)
    if (parsed.success) read.push(parsed.data)
  }
  const malformed = list.length - read.length
  if (malformed > 0) {
    session.gap({ what, why: `${malformed} of ${list.length} items could not be read.`, source: answer.id })
  }
  return read
}
