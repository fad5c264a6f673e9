import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { questionReader, readQuestion } from '#shared/domain/investigation/questions/read-question.ts'
import { INTENTS } from '#shared/domain/investigation/questions/ways-to-ask.ts'

const table = JSON.parse(readFileSync(new URL('../../../data/questions.json', import.meta.url), 'utf8')) as {
  now: string
  services: string[]
  questions: {
    text: string
    intent: string
    service: string | null
    window: { from: string; to: string } | null
    status: string | null
    severity: string | null
  }[]
}
const known = { services: table.services, now: Date.parse(table.now), timezone: 'UTC' }

interface CorpusRow {
  readonly text: string
  readonly intent: string
  readonly service?: string
  readonly others?: readonly string[]
  readonly suspect?: string
  readonly unknown?: string
  readonly window?: readonly [string, string]
  readonly status?: string
  readonly severity?: string
  readonly refusal?: string
  readonly timezone?: string
}
const corpus = ['questions-of-every-intent.json', 'questions-asked-otherwise.json'].flatMap(
  (file) =>
    JSON.parse(readFileSync(new URL(`../../../data/${file}`, import.meta.url), 'utf8'))
      .questions as CorpusRow[],
)

describe('ways to ask that words alone would mistake', () => {
  it.each([
    ['When was it fixed?', { intent: 'is_recovered' }],
    ['when was the outage resolved', { intent: 'is_recovered' }],
    ['Which change is most suspicious?', { intent: 'what_changed', of_cause: 'which' }],
    ['which deploy is to blame', { intent: 'what_changed', of_cause: 'which' }],
    ['which of them changed most', { intent: 'what_changed' }],
    ['What would have happened if we had not deployed?', { intent: 'unknown', refusal: 'prediction' }],
    ['If the database were down, what would fail?', { intent: 'unknown', refusal: 'prediction' }],
    ['Is the checkout deploy related?', { intent: 'why', suspect: 'checkout-service' }],
    ['Who is working on it?', { intent: 'unknown', refusal: 'owner' }],
    ['is anybody looking into this', { intent: 'unknown', refusal: 'owner' }],
    ['Did traffic increase?', { intent: 'how_is', measure: { measure: 'traffic', quantile: null } }],
    ['has the p99 of stock gone up', { intent: 'how_is', measure: { measure: 'latency', quantile: 'p99' } }],
    [
      'Is v41 also failing?',
      { intent: 'how_is', unknown: null, measure: { measure: 'errors', quantile: null } },
    ],
  ])('are read as they are meant: “%s”', (text, read) => {
    expect(readQuestion(text, known)).toMatchObject(read)
  })
})

describe('what is well', () => {
  it.each([
    'Which services are not affected?',
    'which services are healthy',
    'which parts are still fine?',
    "what isn't impacted?",
  ])('is asked for by “%s”', (text) => {
    expect(readQuestion(text, known)).toMatchObject({ intent: 'what_is_affected', is_of_spared: true })
  })

  it.each(['Which services are affected?', 'what is affected', 'which services are not ok'])(
    'is not asked for by “%s”',
    (text) => {
      expect(readQuestion(text, known)).not.toHaveProperty('is_of_spared')
    },
  )
})

describe('the corpus of questions', () => {
  it.each(corpus.map((row) => [row.text.slice(0, 80), row] as const))('reads “%s”', (_name, row) => {
    const {
      words: _words,
      slip: _slip,
      measure: _measure,
      is_last: _last,
      is_compared: _compared,
      part: _part,
      side: _side,
      is_of_roll_back: _of_roll_back,
      is_of_missing: _of_missing,
      is_of_spared: _of_spared,
      tool: _tool,
      calls: _calls,
      of_cause: _of_cause,
      onset_side: _onset_side,
      is_at_instant: _at_instant,
      ...read
    } = readQuestion(row.text, {
      ...known,
      ...(row.timezone === undefined ? {} : { timezone: row.timezone }),
    })
    expect(read).toEqual({
      intent: row.intent,
      service: row.service ?? null,
      others: row.others ?? [],
      left: [],
      suspect: row.suspect ?? null,
      // A name that nobody knows is expected where the row says so; elsewhere only that none is made up for a known one.
      unknown: row.unknown ?? (row.refusal === undefined ? null : read.unknown),
      window:
        row.window === undefined ? null : { from: Date.parse(row.window[0]), to: Date.parse(row.window[1]) },
      status: row.status ?? null,
      severity: row.severity ?? null,
      refusal: row.refusal ?? null,
    })
  })
})

