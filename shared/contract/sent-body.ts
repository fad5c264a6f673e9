import { MOST_SENT_BYTES } from '../domain/alerts/intake.ts'

/** What a tool sends, in the document. */
export const SENT_BODY = {
  required: true,
  description: 'JSON as the tool sends it, signed by the tool or sent with the ingest token.',
  content: { 'application/json': { schema: {} } },
}

/** Why what a tool sends is refused with 413. */
export const SENT_TOO_LARGE = `The body is larger than ${MOST_SENT_BYTES / 1e6} MB.`
