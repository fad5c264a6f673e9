import type { ServiceEvent } from './incident.ts'
import { withoutCredentials } from './investigation/credentials.ts'
import { cutText } from './investigation/cut-text.ts'
import type { RootCause } from './investigation/findings.ts'
import { mapTexts } from './investigation/told-text.ts'

/** Bytes that a body stays below (Standard Webhooks: 20 KB). */
export const MOST_DELIVERED_BYTES = 20_000

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

/** Bytes that a root cause may take without its evidence: the rest is for what people wrote. */
const MOST_ROOT_CAUSE_BYTES = 6_000
/** Lengths to which its texts are cut, until it fits (characters); what has a fixed form, such as instants and digests, is shorter. */
const LENGTHS = [1_000, 500, 200, 80]
/** Items that its lists keep where it is cut. */
const MOST_ITEMS = 3

/** A root cause that takes few bytes: its texts and lists are cut. Null where even that is too much. */
function shortRootCause(whole: RootCause): RootCause | null {
  const { revision: _revision, decisive_lines: _lines, ...rest } = whole
  const few = {
    ...rest,
    cause: { ...whole.cause, contributing: whole.cause.contributing.slice(0, MOST_ITEMS) },
    blast_radius: whole.blast_radius.slice(0, MOST_ITEMS),
    hypotheses: [],
    ruled_out: [],
    gaps: [],
  }
  for (const length of LENGTHS) {
    const cut = mapTexts(few, (text) => cutText(text, length))
    if (bytesOf(JSON.stringify(cut)) <= MOST_ROOT_CAUSE_BYTES) return cut
  }
  return null
}

/**
 * What receivers get of an event: `{type, timestamp, data}`, `data` being the incident as the API shows it with the
 * `sequence` of the event, and without credentials that somebody wrote into it. Below 20 KB: what does not fit is cut,
 * evidence first, and `data.truncated` names the fields that were.
 * Made once and stored, so that every attempt sends the same bytes whatever version of the service makes it.
 */
export function eventBody({ kind, at, sequence, incident }: ServiceEvent): string {
  const { version: _version, ...shown } = mapTexts(incident, withoutCredentials)
  const write = (data: object): string => JSON.stringify({ type: kind, timestamp: at, data })
  const whole = write({ ...shown, sequence })
  if (bytesOf(whole) < MOST_DELIVERED_BYTES) return whole
  const truncated: string[] = []
  let data = shown
  if (data.root_cause !== null) {
    truncated.push('root_cause.evidence')
    let root_cause: RootCause | null = { ...data.root_cause, evidence: [] }
    if (bytesOf(JSON.stringify(root_cause)) > MOST_ROOT_CAUSE_BYTES) {
      truncated.push('root_cause')
      root_cause = shortRootCause(root_cause)
    }
    data = { ...data, root_cause }
  }
  const over = bytesOf(write({ ...data, sequence, truncated })) - MOST_DELIVERED_BYTES + 1
  if (over > 0 && data.description !== null) {
    truncated.push('description')
    data = { ...data, description: shorter(data.description, over + '"description",'.length) }
  }
  return write({ ...data, sequence, truncated })
}
