import type { CauseKind } from '#shared/domain/investigation/findings.ts'
import type { Fault } from './shop/shop.ts'

/** One outage that is played, with what is known to be true of it. */
export interface Outage {
  readonly name: 'bad-version' | 'slow-dependency' | 'full-disk' | 'expired-certificate'
  readonly title: string
  /** What breaks the shop; null for a certificate, whose time simply comes. */
  readonly fault: Fault | null
  readonly truth: {
    /** Names of where it began: of what lies outside, also the service that calls it. */
    readonly places: readonly string[]
    /** Kinds of cause that name it rightly. */
    readonly kinds: readonly CauseKind[]
    /** The service whose rollout did it; null where no change did. */
    readonly changed: string | null
  }
}

export const OUTAGES: readonly Outage[] = [
  {
    name: 'bad-version',
    title: 'A version of payments that cannot read amounts of a thousand and more',
    fault: 'bad-version',
    truth: { places: ['payments'], kinds: ['code'], changed: 'payments' },
  },
  {
    name: 'slow-dependency',
    title: 'The provider of card payments behind payments answers late',
    fault: 'slow-dependency',
    truth: { places: ['cards.example.com', 'payments'], kinds: ['dependency', 'provider'], changed: null },
  },
  {
    name: 'full-disk',
    title: 'Debug lines that nobody rotates fill the volume of checkout',
    fault: 'full-disk',
    truth: { places: ['checkout'], kinds: ['capacity'], changed: null },
  },
  {
    name: 'expired-certificate',
    title: 'The certificate of payments ends',
    fault: null,
    truth: { places: ['payments'], kinds: ['certificate'], changed: null },
  },
]
