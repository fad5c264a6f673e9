import * as z from 'zod/mini'
import { VERDICTS } from '../domain/investigation/verification/claims.ts'
import { idOut, instantOut } from './fields.ts'

const count = () => z.int().check(z.minimum(0))

const verifiedEvidence = z
  .strictObject({
    id: z.string(),
    status: z.enum(VERDICTS),
    was: z.string(),
    now: z.nullable(z.string()),
    why: z.string(),
  })
  .register(z.globalRegistry, { id: 'VerifiedEvidence' })

const counts = z
  .strictObject({
    same: count(),
    drifted: count(),
    contradicted: count(),
    expired: count(),
    unreachable: count(),
  })
  .register(z.globalRegistry, { id: 'VerdictCounts' })

const verified = { verified_at: instantOut(), counts, evidence: z.array(verifiedEvidence) }

/** What became of the evidence of an answer. */
export const queryVerification = z
  .strictObject({ id: idOut('query'), ...verified })
  .register(z.globalRegistry, { id: 'QueryVerification' })

/** What became of the evidence of a root cause. */
export const incidentVerification = z
  .strictObject({ id: idOut('inc'), ...verified })
  .register(z.globalRegistry, { id: 'IncidentVerification' })
