/**
 * Whose answers are not understood by who reads them.
 *
 * Who cannot read what it got seldom changed: who wrote it did (Fowler and Sadalage, and Protocol Buffers' "Updating a
 * message type", on what readers of an older form do with a newer one). So a change of whom the failing service calls is
 * nearly as well placed as one of the failing service itself, where that one says so.
 */
import type { EntityNames } from '../records/entity-names.ts'
import type { Observed } from './failing-services.ts'
import type { Symptom } from './symptoms.ts'

/**
 * Jackson, Gson, encoding/json, Pydantic, zod, Protocol Buffers, Avro and JSON Schema say so of what they cannot read; Java, Node, Python,
 * .NET, Go, Ruby and PHP of what is not there when it is used.
 * @see https://learn.microsoft.com/en-us/dotnet/api/system.nullreferenceexception
 * @see https://go.dev/ref/spec#Run_time_panics
 * @see https://docs.ruby-lang.org/en/master/NoMethodError.html
 * @see https://www.php.net/manual/en/language.oop5.basic.php
 */
export const MISREAD =
  /deserial|unmarshal|\bjson(?:decode|parse|mapping|syntax)|mismatchedinput|unrecogni[sz]ed ?(?:property|field|token)|invalidformat|not one of the values|unknown (?:enum|variant|field)|expected \w+,? (?:but )?(?:got|received|was|found)|invalid_type|field required|missing (?:required )?(?:field|property)|required property|avrotypeexception|wire type|type mismatch|cannot (?:decode|parse|convert)|unexpected (?:token|value|null|type)|must not be null|null value|nullpointer|of null|of undefined|nonetype|nullreference|object reference not set|nil pointer dereference|undefined method .{1,80} for nil|member function .{1,80} on null/i
/** Share of what the failing service itself says: a few lines of another matter do not count. */
const MUCH = 0.2

/**
 * Whom the first failing service calls, where it says that it cannot read what it got; those of them alone whom it names there, if it
 * names any; else nobody.
 */
export function misreadFrom(
  { first, graph }: Observed,
  symptoms: readonly Symptom[],
  names: Pick<EntityNames, 'mentionedIn'>,
): ReadonlySet<string> {
  if (first === null) return new Set()
  const called = graph.callees.get(first.entity) ?? new Set()
  const named = new Set<string>()
  let all = 0
  let misread = 0
  for (const { entity, origin, text, plain, weight } of symptoms) {
    if (entity !== first.entity || origin === 'metric' || origin === 'alert') continue
    all += weight
    if (!MISREAD.test(plain)) continue
    misread += weight
    for (const name of names.mentionedIn(text)) if (called.has(name)) named.add(name)
  }
  if (all === 0 || misread < MUCH * all) return new Set()
  return named.size > 0 ? named : called
}
