import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import {
  type AskedChanges,
  answerChanges,
  changeMeant,
} from '#shared/domain/investigation/questions/answer-changes.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const WINDOW = { from: at(30), to: at(60) }
const told = (
  changes: readonly Change[],
  service: string | null = null,
  more: Partial<Snapshot> = {},
  asked: AskedChanges = {},
) => {
  const snapshot: Snapshot = {
    ...EMPTY,
    changes,
    entities: ['web', 'stock', 'other'].map((name) => ({ name, kind: 'service', aliases: [] })),
    edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
    ...more,
  }
  return answerChanges(answerGround(snapshot, investigate(snapshot), service), WINDOW, asked)
}
const SPAN = 'recorded from 2026-03-02 08:30:00 UTC to 2026-03-02 09:00:00 UTC.'
/** Which changes are listed, in the order in which they are. */
const listed = (answer: string): readonly string[] =>
  answer.split('\n').flatMap((line) => /^- \w[\w ]*? (\S+)(?: of| “| was)/.exec(line)?.[1] ?? [])

describe('what changed of one kind or by one person', () => {
  const changes: readonly Change[] = [
    { ...deploy('d1', 40, 'stock', 'v', []), actor: 'ci' },
    { ...commit('c1', 41, 'one', [], null), actor: 'Dana', entity: 'stock' },
    { ...commit('c2', 42, 'two', [], null), actor: 'Dana', entity: 'web' },
    { ...deploy('f1', 43, 'web', 'on', []), kind: 'flag', actor: 'kim' },
  ]

  it('is of the kind that is asked for, of whom the question names too, and said to be none where none is', () => {
    const of = (...words: string[]) => told(changes, null, {}, { words }).answer
    expect(listed(of('flag', 'changes'))).toEqual(['f1'])
    expect(of('config', 'changes')).toMatch(
      /^No changes of that kind are recorded from .*\n4 changes are recorded /,
    )
    const both = [...changes, { ...deploy('d2', 44, 'stock', 'w', []), actor: 'Dana' }]
    expect(listed(told(both, null, {}, { words: ['commits', 'dana'] }).answer)).toEqual(['c2', 'c1'])
  })

  it('is that of whom the question names, of the service that it names', () => {
    expect(listed(told(changes, null, {}, { words: ['changes', 'dana'] }).answer)).toEqual(['c2', 'c1'])
    const { answer } = told(changes, 'stock', {}, { words: ['changes', 'dana'] })
    expect(answer).toContain('1 change of stock by Dana is recorded')
    expect(listed(answer)).toEqual(['c1'])
  })

  it('is whatever changed where a service has the name of a person', () => {
    const named = changes.map((change) => ({ ...change, actor: 'web' }))
    expect(listed(told(named, null, {}, { words: ['changes', 'web'] }).answer)).toHaveLength(4)
  })

  it('is that of the kind that alone is asked for, and everything where there is none of it', () => {
    const of = (...words: string[]) => listed(told(changes, null, {}, { words }).answer)
    expect(of('flags')).toEqual(['f1'])
    expect(of('commits', 'prod')).toEqual(['c2', 'c1'])
    expect(of('released')).toEqual(['d1'])
    expect(of('flags', 'commits')).toHaveLength(4)
    expect(of('changed', 'flags')).toHaveLength(4)
    expect(of('config')).toHaveLength(4)
  })
})

