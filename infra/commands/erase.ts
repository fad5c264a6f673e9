import { eraseItems } from '#shared/adapters/dynamo/erase-items.ts'
import { isId } from '#shared/domain/ids.ts'
import { readInstant } from '#shared/domain/instant.ts'
import { Misuse } from './misuse.ts'
import { runStoreCommand, WHERE_HELP } from './store-command.ts'

const HELP = `Erases what a service observed, answered and sent: items of tables and objects of the bucket.

  npm run --silent erase -- --incident inc_…      an incident with its alerts, events, deliveries, evidence, and the
                                                  answers that name it
  npm run --silent erase -- --query query_…       a question with its answer, its evidence, and the answers that name it
  npm run --silent erase -- --before TIME         what is older: resolved incidents, questions, pushed signals; TIME is
                                                  an instant such as 2026-01-31T12:00:00Z
  … --yes                                         really; without it, it only counts

${WHERE_HELP}

Settings of tools and webhooks, keys, users, and who did what to keys stay. What was broken off is finished by the same
command. Backups keep what is gone: tables for 35 days, the bucket of a stage that keeps its data for 30 days. Exit
status: 0 done or counted, 1 failed, 2 wrong use.`

type Wish = { readonly erasure: Parameters<typeof eraseItems>[0]; readonly really: boolean }

/** What is to go. @throws Misuse when it is not said, said twice, or no such thing can exist */
function readErasure({ incident, query, before }: Readonly<Record<string, unknown>>): Wish['erasure'] {
  if ([incident, query, before].filter((each) => each !== undefined).length !== 1)
    throw new Misuse('give one of --incident, --query and --before')
  if (before !== undefined) {
    const instant = readInstant(String(before))
    if (instant === null) throw new Misuse('--before must be an instant such as 2026-01-31T12:00:00Z')
    if (instant > Date.now()) throw new Misuse('--before must not lie in the future')
    return { before: instant }
  }
  const [id, prefix] = incident === undefined ? [String(query), 'query'] : [String(incident), 'inc']
  if (!isId(id, prefix)) {
    const option = prefix === 'inc' ? '--incident' : '--query'
    throw new Misuse(`${option} must be a whole id such as ${prefix}_01KFMZ7R4Z0000000000000000`)
  }
  return { subject: id }
}

await runStoreCommand<Wish>({
  name: 'erase',
  help: HELP,
  options: {
    incident: { type: 'string' },
    query: { type: 'string' },
    before: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
  read: (given) => ({ erasure: readErasure(given), really: given.yes === true }),
  async run({ erasure, really }, { documents: client, names, objects, pace, pause }) {
    const erased = await eraseItems(erasure, { client, names, objects, pace, pause, really })
    if ('subject' in erasure && erased.objects === 0 && Object.keys(erased.items).length === 0)
      process.stderr.write(`erase: nothing of ${erasure.subject} is there\n`)
    process.stdout.write(`${JSON.stringify({ [really ? 'erased' : 'would_erase']: erased })}\n`)
    return 0
  },
})
