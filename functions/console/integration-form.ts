import type { IntegrationField } from '#shared/domain/integration-types.ts'

/** What stands in a form, by the name of the field: text, whatever the field holds. */
export type Written = Readonly<Record<string, string>>

const PAIR = /^([^=]*[^=\s])\s*=\s*(.+)$/

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Lines as a map where every one has the form `name = value`; otherwise null. */
function mapOf(lines: readonly string[]): Record<string, string> | null {
  const pairs = lines.map((line) => PAIR.exec(line))
  if (pairs.some((pair) => pair === null)) return null
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}

/**
 * The value that a text of a form stands for. What cannot be read is passed on as it is written: the API says what is
 * wrong with it.
 */
function valueIn({ kind }: IntegrationField, text: string): unknown {
  const lines = linesOf(text)
  switch (kind) {
    case 'number':
      return /^-?\d+$/.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return text === 'true'
    case 'list':
      return lines
    case 'map':
      return mapOf(lines) ?? lines
    case 'repositories':
      return mapOf(lines) ?? lines
    case 'text':
    case 'secret':
      return text
    default:
      return text.trim()
  }
}

/** The settings of a new integration: what was left empty is not sent. */
export const newSettings = (fields: readonly IntegrationField[], written: Written): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = written[field.name] ?? ''
      return text.trim() === '' ? [] : [[field.name, valueIn(field, text)]]
    }),
  )

/** How the settings of an integration stand in a form. What is sensitive is never answered, so it stands empty. */
export function writtenSettings(
  fields: readonly IntegrationField[],
  config: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const textOf = (value: unknown): string => {
    if (value === undefined || value === null) return ''
    if (Array.isArray(value)) return value.map(String).join('\n')
    if (typeof value === 'object')
      return Object.entries(value)
        .map(([name, each]) => `${name} = ${String(each)}`)
        .join('\n')
    return String(value)
  }
  return Object.fromEntries(
    fields.map(({ name, sensitive }) => [name, sensitive ? '' : textOf(config[name])]),
  )
}

/**
 * The change from one form to the next, and nothing else: an optional setting that was emptied is taken away, a
 * sensitive one that was left empty stays as it is.
 */
export const changedSettings = (
  fields: readonly IntegrationField[],
  before: Written,
  written: Written,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = written[field.name] ?? ''
      if (text === (before[field.name] ?? '')) return []
      if (text.trim() !== '') return [[field.name, valueIn(field, text)]]
      return field.sensitive ? [] : [[field.name, null]]
    }),
  )
