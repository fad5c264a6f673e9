import type { KeyType } from './api-key.ts'

/** Groups of signed-in users, the one that may do more first. */
export const USER_GROUPS = ['admin', 'viewer'] as const
export type UserGroup = (typeof USER_GROUPS)[number]

/** Kinds of callers that permission is decided by: types of keys, and groups of signed-in users. */
export type CallerType = KeyType | `user_${UserGroup}`

/** A signed-in user as a verified access token tells of one. */
export interface SignedInUser {
  /** `user_` and the subject that the sign-in service knows the user by. */
  readonly id: string
  /** The name that the user signed in by. */
  readonly name: string
  /** The group that decides what the user may do; null for a user of none, who may nothing. */
  readonly group: UserGroup | null
  /** When the token was issued (ms, whole seconds). */
  readonly issued_at: number
}

/** A user as operators see one. */
export interface KnownUser {
  readonly id: string
  readonly name: string
  readonly last_used_at: string | null
  /** Since when the user is refused, or null. */
  readonly disabled_at: string | null
}

/** The group of a user whose token names some: the one that may do most. */
export const groupAmong = (names: readonly unknown[]): UserGroup | null =>
  USER_GROUPS.find((group) => names.includes(group)) ?? null

/** The kind of caller that a user is. */
export const callerTypeOf = ({ group }: Pick<SignedInUser, 'group'>): CallerType | null =>
  group === null ? null : `user_${group}`
