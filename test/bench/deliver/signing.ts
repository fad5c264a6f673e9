import { createHmac, createSecretKey, hash } from 'node:crypto'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { signedContent } from '#shared/domain/signature.ts'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded, single } from './figures.ts'
import { EVENT, numbered, secretOf } from './stubbed-acts.ts'

/**
 * Signatures of one round: about a millisecond of work, by a clock that counts nanoseconds. The processor's own time comes
 * in ticks of 4 ms, which is coarser than what is measured here; and a longer round is more often interrupted.
 */
const ROUND = 500
/** Rounds of each way for each that is asked for. */
const ROUNDS = 20
/** An event of 1 KB. */
const CONTENT = signedContent(EVENT, 1_769_860_800, 'x'.repeat(1_024))
const SECRET = secretOf(numbered('wh', 0))

const sign = hmacSign()
const bytes = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
const key = createSecretKey(bytes)

/** Ours, Node's own HMAC with its key kept and with less kept, and the least that any signature costs: one hash over as many bytes. */
const WAYS = {
  signing_1_kb_us: () => sign(SECRET, CONTENT),
  signing_by_node_us: () => createHmac('sha256', key).update(CONTENT).digest('base64'),
  signing_with_kept_bytes_us: () => createHmac('sha256', bytes).update(CONTENT).digest('base64'),
  signing_with_nothing_kept_us: () =>
    createHmac('sha256', createSecretKey(Buffer.from(SECRET.slice('whsec_'.length), 'base64')))
      .update(CONTENT)
      .digest('base64'),
  one_hash_of_1_kb_us: () => hash('sha256', CONTENT, 'base64'),
}

/** Signing 1 KB, beside other ways to do it, in alternating rounds. */
export function signing(rounds: number): Figures {
  const taken = new Map(Object.keys(WAYS).map((name) => [name, [] as number[]]))
  for (let round = -ROUNDS; round < rounds * ROUNDS; round += 1)
    for (const [name, way] of Object.entries(WAYS)) {
      const before = performance.now()
      for (let made = 0; made < ROUND; made += 1) way()
      const microseconds = (performance.now() - before) * 1_000
      // The first rounds only warm up.
      if (round >= 0) taken.get(name)?.push(microseconds / ROUND)
    }
  const figures = [...taken].map(([name, values]) => [name, rounded(spreadOf(values))] as const)
  const [ours = [], bare = []] = [taken.get('signing_1_kb_us'), taken.get('one_hash_of_1_kb_us')]
  const ratios = ours.map((value, round) => value / (bare[round] ?? Number.NaN))
  const least = Math.min(...ours)
  return {
    ...Object.fromEntries(figures),
    signing_to_one_hash: rounded(spreadOf(ratios)),
    signing_1_kb_least_us: single(least, '≤ 2'),
  }
}
