import { describe, expect, it } from 'vitest'
import { atUpgraded } from '#shared/domain/investigation/changes/upgraded-platforms.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, LogLine } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, lines, ONSET } from '../incident-scenarios.ts'
import { rank, scene } from '../ranking-by-hand.ts'

const GONE = 'no matches for kind "Ingress" in version "extensions/v1beta1"'

const upgrade = (more: Partial<Change> = {}): Change => ({
  ...{ source: 'cloud', id: 'op-9', kind: 'infra', title: 'prod-cluster upgraded', before: '1.21' },
  ...{ after: '1.22', recorded_at: at(ONSET - 4), ...more },
})

const arrivedAt = (change: Change, logs: readonly LogLine[]) => {
  const snapshot = { ...EMPTY, changes: [change], logs }
  return atUpgraded(snapshot, entityNames(snapshot))(change, change.recorded_at)
}

const said = lines('ingress', 'ERROR', GONE, ONSET - 2)

describe('the upgrade of a platform', () => {
  it('arrived at the one part that says since then that what it asks for is no longer served', () => {
    expect(arrivedAt(upgrade(), said)).toMatchObject({
      place: { reaches: 'ingress' },
      mechanism: { mechanism: { id: 'record-platform' }, symptom: { text: GONE, entity: 'ingress' } },
    })
    expect(arrivedAt(upgrade({ title: 'UpdateClusterVersion' }), said)).not.toBeNull()
  })

  it('arrived nowhere in particular where nobody says so, several do, or one did before', () => {
    expect(arrivedAt(upgrade(), lines('ingress', 'ERROR', 'no route matches', ONSET))).toBeNull()
    expect(arrivedAt(upgrade(), [...said, ...lines('jobs', 'ERROR', GONE, ONSET)])).toBeNull()
    expect(arrivedAt(upgrade(), lines('ingress', 'ERROR', GONE, ONSET - 5))).toBeNull()
  })

  it('is told by the title of a record: no commit, and no other work', () => {
    expect(arrivedAt(upgrade({ title: 'prod-cluster: one more node' }), said)).toBeNull()
    expect(arrivedAt(upgrade({ kind: 'commit', diff: '-a\n+b' }), said)).toBeNull()
  })

  it('is ranked before what else arrived in those minutes, and says what it did', () => {
    const other = upgrade({ id: 'op-8', title: 'reports: one more node', recorded_at: at(ONSET - 2) })
    const snapshot = scene([upgrade(), other], {
      logs: [...said, ...lines('web', 'ERROR', 'stock-api answered 503', ONSET)],
      edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'ingress', 0.4)],
    })
    expect(rank(snapshot).ranked[0]).toMatchObject({ change: { id: 'op-9' }, reaches: 'ingress' })
    expect(investigate(snapshot).hypotheses[0]?.statement).toContain(
      'serves other versions of its interfaces',
    )
  })
})
