import * as z from 'zod/mini'
import { ERROR_CODES } from './errors.ts'

/** The body of every error; apart from the codes, since a function that only refuses builds no shape. */
export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      details: z.looseObject({
        field: z.optional(z.string()),
        reason: z.optional(z.string()),
        errors: z.optional(z.array(z.strictObject({ field: z.string(), reason: z.string() }))),
        more_errors: z.optional(z.int()),
        request_id: z.optional(z.string()),
      }),
    }),
  })
  .register(z.globalRegistry, { id: 'Error' })
