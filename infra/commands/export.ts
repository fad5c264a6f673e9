import { statSync } from 'node:fs'
import { exportAccount } from './export-account.ts'
import { Misuse } from './misuse.ts'
import { runStoreCommand, WHERE_HELP } from './store-command.ts'

const HELP = `Writes everything that a service remembers as lines of JSON, secrets left out: incidents with their timelines, alerts,
events and root causes, questions and answers, pushed signals, settings of webhooks and what is not secret of tools,
deliveries, keys without their hashes, users, who did what to keys, and all objects of the bucket.

  npm run --silent export -- --to FOLDER

FOLDER gets a file for each table (incidents.jsonl, …), objects.jsonl with each object in base64, and, once it is
whole, export.json with the counts. Broken off, the same command goes on where it ended.

${WHERE_HELP}

Prints the counts. What changes meanwhile stands as it was when it was read. Exit status: 0 whole, 1 failed, 2 wrong
use.`

await runStoreCommand({
  name: 'export',
  help: HELP,
  options: { to: { type: 'string' } },
  read: ({ to }) => {
    if (typeof to !== 'string' || to === '') throw new Misuse('--to is required')
    if (statSync(to, { throwIfNoEntry: false })?.isFile())
      throw new Misuse(`--to must be a folder: ${to} is a file`)
    return to
  },
  async run(folder, { documents: client, names, objects, pace, of }) {
    const counts = await exportAccount({ client, names, objects, pace, of, folder })
    process.stdout.write(`${JSON.stringify(counts)}\n`)
    return 0
  },
})
