/**
 * What status pages of providers tell of the time around the onset.
 */

import { BEFORE_MS, NEAR_MS, type Scene } from '../place/told-lines.ts'
import { compareText } from '../records/log-templates.ts'
import type { ProviderStatus } from '../records/snapshot.ts'
import type { FactOf, Sign } from './operational-cause.ts'

const QUIET_STATUS = /^(operational|resolved|ok|none|normal|completed|healthy|up)$/i

/** What a provider says was over before anybody failed had another effect or none. */
const isResolvedBefore = (
  onset: number | null,
  { timestamp }: ProviderStatus['events'][number],
  events: ProviderStatus['events'],
): boolean =>
  onset !== null &&
  events.some(
    (later) =>
      later.timestamp > timestamp && later.timestamp <= onset - NEAR_MS && QUIET_STATUS.test(later.status),
  )

/** Status entries near the incident that report trouble and that the test recognises. */
export function statusSigns(
  scene: Scene,
  isAbout: (text: string, provider: string) => boolean,
): readonly Sign[] {
  const from = (scene.onset ?? scene.observed.normal.incident.from) - BEFORE_MS
  const { to } = scene.observed.normal.incident
  const facts: FactOf<'status'>[] = []
  for (const status of scene.snapshot.status)
    for (const event of status.events) {
      if (event.timestamp < from || event.timestamp >= to || QUIET_STATUS.test(event.status)) continue
      if (isResolvedBefore(scene.onset, event, status.events)) continue
      const text = `${status.provider} ${status.component ?? ''} ${event.detail ?? ''}`.toLowerCase()
      if (!isAbout(text, status.provider)) continue
      facts.push({
        of: 'status',
        provider: status.provider,
        component: status.component ?? null,
        status: event.status,
        detail: event.detail ?? null,
        at: event.timestamp,
        source: status.source,
      })
    }
  return facts
    .sort((a, b) => a.at - b.at || compareText(a.status, b.status))
    .slice(0, 2)
    .map((fact) => ({ strength: 0.6, fact }))
}
