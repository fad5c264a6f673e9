import { initTRPC } from '@trpc/server'
import { awsLambdaRequestHandler } from '@trpc/server/adapters/aws-lambda'

const { procedure, router } = initTRPC.create()

export const handler = awsLambdaRequestHandler({
  router: router({ hello: procedure.query(() => ({ message: 'hello' })) }),
})
