import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { replayIncident } from '../commands/replay-incident.ts'
import type { Deployment } from '../local/deployment.ts'
import type { Outage } from './outages.ts'
import { type Json, until } from './service-client.ts'
import type { ToolPaths } from './tool-programs.ts'
import { CALM_S, certificateUntil, startWorld, type World } from './world.ts'

/** How long the shop is broken before it is asked why: less would show the tools too few points. */
const BROKEN_S = 75
/** An alert reaches the service within some ten seconds. */
const MOST_ALERT_MS = 60_000
const MOST_ANALYSIS_MS = 60_000
/** A first attempt may fail on a machine that is busy; the next ones follow within a minute. */
const MOST_DELIVERY_MS = 90_000

export interface Played {
  readonly outage: Outage
  /** ms since the epoch */
  readonly broken_at: number
  readonly incident: Json
  readonly root_cause: RootCause
  readonly snapshot: Snapshot
  /** Kinds of the events that arrived at the receiver, in order, each once. */
  readonly events: readonly string[]
  /** Events whose signature did not verify. */
  readonly unverified: number
}

export interface Playing {
  readonly paths: ToolPaths
  readonly deployment: Promise<Deployment>
  /** Gets each step as it happens. */
  readonly tell: (line: string) => void
  /** Gets what the service says beside its answers. */
  readonly log: (line: string) => void
  /** How long after an outage began its Alertmanager is started; 0 where it ran all the time. */
  readonly alertmanagerLateMs?: (outage: Outage) => number
  /** What else is tried in a world once its outage is explained. */
  readonly afterwards?: (outage: Outage, world: World, incident: string) => Promise<void>
}

/** Asks for an investigation and waits until it is done. */
export async function analyse({ service }: Pick<World, 'service'>, id: string): Promise<Json> {
  const before = (await service.get(`/incidents/${id}`)).root_cause as Json | null
  await service.post(`/incidents/${id}/investigate`)
  return until('the root cause', MOST_ANALYSIS_MS, async () => {
    const incident = await service.get(`/incidents/${id}`)
    const found = incident.root_cause as Json | null
    if (incident.analysis === 'failed') throw new Error('The analysis failed.')
    return incident.analysis === 'done' && found !== null && found.analysed_at !== before?.analysed_at
      ? incident
      : undefined
  })
}

/** Plays one outage in a world of its own: alert, incident, evidence, root cause, webhook. */
export async function playOutage(outage: Outage, playing: Playing): Promise<Played> {
  const { tell } = playing
  const folder = mkdtempSync(join(tmpdir(), 'tools-demo-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  // Who is interrupted leaves nothing behind either; the processes end by themselves with this one.
  process.once('exit', remove)
  let world: World | undefined
  try {
    tell(`starting the shop, its tools and the service: ${outage.title}`)
    world = await startWorld({
      folder,
      paths: playing.paths,
      deployment: playing.deployment,
      log: playing.log,
    })
    const brokenAt = Date.now() + CALM_S * 1000
    if (outage.fault === null) world.shop.certify(certificateUntil(brokenAt))
    tell(`all runs well; ${CALM_S} s until it breaks`)
    await pause(Math.max(0, brokenAt - Date.now()))
    const lateMs = playing.alertmanagerLateMs?.(outage) ?? 0
    if (lateMs > 0) await world.stopAlertmanager()
    if (outage.fault !== null) world.shop.breakBy(outage.fault)
    tell(`broken: ${outage.title}`)
    if (lateMs > 0) {
      await pause(lateMs)
      await world.startAlertmanager()
    }
    const incident = await incidentOf(world, tell)
    const id = String(incident.id)
    await pause(Math.max(0, brokenAt + BROKEN_S * 1000 - Date.now()))
    const analysed = await analyse(world, id)
    const { stored, snapshot } = await replayIncident(id, { data: world.data })
    const { cause, confidence, gaps } = stored
    tell(
      `evidence: ${stored.evidence.length} pieces from ${snapshot.sources.length} questions, ${gaps.length} gaps`,
    )
    tell(`root cause: ${cause.kind} of ${cause.entity ?? 'nobody'}, confidence ${confidence}`)
    const { arrivals } = world
    await until('the event of the root cause', MOST_DELIVERY_MS, () =>
      arrivals.find(({ event }) => event?.type === 'incident.analyzed'),
    )
    const events = [...new Map(arrivals.map((arrival) => [arrival.id, arrival])).values()]
    tell(`webhook: ${events.map(({ event }) => String(event?.type)).join(', ')}, signatures verified`)
    await playing.afterwards?.(outage, world, id)
    return {
      outage,
      broken_at: brokenAt,
      incident: analysed,
      root_cause: stored,
      snapshot,
      events: events.map(({ event }) => String(event?.type)),
      unverified: arrivals.filter(({ verified }) => !verified).length,
    }
  } finally {
    await world?.stop()
    remove()
    process.off('exit', remove)
  }
}

/** The incident that Alertmanager's message made. */
async function incidentOf({ service }: World, tell: (line: string) => void): Promise<Json> {
  const incident = await until('an alert that makes an incident', MOST_ALERT_MS, async () => {
    const { incidents } = await service.get('/incidents')
    return (incidents as readonly Json[])[0]
  })
  tell(
    `alert → incident: ${String(incident.title)}, ${String(incident.severity)}, ${String(incident.service)}, since ${String(incident.started_at)}`,
  )
  return incident
}
