import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { harmless, log } from '#shared/edge/log.ts'

let lines: string[] = []
beforeEach(() => {
  lines = []
  const keep = (chunk: unknown) => {
    lines.push(String(chunk))
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the log', () => {
  it('writes one line of JSON, whatever is logged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        lines = []
        log('info', 'request_answered', { operation: text })
        expect(lines).toHaveLength(1)
        expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r\u0080-\u009f\u2028\u2029\u202e]/u)
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({
          code: 'request_answered',
          operation: harmless(text),
        })
      }),
    )
  })

  it('shows what a terminal would act on as its code point', () => {
    log('info', 'request_answered', { operation: 'a\u009bb\u2028c\u202ed\u2066e\u007f' })
    expect(lines.join('')).toContain('a<U+009B>b<U+2028>c<U+202E>d<U+2066>e<U+007F>')
  })

  it('tells the kind of an error and where it arose, never its message', () => {
    log('error', 'request_failed', {}, new TypeError('canary-77aa\n    second line canary-77aa'))
    const text = lines.join('')
    expect(text).toContain('TypeError')
    expect(text).toContain('log.test.ts')
    expect(text).not.toContain('canary')
  })

  it('tells the kinds of all errors that one stands for, never their messages', () => {
    const inner = new AggregateError([new RangeError('canary-1'), new TypeError('canary-2')], 'canary-3')
    inner.errors.push(inner)
    log('error', 'request_failed', {}, new AggregateError([inner, new TypeError('canary-4'), 'canary-5']))
    const text = lines.join('')
    expect(JSON.parse(text)).toMatchObject({
      error_name: 'AggregateError',
      error_within: 'TypeError, no error, RangeError',
    })
    expect(text).not.toContain('canary')
  })

  it('tells of no errors within one that stands for itself, or for nothing', () => {
    log('error', 'request_failed', {}, new TypeError('x'))
    expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('error_within')
    log('error', 'request_failed', {}, new AggregateError([]))
    expect(JSON.parse(lines[1] ?? '')).not.toHaveProperty('error_within')
  })

  it('keeps the names of ten of the errors within one', () => {
    const many = Array.from({ length: 30 }, (_, index) => Object.assign(new Error(), { name: `E${index}` }))
    log('error', 'request_failed', {}, new AggregateError(many))
    expect(JSON.parse(lines[0] ?? '').error_within.split(', ')).toHaveLength(10)
  })

  it('names the version of the function with an error, and with nothing else', () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '7')
    log('error', 'request_failed', {})
    log('info', 'request_answered', {})
    vi.unstubAllEnvs()
    const [failed, answered] = lines.map((line) => JSON.parse(line))
    expect(failed).toMatchObject({ code: 'request_failed', version: '7' })
    expect(answered).not.toHaveProperty('version')
  })

  it('takes what is no error at all', () => {
    log('error', 'request_failed', {}, 'canary-12bd')
    expect(lines.join('')).not.toContain('canary')
  })
})
