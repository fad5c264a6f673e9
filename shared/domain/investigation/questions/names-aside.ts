/**
 * A question in which known names stand aside: a `release-manager` is no release, and a `traffic-router` is asked after, not its
 * traffic. Names of one word stay: whoever types one may mean the word.
 *
 * Their characters stand as the wide ones of Unicode, which no way to ask holds; plain words hold no compatibility forms, so
 * that the canonical composition of any part of the text spells them again.
 * @see https://www.unicode.org/reports/tr15/ (compatibility equivalence)
 */

import { stemOf } from '../records/entity-names.ts'
import type { KnownNames } from './read-subject.ts'

/** A word of several parts, as names are written. */
const OF_PARTS = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)+/gu
const sameParts = (name: string): string => name.toLowerCase().replace(/[_.]/g, '-')
const namesOf = (name: string): readonly string[] => [name, stemOf(name) ?? name].map(sameParts)
/** From a printable character of ASCII to its wide form. */
const TO_WIDE = 0xfee0
const PRINTABLE = /[!-~]/g
const wide = (one: string): string => String.fromCharCode(one.charCodeAt(0) + TO_WIDE)

/** Plain words with the known names of several parts aside. */
export function namesAside(plain: string, { services, aliases }: KnownNames): string {
  let names: ReadonlySet<string> | undefined
  return plain.replace(OF_PARTS, (word) => {
    // Most questions hold no such word.
    names ??= new Set([...services, ...(aliases?.keys() ?? [])].flatMap(namesOf))
    return names.has(sameParts(word)) ? word.replace(PRINTABLE, wide) : word
  })
}

/** Any part of such a text as it was asked. */
export const spelt = (text: string): string => text.normalize('NFKC')
