import { loadConfig } from '@smithy/core/config'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadSetting } from '#shared/adapters/aws-settings.ts'

const NAME = 'AWS_SETTING_OF_A_TEST'

/** As the SDK reads whether something is on: neither word is an error. */
const isOn = (env: Readonly<Record<string, string | undefined>>): boolean | undefined => {
  const text = env[NAME]
  if (text !== undefined && text !== 'true' && text !== 'false') throw new Error(`got ${text}`)
  return text === undefined ? undefined : text === 'true'
}
const selectorsOf = <Value>(otherwise: Value | (() => Value | Promise<Value>)) => ({
  environmentVariableSelector: isOn as () => Value | undefined,
  configFileSelector: () => undefined,
  default: otherwise as never,
})
const outcomeOf = (loaded: () => Promise<unknown>) =>
  loaded().then(
    (value) => ({ value }),
    (error: unknown) => ({ error: (error as Error).message }),
  )

beforeEach(() => {
  vi.stubEnv('AWS_CONFIG_FILE', '/nothing')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nothing')
})
afterEach(() => vi.unstubAllEnvs())

describe('a setting of the SDK where a function runs', () => {
  const defaults = [
    ['a value', false],
    ['none', undefined],
    ['a function', () => true],
    ['a promise', async () => false],
    [
      'an error',
      () => {
        throw new Error('Region is missing')
      },
    ],
  ] as const
  it.each(
    defaults.flatMap(([name, otherwise]) =>
      [undefined, 'true', 'false', 'perhaps'].map((text) => [text, name, otherwise] as const),
    ),
  )(
    'that is %s in the environment, with %s by default, is what the SDK finds',
    async (text, _name, otherwise) => {
      vi.stubEnv(NAME, text)
      const selectors = selectorsOf(otherwise as boolean)
      expect(await outcomeOf(loadSetting(selectors))).toEqual(await outcomeOf(loadConfig(selectors)))
    },
  )

  it('is looked for once, and again where its default failed', async () => {
    let asked = 0
    const setting = loadSetting(
      selectorsOf(async () => {
        asked += 1
        if (asked === 1) throw new Error('not yet')
        return true
      }),
    )
    await expect(setting()).rejects.toThrow('not yet')
    expect([await setting(), await setting(), asked]).toEqual([true, true, 2])
  })

  it('is told for which service it is', async () => {
    let told: unknown
    const environmentVariableSelector = (_env: unknown, options: unknown) => {
      told = options
      return 'found'
    }
    expect(await loadSetting({ environmentVariableSelector, default: '' }, { signingName: 'kms' })()).toBe(
      'found',
    )
    expect(told).toEqual({ signingName: 'kms' })
  })
})
