import { intakeOf, TOKEN_BYTES, writeToken } from './alerts/intake.ts'
import { invalidField, notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import {
  CHECK_MS,
  type CheckResult,
  firstConnected,
  type Integration,
  type IntegrationConfig,
} from './integration.ts'
import { type IntegrationType, integrationType } from './integration-types.ts'
import type { Asked, Clock, IntegrationStore, NewId, Tools } from './ports.ts'
import { overtaken, requireVersion, type Versions } from './precondition.ts'

export interface IntegrationActs {
  readonly integrations: IntegrationStore
  readonly tools: Tools
  readonly clock: Clock
  readonly newId: NewId
  readonly abortAfter: (milliseconds: number) => AbortSignal
  readonly random: (bytes: number) => Uint8Array
}

/** An integration that was made, with its ingest token: null where its type sends nothing, and where it was told before. */
export interface Connected {
  readonly integration: Integration
  readonly token: string | null
}

/** Integrations a deployment may have. */
export const INTEGRATION_QUOTA = 200
const NEVER_ASKED: Asked = { asked_at: null, unasked: null }
/** Settings of one integration, as JSON. */
const MOST_CONFIG_BYTES = 32 * 1_024

/** Settings as they may be shown: each sensitive one is replaced by whether it is there. */
export function shownConfig(type: IntegrationType, config: IntegrationConfig): IntegrationConfig {
  const shown: Record<string, unknown> = {}
  for (const { name, sensitive } of type.fields) {
    if (sensitive) shown[`has_${name}`] = config[name] !== undefined
    else if (config[name] !== undefined) shown[name] = config[name]
  }
  return shown
}

function refuseLarge(config: IntegrationConfig): void {
  if (new TextEncoder().encode(JSON.stringify(config)).length > MOST_CONFIG_BYTES) {
    throw invalidField('config', `must have at most ${MOST_CONFIG_BYTES} bytes`)
  }
}

async function check(acts: IntegrationActs, type: string, config: IntegrationConfig): Promise<CheckResult> {
  const tool = acts.tools(type)
  if (tool === undefined) throw invalidField('type', 'is not a known type of tool')
  return tool.check(config, acts.abortAfter(CHECK_MS))
}

/**
 * Connects a tool: its settings are checked live, at most 5 s, then kept sealed.
 * @throws Refusal `invalid` when the tool refuses the credentials (nothing is kept); `conflict` at the quota
 */
export async function connectIntegration(
  acts: IntegrationActs,
  given: { readonly type: string; readonly config: IntegrationConfig },
): Promise<Connected> {
  const type = integrationType(given.type)
  if (type === undefined) throw invalidField('type', 'is not a known type of tool')
  refuseLarge(given.config)
  const { status, detail } = await check(acts, given.type, given.config)
  const now = acts.clock()
  const at = writeInstant(now)
  const integration: Integration = {
    id: acts.newId(given.type, now),
    type: given.type,
    status,
    status_detail: detail,
    config: shownConfig(type, given.config),
    created_at: at,
    updated_at: at,
    connected_at: firstConnected(null, status, at),
    version: 1,
  }
  const intake = intakeOf(given.type, given.config, writeToken(acts.random(TOKEN_BYTES)))
  await acts.integrations.create(integration, given.config, INTEGRATION_QUOTA, intake)
  return { integration, token: intake?.token ?? null }
}

export interface IntegrationChange {
  readonly config?: Readonly<Record<string, unknown>> | undefined
  readonly enabled?: boolean | undefined
}

/**
 * Changes settings, disables or enables; settings in use are checked live again.
 * @param readConfig reads a change of settings against the shape of the type, throwing for what is invalid
 * @param expected versions that the change is meant for
 * @throws Refusal `not_found`, `precondition_failed`, `invalid`, or `conflict` when somebody else changed it meanwhile
 */
export async function changeIntegration(
  acts: IntegrationActs,
  id: string,
  change: IntegrationChange,
  readConfig: (type: IntegrationType, config: unknown) => Readonly<Record<string, unknown>>,
  expected?: Versions,
): Promise<Integration> {
  const opened = await acts.integrations.open(id)
  if (opened === undefined) throw notFound(`Integration ${id}`)
  const before = opened.integration
  requireVersion(expected, before.version)
  const type = integrationType(before.type)
  if (type === undefined) throw notFound(`Integration ${id}`)
  const changed = change.config === undefined ? {} : readConfig(type, change.config)
  const config = Object.fromEntries(
    Object.entries({ ...opened.config, ...changed }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  )
  refuseLarge(config)
  const enabled = change.enabled ?? before.status !== 'disabled'
  const { status, detail } = enabled
    ? await check(acts, before.type, config)
    : { status: 'disabled' as const, detail: 'disabled by request' }
  const at = writeInstant(acts.clock())
  const after: Integration = {
    ...before,
    status,
    status_detail: detail,
    config: shownConfig(type, config),
    updated_at: at,
    connected_at: firstConnected(before.connected_at, status, at),
    version: before.version + 1,
  }
  // The token stays, also one that is being replaced; the secret that the tool signs with may be among what changed.
  const { previous } = opened.intake ?? {}
  const kept = opened.intake === null ? null : intakeOf(before.type, config, opened.intake.token)
  const intake = kept === null || previous === undefined ? kept : { ...kept, previous }
  // Whoever disables a tool does not want it asked: that time is nobody's loss.
  const { asked_at, unasked } = opened
  const asked = enabled ? { asked_at, unasked } : NEVER_ASKED
  if (!(await acts.integrations.change(before, after, config, intake, asked)))
    throw overtaken(expected, 'integration')
  return after
}
