/**
 * What status pages of providers tell of the time around the onset.
 */
import { compareText } from './log-templates.ts'
import type { Sign } from './operational-cause.ts'
import type { ProviderStatus } from './snapshot.ts'
import { BEFORE_MS, NEAR_MS, type Scene } from './told-lines.ts'

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
  const signs: Sign[] = []
  for (const status of scene.snapshot.status)
    for (const event of status.events) {
      if (event.timestamp < from || event.timestamp >= to || QUIET_STATUS.test(event.status)) continue
      if (isResolvedBefore(scene.onset, event, status.events)) continue
      const text = `${status.provider} ${status.component ?? ''} ${event.detail ?? ''}`.toLowerCase()
      if (!isAbout(text, status.provider)) continue
      signs.push({
        strength: 0.6,
        fact: {
          of: 'status',
          provider: status.provider,
          component: status.component ?? null,
          status: event.status,
          detail: event.detail ?? null,
          at: event.timestamp,
          source: status.source,
        },
      })
    }
  return signs
    .sort((a, b) =>
      a.fact.of === 'status' && b.fact.of === 'status'
        ? a.fact.at - b.fact.at || compareText(a.fact.status, b.fact.status)
        : 0,
    )
    .slice(0, 2)
}
