import { invalidField } from '../domain/errors.ts'
import type { Versions } from '../domain/precondition.ts'

/** A list of entity tags (RFC 9110, 8.8.3 and 13.1): each in quotes, `W/` before those that are weak. */
const LIST = /^(?:[ \t]*(?:W\/)?"[!#-~\x80-\xff]*"[ \t]*(?:,|$))+$/
const TAGS = /(W\/)?"([^"]*)"/g
/** Versions count from 1; 15 digits are exact as a number. */
const VERSION = /^[1-9]\d{0,14}$/
/** A client knows one version of a resource, or the last few; a store that is asked takes 100 at once. */
const MOST_TAGS = 20

/** The entity tag of a version: strong, since every change that a client can see makes a new version. */
export const entityTag = (version: number): string => `"${version}"`

/**
 * Reads `If-None-Match`, or with `strong` `If-Match`, for which weak tags match nothing. Tags that the service never
 * gave match nothing either.
 * @returns nothing when the header was not sent
 * @throws Refusal `invalid` naming the header when it is no list of entity tags
 */
export function readTags(name: string, values: readonly string[], strong: boolean): Versions | undefined {
  if (values.length === 0) return undefined
  const text = values.join(',').trim()
  if (text === '*') return 'any'
  if (!LIST.test(text)) throw invalidField(name, 'must be * or a list of entity tags, each in double quotes')
  const tags = [...text.matchAll(TAGS)]
  if (tags.length > MOST_TAGS) throw invalidField(name, `must name at most ${MOST_TAGS} entity tags`)
  return tags.flatMap(([, weak, tag = '']) =>
    (strong && weak !== undefined) || !VERSION.test(tag) ? [] : [Number(tag)],
  )
}
