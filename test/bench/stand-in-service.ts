/**
 * A stand-in that speaks the four calls which the bench makes, so that the bench's side of them can be tested: it holds
 * nothing and investigates nothing. It refuses calls in the wrong order and prints what it was told at its end.
 */
import { createServer } from 'node:http'

const mode = process.env.STAND_IN ?? 'works'
let polls = 0
let connected = false
const server = createServer((request, response) => {
  const answer = (status: number, body?: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
  if (request.headers.authorization !== 'Bearer stand-in-key') return answer(401, {})
  const call = `${request.method} ${request.url}`
  if (call === 'POST /v1/integrations') {
    connected = true
    return answer(201, { id: 'bundle_1' })
  }
  if (call === 'POST /v1/incidents') return connected ? answer(201, { id: 'inc_1' }) : answer(409, {})
  if (call === 'GET /v1/incidents/inc_1') {
    polls++
    if (mode === 'fails') return answer(200, { analysis: 'failed', root_cause: null })
    return polls < 2
      ? answer(200, { analysis: 'pending', root_cause: null })
      : answer(200, { analysis: 'done', root_cause: { summary: 'found', evidence: [] } })
  }
  if (call === 'DELETE /v1/integrations/bundle_1' && connected) {
    connected = false
    return answer(204)
  }
  return answer(404, {})
})
process.on('SIGINT', () => process.exit(0))
if (mode === 'dies') process.exit(7)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.stdout.write(
    `${JSON.stringify({ base_url: `http://127.0.0.1:${port}/v1`, admin_key: mode === 'refuses' ? 'other' : 'stand-in-key' })}\n`,
  )
})
