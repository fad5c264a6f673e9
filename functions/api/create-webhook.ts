import { webhookView } from '#shared/contract/views.ts'
import { subscribeWebhook } from '#shared/domain/subscribe-webhook.ts'
import { secretWarnings } from '#shared/domain/webhook.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, webhookActs, webhookRecords, webhookRepeats } from '#shared/runtime.ts'

export const handler = endpoint('create-webhook', keeping, () =>
  repeatable('create-webhook', webhookRepeats, {
    first: ({ body, host }, claim) => subscribeWebhook(webhookActs(claim), body, host),
    again: (_call, { resource }) => webhookRecords().get(resource),
    answer: (webhook, { body, path }) => {
      const warnings = secretWarnings(body.secret)
      const shown = { ...webhookView(webhook), ...(warnings.length > 0 ? { warnings } : {}) }
      return { body: shown, version: webhook.version, headers: { Location: `${path}/${webhook.id}` } }
    },
  }),
)
