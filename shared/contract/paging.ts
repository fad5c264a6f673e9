import * as z from 'zod/mini'

/** Items a page holds when the client does not say, and at most. */
export const DEFAULT_LIMIT = 25
export const MOST_LIMIT = 100
/** A cursor is far shorter; longer text is refused unread. */
const MOST_CURSOR = 1_024

const LIMIT_FORM = /^(?:[1-9][0-9]?|100)$/

/** `limit` and `cursor` as query parameters carry them: text. */
export const pagingParameters = {
  limit: z.optional(
    z
      .string()
      .check(
        z.refine((value) => LIMIT_FORM.test(value), {
          error: `must be a whole number from 1 to ${MOST_LIMIT}`,
        }),
      )
      .register(z.globalRegistry, { type: 'integer', minimum: 1, maximum: MOST_LIMIT, examples: [25] }),
  ),
  cursor: z.optional(z.string().check(z.minLength(1), z.maxLength(MOST_CURSOR))),
}

export const nextCursor = z.nullable(z.string())
