/** What a record of a change says of itself: which tools tell of its kind, and since when it is in effect. */
import { areCredentials } from '../credentials.ts'
import type { EvidenceSource } from '../findings.ts'
import type { Change } from './snapshot.ts'

/** Which records tell of changes of a kind. */
export const CHANGE_SOURCE: Readonly<Record<Change['kind'], EvidenceSource>> = {
  commit: 'commits',
  pull_request: 'commits',
  deploy: 'deploys',
  release: 'deploys',
  flag: 'flags',
  config: 'deploys',
  infra: 'deploys',
  migration: 'deploys',
  scale: 'deploys',
  other: 'deploys',
}

/** Letters of the shortest digest that names a commit for all; a shorter id may be one of several repositories. */
const SHORTEST_DIGEST = 12
const DIGEST = new RegExp(`^[a-f\\d]{${SHORTEST_DIGEST},64}$`, 'i')

/**
 * What makes two records records of one change, where they are not of two services. A commit is named by a digest of its content; of
 * a flag that goes on and off, each time is one.
 */
export const identityOf = ({
  kind,
  id,
  after,
  recorded_at,
}: Pick<Change, 'kind' | 'id' | 'after' | 'recorded_at'>): string =>
  kind === 'commit' && DIGEST.test(id)
    ? JSON.stringify([kind, id.toLowerCase()])
    : JSON.stringify([kind, id, after ?? null, recorded_at])

/** When it took effect by its own record, or was recorded where that does not say (ms since the epoch). */
export const effectOf = ({ effective_at, recorded_at }: Change): number => effective_at?.from ?? recorded_at

/**
 * Whether its record tells that it took effect: by a time, or by being more than a guess. Of a deployment that failed, or of which nobody
 * knows the end, neither holds.
 */
export const isKnownDone = ({ effective_at, certainty }: Change): boolean =>
  effective_at !== undefined || certainty !== 'guessed'

/** Changes whose values are settings; those of the others are versions, images and counts of instances. */
const OF_SETTINGS: ReadonlySet<Change['kind']> = new Set(['flag', 'config', 'infra', 'other'])

/** Whether a change by its own record set a credential, so that its values are not told. */
export const isOfCredential = ({ kind, id, title = '', before = '', after = '' }: Change): boolean =>
  OF_SETTINGS.has(kind) && [id, title].some((words) => areCredentials(words, [before, after]))
