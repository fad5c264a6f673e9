import { describe, expect, it } from 'vitest'
import { packSnapshot, unpackSnapshot } from '#shared/adapters/bundle/write-bundle.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { replayFindings } from '#shared/domain/investigation/verification/replay-findings.ts'
import { reviseFindings } from '#shared/domain/investigation/verification/revise-findings.ts'
import { SCENARIOS } from '../incident-scenarios.ts'

const AT = '2026-03-02T10:10:00.000Z'
const stored = (findings: object): RootCause =>
  // As a store gives it back: through text.
  JSON.parse(JSON.stringify({ ...findings, snapshot_digest: 'd'.repeat(64), analysed_at: AT }))

describe('an investigation that is replayed', () => {
  it.each(SCENARIOS.map(({ name, snapshot }) => [name, snapshot] as const))(
    'gives the stored findings byte for byte: %s',
    (_name, snapshot) => {
      const { bytes, digest } = packSnapshot(snapshot)
      const kept = unpackSnapshot(bytes, digest)
      const replay = replayFindings(stored(investigate(snapshot)), kept, null)
      expect(replay).toMatchObject({ is_same: true, is_held: false, differences: [] })
    },
  )

  it('names each place that differs, with what was stored and what it is now', () => {
    const [{ snapshot }] = SCENARIOS as unknown as [(typeof SCENARIOS)[number]]
    const findings = investigate(snapshot)
    const altered = { ...findings, confidence: 0.01, engine_version: '0', blast_radius: ['x'], onset: null }
    const replay = replayFindings(stored({ ...altered, gaps: [...findings.gaps, 'y'] }), snapshot, null)
    expect(replay.is_same).toBe(false)
    expect(replay.differences).toContainEqual({
      path: 'confidence',
      stored: 0.01,
      replayed: findings.confidence,
    })
    expect(replay.differences).toContainEqual({ path: 'onset', stored: null, replayed: findings.onset })
    expect(replay.differences).toContainEqual({
      path: `gaps.${findings.gaps.length}`,
      stored: 'y',
      replayed: null,
    })
    expect(replay.differences.map(({ path }) => path)).toContain('blast_radius.0')
  })

  it('knows the confidence of a look that was held down because it brought nothing new', () => {
    const [{ snapshot }] = SCENARIOS as unknown as [(typeof SCENARIOS)[number]]
    const findings = investigate(snapshot)
    const earlier = stored({ ...findings, confidence: 0.2, outcome: 'best_effort' })
    const held = stored(reviseFindings(findings, earlier, AT))
    expect(replayFindings(held, snapshot, null)).toMatchObject({ is_same: true, is_held: true })
    const fresh = stored(reviseFindings(findings, { ...earlier, evidence: [] }, AT))
    expect(replayFindings(fresh, snapshot, null)).toMatchObject({ is_same: true, is_held: false })
  })
})
