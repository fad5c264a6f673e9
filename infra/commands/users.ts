import { openKeys } from './keys-table.ts'
import { BEHIND_DASHES, Misuse, readOptions, tellFailure } from './misuse.ts'
import { PLACE_OPTIONS, placeOf } from './place.ts'

const HELP = `Lists signed-in users who have called, refuses them, and signs them out.

  npm run users -- list
  npm run users -- disable ID    refused from the very next request on, whatever token they hold
  npm run users -- enable ID
  npm run users -- sign-out ID   every token issued until now is refused

Where the users are:
  --stack S   those of a deployed stack, with your own AWS identity
  --data DIR  those of a local service, running or not (default: .local)

People are invited and removed in the user pool; this acts on the API at once. Exit 0 done, 1 failed, 2 wrong use.`

const OPTIONS = {
  ...PLACE_OPTIONS,
  help: { type: 'boolean', default: false },
} as const

const ACTIONS = ['list', 'disable', 'enable', 'sign-out'] as const

function readArguments(args: readonly string[]) {
  const { values, positionals } = readOptions({ args, options: OPTIONS, allowPositionals: true })
  const [word, id, ...more] = positionals
  if (values.help) return null
  const action = ACTIONS.find((each) => each === word)
  if (action === undefined) throw new Misuse(`name what to do: ${ACTIONS.join(', ')}`)
  if (more.length > 0 || (action === 'list' && id !== undefined))
    throw new Misuse(`too many words: ${BEHIND_DASHES}`)
  if (action !== 'list' && id === undefined) throw new Misuse(`${action} needs the id of a user`)
  return { action, id: id ?? '', where: placeOf(values) }
}

/** Runs one command. @returns what to print */
async function run(args: readonly string[]): Promise<unknown> {
  const given = readArguments(args)
  if (given === null) return HELP
  const { action, id, where } = given
  const { users, close } = await openKeys(where)
  try {
    if (action === 'list') return { users: await users.list() }
    const now = Date.now()
    const found =
      action === 'sign-out'
        ? await users.signOut(id, now)
        : await users.setDisabled(id, action === 'disable', now)
    if (!found) throw new Error(`no user ${id} has called yet`)
    return { id, done: action }
  } finally {
    await close()
  }
}

try {
  const told = await run(process.argv.slice(2))
  process.stdout.write(typeof told === 'string' ? `${told}\n` : `${JSON.stringify(told, null, 2)}\n`)
} catch (error) {
  tellFailure('users', error)
}
