import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'

const app = new Hono()
app.get('/hello', (context) => context.json({ message: 'hello' }))

export const handler = handle(app)
