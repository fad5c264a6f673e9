/** What DynamoDB bills for one activity: units of reading and writing, and the bytes that stay, indexes included. */
export interface StoreUnits {
  readonly writes: number
  readonly reads: number
  readonly stored_bytes: number
}

/**
 * Measured: a test does each activity with the service's own functions over a real store, reads every written item
 * before and after, and compares what DynamoDB would bill for them with this table.
 */
export const STORE_UNITS = {
  'an incident is read': { writes: 1, reads: 4, stored_bytes: 0 },
  'a question is answered': { writes: 12, reads: 4.5, stored_bytes: 11_094 },
  'an incident is opened': { writes: 13, reads: 0, stored_bytes: 4_206 },
  'an incident is looked at': { writes: 64, reads: 5, stored_bytes: 27_669 },
  'an incident is resolved': { writes: 46, reads: 1, stored_bytes: 4_177 },
  'an event is fanned out': { writes: 2, reads: 2, stored_bytes: -203 },
  'an event is delivered': { writes: 11, reads: 3, stored_bytes: 928 },
  'sweep-investigations finds nothing': { writes: 0, reads: 1, stored_bytes: 0 },
  'sweep-deliveries finds nothing': { writes: 0, reads: 3, stored_bytes: 0 },
  'check-integrations finds nothing': { writes: 0, reads: 1, stored_bytes: 0 },
} as const satisfies Readonly<Record<string, StoreUnits>>

/** Something the service does. */
export type Activity = keyof typeof STORE_UNITS
