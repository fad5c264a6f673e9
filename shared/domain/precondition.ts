/** The versions of a resource that a request speaks of: any there is, or these. */
export type Versions = 'any' | readonly number[]

/** Whether a resource is in one of the versions. */
export const isAmong = (versions: Versions, version: number): boolean =>
  versions === 'any' || versions.includes(version)