describe('a question what was asked', () => {
  it.each([
    ['what did you not look at?', true],
    ['what do you not know', true],
    ['anything missing in your data?', true],
    ['which tools did you ask?', undefined],
  ])('“%s” asks for what is missing: %s', (text, isOfMissing) => {
    const read = readQuestion(text, known)
    expect(read).toMatchObject({ intent: 'what_was_asked', refusal: null })
    expect(read.is_of_missing).toBe(isOfMissing)
  })
})

describe('a question that is put in no known way', () => {
  it.each([
    ['who had their hands on checkout before the failures', 'what_changed'],
    ['the very first bad minute of checkout', 'when_started'],
    ['checkout looks normal', 'how_is'],
    ['already solved?', 'is_recovered'],
    ['any depolys 2day?', 'what_changed'],
    ['imapct on cust facing svcs?', 'what_is_affected'],
    ['cofidence?', 'what_contradicts'],
  ])('“%s” is read by its words as %s', (text, intent) => {
    expect(readQuestion(text, known)).toMatchObject({ intent, refusal: null })
  })

  it.each(['the falling chance', 'curtain wording', 'is it friday yet'])('“%s” is not', (text) => {
    expect(readQuestion(text, known)).toMatchObject({ intent: 'unknown', refusal: 'unreadable' })
  })

  it('names a service by several of what it does', () => {
    expect(readQuestion('what share of checkouts fails', { ...known, services: ['checkout'] }).service).toBe(
      'checkout',
    )
    expect(readQuestion('are orders ok', { ...known, services: ['order', 'orders'] }).service).toBe('orders')
  })
})

describe('a time that is told by when the trouble began', () => {
  it.each([
    ['what was released after the outage began', 'after'],
    ['which pull requests went out before the outage?', 'before'],
    ['any flags switched before it broke', 'before'],
    ['what changed since everything went red', 'after'],
    ['what changed before 10:00', undefined],
    ['what changed after it', undefined],
  ])('“%s” asks of the side %s', (text, side) => {
    expect(readQuestion(text, known).onset_side).toBe(side)
  })

  it('is asked of what happened, too', () => {
    expect(readQuestion('what happened before the outage?', known)).toMatchObject({
      ...{ intent: 'what_happened', onset_side: 'before', window: null },
    })
  })

  it('is asked of changes and events alone', () => {
    expect(readQuestion('was stock slow before the outage', known).onset_side).toBeUndefined()
  })
})

describe('a time that is told by a change', () => {
  it.each([
    ['what happened after the deploy?', 'what_happened', 'after'],
    ['what changed before the deploy?', 'what_changed', 'before'],
    ['was it ok before the last release?', 'how_is', 'before'],
    ['error rate since the rollout', 'how_is', 'after'],
    ['was it slow before we deployed', 'how_is', 'before'],
  ])('“%s” asks %s it', (text, intent, side) => {
    expect(readQuestion(text, known)).toMatchObject({ intent, side, window: null })
  })

  it.each([
    ['why is payments slow since the deploy', 'why'],
    ['did it start before or after the deploy', 'when_started'],
    ['what changed', 'what_changed'],
  ])('“%s” is about no such time', (text, intent) => {
    expect(readQuestion(text, known)).toMatchObject({ intent, side: null })
  })
})

describe('a question that stands among other sentences', () => {
  it.each([
    ["It's always dns. Is it dns?", 'why', null, 'dns'],
    ['search is broken. is it the database?', 'why', 'search', 'database'],
    ['Our customers complain. Is search down?', 'how_is', 'search', null],
    ['When will it be fixed and what is the cause?', 'why', null, null],
    ['how much money did we lose and who deployed search?', 'what_changed', 'search', null],
  ])('is answered: “%s”', (text, intent, service, suspect) => {
    expect(readQuestion(text, known)).toMatchObject({ intent, service, suspect, refusal: null })
  })

  it('is refused with the order that it stands beside', () => {
    expect(readQuestion('Restart search. What changed?', known)).toMatchObject({ refusal: 'command' })
  })

  it('leaves what is refused of the text open, and says so', () => {
    const { left } = readQuestion('When will it be fixed and what is the cause?', known)
    expect(left).toEqual([{ text: 'when will it be fixed', refusal: 'prediction' }])
  })
})

