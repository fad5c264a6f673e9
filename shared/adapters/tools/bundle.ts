import { invalidField, Refusal } from '#shared/domain/errors.ts'
import type { CheckResult, IntegrationConfig, PullRequest, Tool } from '#shared/domain/integration.ts'
import { NOTHING_PULLED, type Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import type { BundleFiles } from '../bundle/bundle-files.ts'
import {
  BUNDLE_FILE_NAMES,
  BUNDLE_LIMITS,
  gapsOfList,
  readBundle,
  readBundleHead,
} from '../bundle/read-bundle.ts'
import { untilAborted } from '../until-aborted.ts'

/** Bundles up to this size as stored are read whole by a check, which then knows of malformed lines too. */
const READ_BY_CHECK = 8 * 1024 * 1024

/** So many gaps are named in a check's detail; the count says how many there are. */
const NAMED_GAPS = 3

/** The setting that names the bundle, as a field of the request that created the integration. */
const placeOf = (config: IntegrationConfig): { readonly field: string; readonly name: string } =>
  typeof config.prefix === 'string'
    ? { field: 'config.prefix', name: config.prefix }
    : { field: 'config.path', name: String(config.path ?? '') }

/** Why opening or reading failed, without paths or addresses: a system error gives its code only. */
function whyOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'was not read before the deadline'
  if (error instanceof Refusal) return error.message
  const { code, name } = error as { code?: unknown; name?: unknown }
  return `could not be read (${String(code ?? name ?? 'unknown error')})`
}

/** A refusal of the bundle as one of the field that names it. */
function refusalOf(field: string, refusal: Refusal): Refusal {
  if (refusal.kind !== 'invalid' || refusal.details.field === field) return refusal
  return invalidField(field, refusal.message)
}

/**
 * The integration type `bundle`: gives every record of one incident bundle, whatever window is asked for.
 * @param open the files of the bundle that the settings name; throws Refusal `invalid` where there is none
 */
export function bundleTool(open: (config: IntegrationConfig) => Promise<BundleFiles>): Tool {
  async function look(config: IntegrationConfig): Promise<CheckResult> {
    const { name } = placeOf(config)
    const files = await open(config)
    const listed = await files.list()
    const bytes = listed.reduce((sum, file) => sum + file.bytes, 0)
    const readable = bytes <= READ_BY_CHECK
    if (!readable) await readBundleHead(files, listed)
    // Listed once: each look into a bucket is a way there and back.
    const found: BundleFiles = {
      list: () => Promise.resolve(listed),
      read: (file, most) => files.read(file, most),
    }
    const gaps = readable ? (await readBundle(found, { query: `bundle:${name}` })).gaps : gapsOfList(listed)
    const known = listed.filter((file) => BUNDLE_FILE_NAMES.includes(file.name.replace(/\.gz$/, '')))
    const there = `${known.length} files: ${known.map((file) => file.name).join(', ')}`
    if (gaps.length === 0) return { status: 'connected', detail: there }
    const named = gaps.slice(0, NAMED_GAPS).map((gap) => `${gap.what}: ${gap.why}`)
    const more = gaps.length > NAMED_GAPS ? [`and ${gaps.length - NAMED_GAPS} more`] : []
    return { status: 'degraded', detail: [...named, ...more, there].join('; ') }
  }

  return {
    async check(config, signal) {
      try {
        return await untilAborted(look(config), signal)
      } catch (error) {
        if (error instanceof Refusal) throw refusalOf(placeOf(config).field, error)
        return { status: 'error', detail: `The bundle ${whyOf(error, signal)}.` }
      }
    },

    async pull(config: IntegrationConfig, request: PullRequest): Promise<Pulled> {
      const query = `bundle:${placeOf(config).name}`
      const asked = { integration_id: request.integration_id, query }
      try {
        const files = await untilAborted(open(config), request.signal)
        return await readBundle(files, asked, BUNDLE_LIMITS, request.signal)
      } catch (error) {
        const detail = whyOf(error, request.signal)
        return {
          ...NOTHING_PULLED,
          sources: [
            {
              id: 'bundle',
              integration_id: request.integration_id,
              tool: 'bundle',
              query,
              outcome: request.signal.aborted ? 'timed_out' : 'failed',
              records: 0,
              detail,
            },
          ],
          gaps: [{ what: query, why: detail, source: 'bundle' }],
        }
      }
    },
  }
}
