import { describe, expect, it } from 'vitest'
import { plainWords, withoutSlips, withVowels } from '#shared/domain/investigation/questions/plain-words.ts'

describe('the plain words of a question', () => {
  it.each([
    ['whats wrong w/ Stock', "what's wrong with stock"],
    ['hwy is stock down', 'why is stock down'],
    ['y is stock down', 'why is stock down'],
    ['u sure?', 'you sure?'],
    ['didnt it work', "didn't it work"],
    ['its dns', "it's dns"],
    ['is stock ok rn', 'is stock ok now'],
    ['why tf is it red', 'why is it red'],
    ['what the hell is going on', 'what is going on'],
    ['stock is down cuz of dns', 'stock is down because of dns'],
    ['what\u2019s  up \n with stock', "what's up with stock"],
    ['what is wrong w/stock', 'what is wrong with stock'],
    ['isnt it up', "isn't it up"],
    ['is its db down', 'is its db down'],
    ['seen b4?', 'seen before?'],
    ['deploys 2day', 'deploys today'],
    ['y r svcs dwn', 'why are services down'],
    ['cnt of sev1 last wk', 'count of sev1 last week'],
    ['whats gonna be down', "what's going to be down"],
    ['roll back stock y/n', 'roll back stock yes or no'],
    ['is x-isnt it, or x.whats it', 'is x-isnt it, or x.whats it'],
  ])('spells “%s” out', (typed, plain) => {
    expect(plainWords(typed)).toBe(plain)
  })

  it.each([
    ['hi, is stock down? thx', 'is stock down?'],
    ['@bot why is stock down please', 'why is stock down'],
    ['hey there is stock down', 'is stock down'],
    ['hmmm why though', 'why though'],
    ['is stock down!! thx', 'is stock down'],
    ['is stock down, thx!', 'is stock down'],
    ['um okay so uh why is stock slow', 'why is stock slow'],
    ['okay next one is it fixed already or what', 'is it fixed already'],
    ['quick question: who did it, many thanks', 'who did it'],
    ['right now', 'right now'],
    ['did stock say thanks to web', 'did stock say thanks to web'],
    ['is hey there', 'is hey there'],
  ])('leaves the courtesies of “%s” away', (typed, plain) => {
    expect(plainWords(typed)).toBe(plain)
  })

  it.each([
    ['errors service=stock --since 01:30', 'errors service stock since 01:30'],
    ['changes since:2026-05-13', 'changes since 2026-05-13'],
    ['p95 22:00Z..23:00Z', 'p95 22:00z to 23:00z'],
    ['2026-05-13T22:00Z/2026-05-13T23:00Z', '2026-05-13t22:00z to 2026-05-13t23:00z'],
    ['99th percentile of stock', 'p99 of stock'],
    ['95 percentile of stock', 'p95 of stock'],
    ['p95 22:00..23:00', 'p95 22:00 to 23:00'],
    ['p95 22:00utc...23:00', 'p95 22:00utc to 23:00'],
    ['a..3', 'a..3'],
    ['root_cause service=stock', 'root cause service stock'],
    ['blast_radius', 'blast radius'],
    ['my_stock', 'my_stock'],
    ['service=stock,zone=a2;x=1', 'service stock,zone a2;x=1'],
    ['errors service=a2 -since 9 -n 3', 'errors service a2 since 9 -n 3'],
    ['see https://stock.example/a at 10:30', 'see https://stock.example/a at 10:30'],
  ])('reads “%s”, as programs type', (typed, plain) => {
    expect(plainWords(typed)).toBe(plain)
  })

  it.each([
    ['can you tell me what broke', 'what broke'],
    ['do you know why stock is down', 'why stock is down'],
    ['please check if stock is ok', 'stock is ok'],
    ['is it possible to know what broke', 'what broke'],
    ['can anyone explain to me why stock is down', 'why stock is down'],
    ['i was wondering if stock is ok', 'stock is ok'],
    ["so basically you are saying it's the cache", "it's the cache"],
    ["my boss thinks it's dns", "it's dns"],
    ['the logs say the disk is full', 'the logs say the disk is full'],
    ['i would say what it is', 'i would say what it is'],
    ['it is up, can you tell me why', 'it is up, can you tell me why'],
  ])('is what “%s” asks to be told', (typed, plain) => {
    expect(plainWords(typed)).toBe(plain)
  })

  it('are read up to six hundred characters', () => {
    expect(plainWords('a'.repeat(700))).toHaveLength(600)
  })

  it.each(['hi', 'thanks', '@bot'])('leaves “%s”, which is nothing else', (typed) => {
    expect(plainWords(typed)).toBe(typed)
  })

  it.each(['is hi-store down', 'is stock-u down', 'is what-u up', 'is u.wat up'])(
    'leaves the name in “%s” as it is',
    (typed) => {
      expect(plainWords(typed)).toBe(typed)
    },
  )
})

describe('a slip of one letter', () => {
  it.each([
    ['helth of stock', 'health of stock'],
    ['waht happend yesterday', 'waht happened yesterday'],
    ['shuld we', 'should we'],
    ['shoudl we', 'should we'],
    ['restrat stock', 'restart stock'],
  ])('is mended in “%s”', (typed, meant) => {
    expect(withoutSlips(typed, [])).toBe(meant)
  })

  it('is none in a name, in another first letter, or in a short word', () => {
    expect(withoutSlips('how is helth-api', ['helth-api'])).toBe('how is helth-api')
    expect(withoutSlips('how is helth', ['helth'])).toBe('how is helth')
    expect(withoutSlips('wealth', [])).toBe('wealth')
    expect(withoutSlips('normal', [])).toBe('normal')
  })
})

describe('words that were typed without vowels', () => {
  it.each([
    ['stock slow agn', 'stock slow again'],
    ['lst hr', 'last hour'],
    ['how mny messages', 'how many messages'],
    ['wrng wth stock', 'wrong with stock'],
  ])('“%s” is “%s”', (typed, meant) => {
    expect(withVowels(typed, [])).toBe(meant)
  })

  it('stay where they are names, short forms of programs or parts of other words', () => {
    expect(withVowels('agn fails', ['agn'])).toBe('agn fails')
    expect(withVowels('is agn-db up', ['agn-db'])).toBe('is agn-db up')
    for (const plain of ['dns tls tcp http rds sqs vpc', 'p99 of db', 'mr-prd', 'why my try'])
      expect(withVowels(plain, [])).toBe(plain)
  })

  it('are spelt out with slips where a question cannot be read, of long words also those that keep some vowels', () => {
    expect(withoutSlips('wat hapnd tdy', [])).toBe('wat happened today')
    expect(withoutSlips('ordrs agn', ['orders'])).toBe('ordrs again')
  })
})
