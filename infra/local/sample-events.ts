import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createdEventId } from '#shared/domain/incident.ts'
import type { LocalKeys } from './local-keys.ts'

/** Folder of the sample events, one file a function. */
export const EVENTS = fileURLToPath(new URL('../../events', import.meta.url))

/** Placeholders for the id of a resource, and the function whose own sample event makes one. */
const MADE_BY: Readonly<Record<string, string>> = {
  INCIDENT_ID: 'create-incident',
  INTEGRATION_ID: 'create-integration',
  WEBHOOK_ID: 'create-webhook',
  QUERY_ID: 'answer-query',
  KEY_ID: 'create-key',
}
/** An integration whose tool sends, and what it proves itself by. */
const SENDER = 'SENDER_ID'
const INGEST_TOKEN = 'INGEST_TOKEN'
/** Nobody answers there, and nobody has to: it is only sent by. */
const SENDING_TOOL = { type: 'alertmanager', config: { base_url: 'https://alertmanager.invalid' } }
/** The event of the incident that the sample makes: its id follows from the incident's. */
const CREATED_EVENT = 'CREATED_EVENT_ID'
/** The delivery that the sample relay makes of the sample incident's event for the sample webhook. */
const DELIVERY = 'DELIVERY_ID'
/** An instant a day ago: some functions take no older ones. */
const YESTERDAY = 'YESTERDAY'
const DAY_MS = 86_400_000
const PLACEHOLDER = /\{\{([A-Z_]+)\}\}/g

/** Who the sample events are of: the local keys, and where there is one, a signed-in admin. */
export type SampleCredentials = LocalKeys & { readonly adminToken?: string }

/** Answers an event in a function's name. */
export type AnswerEvent = (functionId: string, event: unknown) => Promise<unknown>

/** @throws Error with one line when the file cannot be read */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      code === 'ENOENT' ? `There is no event file ${file}.` : `${file} cannot be read: ${code}.`,
      {
        cause: error,
      },
    )
  }
}

function idIn(functionId: string, answer: unknown): string {
  const { statusCode, body } = (answer ?? {}) as { statusCode?: number; body?: string }
  if (statusCode === undefined || statusCode >= 300) {
    throw new Error(`${functionId} made nothing to refer to: it answered ${statusCode}: ${body}`)
  }
  return String((JSON.parse(body ?? '{}') as { id?: unknown }).id)
}

/** Puts in what an event refers to; what is made for one event serves those that are made for it. */
class SampleValues {
  readonly #values: Map<string, string>
  readonly #answer: AnswerEvent

  constructor(keys: SampleCredentials, answer: AnswerEvent) {
    this.#values = new Map([
      ['ADMIN_KEY', keys.admin.key],
      ['ASSISTANT_KEY', keys.assistant.key],
      ...(keys.adminToken === undefined ? [] : [['ADMIN_TOKEN', keys.adminToken] as const]),
      [YESTERDAY, new Date(Date.now() - DAY_MS).toISOString()],
    ])
    this.#answer = answer
  }

  async event(file: string): Promise<unknown> {
    const text = readText(file)
    for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
      if (!this.#values.has(name)) this.#values.set(name, await this.#make(name, file))
    }
    const filled = text.replaceAll(PLACEHOLDER, (_, name: string) => this.#values.get(name) ?? '')
    try {
      return JSON.parse(filled) as unknown
    } catch (error) {
      throw new Error(`${file} is no JSON: ${(error as Error).message}`, { cause: error })
    }
  }

  async #make(name: string, file: string): Promise<string> {
    if (name === DELIVERY) return this.#delivery()
    if (name === SENDER) return this.#sender()
    const maker = name === CREATED_EVENT ? MADE_BY.INCIDENT_ID : MADE_BY[name]
    if (maker === undefined) throw new Error(`${file}: there is no placeholder {{${name}}}.`)
    if (name === CREATED_EVENT) {
      const incident = this.#values.get('INCIDENT_ID') ?? (await this.#make('INCIDENT_ID', file))
      this.#values.set('INCIDENT_ID', incident)
      return createdEventId(incident)
    }
    return idIn(maker, await this.#answer(maker, await this.event(`${EVENTS}/${maker}.json`)))
  }

  async #sender(): Promise<string> {
    const creation = (await this.event(`${EVENTS}/create-integration.json`)) as object
    const answer = await this.#answer('create-integration', {
      ...creation,
      body: JSON.stringify(SENDING_TOOL),
    })
    const id = idIn('create-integration', answer)
    const { ingest } = JSON.parse((answer as { body: string }).body) as { ingest: { token: string } }
    this.#values.set(INGEST_TOKEN, ingest.token)
    return id
  }

  async #delivery(): Promise<string> {
    // Listed before it is relayed: so the webhook is there when the event looks for subscriptions.
    const listing = await this.event(`${EVENTS}/list-deliveries.json`)
    await this.#answer('relay-events', await this.event(`${EVENTS}/relay-events.json`))
    const listed = (await this.#answer('list-deliveries', listing)) as { body?: string }
    const { deliveries = [] } = JSON.parse(listed.body ?? '{}') as { deliveries?: { id: string }[] }
    if (deliveries[0] === undefined) throw new Error('relay-events made no delivery to refer to')
    return deliveries[0].id
  }
}

/**
 * Reads an event and puts in what only the running store knows: keys, and ids of resources that are made for the
 * purpose, each by the sample event of the function that makes it.
 * @param file an event as JSON, in which `{{NAME}}` may stand inside strings
 * @throws Error with one line that names the file and the placeholder or place where it is wrong
 */
export function readEvent(file: string, keys: SampleCredentials, answer: AnswerEvent): Promise<unknown> {
  return new SampleValues(keys, answer).event(file)
}
