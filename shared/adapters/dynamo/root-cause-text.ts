/**
 * A root cause as text that is stored. What a piece of evidence has not (`null`) is not written: of most pieces that is
 * their window and their link, some 26 bytes each of two dozen pieces, and whoever reads an incident pays for all of them.
 */
import type { Evidence, RootCause } from '../../domain/investigation/findings.ts'

const withoutNulls = (evidence: Evidence): Partial<Evidence> =>
  Object.fromEntries(Object.entries(evidence).filter(([, value]) => value !== null))

/** The text that {@link readRootCauseText} reads back as it was. */
export const rootCauseText = (rootCause: RootCause): string =>
  JSON.stringify({ ...rootCause, evidence: rootCause.evidence.map(withoutNulls) })

/** Reads the text, also one with every `null` written out, as older versions wrote it. */
export function readRootCauseText(text: string): RootCause {
  const stored = JSON.parse(text) as RootCause
  return {
    ...stored,
    // In the order of the contract, whatever is missing.
    evidence: stored.evidence.map(
      ({ id, source, type, content, integration_id, query, window, link, digest }: Partial<Evidence>) =>
        ({
          ...{ id, source, type, content },
          integration_id: integration_id ?? null,
          query,
          window: window ?? null,
          link: link ?? null,
          digest: digest ?? null,
        }) as Evidence,
    ),
  }
}
