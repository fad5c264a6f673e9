import { describe, expect, it } from 'vitest'
import { Misuse, readOptions, statusOf } from '#infra/commands/misuse.ts'

const read = (...args: string[]) =>
  readOptions({
    args,
    allowPositionals: true,
    options: { port: { type: 'string' }, json: { type: 'boolean', default: false } },
  })

/** What was said of a use that cannot be understood. */
function refusalOf(...args: string[]): unknown {
  try {
    read(...args)
  } catch (error) {
    return error instanceof Misuse ? error.message : error
  }
  return undefined
}

describe('what is written behind the name of a command', () => {
  it('is read as options and words', () => {
    const { values, positionals } = read('list', '--port', '0')
    expect({ ...values }).toEqual({ port: '0', json: false })
    expect(positionals).toEqual(['list'])
  })

  it('is refused in one sentence where the command has no such option', () => {
    expect(refusalOf('--prot', '1')).toBe("Unknown option '--prot'")
  })

  it('is told to stand behind two dashes where npm took the name of an option and left its value', () => {
    const bare = () => readOptions({ args: ['4020'], options: { port: { type: 'string' } } })
    expect(bare).toThrow(
      new Misuse(
        "Unexpected argument '4020': with npm, options stand behind --, as in npm start -- --port 4020",
      ),
    )
  })

  it('is refused where an option misses its value, or has one that it does not take', () => {
    expect(refusalOf('--port')).toMatch(/^Option '--port <value>' argument missing/)
    expect(refusalOf('--json=yes')).toMatch(/^Option '--json' does not take an argument/)
  })
})

describe('the exit status of a command', () => {
  it('tells wrong use from whatever else failed', () => {
    expect(statusOf(new Misuse('--port is required'))).toBe(2)
    expect(statusOf(new Error('the port is taken'))).toBe(1)
    expect(statusOf(undefined)).toBe(1)
  })
})
