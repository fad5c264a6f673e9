import { SQSClient } from '@aws-sdk/client-sqs'
import { Misuse, readOptions, tellFailure } from './misuse.ts'
import { countMessages, moveMessages } from './move-messages.ts'
import { queueAddress } from './queue-address.ts'
import { stackResources } from './stack-resources.ts'

/** Queues whose messages can be worked again, by the beginning of their names in the templates. */
const QUEUES = { investigations: 'Investigations', deliveries: 'Deliveries', alerts: 'Alerts' } as const
type Name = keyof typeof QUEUES

const HELP = `Gives messages of dead-letter queues back to the queues that they came from.

  npm run --silent redrive -- --stack S                  how many lie in each
  npm run --silent redrive -- --stack S --queue NAME     gives those of one back

  --stack S     a deployed stack, with your own AWS identity
  --queue NAME  one of: ${Object.keys(QUEUES).join(', ')}

Mend what made them fail first: each is tried again as often as before (five times, alerts thirty). Working one twice changes nothing.
Exit status: 0 done, 1 failed, 2 wrong use.
`

const OPTIONS = {
  stack: { type: 'string' },
  queue: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

async function run(args: readonly string[]): Promise<string> {
  const { stack, queue, help } = readOptions({ args, options: OPTIONS }).values
  if (help) return HELP
  if (stack === undefined) throw new Misuse('--stack is required')
  const names = Object.keys(QUEUES) as Name[]
  if (queue !== undefined && !names.includes(queue as Name))
    throw new Misuse(`--queue must be one of: ${names.join(', ')}`)
  // The address of a queue is as its account knows it; where the client goes is the client's matter.
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false })
  try {
    const resources = await stackResources(stack)
    const dead = (name: Name) => queueAddress(sqs, resources, `${QUEUES[name]}DeadQueue`)
    if (queue === undefined) {
      const counts: Partial<Record<Name, number>> = {}
      for (const name of names) counts[name] = await countMessages(sqs, await dead(name))
      return `${JSON.stringify({ dead: counts })}\n`
    }
    const name = queue as Name
    const to = await queueAddress(sqs, resources, `${QUEUES[name]}Queue`)
    return `${JSON.stringify({ queue, moved: await moveMessages(sqs, await dead(name), to) })}\n`
  } finally {
    sqs.destroy()
  }
}

try {
  process.stdout.write(await run(process.argv.slice(2)))
} catch (error) {
  tellFailure('redrive', error)
}
