import type { ServiceEvent } from './incident.ts'
import { withoutCredentials } from './investigation/credentials.ts'
import { mapTexts } from './investigation/told-text.ts'

/** Bytes that a body stays below (Standard Webhooks: 20 KB). */
export const MOST_BODY_BYTES = 20_000

const encoder = /* @__PURE__ */ new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** Cuts a text so that its JSON loses at least so many bytes, at a character's boundary, and shows that it did. */
function shorter(text: string, tooMany: number): string {
  const characters = [...text]
  let saved = -bytesOf(JSON.stringify('…')) + 2
  while (saved < tooMany && characters.length > 0) {
    saved += bytesOf(JSON.stringify(characters.pop())) - 2
  }
  return `${characters.join('')}…`
}

/**
 * What receivers get of an event: `{type, timestamp, data}`, `data` being the incident as the API shows it with the
 * `sequence` of the event, and without credentials that somebody wrote into it. Below 20 KB: what does not fit is cut, and `data.truncated` names the fields that were.
 * Made once and stored, so that every attempt sends the same bytes whatever version of the service makes it.
 */
export function eventBody({ kind, at, sequence, incident }: ServiceEvent): string {
  const { version: _version, ...shown } = mapTexts(incident, withoutCredentials)
  const write = (data: object): string => JSON.stringify({ type: kind, timestamp: at, data })
  const whole = write({ ...shown, sequence })
  if (bytesOf(whole) < MOST_BODY_BYTES) return whole
  const truncated: string[] = []
  let data = shown
  if (data.root_cause !== null) {
    truncated.push('root_cause.evidence')
    data = { ...data, root_cause: { ...data.root_cause, evidence: [] } }
  }
  const over = bytesOf(write({ ...data, sequence, truncated })) - MOST_BODY_BYTES + 1
  if (over > 0 && data.description !== null) {
    truncated.push('description')
    data = { ...data, description: shorter(data.description, over + '"description",'.length) }
  }
  return write({ ...data, sequence, truncated })
}
