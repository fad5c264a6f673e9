import { withoutCredentials } from '#shared/domain/investigation/credentials.ts'
import type { PodTemplate } from './kubernetes-answers.ts'

/**
 * What a name says of a value that must not be kept, although it stands in the clear in the template. Broader than what is
 * hidden where anything is told: a snapshot outlives its incident, and a name that only sounds like it costs nothing here.
 */
const SENSITIVE_NAME =
  /secret|token|passw|credential|private|api_?key|access_?key|auth|dsn|connection_?string/i
/** Annotation that `kubectl rollout restart` writes. */
const RESTARTED = 'annotations.kubectl.kubernetes.io/restartedAt'
/** Longest value that is shown, in characters. */
const MAX_VALUE = 400
/** Lines shown of one difference. */
const MAX_LINES = 400

const WITHHELD = '[withheld]'

/** Whether a setting's value must stay out of records. */
export const isSensitive = (path: string, value: string): boolean =>
  SENSITIVE_NAME.test(path) ||
  withoutCredentials(value) !== value ||
  // On a command line the name stands in the value, or in the argument before.
  (/\.(args|command)\./.test(path) && SENSITIVE_NAME.test(value))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The leaves of a template by their path: members of lists by their name, where they have one. */
function leavesOf(template: PodTemplate): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>()
  const walk = (path: string, value: unknown): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (!isRecord(item) || typeof item.name !== 'string') walk(`${path}.${index}`, item)
        else if (path.endsWith('.env')) leaves.set(`${path}.${item.name}`, envValue(item))
        else {
          const { name, ...rest } = item
          leaves.set(`${path}.${name}`, '')
          walk(`${path}.${name}`, rest)
        }
      }
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) walk(path === '' ? name : `${path}.${name}`, member)
    } else if (value !== null && value !== undefined) leaves.set(path, String(value as string))
  }
  walk('', template.spec)
  for (const [name, value] of Object.entries(template.metadata?.annotations ?? {})) {
    leaves.set(`annotations.${name}`, value)
  }
  for (const [name, value] of Object.entries(template.metadata?.labels ?? {})) {
    // Every ReplicaSet has its own; it tells nothing.
    if (name !== 'pod-template-hash' && name !== 'controller-revision-hash')
      leaves.set(`labels.${name}`, value)
  }
  return leaves
}

/** A variable's value, or where it comes from: what a Secret holds is not in the template. */
function envValue(variable: Readonly<Record<string, unknown>>): string {
  if (typeof variable.value === 'string') return variable.value
  if (!isRecord(variable.valueFrom)) return ''
  const [[kind, from] = []] = Object.entries(variable.valueFrom)
  if (!isRecord(from)) return String(kind)
  const where = [from.name, from.key ?? from.fieldPath ?? from.resource].filter((part) => part !== undefined)
  return `${String(kind)} ${where.map(String).join('/')}`
}

/** What a rollout changed in the template of its pods. */
export interface TemplateDifference {
  /** `image` where another image runs, `restart` where nothing but a restart was asked for. */
  readonly kind: 'image' | 'settings' | 'restart' | 'none'
  /** In the form of a unified diff over one file. */
  readonly diff: string
}

/** The name of a leaf as its line shows it: a variable by its own name, others from their container on. */
function shownName(path: string): string {
  const env = /^(?:initC|c)ontainers\.[^.]+\.env\.(.+)$/.exec(path)
  if (env?.[1] !== undefined) return env[1]
  const leaf = /^(?:initC|c)ontainers\.[^.]+\.(.+)$/.exec(path)
  return leaf?.[1] ?? path
}

/**
 * What differs between two templates. Values whose name or form says that they are secret are withheld; that they
 * changed is told.
 * @param file name of the file that the diff is over
 */
export function templateDifference(
  before: PodTemplate,
  after: PodTemplate,
  file: string,
): TemplateDifference {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .toSorted()
  if (paths.length === 0) return { kind: 'none', diff: '' }
  const line = (mark: string, path: string, value: string): string => {
    const shown = isSensitive(path, value) ? WITHHELD : value.slice(0, MAX_VALUE).replaceAll(/\s*\n\s*/g, ' ')
    return `${mark}  ${shownName(path)}: ${shown}\n`
  }
  const lines = paths.slice(0, MAX_LINES).flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    return [
      `@@ ${path.split('.').slice(0, 2).join(' ')} @@\n`,
      ...(was === undefined ? [] : [line('-', path, was)]),
      ...(is === undefined ? [] : [line('+', path, is)]),
    ]
  })
  const kind = paths.some((path) => /^containers\.[^.]+\.image$/.test(path))
    ? 'image'
    : paths.every((path) => path === RESTARTED)
      ? 'restart'
      : 'settings'
  return { kind, diff: `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n${lines.join('')}` }
}

/** The images of a template's containers, joined. */
export function imagesOf(template: PodTemplate): string {
  const { containers } = template.spec
  if (!Array.isArray(containers)) return ''
  return containers
    .flatMap((container) =>
      isRecord(container) && typeof container.image === 'string' ? [container.image] : [],
    )
    .join(', ')
}
