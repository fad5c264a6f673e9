import { describe, expect, it } from 'vitest'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { MISREAD, misreadFrom } from '#shared/domain/investigation/place/misread-answers.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

const observed = (first: string | null): Observed =>
  ({
    first: first === null ? null : { entity: first },
    graph: { callees: new Map([['till', new Set(['rates', 'mail'])]]) },
  }) as unknown as Observed
const said = (plain: string, entity = 'till', weight = 1, origin: Symptom['origin'] = 'log'): Symptom =>
  ({ text: plain, plain, entity, weight, origin }) as Symptom
const names = {
  mentionedIn: (text: string) => ['rates', 'till', 'web'].filter((name) => text.includes(`${name}.example`)),
}
const UNREAD = 'unrecognized field "note" (class Rate)'

describe('whose answers are not understood', () => {
  it.each([
    'com.fasterxml.jackson.databind.exc.MismatchedInputException: no String-argument constructor',
    'pydantic: 1 validation error for Rate factor Field required [type=missing]',
    'ZodError: [{"code":"invalid_type","expected":"number"}]',
    "TypeError: Cannot read properties of undefined (reading 'factor')",
    'proto: cannot parse invalid wire-format data',
    ...['JsonDecodeError', 'JsonSyntaxException', 'UnrecognizedPropertyException', 'unrecognised token x'],
    ...['expected number, got string', 'expected number but got null', 'expected x received y'],
    ...['System.NullReferenceException: Object reference not set to an instance of an object.'],
    ...['panic: runtime error: invalid memory address or nil pointer dereference'],
    ...["NoMethodError: undefined method `factor' for nil:NilClass", "undefined method 'factor' for nil"],
    ...['PHP Fatal error: Uncaught Error: Call to a member function factor() on null'],
    ...['missing field `note`', 'missing required property', 'required property note'],
  ])('is heard in %s', (words) => {
    expect(MISREAD.test(words)).toBe(true)
  })

  it.each([
    'connection refused',
    'statement timeout',
    'request took 3000 ms',
    'no space left on device',
    'reference not set: order 7',
    'undefined method GET for /rates',
  ])('is not heard in %s', (words) => {
    expect(MISREAD.test(words)).toBe(false)
  })

  it('are those of whom the failing service asks, where it says so', () => {
    expect([...misreadFrom(observed('till'), [said(UNREAD)], names)]).toEqual(['rates', 'mail'])
  })

  it('are those alone whom it names there, of whom it asks', () => {
    const named = (...symptoms: readonly Symptom[]) => [...misreadFrom(observed('till'), symptoms, names)]
    expect(named(said(`http://rates.example/x: ${UNREAD}`))).toEqual(['rates'])
    expect(named(said(UNREAD), said(`http://rates.example/x: ${UNREAD}`))).toEqual(['rates'])
    for (const other of ['web', 'till'])
      expect(named(said(`http://${other}.example/x: ${UNREAD}`))).toEqual(['rates', 'mail'])
    expect(named(said(UNREAD), said('rates.example refused', 'till'))).toEqual(['rates', 'mail'])
  })

  it('are those where it says so in a fifth of what it says', () => {
    const share = (misread: number, other: number) =>
      misreadFrom(
        observed('till'),
        [said(UNREAD, 'till', misread), said('connection refused', 'till', other)],
        names,
      ).size
    expect(share(2, 8)).toBe(2)
    expect(share(1.9, 8.1)).toBe(0)
  })

  it('are nobody’s where it says hardly so, where another does, or where an alert or a metric does', () => {
    for (const symptoms of [
      [],
      [said(UNREAD), said('connection refused', 'till', 9)],
      [said(UNREAD, 'web')],
      [said(UNREAD, 'till', 1, 'alert'), said(UNREAD, 'till', 1, 'metric')],
    ])
      expect(misreadFrom(observed('till'), symptoms, names).size).toBe(0)
    expect(misreadFrom(observed(null), [said(UNREAD)], names).size).toBe(0)
    expect(misreadFrom(observed('mail'), [said(UNREAD, 'mail')], names).size).toBe(0)
  })
})
