/** What a tool sends, in the document. */
export const SENT_BODY = {
  required: true,
  description:
    'JSON as the tool sends it, signed by the tool or sent with the ingest token. Of a field that is given twice in one object, the last counts.',
  content: { 'application/json': { schema: {} } },
}
