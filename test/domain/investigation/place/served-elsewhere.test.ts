import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { failsAlone } from '#shared/domain/investigation/place/served-elsewhere.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const alone = (edges: readonly Edge[], unwell: ReadonlySet<string> = new Set()) =>
  failsAlone(edges, unwell, at(ONSET), at(LENGTH))

describe('a call that fails', () => {
  const one = [...calls('letters', 'mail-api', 0.5), ...calls('alarms', 'mail-api')]

  it('fails at who calls, where the callee serves another as ever', () => {
    expect(alone(one)('letters', 'mail-api')).toBe(true)
    expect(alone(one)('alarms', 'mail-api')).toBe(false)
    expect(alone(one)('letters', 'other-api')).toBe(false)
  })

  it('is nobody’s alone where all fail, nobody else calls, several fail or the callee itself is measured to fail', () => {
    const isIt = (edges: readonly Edge[], unwell?: ReadonlySet<string>) =>
      alone(edges, unwell)('letters', 'mail-api')
    expect(isIt([...calls('letters', 'mail-api', 0.5), ...calls('alarms', 'mail-api', 0.5)])).toBe(false)
    expect(isIt(calls('letters', 'mail-api', 0.5))).toBe(false)
    expect(isIt([...one, ...calls('orders', 'mail-api', 0.5)])).toBe(false)
    expect(isIt(one, new Set(['mail-api']))).toBe(false)
    expect(isIt(one, new Set(['letters']))).toBe(true)
  })
})

/** `desk` is alerted for `letters`, half of whose calls to a mail host fail that `alarms` asks too. */
const scene = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('desk', 'http_5xx_ratio')],
  series: [series('desk', 'http_5xx_ratio', 0.003, 0.4)],
  edges: [
    ...calls('desk', 'letters', 0.4),
    ...calls('letters', 'mail-host', 0.4),
    ...calls('alarms', 'mail-host'),
  ],
  ...more,
})

describe('the place of a failing that one caller alone meets', () => {
  it('is that caller, and the callee where no other caller is served', () => {
    expect(investigate(scene()).cause.entity).toBe('letters')
    const all = scene().edges.filter(({ caller }) => caller !== 'alarms')
    expect(investigate(scene({ edges: all })).cause.entity).toBe('mail-host')
  })

  it('is told with what was counted between the two', () => {
    const said = investigate(scene()).evidence.map(({ content }) => content)
    expect(said.find((content) => content.includes('calls to mail-host'))).toMatch(
      /\d+ beyond normal met one caller alone, and others were served\.$/,
    )
  })

  it('is the callee where that counts failed answers of its own', () => {
    const own = series('mail-host', 'http_5xx_ratio', 0.003, 0.4)
    expect(investigate(scene({ series: [...scene().series, own] })).cause.entity).toBe('mail-host')
  })
})
