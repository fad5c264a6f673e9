/** How the SDK reads one of its settings, as far as its environment and its default tell it. */
export interface SettingSelectors<Value> {
  readonly environmentVariableSelector: (
    env: Readonly<Record<string, string | undefined>>,
    options: { readonly signingName?: string | undefined },
  ) => Value | undefined
  readonly default: Value | (() => Value | Promise<Value>)
}

/**
 * Where the SDK's clients look for a setting when functions are bundled: in the environment, else by its default, kept once
 * it is found. A function has no profiles. As with the SDK, what cannot be read in the environment is as if it were not there.
 * @throws what the default throws, at each call
 */
export function loadSetting<Value>(
  { environmentVariableSelector, default: otherwise }: SettingSelectors<Value>,
  { signingName }: { readonly signingName?: string } = {},
): () => Promise<Value> {
  const inEnvironment = (): Value | undefined => {
    try {
      return environmentVariableSelector(process.env, { signingName })
    } catch {
      return undefined
    }
  }
  let kept: { readonly value: Value } | undefined
  return async () => {
    kept ??= {
      value:
        inEnvironment() ??
        (await (typeof otherwise === 'function' ? (otherwise as () => Value | Promise<Value>)() : otherwise)),
    }
    return kept.value
  }
}
