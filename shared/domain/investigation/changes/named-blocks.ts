/**
 * Settings of the very thing that the part they are of names as it fails: the interface KIOSK2, the queue orders-2.
 *
 * Method: who is on call looks for the name that a new error says, and finds it beside the lines that a change edits: not in
 * them, since what was edited is how that thing is used and not its name. A block of settings says of what it is by its own name
 * (`interface:` with `name: KIOSK2`, `resource "x" "orders_dlq"`, `[pool.eu-2]`). That says something only where the part itself that
 * the settings are of says the name since it fails: others may use a thing of the same name. A name that anybody could
 * have, as a plain word is, says nothing.
 */
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import { holdsName } from '../records/whole-name.ts'
import type { Arrival } from './closeness.ts'
import type { RankedChange } from './ranked-change.ts'
import { COMMON } from './word-overlap.ts'

/** A line that gives a block its name: `name: KIOSK2`, `id = "orders-2"`, a heading with its name in quotes or brackets. */
const NAMED =
  /^\s*(?:-\s*)?["']?(?:name|id|key|alias|identifier)["']?\s*[:=]\s*["']?([\w.-]{4,60})["']?,?\s*$|^\s*resource\s+"[^"]{1,80}"\s+"([\w.-]{4,60})"|^\s*\[{1,2}(?:[\w-]{1,40}\.)?["']?([\w-]{4,60})["']?\]{1,2}\s*$/i
/** A name of its own: of several parts, with a digit, or in capitals. */
const OWN = /\d|[a-z][A-Z]|[._-][\p{L}\d]|^[A-Z]{5,}$/u

const namesOf = (surroundings: readonly string[]): readonly string[] =>
  surroundings.flatMap((line) => {
    const [, key, resource, heading] = NAMED.exec(line) ?? []
    const name = key ?? resource ?? heading
    return name !== undefined && OWN.test(name) && !COMMON.has(name.toLowerCase()) ? [name] : []
  })

/**
 * The name of the block that a change edits, where the part that it is of says it as it fails; null where it does not.
 * @param symptoms the heaviest first
 */
export function namedBlock(
  { diff, place: { owners, reaches } }: Arrival,
  symptoms: readonly Symptom[],
): RankedChange['quoted'] {
  if (diff.settings.length + diff.lines_new.length + diff.lines_gone.length === 0) return null
  for (const name of namesOf(diff.surroundings)) {
    const symptom = symptoms.find(
      (one) =>
        isOwnLine(one) &&
        one.entity !== null &&
        (one.entity === reaches || owners.has(one.entity)) &&
        holdsName(one.plain.toLowerCase(), name.toLowerCase()),
    )
    if (symptom !== undefined) return { name, symptom, how: 'configures' }
  }
  return null
}
