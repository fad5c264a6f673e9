import { conflict, Refusal } from './errors.ts'

/** The versions of a resource that a request speaks of: any there is, or these. */
export type Versions = 'any' | readonly number[]

/** Whether a resource is in one of the versions. */
export const isAmong = (versions: Versions, version: number): boolean =>
  versions === 'any' || versions.includes(version)

/** The resource is in another version than those that the request is meant for. */
export const stale = (): Refusal =>
  new Refusal('precondition_failed', 'The resource has changed since; read it and try again.', {
    field: 'If-Match',
    reason: 'names no present version of the resource',
  })

/**
 * Lets a change on to a resource only in a version that it is meant for.
 * @param expected nothing when the request named none
 * @throws Refusal `precondition_failed`
 */
export function requireVersion(expected: Versions | undefined, version: number): void {
  if (expected !== undefined && !isAmong(expected, version)) throw stale()
}

/** What to say to a request whose change met another one in the very moment. */
export const overtaken = (expected: Versions | undefined, what: string): Refusal =>
  expected === undefined || expected === 'any'
    ? conflict(`Somebody else changed this ${what}; read it and try again.`)
    : stale()
