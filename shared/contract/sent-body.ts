/** What a tool sends, in the document. */
export const SENT_BODY = {
  required: true,
  description: 'JSON as the tool sends it, signed by the tool or sent with the ingest token.',
  content: { 'application/json': { schema: {} } },
}