describe('what changed', () => {
  it('is not known where no tool gives changes', () => {
    expect(told([])).toMatchObject({ confidence: 0, outcome: 'inconclusive', evidence: [] })
  })

  it('is what took effect in that time, its beginning included and its end not, newest first', () => {
    const changes = [29, 30, 45, 59, 60].map((minute) => deploy(`d${minute}`, minute, 'stock', 'v', []))
    const { answer, evidence, confidence } = told(changes)
    expect(answer.split('\n')[0]).toBe(`3 changes are ${SPAN}`)
    expect(listed(answer)).toEqual(['d59', 'd45', 'd30'])
    expect(evidence.map(({ type }) => type)).toEqual(['statement', 'change', 'change', 'change'])
    expect(confidence).toBe(0.95)
  })

  it('goes by when it took effect, and by its record where nothing says when; by id where both are the same', () => {
    const late = { ...deploy('late', 10, 'stock', 'v', []), effective_at: { from: at(40), to: at(41) } }
    const { answer } = told([commit('b', 40, 'x', [], null), commit('a', 40, 'x', [], null), late])
    expect(listed(answer)).toEqual(['a', 'b', 'late'])
    expect(answer).toMatch(
      /- Deploy late of stock was recorded at 2026-03-02 08:10:00 UTC; it took effect at 2026-03-02 08:40:00 UTC\.$/,
    )
    expect(told([deploy('d', 40, 'stock', 'v', [])]).answer).not.toContain('took effect')
  })

  it('counts one as one, and says that there was none', () => {
    expect(told([deploy('d', 40, 'stock', 'v', [])]).answer.split('\n')[0]).toBe(`1 change is ${SPAN}`)
    const none = told([deploy('d', 10, 'stock', 'v', [])])
    expect(none.answer).toBe(`No changes are ${SPAN}`)
    expect(none.evidence.map(({ type, source }) => [type, source])).toEqual([['absence', 'deploys']])
  })

  it('leaves out the changes of a service that is left out, those that its rollout carried included', () => {
    const changes = [
      deploy('d1', 40, 'stock', 'v2', ['c1']),
      commit('c1', 35, 'x', [], null),
      deploy('d2', 41, 'web', 'v8', []),
    ]
    const { answer } = told(changes, null, {}, { except: 'stock' })
    expect(answer.split('\n')[0]).toBe(`1 change of services other than stock is ${SPAN}`)
    expect(listed(answer)).toEqual(['d2'])
  })

  it('leaves out the kind of changes that the question leaves out', () => {
    const kinds = ['deploy', 'release', 'commit', 'pull_request', 'flag', 'config'] as const
    const changes = kinds.map((kind, index) => ({ ...deploy(kind, 40 + index, 'stock', 'v', []), kind }))
    const left = (words: readonly string[]) => listed(told(changes, null, {}, { words }).answer).toReversed()
    expect(left(['changed', 'except', 'deploys'])).toEqual(['commit', 'pull_request', 'flag', 'config'])
    expect(left(['changed', 'besides', 'commits'])).toEqual(['deploy', 'release', 'flag', 'config'])
    expect(left(['changed', 'other', 'than', 'flags'])).not.toContain('flag')
    expect(left(['changed', 'excluding', 'config'])).not.toContain('config')
    expect(left(['deploys', 'changed'])).toHaveLength(6)
    expect(left(['changed', 'except'])).toHaveLength(6)
    expect(told(changes, null, {}, { words: ['except', 'deploys'] }).answer).toMatch(
      /^4 changes other than deploys are recorded/,
    )
  })

  it('is the change whose id or version the question names, of the service that it names', () => {
    const changes = [
      deploy('d1', 40, 'stock', 'V2', []),
      deploy('d2', 41, 'web', 'v2', []),
      commit('5d0c7ae1f2b9', 42, 'x', [], null),
    ]
    expect(listed(told(changes, null, {}, { words: ['rolled', 'v2'] }).answer)).toEqual(['d2', 'd1'])
    expect(listed(told(changes, 'stock', {}, { words: ['v2'] }).answer)).toEqual(['d1'])
    expect(told(changes, null, {}, { words: ['5d0c7ae1'] }).answer).toMatch(/^1 change by that name is/)
    expect(told(changes, null, {}, { words: ['v3'] }).answer).toMatch(/^3 changes are/)
    // A number behind a name is cut from none.
    const numbered = ['deploy-42', 'deploy-4'].map((one, index) => deploy(one, 40 + index, 'stock', 'v', []))
    expect(listed(told(numbered, null, {}, { words: ['deploy-4'] }).answer)).toEqual(['deploy-4'])
    expect(told(changes, null, {}, { words: ['v2'], isLast: true }).answer).toMatch(/^3 changes are/)
  })

  it('lists ten, and says that there are more', () => {
    const some = (count: number) =>
      told(Array.from({ length: count }, (_, index) => deploy(`d${index}`, 40, 'stock', 'v', []))).answer
    expect(listed(some(10))).toHaveLength(10)
    expect(some(10)).not.toContain('The earlier ones')
    expect(listed(some(11))).toHaveLength(10)
    expect(some(11)).toMatch(/\nThe earlier ones are not listed here\.$/)
  })

  it('cites each as what it is', () => {
    const source = (kind: Change['kind']) =>
      told([{ ...deploy('d', 40, 'stock', 'v', []), kind }]).evidence[1]?.source
    for (const kind of ['commit', 'pull_request'] as const) expect(source(kind)).toBe('commits')
    for (const kind of ['deploy', 'release', 'config', 'infra', 'migration', 'scale', 'other'] as const)
      expect(source(kind)).toBe('deploys')
    expect(source('flag')).toBe('flags')
  })
})

