import serverlessExpress from '@codegenie/serverless-express'
import express from 'express'

const app = express()
app.get('/hello', (_request, response) => {
  response.json({ message: 'hello' })
})

export const handler = serverlessExpress({ app })
