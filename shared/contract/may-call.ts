import type { CallerType } from '../domain/user.ts'
import type { Operation } from './operations.ts'

/**
 * Whether a kind of caller may call an operation; deny unless the table says so. A signed-in admin may what an Admin key
 * may and besides manage keys; a signed-in viewer may read and ask.
 */
export function mayCall(
  { access, method, people, viewers }: Pick<Operation, 'access' | 'method' | 'people' | 'viewers'>,
  type: CallerType | null,
): boolean {
  if (access === 'anyone') return true
  switch (type) {
    case null:
      return false
    case 'user_admin':
      return people === true || access.includes('admin')
    case 'user_viewer':
      return people !== true && (method === 'GET' || viewers === true)
    default:
      return access.includes(type)
  }
}

const CALLERS: readonly (readonly [CallerType, string])[] = [
  ['admin', 'an Admin key'],
  ['assistant', 'an Assistant key'],
  ['user_admin', 'a signed-in user of the group admin'],
  ['user_viewer', 'a signed-in user of the group viewer'],
]

/** Who may call an operation, in words: `an Admin key or a signed-in user of the group admin`. */
export function whoMayCall(operation: Parameters<typeof mayCall>[0]): string {
  const those = CALLERS.flatMap(([type, words]) => (mayCall(operation, type) ? [words] : []))
  const last = those.pop() ?? 'nobody'
  return those.length === 0 ? last : `${those.join(', ')} or ${last}`
}
