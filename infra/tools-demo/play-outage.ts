import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { replayIncident } from '../commands/replay-incident.ts'
import type { Deployment } from '../local/deployment.ts'
import type { Outage } from './outages.ts'
import { type Json, until } from './service-client.ts'
import type { ToolPaths } from './tool-programs.ts'
import { CALM_S, startWorld, type World } from './world.ts'

/** How long the shop is broken before it is asked why: less would show the tools too few points. */
const BROKEN_S = 75
/** An alert reaches the service within some ten seconds. */
const MOST_ALERT_MS = 60_000
const MOST_ANALYSIS_MS = 60_000
/** A world of its own for each start, so long before it is broken. */
const START_S = 25

export interface Played {
  readonly outage: Outage
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
  /** What else is tried in a world once its outage is explained. */
  readonly afterwards?: (world: World, incident: string) => Promise<void>
}

interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly activeAt: string
  readonly state: string
}

/** The alerts that fire, from Prometheus itself. */
async function firingAlerts({ prometheus }: World): Promise<readonly FiringAlert[]> {
  const answer = await fetch(`${prometheus.url}/api/v1/alerts`)
  const { data } = (await answer.json()) as { data: { alerts: readonly FiringAlert[] } }
  return data.alerts.filter(({ state }) => state === 'firing')
}

/** Asks for an investigation and waits until it is done. */
async function analyse({ service }: World, id: string): Promise<Json> {
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
  const brokenAt = Date.now() + (START_S + CALM_S) * 1000
  let world: World | undefined
  try {
    tell(`starting the shop, its tools and the service: ${outage.title}`)
    world = await startWorld({
      folder,
      paths: playing.paths,
      deployment: playing.deployment,
      certificateEndsAt: outage.fault === null ? brokenAt : undefined,
      log: playing.log,
    })
    tell(`all runs well; ${Math.round((brokenAt - Date.now()) / 1000)} s until it breaks`)
    await pause(Math.max(0, brokenAt - Date.now()))
    if (outage.fault !== null) world.shop.breakBy(outage.fault)
    tell(`broken: ${outage.title}`)
    const incident = await incidentOf(world, tell)
    const id = String(incident.id)
    await pause(Math.max(0, brokenAt + BROKEN_S * 1000 - Date.now()))
    const analysed = await analyse(world, id)
    const { stored, snapshot } = await replayIncident(id, { data: world.data })
    const { arrivals } = world
    await until('the event of the root cause', 30_000, () =>
      arrivals.find(({ event }) => event?.type === 'incident.analyzed'),
    )
    const events = [...new Map(arrivals.map((arrival) => [arrival.id, arrival])).values()]
    tell(`webhook: ${events.map(({ event }) => String(event?.type)).join(', ')}, signatures verified`)
    await playing.afterwards?.(world, id)
    return {
      outage,
      incident: analysed,
      root_cause: stored,
      snapshot,
      events: events.map(({ event }) => String(event?.type)),
      unverified: arrivals.filter(({ verified }) => !verified).length,
    }
  } finally {
    await world?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function incidentOf(world: World, tell: (line: string) => void): Promise<Json> {
  const alert = await until('an alert that fires', MOST_ALERT_MS, async () => (await firingAlerts(world))[0])
  tell(`alert: ${alert.labels.alertname} fires since ${alert.activeAt}`)
  const incident = await world.service.post('/incidents', {
    title: alert.labels.alertname ?? 'alert',
    severity: 'high',
    service: alert.labels.job ?? null,
    started_at: new Date(alert.activeAt).toISOString(),
  })
  tell(`incident: ${String(incident.id)} of ${String(incident.service)}`)
  return incident
}
