import { Misuse } from './misuse.ts'

/** Options of a command that works on a deployed stack or on a local service. */
export const PLACE_OPTIONS = { stack: { type: 'string' }, data: { type: 'string' } } as const

/** Where a command works: on the stack if one is named, else on the folder. */
export interface Place {
  readonly stack?: string | undefined
  readonly data: string
}

/**
 * The one place that was named: who names two would not know which of them was changed.
 * @throws Misuse when both are named
 */
export function placeOf({ stack, data }: { stack?: string | undefined; data?: string | undefined }): Place {
  if (stack !== undefined && data !== undefined) throw new Misuse('give --stack or --data, not both')
  return { stack, data: data ?? '.local' }
}
