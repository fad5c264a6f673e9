/** How long a request is known by its key: a day. */
export const REPEAT_MS = 86_400_000

/** A request that may be sent again. */
export interface Repeatable {
  /** Id of the key or user that sends it. */
  readonly caller: string
  /** What is asked of what: the operation and the ids of its path. */
  readonly route: string
  /** The `Idempotency-Key` that the caller chose. */
  readonly key: string
  /** What the request says: its body as it was read. */
  readonly says: unknown
}

/** What a request came to. */
export interface Done {
  readonly status: number
  /** Id of what it made or concerned. */
  readonly resource: string
  /** When it was done (ms). */
  readonly at: number
  /** What it answered, where there is no resource to read the answer from. */
  readonly result: string | null
}

/** What is known of a request: its outcome, that it is under way, or that its key was used with another body. */
export type Earlier =
  | ({ readonly state: 'done' } & Done)
  | { readonly state: 'under_way' }
  | { readonly state: 'other' }

/** The right to do a request once. The store of what the request makes writes it in the same transaction. */
export interface Claim {
  /** When the request is done (ms). */
  readonly at: number
  /** The write that records the request as done, for stores alone. */
  recording(resource: string): unknown
}

/** Another try of the request has done it meanwhile, or is doing it: nothing was written. */
export class ClaimTaken extends Error {
  constructor() {
    super('the request was done by another try of it')
    this.name = 'ClaimTaken'
  }
}

export interface RepeatStore {
  /** What is known of a request at an instant (ms), or nothing: it is new, or a day old. */
  find(request: Repeatable, now: number): Promise<Earlier | undefined>
  /** The right to do a request that nobody has done; it is decided when it is written. */
  claim(request: Repeatable, status: number, now: number): Claim
  /**
   * Takes the right to do a request before the work, until an instant (ms): for work that is long, or that makes
   * nothing to be written with. What is known of the request, if it cannot be taken.
   */
  begin(
    request: Repeatable,
    status: number,
    now: number,
    until: number,
  ): Promise<{ readonly claim: Claim } | { readonly earlier: Earlier }>
  /**
   * Records as done what made nothing to be written with.
   * @throws ClaimTaken when the right has run out and somebody else took it
   */
  finish(claim: Claim, resource: string, result: string): Promise<void>
  /** Gives back the right to a request that failed. */
  release(claim: Claim): Promise<void>
}
