/**
 * What the record of a change names: the place that it changed, and what is there of which the symptoms speak.
 *
 * An infrastructure's own record (a secret, a parameter, a rule of a firewall, a record of a zone) is of no service; its
 * name says what it is of, as paths of secrets and resource names do (HashiCorp Vault, KV; AWS, Amazon Resource Names).
 * Who fails quotes the same name: a role, a topic, a bucket, a volume.
 */

import type { Symptom } from '../place/symptoms.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Change } from '../records/snapshot.ts'

/** Kinds of record that are of no service by themselves. */
const OF_NOBODY: ReadonlySet<Change['kind']> = new Set(['infra', 'config', 'migration', 'scale', 'other'])
const SETTINGS_FILE = /\.(ya?ml|toml|ini|conf|cfg|env|properties|tf|tfvars|hcl|json|sql)$/i
/** A heading that declares something, or the name that is given to it. */
const DECLARED =
  /(?:^|@@ ?)[ +-]?[ \t]{0,40}((?:resource|module)\s[^\n]{0,200}\{|name:[ \t]*["']?[\w.-]{1,100})/gim
/** What is declared further on in a diff is not looked at, characters: generated files are long. */
const LONGEST = 20_000
/** Shorter names, and words that resources of every kind bear, connect nothing. */
const SHORTEST = 3
const EVERYDAY =
  /^(?:prod(?:uction)?|staging|stage|test|dev|main|default|live|public|private|internal|secrets?|config|cluster|namespace|service|server|automatic|upgrade|scheduled|rotation|the|and|for|from|with|new|one|more)$/i

const partsOf = (text: string): readonly string[] =>
  text.match(/[\p{L}\d](?:[\p{L}\d._-]*[\p{L}\d])?/gu) ?? []

/** A record of what was done, not of what was written to be done. */
export const isActRecord = ({ kind, diff, files }: Change): boolean =>
  OF_NOBODY.has(kind) && (diff ?? '') === '' && (files ?? []).length === 0

/** Of no service by its kind, or because nothing but files of settings is touched. */
const isOfNobody = ({ kind, files = [] }: Change): boolean =>
  OF_NOBODY.has(kind) || (files.length > 0 && files.every((path) => SETTINGS_FILE.test(path)))

/**
 * The entities that a record names in its title or by the name of a file of settings; else in what is declared around its
 * lines, as Terraform's `resource "aws_db_instance" "orders"` and Kubernetes' `name: orders` do.
 */
export function placesNamedBy(change: Change, names: EntityNames): readonly string[] {
  if (!isOfNobody(change)) return []
  const found = new Set(names.mentionedIn(change.title ?? ''))
  for (const path of change.files ?? []) {
    if (!SETTINGS_FILE.test(path)) continue
    for (const name of names.mentionedIn(path.replace(/^.*\//, '').replace(/\.\w+$/, ''))) found.add(name)
  }
  if (found.size > 0) return [...found]
  for (const [, declared] of (change.diff ?? '').slice(0, LONGEST).matchAll(DECLARED))
    for (const name of names.mentionedIn(declared as string)) found.add(name)
  return [...found]
}

/** A name in the record that what fails quotes, other than an entity's. */
export function quotedResource(
  change: Change,
  quoted: ReadonlyMap<string, Symptom>,
  names: EntityNames,
): { readonly name: string; readonly symptom: Symptom; readonly how: 'bears' } | null {
  if (!isActRecord(change)) return null
  const rest = names.withoutNames(change.title ?? '')
  for (const name of partsOf(rest)) {
    if (name.length < SHORTEST || EVERYDAY.test(name)) continue
    const symptom = quoted.get(name.toLowerCase())
    if (symptom !== undefined) return { name, symptom, how: 'bears' }
  }
  return null
}
