import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerInWords } from '#shared/domain/investigation/questions/answer-in-words.ts'
import { askedOfCause } from '#shared/domain/investigation/questions/asked-of-cause.ts'
import { readQuestion } from '#shared/domain/investigation/questions/read-question.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const DIFF = '+++ b/stock/page.ts\n@@ page.ts @@\n-  page(items, count)\n+  page(items)'
const CULPRIT: Change = { ...commit('c1', 80, 'Name a size', ['stock/page.ts'], DIFF), actor: 'mona' }
const incident = (changes: readonly Change[]): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('stock', 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  logs: lines('stock', 'ERROR', 'page() takes 2 arguments but 1 was given: count', ONSET),
  changes,
})
const FOUND = incident([CULPRIT, deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])])
const answered = (text: string, snapshot = FOUND) => {
  const question = readQuestion(text, { services: ['stock'], now: at(119), timezone: 'UTC' })
  return { question, ...answerInWords(question, question.service, snapshot, investigate(snapshot)) }
}

describe('the change that is taken for the cause', () => {
  it.each([
    'which commit was it?',
    'which change broke it',
    'and which pr',
    'what release is it',
    'which deploy did this',
  ])('is told with what carried it, asked “%s”', (text) => {
    const { question, answer, evidence } = answered(text)
    expect(question).toMatchObject({ intent: 'what_changed', of_cause: 'which' })
    const [first, second, ...rest] = answer.split('\n')
    expect(first).toMatch(/^The change that is taken for the cause: Commit c1 “Name a size” /)
    expect(second).toMatch(/^It was carried by this one: Deploy d1 /)
    expect(rest).toEqual([])
    expect(evidence.map(({ type }) => type)).toEqual(['change', 'change'])
  })

  it('is told alone where it took effect by itself', () => {
    const alone = incident([
      { ...CULPRIT, entity: 'stock', effective_at: { from: at(ONSET - 2), to: at(ONSET - 2) } },
    ])
    const { answer } = answered('which change was it', alone)
    expect(answer).toMatch(/^The change that is taken for the cause: Commit c1 /)
    expect(answer.split('\n')).toHaveLength(1)
  })

  it.each(['which changes were made', 'which commits are in v2', 'which version ran at 10:00'])(
    'is not what is asked for by “%s”',
    (text) => {
      expect(askedOfCause(text)).toBeNull()
    },
  )

  it.each(['who did that?', 'who made this change', 'and who did it', 'who merged that?'])(
    'is told with who made it, asked “%s”',
    (text) => {
      const { question, answer, evidence } = answered(text)
      expect(question).toMatchObject({ intent: 'what_changed', of_cause: 'author' })
      expect(answer).toMatch(/^The change that is taken for the cause: Commit c1 “Name a size” .*by mona/i)
      expect(answer).not.toContain('d1')
      expect(answer).not.toContain('Its record names nobody.')
      expect(answer.split('\n')).toHaveLength(1)
      expect(evidence.map(({ type, content }) => [type, content.includes('mona')])).toEqual([
        ['change', true],
      ])
    },
  )

  it('says that its record names nobody where it does not', () => {
    const { actor: _actor, ...nameless } = CULPRIT
    const { answer } = answered(
      'who did that?',
      incident([nameless, deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])]),
    )
    expect(answer).toContain('Its record names nobody.')
  })

  it.each(['show me the diff', 'what is the diff?', 'diff', 'can you show the bad commit'])(
    'is told with the lines that decide, each cited, asked “%s”',
    (text) => {
      const { question, answer, evidence } = answered(text)
      expect(question).toMatchObject({ intent: 'what_changed', of_cause: 'diff' })
      expect(answer.split('\n')).toEqual([
        expect.stringMatching(/^The change that is taken for the cause: Commit c1 .*by mona/),
        'The lines of its diff that decide:',
        'stock/page.ts',
        '-  page(items, count)',
        '+  page(items)',
      ])
      expect(evidence.map(({ content }) => content).slice(1)).toEqual(answer.split('\n').slice(2))
      expect(new Set(evidence.map(({ type }) => type))).toEqual(new Set(['change']))
    },
  )

  it('has no line that decides where its record holds no diff, and says so', () => {
    const bare: Change = { ...CULPRIT, diff: null }
    const snapshot = incident([bare, deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])])
    const findings = investigate(snapshot)
    expect(findings.cause.change).toBe('c1')
    const { answer, evidence } = answered('show me the diff', snapshot)
    expect(answer.split('\n')).toEqual([
      expect.stringMatching(/^The change that is taken for the cause: Commit c1 /),
      'No line of it is known that decides.',
    ])
    expect(evidence).toHaveLength(1)
  })

  it('is not made up where none is: then all that changed is listed', () => {
    const calm = { ...FOUND, series: [], logs: [], alerts: [] }
    expect(answered('who did that?', calm).answer).toMatch(/^2 changes are recorded/)
  })

  it.each([
    'who changed stock',
    'who deployed last',
    'what changed',
    'show me the commits since 9',
    'what changed in that commit of today',
  ])('is not what is asked for by “%s”', (text) => {
    expect(askedOfCause(text)).toBeNull()
  })
})

describe('changes of a thing', () => {
  const dns: Change = commit(
    'c2',
    70,
    'Shorten the life of names',
    ['infra/dns/zone.tf'],
    '-ttl = 300\n+ttl = 30',
  )
  it('are those whose record names it', () => {
    const { answer } = answered('did someone change the dns?', { ...FOUND, changes: [...FOUND.changes, dns] })
    expect(answer).toMatch(/^1 change whose record names “dns” is recorded/)
    expect(answer).toContain('Shorten the life of names')
    expect(answer).not.toContain('Name a size')
  })

  it('are none where none names it, before all that changed', () => {
    const { answer } = answered('did someone change the dns?')
    expect(answer).toMatch(/^No changes whose record names “dns” are recorded/)
    expect(answer).toContain('2 changes in all are recorded')
  })

  it('are named by one as by many, and by no part of another word', () => {
    const named = (title: string, asked: string) =>
      answered(`did anybody change the ${asked}?`, {
        ...FOUND,
        changes: [{ ...CULPRIT, title, diff: '', files: [] }],
      }).answer
    expect(named('Renew a certificate', 'certificates')).toMatch(/^1 change whose/)
    expect(named('Move the proxy', 'proxies')).toMatch(/^1 change whose/)
    expect(named('Describe it', 'cert')).toMatch(/^No changes whose/)
    expect(named('An overindexed list', 'index')).toMatch(/^No changes whose/)
  })
})
