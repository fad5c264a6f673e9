import { untilDeclaredEnd } from './declared-window.ts'
import type { Integration, IntegrationConfig } from './integration.ts'
import { withKeepableRecords } from './investigation/records/keepable-records.ts'
import { mergePulled } from './investigation/records/merge-pulled.ts'
import { pushedEvidence, signalWindows } from './investigation/records/pushed-evidence.ts'
import {
  type Baseline,
  NOTHING_PULLED,
  type Pulled,
  type Snapshot,
  type Window,
} from './investigation/records/snapshot.ts'
import { baselinesOf, type WindowLengths } from './investigation/records/windows.ts'
import { withLatestChanges } from './latest-changes.ts'
import type { Clock, IntegrationStore, SignalReader, Tools } from './ports.ts'

export interface Collecting {
  readonly integrations: IntegrationStore
  readonly tools: Tools
  readonly signals: SignalReader
  readonly clock: Clock
  /** A signal that is aborted after so many milliseconds. */
  readonly abortAfter: (milliseconds: number) => AbortSignal
  /** How far back is looked; the usual lengths where nothing else is set. */
  readonly windows?: WindowLengths
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

const called = ({ id, type }: Integration): string => `integration ${id} (${type})`

const absent = (integration: Integration, why: string): Pulled => ({
  ...NOTHING_PULLED,
  gaps: [{ what: called(integration), why }],
})

/** Resolves when a signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function pullFrom(
  { tools, abortAfter, windows }: Collecting,
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
    baselines: baselinesOf(wanted.window, windows),
    service: wanted.service,
    signal,
  }
  try {
    return await Promise.race([
      tool.pull(config, request).then((pulled) => withKeepableRecords(pulled, called(integration))),
      aborted(abortAfter(within + HAND_OVER_MS)).then(() =>
        absent(integration, `did not answer within ${within} ms`),
      ),
    ])
  } catch {
    // The tool's own message may quote settings; that it failed is what the reader needs.
    return absent(integration, 'failed to answer')
  }
}

/** Reads what was pushed, under the deadline of a tool. Never rejects: what cannot be read is a gap. */
async function readPushed(
  { signals, abortAfter, clock }: Collecting,
  wanted: Wanted,
  baselines: readonly Baseline[],
): Promise<Pulled> {
  const missing = (why: string): Pulled => ({ ...NOTHING_PULLED, gaps: [{ what: 'pushed signals', why }] })
  const within = Math.min(TOOL_MS, Math.max(0, wanted.within - HAND_OVER_MS))
  const signal = abortAfter(within)
  try {
    const found = signals.read(signalWindows(wanted.window, baselines), clock(), signal)
    return await Promise.race([
      found.then((each) => pushedEvidence(withLatestChanges(each), wanted.window, baselines)),
      aborted(signal).then(() => missing(`could not be read within ${within} ms`)),
    ])
  } catch {
    // The store's own message is for nobody's eyes; an aborted read rejects too.
    return missing(signal.aborted ? `could not be read within ${within} ms` : 'could not be read')
  }
}

/**
 * A baseline of ours in which nothing was measured compares with nothing: without it the calm time before the symptoms
 * may serve. A snapshot without any measurement has no use for either, and keeps them.
 */
function withoutEmptyBaselines(snapshot: Snapshot, ours: readonly Baseline[]): Snapshot {
  const { series, logs, spans, edges } = snapshot
  if (series.length + logs.length + spans.length + edges.length === 0) return snapshot
  const holds = ({ from, to }: Baseline): boolean => {
    const inside = (at: number) => at >= from && at < to
    return (
      series.some(({ times }) => times.some(inside)) ||
      logs.some(({ timestamp }) => inside(timestamp)) ||
      spans.some(({ start }) => inside(start)) ||
      edges.some(({ t0 }) => inside(t0))
    )
  }
  const empty = new Set(ours.filter((baseline) => snapshot.baselines.includes(baseline) && !holds(baseline)))
  return {
    ...snapshot,
    baselines: snapshot.baselines.filter((baseline) => !empty.has(baseline)),
    gaps: [
      ...snapshot.gaps,
      ...[...empty].map(({ name }) => ({ what: `baseline ${name}`, why: 'nothing was measured in it' })),
    ],
  }
}

/** Far more tools than anybody may connect. */
export const MOST_TOOLS = 1_000

/** The tools that are connected, for a question that asks after one of them; null for any other. */
export async function connectedTools(
  { integrations }: Pick<Collecting, 'integrations'>,
  { tool }: { readonly tool?: unknown },
): Promise<readonly Integration[] | null> {
  return tool === undefined ? null : (await integrations.list({ limit: MOST_TOOLS, after: null })).items
}

/**
 * Asks every connected tool at once, reads what was pushed beside them, and lays all of it into one snapshot. Never
 * rejects for what a tool does: one that fails, hangs or is disabled is a gap in the snapshot, and so are pushed signals
 * that cannot be read.
 */
export async function collectSnapshot(collecting: Collecting, wanted: Wanted): Promise<Snapshot> {
  const baselines = baselinesOf(wanted.window, collecting.windows)
  const opening = collecting.integrations.openAll()
  const reading = readPushed(collecting, wanted, baselines)
  const connected = await opening
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
  parts.push(await reading)
  const given = untilDeclaredEnd(wanted.window, parts)
  return withoutEmptyBaselines(mergePulled(wanted.window, baselines, given), baselines)
}
