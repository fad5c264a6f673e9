import awsLambdaFastify from '@fastify/aws-lambda'
import Fastify from 'fastify'

const app = Fastify()
app.get('/hello', async () => ({ message: 'hello' }))

export const handler = awsLambdaFastify(app)
