import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Findings } from '#shared/domain/investigation/findings.ts'

/** What a case says is right. Only the scoring reads this, after every finding has been written down. */
export interface Truth {
  /** A commit's sha, or `none` where no change caused it. */
  readonly root_cause_commit: string
  readonly first_failing_service: string
  readonly decoy_deploy_commits: readonly string[]
}

/** Names of the files of a case that hold its truth or describe it. */
export const TRUTH_FILES = ['ground_truth.json', 'meta.json'] as const

export const readTruth = async (folder: string): Promise<Truth> =>
  JSON.parse(await readFile(join(folder, 'ground_truth.json'), 'utf8')) as Truth

/** How findings become the benchmark's label, in the words that the bench prints. */
export const LABEL_RULES = [
  'outcome inconclusive                                → none',
  'cause names a commit of the case                    → that commit',
  'cause names a deploy that carries exactly one commit → that commit',
  'any other cause                                     → none',
] as const

/** The benchmark's label for findings: a commit's sha or `none`. */
export function labelOf(
  findings: Pick<Findings, 'outcome' | 'cause'>,
  changes: readonly { readonly id: string; readonly kind: string; readonly carries?: readonly string[] }[],
): string {
  const named = changes.find((change) => change.id === findings.cause.change)
  if (findings.outcome === 'inconclusive' || named === undefined) return 'none'
  if (named.kind === 'commit') return named.id
  const [only, ...more] = named.kind === 'deploy' ? (named.carries ?? []) : []
  return only !== undefined && more.length === 0 ? only : 'none'
}