describe('a question that is put in no known way', () => {
  it('is read by a word of it where it names a known service', () => {
    expect(readQuestion('some doubt about search', known)).toMatchObject({
      intent: 'what_contradicts',
      service: 'search',
    })
    expect(readQuestion('some doubt about love', known)).toMatchObject({ intent: 'unknown' })
  })
})

describe('a time that is compared with another', () => {
  it.each([
    ['p95 of search in the last 15 min vs normal', '2026-11-21T11:45Z', '2026-11-21T12:00Z'],
    ['search from 10:00 to 11:00 compared to yesterday', '2026-11-21T10:00Z', '2026-11-21T11:00Z'],
  ])('is the one that “%s” names first', (text, from, to) => {
    const read = readQuestion(text, known)
    expect(read).toMatchObject({ intent: 'how_is', is_compared: true })
    expect(read.window).toEqual({ from: Date.parse(from), to: Date.parse(to) })
  })

  it.each([
    'p95 of search now vs yesterday',
    'p95 of search yesterday vs today',
    'is search slower than last week',
  ])('is none in “%s”', (text) => {
    expect(readQuestion(text, known)).toMatchObject({ is_compared: true, window: null })
  })
})

describe('another time that now is compared with', () => {
  it.each([
    ['worse than last week?', '2026-11-09T00:00Z', '2026-11-16T00:00Z'],
    ['more errors than yesterday?', '2026-11-20T00:00Z', '2026-11-21T00:00Z'],
    ['did we have more errors yesterday at the same time?', '2026-11-20T11:30Z', '2026-11-20T12:30Z'],
    ['are we slower than this morning', '2026-11-21T06:00Z', '2026-11-21T12:00Z'],
  ])('is told apart from the time that is asked about: “%s”', (text, from, to) => {
    expect(readQuestion(text, known)).toMatchObject({
      intent: 'how_is',
      is_compared: true,
      window: null,
      compared_with: { from: Date.parse(from), to: Date.parse(to) },
    })
  })

  it('is none where incidents are counted', () => {
    expect(readQuestion('more than 3 incidents yesterday?', known)).not.toHaveProperty('compared_with')
  })
})

describe('a stretch beside the beginning of the trouble', () => {
  it.each([
    ['changes in the 15 min before it broke', 15],
    ['what changed in the hour before the outage', 60],
    ['what changed half an hour before it failed', 30],
  ])('is as long as it is told: “%s”', (text, minutes) => {
    expect(readQuestion(text, known)).toMatchObject({ onset_side: 'before', beside_ms: minutes * 60_000 })
  })

  it('is all of that side where no length is told', () => {
    expect(readQuestion('what changed before it broke', known)).not.toHaveProperty('beside_ms')
  })
})

describe('what a question asks for beside its intent', () => {
  const asks = (text: string) => {
    const { intent, is_last, is_of_roll_back, measure, part } = readQuestion(text, known)
    return { intent, is_last, is_of_roll_back, measure: measure?.measure ?? null, part }
  }
  const nothing = { is_last: false, is_of_roll_back: undefined, measure: null, part: null }

  it.each([
    ['what was the last deploy of search?', { intent: 'what_changed', is_last: true }],
    ['what changed in search?', { intent: 'what_changed' }],
    ['why did the last deploy break search?', { intent: 'why' }],
    ['what is the error rate of search?', { intent: 'how_is', measure: 'errors' }],
    ['how is search?', { intent: 'how_is' }],
    ['why is the error rate of search high?', { intent: 'why' }],
    ['which regions are affected?', { intent: 'what_is_affected', part: 'region' }],
    ['who is affected?', { intent: 'what_is_affected' }],
    ['did the rollback help?', { intent: 'is_recovered', is_of_roll_back: true }],
    ['is search back to normal?', { intent: 'is_recovered' }],
  ])('is read of “%s”', (text, wanted) => {
    expect(asks(text)).toEqual({ ...nothing, ...wanted })
  })
})

