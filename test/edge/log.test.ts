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
