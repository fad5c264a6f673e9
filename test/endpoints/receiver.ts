import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from './service.ts'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver on this machine that answers what it is told to and keeps what it got. */
export interface TestReceiver {
  readonly url: string
  readonly received: Received[]
  status: number
  close(): void
}

/**
 * Starts a receiver on a free port of 127.0.0.1.
 * @param says what it answers
 */
export async function startReceiver(says = 'seen'): Promise<TestReceiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(receiver.status).end(says)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    status: 200,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

/** The delivery of a new incident's event to a new subscription, as the relay makes it. */
export async function newDelivery(
  service: Service,
  url = 'https://example.com/hook',
): Promise<{ readonly id: string; readonly webhook_id: string; readonly incident_id: string }> {
  const body = { url, events: ['incident.created'], secret: 'x'.repeat(24) }
  const webhook = await service.done('create-webhook', { body })
  const incident = await service.done('create-incident', {
    body: { title: 'Checkout fails', severity: 'low' },
  })
  const { sweepActs } = await import('#shared/runtime.ts')
  const { fanOut } = await import('#shared/domain/fan-out.ts')
  const { createdEventId } = await import('#shared/domain/incident.ts')
  const event = createdEventId(incident.id as string)
  await fanOut(sweepActs(), event)
  const id = sweepActs().deliveries.idOf(event, webhook.id as string)
  return { id, webhook_id: webhook.id, incident_id: incident.id }
}