describe('reading a question', () => {
  it.each(table.questions.map((row) => [row.text.slice(0, 60), row] as const))(
    'reads “%s” as written down',
    (_name, row) => {
      const read = readQuestion(row.text, known)
      expect({
        intent: read.intent,
        service: read.service,
        window:
          read.window === null
            ? null
            : { from: new Date(read.window.from).toISOString(), to: new Date(read.window.to).toISOString() },
        status: read.status,
        severity: read.severity,
      }).toEqual({
        intent: row.intent,
        service: row.service,
        window: row.window,
        status: row.status,
        severity: row.severity,
      })
    },
  )

  it('never throws, names only known services and gives windows that end by now', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const read = readQuestion(text, known)
        expect(INTENTS).toContain(read.intent)
        if (read.service !== null) expect(known.services).toContain(read.service)
        if (read.window !== null) {
          expect(read.window.from).toBeLessThan(read.window.to)
          expect(read.window.to).toBeLessThanOrEqual(known.now)
        }
      }),
    )
  })

  it('reads a text again with other names as if it had not been read before', () => {
    const names = [[], known.services, ['chekcout'], []]
    for (const { text } of [...corpus, { text: 'is chekcout helthy?' }]) {
      const read = questionReader(text, known)
      for (const services of names)
        expect(read({ services }), text).toEqual(readQuestion(text, { ...known, services }))
    }
  })

  it('reads times in the time zone that is given', () => {
    const read = readQuestion('why did search fail at 10:30?', { ...known, timezone: 'Asia/Tokyo' })
    expect(new Date(read.window?.from ?? 0).toISOString()).toBe('2026-11-21T01:00:00.000Z')
    const today = readQuestion('incidents since yesterday', { ...known, timezone: 'America/New_York' })
    expect(new Date(today.window?.from ?? 0).toISOString()).toBe('2026-11-20T05:00:00.000Z')
  })

  it('falls back to UTC for a zone that does not exist', () => {
    const read = readQuestion('incidents since yesterday', { ...known, timezone: 'Mars/Olympus' })
    expect(new Date(read.window?.from ?? 0).toISOString()).toBe('2026-11-20T00:00:00.000Z')
  })

  it('takes a time of day that is still to come as yesterday’s', () => {
    const read = readQuestion('why did auth fail at 23:00', known)
    expect(new Date(read.window?.from ?? 0).toISOString()).toBe('2026-11-20T22:30:00.000Z')
  })

  it('does not shorten a name that two services would share', () => {
    const services = ['orders-api', 'orders-worker']
    expect(readQuestion('why is orders slow', { ...known, services }).service).toBeNull()
    expect(readQuestion('why is orders worker slow', { ...known, services }).service).toBe('orders-worker')
  })

  it('prefers the service that is named first, and of two at one place the longer name', () => {
    const services = ['search', 'search-index', 'auth']
    expect(readQuestion('why did search-index break auth', { ...known, services }).service).toBe(
      'search-index',
    )
    expect(readQuestion('why did auth break search', { ...known, services }).service).toBe('auth')
  })

  it('reads a day’s parts', () => {
    const at = (text: string): (string | undefined)[] => {
      const { window } = readQuestion(text, { ...known, now: Date.parse('2026-11-21T23:30:00Z') })
      return [window?.from, window?.to].map((value) =>
        value === undefined ? undefined : new Date(value).toISOString(),
      )
    }
    expect(at('what broke search this afternoon')).toEqual([
      '2026-11-21T12:00:00.000Z',
      '2026-11-21T18:00:00.000Z',
    ])
    expect(at('what broke search this evening')).toEqual([
      '2026-11-21T18:00:00.000Z',
      '2026-11-21T23:30:00.000Z',
    ])
    expect(at('what broke search last night')).toEqual([
      '2026-11-20T18:00:00.000Z',
      '2026-11-21T06:00:00.000Z',
    ])
  })

  it.each([
    ['what should I do now?', 'should_roll_back', null, null],
    ['How do I fix search?', 'should_roll_back', 'search', null],
    ['is it the search deploy?', 'why', null, 'search'],
    ['was it a bad config', 'why', null, 'bad config'],
    ['did the deploy of search cause it?', 'why', null, 'search'],
    ['is the database the cause?', 'why', null, 'database'],
    ['is it dns?', 'why', null, 'dns'],
    ['tl;dr', 'why', null, null],
    ['give me a short summary', 'why', null, null],
    ['status?', 'how_is', null, null],
    ['show me the logs of search', 'how_is', 'search', null],
  ])('reads “%s” as asked on call', (text, intent, service, suspect) => {
    expect(readQuestion(text, known)).toMatchObject({ intent, service, suspect, refusal: null })
  })

  it.each(['is it over?', 'is it down', 'show me all incidents'])('leaves “%s” what it was', (text) => {
    expect(readQuestion(text, known).intent).toMatch(/is_recovered|how_is|list_incidents/)
  })

  it.each([
    ['why is checkout failing', null],
    ['what may have broken search in march', null],
    ['what broke search on november 3', '2026-11-03T00:00:00.000Z'],
    ['what broke search at noon', '2026-11-20T11:30:00.000Z'],
  ])('of “%s” the window begins at %s', (text, from) => {
    const { window } = readQuestion(text, { ...known, now: Date.parse('2026-11-21T09:00:00Z') })
    expect(window === null ? null : new Date(window.from).toISOString()).toBe(from)
  })

  it.each([
    ['list current incidents', 'open', null],
    ['list sev3 incidents', null, 'medium'],
    ['list sev-3 incidents', null, 'medium'],
    ['list sev 3 incidents', null, 'medium'],
    ['list sev4 incidents', null, 'low'],
    ['list sev-4 incidents', null, 'low'],
    ['list sev 4 incidents', null, 'low'],
  ])('reads of “%s” the status %s and the severity %s', (text, status, severity) => {
    expect(readQuestion(text, known)).toMatchObject({ intent: 'list_incidents', status, severity })
  })

  it('reads the same in any case, with any quotes and any space', () => {
    expect(readQuestion('  TL;DR \n', known).intent).toBe('why')
    for (const quote of ['\u2018', '\u2019', '\u02bc', "'"])
      expect(readQuestion(`What${quote}s next?`, known).intent).toBe('should_roll_back')
    expect(readQuestion('should we\t roll \n  back?', known).intent).toBe('should_roll_back')
  })

  it('reads six hundred signs, of which twenty words of two to sixty letters are kept', () => {
    const words = (text: string) => readQuestion(text, known).words
    expect(words(`${'x '.repeat(300)}late`)).toEqual([])
    expect(words(`${'x '.repeat(298)}ok late`)).toEqual(['ok'])
    expect(words(`x ${'y'.repeat(60)} ${'z'.repeat(61)}`)).toEqual(['y'.repeat(60)])
    const many = Array.from({ length: 25 }, (_, index) => `word${index}`)
    expect(words(many.join(' '))).toEqual(many.slice(0, 20))
  })

  it('keeps the words that carry meaning', () => {
    expect(readQuestion('Why is the checkout slow?', known).words).toEqual(['checkout', 'slow'])
  })
})

