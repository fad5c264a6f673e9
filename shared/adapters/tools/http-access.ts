import { invalidField } from '#shared/domain/errors.ts'
import { HEADER_NAME, HEADER_VALUE } from '#shared/domain/header-form.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import type { ToolReach } from './tool-request.ts'

/** What the settings of an earlier version may hold, an endpoint no longer takes. */
const NAME = new RegExp(HEADER_NAME.pattern)
const VALUE = new RegExp(HEADER_VALUE.pattern)

const textOf = (config: IntegrationConfig, name: string): string | undefined => {
  const value = config[name]
  return typeof value === 'string' ? value : undefined
}

function furtherHeaders(config: IntegrationConfig): Record<string, string> {
  const { headers = {} } = config
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw invalidField('config.headers', 'must be a map from names to values')
  }
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) throw invalidField('config.headers', `has a name that must be ${HEADER_NAME.words}`)
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw invalidField('config.headers', `must hold ${HEADER_VALUE.words} as ${name}`)
    }
    kept[name.toLowerCase()] = value
  }
  return kept
}

/** The address of a tool without the slashes at its end. @throws Refusal `invalid` when it is missing */
export function addressOf(config: IntegrationConfig): string {
  const address = textOf(config, 'base_url')
  if (address === undefined || !URL.canParse(address)) throw invalidField('config.base_url', 'is required')
  return address.replace(/\/+$/, '')
}

/**
 * Reads the settings that all tools behind plain HTTP share: address, bearer token or user and password, headers.
 * @throws Refusal `invalid` naming the setting that does not go with another one, or cannot be sent
 */
export function httpAccess(
  config: IntegrationConfig,
  tool: { readonly tool: string; readonly title: string },
): ToolReach {
  const [bearer, username, password] = ['bearer_token', 'username', 'password'].map((name) =>
    textOf(config, name),
  )
  const further = furtherHeaders(config)
  const secrets = Object.values(further)
  let authorization: string | undefined
  if (bearer !== undefined) {
    if (username !== undefined) throw invalidField('config.username', 'does not go with config.bearer_token')
    // What cannot stand in a header would fail at the client, with an error that quotes it.
    if (!/^[\x21-\x7e]+$/.test(bearer)) {
      throw invalidField('config.bearer_token', 'must be printable ASCII without spaces')
    }
    authorization = `Bearer ${bearer}`
    secrets.push(bearer)
  }
  if (password !== undefined && username === undefined) {
    throw invalidField('config.username', 'is required with config.password')
  }
  if (username !== undefined) {
    // Basic authentication ends the user at the first colon.
    if (username.includes(':')) throw invalidField('config.username', 'must not hold a colon')
    const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
    authorization = `Basic ${basic}`
    secrets.push(basic, ...(password === undefined ? [] : [password]))
  }
  if (authorization !== undefined && 'authorization' in further) {
    throw invalidField('config.headers', 'must not set authorization beside a token or a user')
  }
  return {
    ...tool,
    base_url: addressOf(config),
    headers: { ...further, ...(authorization === undefined ? {} : { authorization }) },
    secrets,
    credential:
      username !== undefined
        ? 'config.password'
        : bearer === undefined && secrets.length > 0
          ? 'config.headers'
          : 'config.bearer_token',
  }
}
