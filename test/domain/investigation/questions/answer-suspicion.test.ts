import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerInWords } from '#shared/domain/investigation/questions/answer-in-words.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { deploy, ONSET, SCENARIOS } from '../incident-scenarios.ts'

const [TIMEOUT] = SCENARIOS.flatMap(({ name, snapshot }) =>
  name === 'a timeout is cut to a tenth' ? [snapshot] : [],
) as [Snapshot]

/** What is said of a suspicion, without the name that it is said of, and what is cited. */
function suspected(suspect: string, changes: Snapshot['changes'] = []) {
  const snapshot = { ...TIMEOUT, changes: [...TIMEOUT.changes, ...changes] }
  const question = { intent: 'why', suspect, window: null } as const
  const { answer, evidence } = answerInWords(question, null, snapshot, investigate(snapshot))
  const [, said = ''] = answer.split(`You asked about “${suspect}”: `)
  return { said, cited: evidence.map(({ content }) => content) }
}

const found = investigate(TIMEOUT).cause
const cause = TIMEOUT.changes.find(({ id }) => id === found.change) as Snapshot['changes'][number]
const rollout = TIMEOUT.changes.find(({ carries }) => carries?.includes(cause.id)) as typeof cause
const FITS = /^what fits best points there too\. /

describe('a suspicion of a change that is taken for the cause', () => {
  it.each([
    ['its id', cause.id],
    ['the beginning of its digest', `commit ${cause.id.slice(0, 8)}`],
    ['the rollout that brought it', rollout.id],
    ['the version that brought it', `version ${rollout.after}`],
  ])('is told that the evidence points there, by %s, with the record', (_, suspect) => {
    const { said, cited } = suspected(suspect.toLowerCase())
    expect(said).toMatch(FITS)
    expect(cited).toContain(said.replace(FITS, ''))
  })
})

describe('a suspicion of a change that is none of those on record', () => {
  it.each([
    'deploy of warehouse',
    'warehouse-api deploy',
    'change in the warehouse',
    'release for warehouse',
  ])('is not told of the one that fits best: “%s”', (suspect) => {
    expect(suspected(suspect).said).toBe('nothing that was measured points there.')
  })

  it('of whoever made it is told with the record alone: nobody is blamed', () => {
    const { said, cited } = suspected(cause.actor ?? '')
    const record = said.replace(
      /^causes are looked for in systems, not in people\. On record by that name: /,
      '',
    )
    expect(record).not.toBe(said)
    expect(cited).toContain(record)
    expect(suspected(`${cause.actor}'s commit`).said).toMatch(FITS)
  })

  it('is not told of another flag than the one that it names', () => {
    const flag = { ...deploy('old_basket', ONSET - 50, 'catalogue', 'on', []), kind: 'flag' as const }
    expect(suspected('flag new_checkout', [flag]).said).toBe('nothing that was measured points there.')
    for (const suspect of ['feature flag', 'flag old_basket'])
      expect(suspected(suspect, [flag]).said).toMatch(/points there\. Feature flag old_basket of catalogue /)
  })
})

describe('a suspicion of any change', () => {
  it.each(['deploy', 'deploy of last night', 'new release'])(
    'is told of the one that fits best: “%s”',
    (suspect) => {
      expect(suspected(suspect).said).toBe('what fits best points there too.')
    },
  )

  it('is told of no other kind than that of the one that fits best', () => {
    expect(suspected('feature flag').said).toBe('nothing that was measured points there.')
  })

  it('is told of it where its title holds the name', () => {
    expect(suspected('deploy of client').said).toBe('what fits best points there too.')
  })
})

describe('a suspicion of somebody of whose changes one was ruled out', () => {
  it('is told that nothing points there where there are others', () => {
    const late = { ...deploy('d-99', ONSET + 9, 'ledger-service', 'v99', []), actor: 'kim' }
    const early = { ...deploy('d-98', ONSET - 90, 'catalogue', 'v98', []), actor: 'kim' }
    expect(suspected('kim', [late]).said).toMatch(/^ruled out\. /)
    expect(suspected('kim', [late, early]).said).toMatch(/^nothing that was measured points there\. /)
  })
})

describe('a suspicion of a change that was ruled out', () => {
  it('is told why, by its id', () => {
    const late = deploy('d-99', ONSET + 9, 'ledger-service', 'v99', [])
    expect(suspected('d-99', [late]).said).toMatch(
      /^ruled out\. It took effect at .*, after the symptoms began\.$/,
    )
  })
})
