import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import type { ToolReach } from './tool-request.ts'

/** A header's name as RFC 9110 has it. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Printable ASCII: what every server and proxy takes. */
const HEADER_VALUE = /^[\x20-\x7e]*$/
/** Headers that are the client's own, or that another setting is for. */
const RESERVED =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|expect|keep-alive|te|trailer|accept|accept-encoding|user-agent)$/i

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
    if (!HEADER_NAME.test(name)) throw invalidField('config.headers', 'must hold names of headers')
    if (RESERVED.test(name)) throw invalidField('config.headers', `must not set ${name.toLowerCase()}`)
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      throw invalidField('config.headers', `must hold printable ASCII as ${name}`)
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
