import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { KEY_TYPES, type KeyType } from '#shared/domain/api-key.ts'
import { createKey } from '#shared/domain/create-key.ts'
import { Refusal } from '#shared/domain/errors.ts'
import { PLANS, type Plan } from '#shared/domain/rate-limit.ts'
import { openKeys } from './keys-table.ts'
import { BEHIND_DASHES, Misuse, readOptions, tellFailure } from './misuse.ts'
import { PLACE_OPTIONS, placeOf } from './place.ts'

const HELP = `Makes, lists and revokes API keys.

  npm run keys -- create --name N --type admin|assistant [--plan standard|enterprise] [--expires ISO]
  npm run keys -- list
  npm run keys -- revoke ID
  npm run keys -- acts      who made, rotated or revoked which key, latest first

Where the keys are:
  --stack S   those of a deployed stack, with your own AWS identity
  --data DIR  those of a local service, running or not (default: .local)

create prints {"id","key"} once; the key is kept nowhere. Exit 0 done, 1 failed, 2 wrong use.`

const OPTIONS = {
  name: { type: 'string' },
  type: { type: 'string' },
  plan: { type: 'string', default: 'standard' },
  expires: { type: 'string' },
  ...PLACE_OPTIONS,
  help: { type: 'boolean', default: false },
} as const

function oneOf<Value extends string>(
  name: string,
  given: string | undefined,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === given)
  if (found === undefined) throw new Misuse(`--${name} must be one of: ${values.join(', ')}`)
  return found
}

/** What a key may not be, told of the option that said it. */
function asWritten(error: unknown): unknown {
  if (!(error instanceof Refusal && error.kind === 'invalid')) return error
  const { field, reason } = error.details
  return new Misuse(`--${field === 'expires_at' ? 'expires' : String(field)} ${String(reason)}`)
}

/** Runs one command. @returns what to print */
async function run(args: readonly string[]): Promise<unknown> {
  const { values, positionals } = readOptions({ args, options: OPTIONS, allowPositionals: true })
  const [action, id, ...more] = positionals
  if (values.help) return HELP
  if (more.length > 0 || (id !== undefined && action !== 'revoke'))
    throw new Misuse(`too many words: ${BEHIND_DASHES}`)
  const given = {
    name: values.name ?? '',
    type: 'admin' as KeyType,
    plan: 'standard' as Plan,
    expires_at: values.expires ?? null,
    created_by: 'command line',
  }
  if (action === 'create') {
    if (values.name === undefined) throw new Misuse('--name is required')
    given.type = oneOf('type', values.type, KEY_TYPES)
    given.plan = oneOf('plan', values.plan, PLANS)
  } else if (action === 'revoke' ? id === undefined : action !== 'list' && action !== 'acts') {
    throw new Misuse(
      action === 'revoke' ? 'revoke needs the id of a key' : 'name what to do: create, list, revoke or acts',
    )
  }
  const { keys, close } = await openKeys(placeOf(values))
  try {
    if (action === 'list') return { keys: await keys.list() }
    if (action === 'acts') return { acts: await keys.acts() }
    if (action === 'revoke') {
      if (!(await keys.revoke(id ?? '', Date.now(), 'command line'))) throw new Error(`there is no key ${id}`)
      return { id, revoked: true }
    }
    const newId = (prefix: string, at: number) => `${prefix}_${ulid(at)}`
    const { apiKey, key } = await createKey(
      { keys, clock: Date.now, newId, random: (bytes) => randomBytes(bytes), hash: keyHash },
      given,
    )
    return { id: apiKey.id, key }
  } finally {
    await close()
  }
}

try {
  const told = await run(process.argv.slice(2))
  process.stdout.write(typeof told === 'string' ? `${told}\n` : `${JSON.stringify(told, null, 2)}\n`)
} catch (error) {
  tellFailure('keys', asWritten(error))
}
