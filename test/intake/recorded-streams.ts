import { readFileSync } from 'node:fs'
import { outsideFile } from '#test/outside-data.ts'

/** What a real Alertmanager posted over five minutes of trouble, one body each. */
const ours = JSON.parse(
  readFileSync(new URL('../data/alertmanager/stream_scenario1.json', import.meta.url), 'utf8'),
) as { readonly posts: readonly { readonly body: unknown }[] }
const outside = outsideFile('payloads', 'datadog', 'webhook_stream_monitors_a.json')
const theirs =
  outside === undefined ? undefined : (JSON.parse(outside) as { readonly posts: readonly unknown[] })

/** What real senders posted, by the type of the integration; those of the outside data folder where it is given. */
export const STREAMS: readonly (readonly [type: string, bodies: readonly unknown[]])[] = [
  ['alertmanager', ours.posts.map(({ body }) => body)],
  ...(theirs === undefined ? [] : [['datadog', theirs.posts] as const]),
]
