import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { SAMPLE_INCIDENT } from '../sample-outage/sample-incident.ts'
import { writeSampleOutage } from '../sample-outage/write-sample-outage.ts'
import { writeWhole } from './data-folder.ts'

/** Name of the sample's folder below the folder of bundles. */
export const SAMPLE_BUNDLE = 'sample-outage'
/** Between two looks at whether the incident is analysed: a handful of requests in all. */
const LOOK_MS = 400
/** Far above the seconds that it takes. */
const MOST_MS = 45_000

export interface SampleOptions {
  readonly baseUrl: string
  readonly adminKey: string
  readonly bundlesFolder: string
  /** File that says that the sample was loaded, and as what. */
  readonly record: string
  /** ms since the epoch */
  readonly now: number
  readonly log: (line: string) => void
}

/** The sample as it was loaded; both null after a first start with `--empty`. */
export interface LoadedSample {
  readonly integration_id: string | null
  readonly incident_id: string | null
}

/** What a first start loaded, or null when there was none that came to its end. */
export function readSample(record: string): LoadedSample | null {
  if (!existsSync(record)) return null
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as LoadedSample
  } catch {
    return null
  }
}

/** Remembers that this data folder is to have no sample. */
export const skipSample = (record: string): void =>
  writeWhole(record, `${JSON.stringify({ integration_id: null, incident_id: null })}\n`)

type Json = Readonly<Record<string, unknown>>

async function call(
  options: SampleOptions,
  method: 'GET' | 'POST',
  path: string,
  body?: Json,
): Promise<Json> {
  const { statusCode, body: answer } = await request(`${options.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${options.adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (statusCode >= 300) {
    throw new Error(`The sample outage cannot be loaded: ${method} ${path} answered ${statusCode}: ${text}`)
  }
  return JSON.parse(text) as Json
}

const idOf = (resource: Json): string => String(resource.id)

/** Finds what an interrupted first start has made already. */
async function find(
  options: SampleOptions,
  path: string,
  list: string,
  matches: (item: Json) => boolean,
): Promise<string | undefined> {
  const items = (await call(options, 'GET', path))[list] as readonly Json[]
  const found = items.find(matches)
  return found === undefined ? undefined : idOf(found)
}

/**
 * Writes the sample outage's bundle, connects it and opens its incident, through the API as anybody would, and waits
 * until the incident is analysed. A load that was interrupted is taken up where it stopped.
 * @throws Error with one line when the service refuses, or when the analysis fails or takes too long
 */
export async function loadSampleOutage(options: SampleOptions): Promise<LoadedSample> {
  const folder = join(options.bundlesFolder, SAMPLE_BUNDLE)
  if (!existsSync(join(folder, 'bundle.json'))) {
    options.log(`Writing the sample outage to ${folder}`)
    await writeSampleOutage(folder, { endsAt: options.now })
  }
  const integrationId =
    (await find(
      options,
      '/integrations?limit=100',
      'integrations',
      ({ type, config }) => type === 'bundle' && (config as Json).path === SAMPLE_BUNDLE,
    )) ??
    idOf(await call(options, 'POST', '/integrations', { type: 'bundle', config: { path: SAMPLE_BUNDLE } }))
  const incidentId =
    (await find(
      options,
      '/incidents?limit=100',
      'incidents',
      ({ title }) => title === SAMPLE_INCIDENT.title,
    )) ?? idOf(await call(options, 'POST', '/incidents', { ...SAMPLE_INCIDENT }))

  options.log('Investigating the sample outage')
  const deadline = Date.now() + MOST_MS
  for (;;) {
    const { analysis } = await call(options, 'GET', `/incidents/${incidentId}`)
    if (analysis === 'done') break
    if (analysis === 'failed') throw new Error('The sample outage was loaded, but its analysis failed.')
    if (Date.now() > deadline) {
      throw new Error(`The sample outage was loaded, but its analysis is still ${String(analysis)}.`)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const loaded = { integration_id: integrationId, incident_id: incidentId }
  writeWhole(options.record, `${JSON.stringify(loaded)}\n`)
  return loaded
}
