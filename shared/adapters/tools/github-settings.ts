import * as z from 'zod/mini'
import { sha256 } from '#shared/adapters/digest.ts'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import { readPrivateKey } from './github-app.ts'
import type { GithubRepository, GithubSettings } from './github-session.ts'

const PUBLIC_API = 'https://api.github.com'

const text = z.string('must be a text')
const repositoryName = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{1,100}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'must be written owner/name'))
const settingsSchema = z.object({
  app_id: text.check(z.minLength(1, 'must not be empty')),
  // Basic authentication ends the user at the first colon.
  client_id: text.check(z.regex(/^[^:\s\p{Cc}]+$/u, 'must not be empty or hold colons or white space')),
  client_secret: text.check(z.regex(/^[^\s\p{Cc}]+$/u, 'must not be empty or hold white space')),
  private_key: z.optional(
    text.check(
      z.refine(
        (pem) => readPrivateKey(pem) !== undefined,
        'must be the RSA private key of the app in PEM, its line breaks included',
      ),
    ),
  ),
  installation_id: z.optional(text.check(z.regex(/^\d{1,19}$/, 'must be a number'))),
  repositories: z.optional(
    z.union([z.array(repositoryName), z.record(z.string(), repositoryName)], {
      error: 'must be a list of owner/name or a map from service to owner/name',
    }),
  ),
  base_url: z.optional(
    text.check(
      z.refine((address) => {
        if (!URL.canParse(address)) return false
        const { protocol, search, hash } = new URL(address)
        return /^https?:$/.test(protocol) && search === '' && hash === ''
      }, 'must be an address without query and fragment'),
    ),
  ),
})

/**
 * The settings of an integration, read.
 * @throws Refusal `invalid` naming the field
 */
export function settingsOf(config: IntegrationConfig): GithubSettings {
  const read = settingsSchema.safeParse(config)
  if (!read.success) {
    const [issue] = read.error.issues
    throw invalidField(
      ['config', ...(issue?.path ?? [])].map(String).join('.'),
      issue?.message ?? 'is invalid',
    )
  }
  const { app_id, client_id, client_secret, private_key, repositories = [] } = read.data
  const byName = new Map<string, GithubRepository>()
  const rows: [string | undefined, string][] = Array.isArray(repositories)
    ? repositories.map((name) => [undefined, name])
    : Object.entries(repositories)
  for (const [service, name] of rows) {
    // GitHub takes names in any case.
    const known = byName.get(name.toLowerCase()) ?? { name, services: [] }
    const services = service === undefined ? known.services : [...known.services, service]
    byName.set(name.toLowerCase(), { name: known.name, services })
  }
  return {
    app_id,
    client_id,
    client_secret,
    private_key: private_key === undefined ? undefined : readPrivateKey(private_key),
    key_digest: private_key === undefined ? '' : sha256(private_key),
    // The first and the last line are the same in every key.
    key_lines: (private_key ?? '').split(/\s*\n\s*/).filter((line) => line !== '' && !line.startsWith('--')),
    installation_id: read.data.installation_id,
    base_url: (read.data.base_url ?? PUBLIC_API).replace(/\/+$/, ''),
    repositories: [...byName.values()],
  }
}