describe('what changed of a service', () => {
  it('are the changes that name it, touch its files, or that its rollouts carried', () => {
    const changes = [
      deploy('d1', 50, 'stock', 'v', ['carried']),
      commit('carried', 45, 'x', ['lib/a.ts'], null),
      commit('files', 44, 'x', ['services/stock/a.ts'], null),
      deploy('d2', 43, 'web', 'v', []),
      commit('neither', 42, 'x', ['lib/a.ts'], null),
    ]
    const { answer } = told(changes, 'stock')
    expect(answer.split('\n')[0]).toBe(`3 changes of stock are ${SPAN}`)
    expect(listed(answer)).toEqual(['d1', 'carried', 'files'])
  })

  it('goes by any name of it', () => {
    const entities = [
      { name: 'stock', kind: 'service' as const, aliases: [{ alias: 'stock-prod', learnt_from: 'k8s' }] },
    ]
    expect(listed(told([deploy('d1', 50, 'stock-prod', 'v', [])], 'stock', { entities }).answer)).toEqual([
      'd1',
    ])
  })

  it('are those of what it calls where it has none of its own', () => {
    const { answer } = told([deploy('d1', 50, 'stock', 'v', []), deploy('d2', 50, 'other', 'v', [])], 'web')
    expect(answer.split('\n').filter((line) => !line.startsWith('-'))).toEqual([
      `No changes of web are ${SPAN}`,
      `1 change of what web calls is ${SPAN}`,
    ])
    expect(listed(answer)).toEqual(['d1'])
  })

  it('are those of the others where nothing that it calls changed either', () => {
    const { answer } = told([deploy('d2', 50, 'other', 'v', []), deploy('d3', 10, 'stock', 'v', [])], 'web')
    expect(answer).toContain(`1 change of other services is ${SPAN}`)
    expect(listed(answer)).toEqual(['d2'])
  })

  it('is none where nothing changed in that time', () => {
    expect(told([deploy('d3', 10, 'stock', 'v', [])], 'web').answer).toBe(`No changes of web are ${SPAN}`)
  })
})

describe('the change that is meant where none is named', () => {
  const meant = (changes: readonly Change[], service: string | null = null, more: Partial<Snapshot> = {}) => {
    const snapshot: Snapshot = { ...EMPTY, changes, ...more }
    const findings = investigate(snapshot)
    const cause = { ...findings.cause, change: null, trigger: null }
    return changeMeant(answerGround(snapshot, { ...findings, cause }, service))?.id ?? null
  }
  const fails = { series: [series('stock', 'http_5xx_ratio', 0.004, 0.41)] }
  const early = deploy('early', ONSET - 40, 'stock', 'v1', [])
  const last = deploy('last', ONSET - 10, 'stock', 'v2', [])
  const late = deploy('late', ONSET + 10, 'stock', 'v3', [])

  it('is the last before the symptoms began, in whatever order they are recorded', () => {
    for (const changes of [
      [early, last, late],
      [late, last, early],
    ])
      expect(meant(changes, null, fails)).toBe('last')
    expect(meant([late], null, fails)).toBeNull()
  })

  it('is the last of all where nothing fails', () => {
    expect(meant([late, early])).toBe('late')
  })

  it('is one of the service that is asked about, where it has any', () => {
    const other = deploy('other', ONSET - 5, 'web', 'v9', [])
    expect(meant([other, last], 'stock', fails)).toBe('last')
    expect(meant([other, last], null, fails)).toBe('other')
    expect(meant([other], 'stock', fails)).toBe('other')
  })
})
