import { describe, expect, it } from 'vitest'
import type { Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { BrokenSequence } from '#shared/domain/investigation/deviations/log-sequences.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { VersionContrast } from '#shared/domain/investigation/deviations/version-contrast.ts'
import {
  brokenSentence,
  capital,
  changeName,
  changeSentence,
  contrastSentence,
  echoSentence,
  failingSpan,
  flowSentence,
  gapSentence,
  likelihoodWord,
  madeSentence,
  mechanismSentence,
  numberText,
  patternSentence,
  quotedSentence,
  quoteText,
  rolloutSentence,
  runSentence,
  shiftSentence,
  shortId,
  signSentence,
  spentSentence,
  templateSentence,
  timeText,
  titleText,
  unmeasuredSentence,
  vanishedSentence,
} from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { EdgeGap } from '#shared/domain/investigation/place/edge-gaps.ts'
import type { NodeFlow } from '#shared/domain/investigation/place/node-flow.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Change, LogPattern } from '#shared/domain/investigation/records/snapshot.ts'

const AT = Date.parse('2026-06-23T09:42:00.789Z')
const WRITTEN = '2026-06-23 09:42:00 UTC'
const SHA = '0123456789abcdef0123456789abcdef01234567'

/** What a sentence reads of a record; the rest of it is somebody else's. */
type PartOf<Whole> = {
  readonly [Key in keyof Whole]?: Whole[Key] extends object | null | undefined ? unknown : Whole[Key]
}
const change = (given: Partial<Change> = {}): Change => ({
  id: SHA,
  kind: 'commit',
  recorded_at: AT,
  source: 's1',
  ...given,
})
const shift = (given: PartOf<SeriesShift> = {}): SeriesShift =>
  ({
    series: { name: 'error_ratio', entity: 'till', labels: {} },
    direction: 'up',
    before: 0.012_345,
    during: 0.5,
    extreme: 0.75,
    latest: 0.6,
    onset: { at: AT },
    ended_at: null,
    ...given,
  }) as unknown as SeriesShift
const ranked = (given: PartOf<RankedChange>): RankedChange =>
  ({ change: change(), mechanism: null, echo: null, quoted: null, ...given }) as unknown as RankedChange
const calls: Flow = {
  entity: 'till',
  excess_failed: 9,
  own_failed: 7.6,
  given_up: 0,
  excess_wait_ms: 0,
  own_wait_ms: 0,
  calls: 120,
  failed: 9,
  source: 's1',
}

describe('a number', () => {
  it.each([
    [0, '0'],
    [-0.000_123_456, '-0.000123'],
    [12.345, '12.3'],
    [999.4, '999'],
    [999.6, '1000'],
    [1_000, '1000'],
    [-1_234.5, '-1234'],
    [1_234_567.8, '1234568'],
    [Number.NaN, 'unknown'],
    [Number.POSITIVE_INFINITY, 'unknown'],
  ])('%d is written %s: three digits below a thousand, whole from there on', (value, text) => {
    expect(numberText(value)).toBe(text)
  })
})

describe('a time, an id, a word', () => {
  it('is written to the second, in UTC', () => {
    expect(timeText(AT)).toBe(WRITTEN)
  })

  it('is cut to eight where the id is a hash, and whole where it is anything else', () => {
    expect(shortId(SHA)).toBe('01234567')
    expect(shortId(SHA.toUpperCase())).toBe('01234567')
    expect(shortId(SHA.slice(0, 20))).toBe('01234567')
    expect(shortId(SHA.slice(0, 19))).toBe(SHA.slice(0, 19))
    expect(shortId(`x${SHA}`)).toBe(`x${SHA}`)
    expect(shortId(`${SHA}x`)).toBe(`${SHA}x`)
  })

  it('begins with a capital, and nothing stays nothing', () => {
    expect([capital('deploy of till'), capital('')]).toEqual(['Deploy of till', ''])
  })

  it.each([
    [0.6, 'likely'],
    [0.599, 'possible'],
    [0.001, 'possible'],
    [0, 'unknown'],
  ])('calls a confidence of %d %s', (confidence, word) => {
    expect(likelihoodWord(confidence)).toBe(word)
  })
})

describe('a quotation', () => {
  it('stands on one line, without what surrounds it', () => {
    expect(quoteText('  no\n  such\t host ')).toBe('“no such host”')
  })

  it('is whole at 160 characters, and cut with a mark beyond', () => {
    expect(quoteText('x'.repeat(160))).toBe(`“${'x'.repeat(160)}”`)
    expect(quoteText('x'.repeat(161))).toBe(`“${'x'.repeat(159)}…”`)
    expect(quoteText(`${'x'.repeat(158)}😀😀`)).toBe(`“${'x'.repeat(158)}…”`)
  })
})

describe('a change', () => {
  it.each([
    ['commit', 'commit'],
    ['pull_request', 'pull request'],
    ['deploy', 'deploy'],
    ['release', 'release'],
    ['flag', 'feature flag'],
    ['config', 'configuration change'],
    ['infra', 'infrastructure change'],
    ['migration', 'migration'],
    ['scale', 'scaling change'],
    ['other', 'change'],
  ] as const)('of the kind %s is called a %s', (kind, name) => {
    expect(changeName(change({ kind, id: '42' }))).toBe(`${name} 42`)
  })

  it('has its title in quotes, unless that only repeats the id', () => {
    expect(titleText(change({ title: 'Add a pool' }))).toBe(' “Add a pool”')
    expect(titleText(change({ title: SHA }))).toBe('')
    expect(titleText(change())).toBe('')
  })

  it('is told with what is known of it, and with nothing else', () => {
    expect(changeSentence({ change: change() })).toBe(`Commit 01234567 was recorded at ${WRITTEN}.`)
    const known = change({
      kind: 'config',
      id: 'pool',
      title: 'Smaller pool',
      entity: 'till',
      actor: 'mara',
      before: '50',
      after: '5',
      files: ['a.yaml'],
    })
    expect(changeSentence({ change: known })).toBe(
      `Configuration change pool “Smaller pool” of till by mara was recorded at ${WRITTEN}, from 50 to 5, touching a.yaml.`,
    )
  })

  it('says of an empty value that there is none, and nothing of values where both are empty', () => {
    const setting = (before: string, after: string): string =>
      changeSentence({ change: change({ kind: 'config', id: 'pool', before, after }) })
    const lead = `Configuration change pool was recorded at ${WRITTEN}`
    expect(setting('', '5')).toBe(`${lead}, from no value to 5.`)
    expect(setting('5', ' ')).toBe(`${lead}, from 5 to no value.`)
    expect(setting('', '')).toBe(`${lead}.`)
  })

  it('is told without its values where they are credentials', () => {
    const sentence = (of: Partial<Change>): string =>
      changeSentence({
        change: change({ kind: 'config', id: 'x', before: 'old one', after: 'new one', ...of }),
      })
    const hidden = /^Configuration change .* was recorded at .* UTC, its values not shown\.$/
    expect(sentence({ id: 'till/DB_PASSWORD' })).toMatch(hidden)
    expect(sentence({ title: 'Rotate the signing secret' })).toMatch(hidden)
    expect(sentence({ title: 'Rotate the signing secret', kind: 'deploy' })).toContain(
      'from old one to new one',
    )
    expect(sentence({ after: 'password=hunter2' })).toContain('from old one to password=•••')
  })

  it('is told without its values where only one of them is known', () => {
    for (const half of [{ before: '50' }, { after: '5' }])
      expect(changeSentence({ change: change(half) })).toBe(`Commit 01234567 was recorded at ${WRITTEN}.`)
  })

  it('names three of its files, and says that there are more from the fourth on', () => {
    const touching = (files: readonly string[]): string => changeSentence({ change: change({ files }) })
    expect(touching([])).not.toContain('touching')
    expect(touching(['a', 'b', 'c'])).toMatch(/, touching a, b, c\.$/)
    expect(touching(['a', 'b', 'c', 'd'])).toMatch(/, touching a, b, c and more\.$/)
  })

  it('took effect with the rollout that carried it', () => {
    const rollout = change({ kind: 'deploy', id: 'd1', after: SHA, entity: 'till' })
    expect(rolloutSentence(rollout, change({ id: '7', kind: 'pull_request' }))).toBe(
      `Deploy 01234567 of till took effect at ${WRITTEN} and carried pull request 7.`,
    )
    const dated = change({ kind: 'release', id: 'r9', effective_at: { from: AT + 60_000, to: AT + 90_000 } })
    expect(rolloutSentence(dated, change({ id: '7' }))).toBe(
      'Release r9 took effect at 2026-06-23 09:43:00 UTC and carried commit 7.',
    )
    const { effective_at: _none, ...failed } = { ...dated, certainty: 'guessed' as const }
    expect(rolloutSentence(failed, change({ id: '7' }))).toBe(
      `Release r9 was recorded at ${WRITTEN} and carried commit 7.`,
    )
  })
})

describe('a series that moved', () => {
  it('is told with its median, its worst and its latest value, and since when', () => {
    expect(shiftSentence(shift())).toBe(
      `error_ratio of till went up from 0.0123 to 0.5 (median; highest 0.75, latest 0.6) from ${WRITTEN} on.`,
    )
  })

  it('has its labels behind its name, its lowest value where it fell, and when it was over', () => {
    const series = { name: 'ready', entity: 'till', labels: { zone: 'b', pod: 'p1' } }
    const over = { series, direction: 'down', ended_at: AT + 1_000 } as const
    expect(shiftSentence(shift({ ...over, latest: 0.02 }))).toBe(
      `ready of till (zone=b, pod=p1) went down from 0.0123 to 0.5 (median; lowest 0.75, latest 0.02) from ${WRITTEN} on, back to normal at 2026-06-23 09:42:01 UTC.`,
    )
  })

  it('is not told to be back where its latest value is away again', () => {
    expect(shiftSentence(shift({ ended_at: AT + 1_000 }))).toBe(
      `error_ratio of till went up from 0.0123 to 0.5 (median; highest 0.75, latest 0.6) from ${WRITTEN} on, back to normal at 2026-06-23 09:42:01 UTC and away from it again.`,
    )
  })
})

describe('what arises inside one entity', () => {
  const flow: NodeFlow = {
    entity: 'ledger',
    kind: 'waiting',
    excess: 1,
    own: 2_500,
    z: 9,
    beyond_chance: 9,
    total: 4_000,
    interval_s: 15,
    onset_at: AT,
    is_usual: false,
    has_level: true,
    adds_up: true,
    unmeasured: [],
    total_of: 'alerted',
    series: { ...shift().series, name: 'latency', unit: 'ms' },
  }

  it('is told by the name of what was measured where nothing tells its unit', () => {
    const { unit: _, ...series } = flow.series
    expect(flowSentence({ ...flow, series })).toBe(
      `Beyond normal, 2500 of latency per 15 s arise inside ledger from ${WRITTEN} on, of 4000 at the service that was alerted.`,
    )
  })

  it('is counted in seconds where calls wait', () => {
    expect(flowSentence(flow)).toBe(
      `Beyond normal, 2.5 s of waiting per 15 s arise inside ledger from ${WRITTEN} on, of 4 s at the service that was alerted.`,
    )
  })

  it('is counted in calls where they fail', () => {
    expect(flowSentence({ ...flow, kind: 'failing', own: 12, total: 30 })).toBe(
      `Beyond normal, 12 failed calls per 15 s arise inside ledger from ${WRITTEN} on, of 30 at the service that was alerted.`,
    )
  })

  it('is of all that the alerted service calls where that was not measured itself', () => {
    expect(flowSentence({ ...flow, total_of: 'called' })).toBe(
      `Beyond normal, 2.5 s of waiting per 15 s arise inside ledger from ${WRITTEN} on, of 4 s in those that the alerted service calls, of which itself nothing was measured that could be compared.`,
    )
  })

  it('may be of what was not measured, of which three are named', () => {
    const said = (...unmeasured: string[]) => unmeasuredSentence({ ...flow, unmeasured })
    expect(said()).toBeNull()
    expect(said('a', 'b', 'c')).toBe(
      'Nothing that could be compared was measured of a, b, c, so that part of it may arise there.',
    )
    expect(said('a', 'b', 'c', 'd', 'e')).toContain('measured of a, b, c and 2 more, so that')
  })

  it('is counted over the calls to it since its onset', () => {
    expect(signSentence({ strength: 1, fact: { of: 'calls', flow: calls } })).toBe(
      'Of 120 calls to till since its onset 9 failed; 8 beyond normal arose inside it.',
    )
  })
})

describe('calls that were counted', () => {
  const told = (more: Partial<Flow>) =>
    signSentence({ strength: 1, fact: { of: 'calls', flow: { ...calls, ...more } } })
  const waited = 'The 120 calls to till since its onset waited 50 ms each beyond normal inside it.'

  it('are told by how long they waited where none failed inside it, else by how many failed', () => {
    expect(told({ own_failed: 0, own_wait_ms: 6_000 })).toBe(waited)
    expect(told({ own_failed: 0.99, own_wait_ms: 6_000 })).toBe(waited)
    const failed = 'Of 120 calls to till since its onset 9 failed; '
    expect(told({ own_failed: 1, own_wait_ms: 6_000 })).toBe(`${failed}1 beyond normal arose inside it.`)
    expect(told({ own_failed: 0, own_wait_ms: 0 })).toBe(`${failed}0 beyond normal arose inside it.`)
  })

  it('say where one caller alone met what failed', () => {
    const failed = 'Of 120 calls to till since its onset 9 failed; '
    const alone = 'beyond normal met one caller alone, and others were served.'
    expect(told({ own_failed: 0.99, met_alone: 1 })).toBe(`${failed}1 ${alone}`)
    expect(told({ own_failed: 0, met_alone: 7.6 })).toBe(`${failed}8 ${alone}`)
    expect(told({ own_failed: 0, met_alone: 0.99 })).toBe(`${failed}0 beyond normal arose inside it.`)
    expect(told({ own_failed: 1, met_alone: 7 })).toBe(`${failed}1 beyond normal arose inside it.`)
  })

  it('are told where their caller makes more of them per request than before', () => {
    const made = { caller: 'web', callee: 'till', factor: 3.456, since: AT }
    expect(madeSentence(made as Parameters<typeof madeSentence>[0])).toBe(
      `web calls till up to 3.46 times as often per request as usual since ${WRITTEN}; calls that failed and were tried again are not counted.`,
    )
  })
})

describe('what is used up since a change', () => {
  it('is told with where it began and where it ended, and not at all of one that used up nothing', () => {
    expect(spentSentence(ranked({ spent: shift() }))).toBe(
      `error_ratio of till began to leave 0.0123 at ${WRITTEN}, soon after commit 01234567 took effect there, and reached 0.75.`,
    )
    expect(spentSentence(ranked({ spent: null }))).toBeNull()
  })
})

describe('time that is lost on the way', () => {
  const gap: EdgeGap = {
    service: 'till',
    instance: 'till-7f',
    excess_ms: 40.04,
    edges: 1,
    spans: 12,
    source: 's1',
    from: AT,
  }

  it('is told of the instance, over one edge or several', () => {
    expect(gapSentence(gap)).toBe(
      `Calls from and to till (till-7f) take 40 ms longer on the way than usual, over 1 edge and 12 spans from ${WRITTEN} on.`,
    )
    expect(gapSentence({ ...gap, edges: 2 })).toContain(', over 2 edges and 12 spans')
  })

  it('is told of the service alone where no instance is known, or it has the same name', () => {
    for (const instance of [null, 'till'])
      expect(gapSentence({ ...gap, instance })).toMatch(/^Calls from and to till take /)
  })
})

describe('the lines of a log', () => {
  const broken: BrokenSequence = {
    service: 'till',
    operation: 'pay',
    after: 'cart read',
    expected: 'card charged',
    instead: 'no route',
    score: 1,
    broken: 3,
    spans: 4,
    normal_share: 0.987,
    normal_spans: 80,
    first_seen: AT,
    source: 's1',
  }
  const template: Template = {
    service: 'till',
    text: 'no route to <*>',
    example: 'no route to bank',
    variants: [],
    severity: 'error',
    before: 2,
    during: 40,
    change: 'grown',
    first_seen: AT,
    risen_at: AT,
    last_seen: AT,
    source: 's1',
  }

  it('are told where one is missing, after which other, and what came instead', () => {
    expect(brokenSentence(broken)).toBe(
      `3 of 4 spans “pay” of till do not log “card charged” after “cart read”, with the error “no route” instead since ${WRITTEN}; in 98.7 % of 80 spans of normal time it follows.`,
    )
    expect(brokenSentence({ ...broken, after: null, instead: null })).toBe(
      `3 of 4 spans “pay” of till do not log “card charged” since ${WRITTEN}; in 98.7 % of 80 spans of normal time it follows.`,
    )
  })

  it('are told where nothing is missing but an error is new', () => {
    expect(brokenSentence({ ...broken, expected: null })).toBe(
      `3 of 4 spans “pay” of till logged the error “no route” since ${WRITTEN}; in 98.7 % of 80 spans of normal time it is not there.`,
    )
    expect(brokenSentence({ ...broken, expected: null, instead: null })).toContain(
      'logged the error “” since',
    )
  })

  it('are counted beside normal time', () => {
    expect(templateSentence(template)).toBe(
      `till logged 40 lines (error) like “no route to bank” since ${WRITTEN}; 2 in normal time.`,
    )
    expect(templateSentence({ ...template, change: 'new', before: 0, during: 1 })).toBe(
      `till logged 1 line (error) like “no route to bank” since ${WRITTEN}; none in normal time.`,
    )
    // No line of normal time was read.
    expect(templateSentence({ ...template, change: 'grown', before: 0 })).toBe(
      `till logged 40 lines (error) like “no route to bank” since ${WRITTEN}.`,
    )
    expect(vanishedSentence({ ...template, before: 40, during: 0 })).toBe(
      'till logged “no route to bank” 40 times in normal time and 0 times since.',
    )
  })

  it('are told as the log tool counted them, with its baseline where it has one', () => {
    const pattern: LogPattern = { signature: 'no route', service: 'till', count: 7, source: 's1' }
    expect(patternSentence(pattern)).toBe('The log tool counted 7 lines of till like “no route”.')
    expect(patternSentence({ ...pattern, baseline_count: 0 })).toBe(
      'The log tool counted 7 lines of till like “no route”, 0 in its baseline.',
    )
  })
})

describe('when something fails', () => {
  const onset = { at: AT, earliest: AT, latest: AT }

  it('is told as going on, as over, and never as over before it began', () => {
    expect(failingSpan({ onset, ended_at: null })).toBe(`has been failing since ${timeText(AT)}`)
    expect(failingSpan({ onset, ended_at: AT + 1_000 }, ' (about)')).toBe(
      `failed from ${timeText(AT)} (about) until ${timeText(AT + 1_000)}`,
    )
    for (const ended_at of [AT, AT - 1_000])
      expect(failingSpan({ onset, ended_at })).toBe(`failed at ${timeText(AT)}, which is over`)
  })
})

describe('what speaks for a change', () => {
  const mechanism = { mechanism: { does: 'makes a pool smaller' }, score: 1, symptom: null }
  const nothing = { settings: [], lines_gone: [], lines_new: [] }
  const setting = (key: string) => ({ key, before: '50', after: '5' })

  it('is nothing where it has no mechanism, no series that follows it and no name that is quoted', () => {
    const entry = ranked({})
    expect([mechanismSentence(entry), echoSentence(entry), quotedSentence(entry)]).toEqual([null, null, null])
  })

  it('is what its diff does, by three settings at most', () => {
    const settings = ['a', 'b', 'c', 'd'].map(setting)
    expect(mechanismSentence(ranked({ mechanism, diff: { ...nothing, settings } }))).toBe(
      'The diff of commit 01234567 makes a pool smaller: a changed from 50 to 5; b changed from 50 to 5; c changed from 50 to 5.',
    )
  })

  it('tells once what changed alike in several places', () => {
    const settings = ['a', 'a', 'a', 'b'].map(setting)
    expect(mechanismSentence(ranked({ mechanism, diff: { ...nothing, settings } }))).toBe(
      'The diff of commit 01234567 makes a pool smaller: a changed from 50 to 5; b changed from 50 to 5.',
    )
  })

  it('is what its record says, where it has no diff', () => {
    expect(mechanismSentence(ranked({ mechanism, diff: { ...nothing, size: 0 } }))).toBe(
      'By its record commit 01234567 makes a pool smaller.',
    )
  })

  it('is when its work ran, by the record of it or else by its schedule', () => {
    const seen = { source: 's1', timestamp: AT, kind: 'Job', name: 'fill-1' }
    const run = { at: AT, share: 1, seen, schedule: null }
    const told = (more: object): string => runSentence({ ...run, ...more }, change())
    const at = timeText(AT)
    expect(told({})).toBe(`Job fill-1 of commit 01234567 was recorded at ${at}.`)
    expect(told({ seen: { ...seen, reason: 'Completed', message: 'done' } })).toBe(
      `Job fill-1 of commit 01234567 was recorded at ${at}: “Completed: done”.`,
    )
    expect(told({ seen: null, schedule: '0 * * * *' })).toBe(
      `The schedule “0 * * * *” of commit 01234567 was due at ${at}.`,
    )
  })

  it('is the line that shows it best, one that went or one that came, where no setting changed', () => {
    const told = (diff: string): string | null =>
      mechanismSentence(ranked({ mechanism, words: [], change: change({ diff }), diff: readDiff(diff) }))
    const lead = 'The diff of commit 01234567 makes a pool smaller'
    expect(told('-old()\n-older()\n+new()')).toBe(`${lead}: removed “old()”.`)
    expect(told('+new()')).toBe(`${lead}: added “new()”.`)
    expect(told('+}')).toBe(`${lead}.`)
  })

  it('holds no credential that its diff holds', () => {
    const diff = '-password = "hunter2hunter2"\n+password = "hunter3hunter3"'
    const told = mechanismSentence(
      ranked({ mechanism, words: [], change: change({ diff }), diff: readDiff(diff) }),
    )
    expect(told).toBe('The diff of commit 01234567 makes a pool smaller: password changed.')
  })

  it('is a series that moved as its setting did', () => {
    expect(echoSentence(ranked({ echo: { setting: setting('size'), shift: shift() } }))).toBe(
      `error_ratio of till moved from 0.0123 to 0.5 at ${WRITTEN}, as size does in commit 01234567 (50 to 5).`,
    )
  })

  it('is a name that what fails quotes', () => {
    const symptom = { entity: 'till', text: 'no such column' }
    expect(quotedSentence(ranked({ quoted: { name: 'total', symptom, how: 'removes' } }))).toBe(
      'till reports “no such column”, and commit 01234567 removes the name “total”.',
    )
    const unplaced = { name: 'total', symptom: { ...symptom, entity: null }, how: 'adds' }
    expect(quotedSentence(ranked({ quoted: unplaced }))).toBe(
      'The alert reports “no such column”, and commit 01234567 adds the name “total”.',
    )
  })

  it('is what two versions do at the same time: spans that fail, or a series', () => {
    const contrast: VersionContrast = {
      entity: 'till',
      what: 'spans',
      worse: 'v2',
      better: 'v1',
      worse_level: 0.25,
      better_level: 0.01,
      counts: [40, 400],
      z: 9,
      source: 's1',
    }
    expect(contrastSentence(contrast)).toBe(
      'At the same time 25 % of 40 spans of till fail in version v2 and 1 % of 400 in version v1.',
    )
    expect(contrastSentence({ ...contrast, what: 'latency_ms', worse_level: 900, better_level: 20 })).toBe(
      'At the same time latency_ms of till is 900 in version v2 and 20 in version v1 (medians of 40 and 400 samples).',
    )
  })
})

describe('a sign of a cause that is no change', () => {
  type Fact<Of extends Sign['fact']['of']> = Extract<Sign['fact'], { of: Of }>
  const told = (fact: Sign['fact']): string => signSentence({ strength: 1, fact })
  const text = (given: Partial<Fact<'text'>>): string =>
    told({ of: 'text', entity: 'till', text: 'disk full', count: 1, at: AT, ...given } as Fact<'text'>)

  it('is a line, once at its time or several times since', () => {
    expect(text({})).toBe(`till reported “disk full” at ${WRITTEN}.`)
    expect(text({ at: null, entity: null })).toBe('A tool reported “disk full”.')
    expect(text({ count: 3 })).toBe(`till reported “disk full” 3 times since ${WRITTEN}.`)
    expect(text({ count: 3, at: null })).toBe('till reported “disk full” 3 times.')
  })

  it('is a series that moved', () => {
    expect(told({ of: 'shift', shift: shift() })).toBe(shiftSentence(shift()))
  })

  it('is what a status page reported, with component and detail where it has them', () => {
    const status: Fact<'status'> = {
      of: 'status',
      provider: 'mailer',
      component: null,
      status: 'degraded',
      detail: null,
      at: AT,
      source: 's1',
    }
    expect(told(status)).toBe(`The status page of mailer reported degraded at ${WRITTEN}.`)
    expect(told({ ...status, component: 'smtp', detail: 'slow sends' })).toBe(
      `The status page of mailer (smtp) reported degraded at ${WRITTEN}: “slow sends”.`,
    )
  })

  it('is an expiry, measured or named by a line', () => {
    const expiry: Fact<'expiry'> = {
      of: 'expiry',
      entity: 'edge',
      at: AT,
      text: 'certificate_days',
      source: 's1',
      origin: 'metric',
    }
    expect(told(expiry)).toBe(`certificate_days of edge reached 0 at ${WRITTEN}.`)
    expect(told({ ...expiry, origin: 'log', text: 'x509: expired' })).toBe(
      `“x509: expired” names an expiry at ${WRITTEN}.`,
    )
  })

  it('is a statement that rules the load of a database', () => {
    const statement = {
      record: { statement: 'select 1', load: 6.5 },
      share: 0.812,
      wait: null,
      is_stuck: false,
    }
    const said = (given: object): string =>
      told({ of: 'statement', statement: { ...statement, ...given } } as unknown as Fact<'statement'>)
    expect(said({})).toBe('Statement “select 1” holds 6.5 sessions, 81.2 % of the load.')
    expect(said({ wait: 'a lock', is_stuck: true })).toBe(
      'Statement “select 1” holds 6.5 sessions, 81.2 % of the load, mostly waiting on a lock, and finishes no call.',
    )
  })
})
