import type { Integration, IntegrationConfig } from './integration.ts'
import { mergePulled } from './investigation/merge-pulled.ts'
import { NOTHING_PULLED, type Pulled, type Snapshot, type Window } from './investigation/snapshot.ts'
import { baselinesOf } from './investigation/windows.ts'
import type { IntegrationStore, Tools } from './ports.ts'

export interface Collecting {
  readonly integrations: IntegrationStore
  readonly tools: Tools
  /** A signal that is aborted after so many milliseconds. */
  readonly abortAfter: (milliseconds: number) => AbortSignal
}

/** What to collect: the window, the service in question if any, and how long it may take (ms). */
export interface Wanted {
  readonly window: Window
  readonly service: string | null
  readonly within: number
}

/** A tool that has not answered by then is a gap, not a reason to wait. */
const TOOL_MS = 8_000
/** A tool that is told to stop gets this long to hand over what it has. */
const HAND_OVER_MS = 500

const absent = (integration: Integration, why: string): Pulled => ({
  ...NOTHING_PULLED,
  gaps: [{ what: `integration ${integration.id} (${integration.type})`, why }],
})

/** Resolves when a signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function pullFrom(
  { tools, abortAfter }: Collecting,
  integration: Integration,
  config: IntegrationConfig,
  wanted: Wanted,
): Promise<Pulled> {
  const tool = tools(integration.type)
  if (tool === undefined) return absent(integration, 'this kind of tool is not known to the service')
  const within = Math.min(TOOL_MS, Math.max(0, wanted.within - HAND_OVER_MS))
  const signal = abortAfter(within)
  const request = {
    integration_id: integration.id,
    window: wanted.window,
    baselines: baselinesOf(wanted.window),
    service: wanted.service,
    signal,
  }
  try {
    return await Promise.race([
      tool.pull(config, request),
      aborted(abortAfter(within + HAND_OVER_MS)).then(() =>
        absent(integration, `did not answer within ${within} ms`),
      ),
    ])
  } catch {
    // The tool's own message may quote settings; that it failed is what the reader needs.
    return absent(integration, 'failed to answer')
  }
}

/**
 * Asks every connected tool at once and lays what came back into one snapshot. Never rejects for what a tool does: one
 * that fails, hangs or is disabled is a gap in the snapshot.
 */
export async function collectSnapshot(collecting: Collecting, wanted: Wanted): Promise<Snapshot> {
  const connected = await collecting.integrations.openAll()
  const parts = await Promise.all(
    connected.map(async ({ integration, config }) => {
      if (integration.status === 'disabled') return absent(integration, 'is disabled')
      if (config === null) return absent(integration, 'its settings could not be opened')
      return pullFrom(collecting, integration, config, wanted)
    }),
  )
  if (connected.length === 0) {
    parts.push({
      ...NOTHING_PULLED,
      gaps: [{ what: 'integrations', why: 'no tool is connected, so nothing was asked' }],
    })
  }
  return mergePulled(wanted.window, baselinesOf(wanted.window), parts)
}
