import type { AnswerOf } from '../api.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

type Incident = AnswerOf<'GET /incidents'>['incidents'][number]
type Verdict = AnswerOf<'POST /incidents/{id}/verify'>['evidence'][number]['status']

const STATUS: Readonly<Record<Incident['status'], Tone>> = {
  open: 'bad',
  investigating: 'warning',
  resolved: 'good',
}
const SEVERITY: Readonly<Record<Incident['severity'], Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warning',
  low: 'calm',
}
const ANALYSIS: Readonly<Record<Incident['analysis'], readonly [Tone, string]>> = {
  pending: ['busy', 'analysis waits'],
  running: ['busy', 'being analysed'],
  done: ['good', 'analysed'],
  failed: ['bad', 'analysis failed'],
}
const VERDICT: Readonly<Record<Verdict, readonly [Tone, string]>> = {
  same: ['good', 'the same'],
  drifted: ['warning', 'holds with other values'],
  contradicted: ['bad', 'contradicted'],
  expired: ['calm', 'data are gone'],
  unreachable: ['warning', 'tool did not answer'],
}

export const IncidentStatus = ({ of }: { readonly of: Incident['status'] }) => (
  <StatusBadge tone={STATUS[of]}>{of}</StatusBadge>
)

export const Severity = ({ of }: { readonly of: Incident['severity'] }) => (
  <StatusBadge tone={SEVERITY[of]}>{of}</StatusBadge>
)

export function AnalysisState({ of }: { readonly of: Incident['analysis'] }) {
  const [tone, text] = ANALYSIS[of]
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}

/** What became of a piece of evidence when it was asked for again. */
export function VerdictBadge({ of }: { readonly of: Verdict }) {
  const [tone, text] = VERDICT[of]
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}
