import * as z from 'zod/mini'

export const health = z
  .strictObject({ status: z.literal('ok'), version: z.string() })
  .register(z.globalRegistry, { id: 'Health' })

export const openapiDocument = z.looseObject({ openapi: z.string() })
