import { join } from 'node:path'
import { openDataFolder } from '../local/data-folder.ts'
import type { Deployment } from '../local/deployment.ts'
import { freePort } from '../local/free-port.ts'
import { type Arrival, startReceiver } from '../local/receiver.ts'
import { startRunner } from '../local/runner.ts'
import { selfSigned } from '../local/self-signed.ts'
import { RULES, scrapesOf } from './monitoring.ts'
import { type ServiceClient, serviceClient } from './service-client.ts'
import { type RunningShop, startShop } from './start-shop.ts'
import type { ToolPaths } from './tool-programs.ts'
import {
  startAlertmanager,
  startBlackboxExporter,
  startNodeExporter,
  startPrometheus,
  type ToolServer,
} from './tool-server.ts'

/** Seconds between two scrapes; a minute's history holds as much as a quarter of an hour does elsewhere. */
const SCRAPE_EVERY_S = 2
/** Alertmanager tells again so often; usually hours. */
const REPEAT_S = 8
/** Shorter windows than usual, in seconds: the worlds are minutes old. */
export const WINDOWS_S = { lead: 45, guard: 15, baseline: 90 }
/** So long must a world have run well before it is broken: the windows, and a start that its rates can be told from. */
export const CALM_S = WINDOWS_S.lead + WINDOWS_S.guard + WINDOWS_S.baseline + 5
const SECRET = 'demo-of-the-tools-on-loopback'

export interface WorldOptions {
  /** An empty folder of its own. */
  readonly folder: string
  readonly paths: ToolPaths
  readonly deployment: Promise<Deployment>
  /** Gets what the service says beside its answers. */
  readonly log: (line: string) => void
}

/** A shop, the tools that watch it, and the service that is connected with all of them. */
export interface World {
  readonly shop: RunningShop
  readonly prometheus: ToolServer
  readonly alertmanagerPort: number
  readonly service: ServiceClient
  /** Where the service keeps its data. */
  readonly data: string
  /** Ids of the integrations by their type. */
  readonly integrations: Readonly<Record<string, string>>
  /** What the receiver of the service's events has got. */
  readonly arrivals: readonly Arrival[]
  startAlertmanager(): Promise<void>
  stopAlertmanager(): Promise<void>
  stop(): Promise<void>
}

/** Where a tool sends its alerts, and the token that it sends along. */
interface Ingest {
  readonly url: string
  readonly token: string
}

const PAYMENTS_HOST = 'payments.shop.svc'

/** A certificate of payments that ends at an instant (ms). */
export const certificateUntil = (at: number) =>
  // UTCTime of X.509.
  selfSigned(PAYMENTS_HOST, `${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`)

/** Worlds start one after the other: at once they would make each other late. */
let lastStart: Promise<unknown> = Promise.resolve()

/** Starts a world; nothing of it outlives `stop`, nor this process. */
export function startWorld(options: WorldOptions): Promise<World> {
  const starting = lastStart.then(() => start(options))
  lastStart = starting.catch(() => undefined)
  return starting
}

async function start(options: WorldOptions): Promise<World> {
  const { folder, paths } = options
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  const started = <T extends { stop(): Promise<void> }>(one: T): T => {
    stops.push(() => one.stop())
    return one
  }
  try {
    const volumes = join(folder, 'volumes')
    const shop = started(await startShop(selfSigned(PAYMENTS_HOST), volumes))
    const node = started(await startNodeExporter(paths, volumes))
    const blackbox = started(await startBlackboxExporter(paths, join(folder, 'blackbox')))
    const alertmanagerPort = await freePort()
    const prometheus = started(
      await startPrometheus(paths, {
        folder: join(folder, 'prometheus'),
        scrapes: scrapesOf(shop, { node: node.port, blackbox: blackbox.port }),
        rules: RULES,
        alertmanagerPort,
        everyS: SCRAPE_EVERY_S,
      }),
    )

    const data = join(folder, 'service')
    const arrivals: Arrival[] = []
    const receiver = await startReceiver({
      port: 0,
      secret: SECRET,
      behaviour: 'ok',
      status: 204,
      seconds: 0,
      times: 0,
      tell: (arrival) => void arrivals.push(arrival),
    })
    stops.push(() => receiver.close())
    const opened = openDataFolder(data)
    stops.push(async () => opened.release())
    const { lead, guard, baseline } = WINDOWS_S
    const runner = started(
      await startRunner({
        folder: opened,
        strictEgress: false,
        environment: { ...process.env, LOCAL_WINDOWS: `${lead},${guard},${baseline}` },
        port: 0,
        deployment: options.deployment,
        log: options.log,
      }),
    )
    const service = serviceClient(runner.baseUrl, runner.backing.keys.admin.key)
    await service.post('/webhooks', {
      url: receiver.url,
      events: ['incident.created', 'incident.analyzed', 'incident.resolved'],
      secret: SECRET,
    })

    let alertmanager: ToolServer | undefined
    const stopAlertmanager = async (): Promise<void> => {
      await alertmanager?.stop()
      alertmanager = undefined
    }
    stops.push(stopAlertmanager)
    let ingest: Ingest | undefined
    const startTelling = async (): Promise<void> => {
      alertmanager = await startAlertmanager(paths, {
        folder: join(folder, 'alertmanager'),
        port: alertmanagerPort,
        repeatS: REPEAT_S,
        ...(ingest === undefined ? {} : { receiver: ingest }),
      })
    }
    await startTelling()
    const connected = await connectTools(service, {
      prometheus: prometheus.url,
      alertmanager: `http://127.0.0.1:${alertmanagerPort}`,
      standIns: `http://127.0.0.1:${shop.standIns}`,
    })
    const { integrations } = connected
    // Where it sends, and with which token, is told once it is connected.
    ingest = connected.ingest
    await stopAlertmanager()
    await startTelling()
    return {
      shop,
      prometheus,
      alertmanagerPort,
      service,
      data,
      integrations,
      arrivals,
      startAlertmanager: startTelling,
      stopAlertmanager,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Connects every tool by its address; what stands beside it is what the tools themselves demand of anybody. */
async function connectTools(
  service: ServiceClient,
  at: { readonly prometheus: string; readonly alertmanager: string; readonly standIns: string },
): Promise<{ readonly integrations: Readonly<Record<string, string>>; readonly ingest: Ingest }> {
  const configs = {
    alertmanager: { base_url: at.alertmanager },
    prometheus: { base_url: at.prometheus },
    loki: { base_url: `${at.standIns}/logs` },
    kubernetes: { base_url: `${at.standIns}/kubernetes`, bearer_token: 'a-token-that-may-list' },
    statuspage: { base_url: `${at.standIns}/provider` },
    github: {
      base_url: `${at.standIns}/github`,
      app_id: '1',
      client_id: 'Iv1.0123456789abcdef',
      client_secret: 'a-client-secret',
      repositories: ['acme/storefront', 'acme/checkout', 'acme/payments'],
    },
  }
  const integrations: Record<string, string> = {}
  let ingest: Ingest | undefined
  for (const [type, config] of Object.entries(configs)) {
    const made = await service.post('/integrations', { type, config })
    if (made.status === 'error') throw new Error(`${type} does not connect: ${String(made.status_detail)}`)
    integrations[type] = String(made.id)
    if (type === 'alertmanager') ingest = made.ingest as Ingest
  }
  if (ingest === undefined) throw new Error('The integration of Alertmanager told no address to send to.')
  return { integrations, ingest }
}
