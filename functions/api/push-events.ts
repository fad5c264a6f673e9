import { takeMessage } from '#shared/domain/alerts/take-message.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keepingSenders, messageActs } from '#shared/runtime.ts'

export const handler = endpoint('push-events', keepingSenders, () => async ({ sender, body, header }) => ({
  body: await takeMessage(messageActs(), sender, { body, header }),
}))
