import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import type { Finding } from '#shared/adapters/dynamo/item-findings.ts'
import { repairItems } from '#shared/adapters/dynamo/repair-items.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import type { Sealer } from '#shared/domain/ports.ts'
import { runStoreCommand, WHERE_HELP } from './store-command.ts'

const HELP = `Finds what does not fit together in the tables and objects of a service, and mends it: incidents that lists or
indexes miss, investigations and deliveries that nothing would wake, events that a subscription never got, wrong
counts, and what is left of incidents and answers that are gone. For after a restore; it changes nothing where
everything fits.

  npm run --silent repair --          says what it would mend
  npm run --silent repair -- --yes    mends it

${WHERE_HELP}

Each finding is one line of JSON, the last line counts. What changes while it looks is left alone: it may be done
beside the running service, and again. Exit status: 0 nothing found or all of it mended, 1 failed, 2 wrong use,
3 something is left.`

/** Exit status where something is left that does not fit. */
const LEFT = 3

/** No secret is needed, so none is opened. */
const NO_SEALER: Sealer = {
  seal: () => Promise.reject(new Error('nothing is sealed here')),
  open: () => Promise.reject(new Error('nothing is opened here')),
}

await runStoreCommand({
  name: 'repair',
  help: HELP,
  options: { yes: { type: 'boolean', default: false } },
  read: ({ yes }) => ({ really: yes === true }),
  async run({ really }, { documents: client, names, objects, pace, pause }) {
    const tell = (finding: Finding) => process.stdout.write(`${JSON.stringify(finding)}\n`)
    const { looked_at, found, mended } = await repairItems({
      ...{ client, names, objects, pace, pause, really, tell },
      deliveries: deliveryStore(client, names.webhooks),
      webhooks: webhookStore({ client, table: names.webhooks, sealer: NO_SEALER }),
      clock: Date.now,
    })
    const all = Object.values(found).reduce((sum, count) => sum + count, 0)
    process.stdout.write(`${JSON.stringify({ looked_at, found, mended, left: all - mended })}\n`)
    return all === mended ? 0 : LEFT
  },
})
