import type { Tool } from '#shared/domain/integration.ts'
import { NOTHING_PULLED } from '#shared/domain/investigation/records/snapshot.ts'

/** The integration type `webhook`: whoever it is sends, and there is nobody to ask. */
export const webhookTool = (): Tool => ({
  check: async () => ({ status: 'connected', detail: 'Waits for what is sent to its ingest address.' }),
  pull: async () => NOTHING_PULLED,
})
