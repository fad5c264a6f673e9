import * as z from 'zod/mini'
import { ERROR_CODES } from './errors.ts'

/** The body of every error; apart from the codes, since a function that only refuses builds no shape. */
export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  })
  .register(z.globalRegistry, { id: 'Error' })
