/** What an investigation found, in the words that the API, the command line and the store share. */

export const EVIDENCE_SOURCES = [
  'metrics',
  'logs',
  'traces',
  'deploys',
  'commits',
  'flags',
  'alerts',
  'topology',
  'incidents',
  'integrations',
] as const
export const EVIDENCE_TYPES = [
  'error',
  'anomaly',
  'change',
  'correlation',
  'pattern',
  'dependency',
  'absence',
  'statement',
] as const
export const OUTCOMES = ['identified', 'best_effort', 'inconclusive'] as const
export const CAUSE_KINDS = [
  'code',
  'config',
  'flag',
  'infra',
  'dependency',
  'provider',
  'dns',
  'certificate',
  'capacity',
  'traffic',
  'data',
  'node',
  'network',
  'unknown',
] as const
export const REMEDIATION_ACTIONS = [
  'rollback',
  'roll_forward',
  'revert_config',
  'disable_flag',
  'failover',
  'scale',
  'reschedule',
  'rotate',
  'clean_data',
  'escalate',
  'none',
] as const

export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number]
export type EvidenceType = (typeof EVIDENCE_TYPES)[number]
export type Outcome = (typeof OUTCOMES)[number]
export type CauseKind = (typeof CAUSE_KINDS)[number]
export type RemediationAction = (typeof REMEDIATION_ACTIONS)[number]

/** Times leave the engine as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export interface IsoWindow {
  readonly start: string
  readonly end: string
}

export interface Evidence {
  /** Unique within its findings: `ev_1`, `ev_2`, … in the order of the list. */
  readonly id: string
  readonly source: EvidenceSource
  readonly type: EvidenceType
  readonly content: string
  readonly integration_id: string | null
  /** What was asked, word for word, so that a person can ask it again. */
  readonly query: string
  readonly window: IsoWindow | null
  readonly link: string | null
  /** SHA-256 (hex) of what came back. */
  readonly digest: string | null
}

export interface Cause {
  readonly kind: CauseKind
  /** How precisely the cause is named; the confidence holds at this level. */
  readonly level: 'service' | 'change' | 'kind'
  readonly entity: string | null
  /** The tool's own id of the change: a sha, a flag's key. */
  readonly change: string | null
  readonly trigger: string | null
  readonly contributing: readonly string[]
  readonly since: string | null
}

/** Lines of one file's diff, each with its sign, `+` or `-`. */
export interface DiffExcerpt {
  /** Null where the diff does not name it. */
  readonly file: string | null
  readonly lines: readonly string[]
}

export interface Hypothesis {
  readonly cause: Cause
  readonly statement: string
  readonly confidence: number
  /** Ids of evidence for and against. */
  readonly supported_by: readonly string[]
  readonly contradicted_by: readonly string[]
}

export interface RuledOut {
  readonly statement: string
  /** Why, in a sentence whose facts stand in the cited evidence. */
  readonly reason: string
  readonly evidence: readonly string[]
}

export interface FindingGap {
  readonly what: string
  readonly why: string
}

export interface Findings {
  readonly summary: string
  readonly confidence: number
  readonly confidence_basis: string
  readonly outcome: Outcome
  readonly cause: Cause
  /** Lines of the named change's diff that decide, eight at most in all; absent in findings of engines before 1.65. */
  readonly decisive_lines?: readonly DiffExcerpt[]
  readonly state: 'ongoing' | 'worsening' | 'recovering' | 'recovered' | 'unknown'
  readonly onset: { readonly at: string; readonly earliest: string; readonly latest: string } | null
  readonly impact: {
    /** Whose requests these are; absent in findings of engines before 1.64. */
    readonly service?: string | null
    readonly failed: number | null
    readonly total: number | null
    readonly ratio: number | null
    /** Share of the same requests that failed in normal time; absent in findings of engines before 1.65. */
    readonly normal_ratio?: number | null
    readonly window: IsoWindow | null
  }
  readonly first_failing_service: string | null
  readonly blast_radius: readonly string[]
  readonly evidence: readonly Evidence[]
  readonly hypotheses: readonly Hypothesis[]
  readonly ruled_out: readonly RuledOut[]
  readonly gaps: readonly FindingGap[]
  readonly next_check: {
    readonly text: string
    readonly query: string | null
    readonly link: string | null
  } | null
  readonly revert_to: string | null
  readonly remediation: {
    readonly action: RemediationAction
    readonly target: string | null
    readonly why: string
  }
  readonly engine_version: string
}

/** Whether anything is advised: where a cause was found, that nothing has to be done is advice too. */
export const hasAdvice = ({
  remediation,
  hypotheses,
}: Pick<Findings, 'remediation' | 'hypotheses'>): boolean =>
  remediation.action !== 'none' || (hypotheses.length > 0 && remediation.why !== '')

/** A hypothesis that an earlier look held and a later one does not. */
export interface WithdrawnHypothesis {
  readonly cause: Cause
  readonly statement: string
  /** As it was when it was held. */
  readonly confidence: number
  readonly withdrawn_at: string
  readonly why: string
}

/** What the newest look changed of the one before it. */
export interface Revision {
  /** When the look before it was. */
  readonly since: string
  readonly changed: readonly {
    readonly what: 'outcome' | 'confidence' | 'state' | 'cause' | 'affected'
    readonly before: string
    readonly after: string
  }[]
  /** Why: what is said now and was not then, and the other way round. */
  readonly new_evidence: readonly string[]
  readonly lost_evidence: readonly string[]
  readonly withdrawn: readonly WithdrawnHypothesis[]
}

/** Findings as an incident carries them: with the digest of the snapshot they were drawn from. */
export interface RootCause extends Findings {
  readonly snapshot_digest: string
  readonly analysed_at: string
  /** Absent at the first look. */
  readonly revision?: Revision
}