describe('what asks after a service in the words for a tool or a record', () => {
  const read = (text: string, services: readonly string[]) =>
    readQuestion(text, { services, now: Date.parse('2026-05-14T15:20:00Z') })

  it('asks how it does where it is known by that name, and for the tool or the record where it is not', () => {
    expect(read('does securepay respond', ['securepay']).intent).toBe('how_is')
    expect(read('does securepay respond', []).intent).toBe('what_was_asked')
    expect(read('tell me about warehous-api', ['warehouse-api'])).toMatchObject({
      ...{ intent: 'how_is', service: 'warehouse-api', slip: 'warehous-api' },
    })
    expect(read('is prometheus reachable', ['stock']).intent).toBe('what_was_asked')
    expect(read('is prometheus reachable', ['prometheus']).intent).toBe('how_is')
    expect(read('what was dana doing?', ['stock'])).toMatchObject({ intent: 'what_changed', unknown: 'dana' })
    expect(read('what is stock doing?', ['stock'])).toMatchObject({ intent: 'how_is', service: 'stock' })
    expect(read('tell me about new_order', ['warehouse-api'])).toMatchObject({
      ...{ intent: 'what_changed', record: 'new_order', service: null },
    })
  })
})

describe('a level that is to be explained', () => {
  const level = (text: string) =>
    readQuestion(text, { services: ['stock'], now: Date.parse('2026-05-14T15:20:00Z') }).level

  it.each([
    ['why is memory so high on stock?', 'memory'],
    ['why is the queue growing', 'queue'],
    ['why is traffic so low?', 'traffic'],
    ['why so few requests?', 'traffic'],
    ['why is it so quiet', 'traffic'],
    ['why is stock slow?', undefined],
    ['why does stock fail with memory errors?', undefined],
    ['what is the memory of stock?', undefined],
  ])('of “%s” is %s', (text, measure) => {
    expect(level(text)).toBe(measure)
  })
})
