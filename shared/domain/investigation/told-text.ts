/** What is told of anything that others wrote: every answer, finding, chart and message goes through here. */

import { withoutCredentials } from './credentials.ts'
import { legible } from './legible-text.ts'

/** A text as it may be told: it reads as what it is, and holds no credentials. Told again it stays as it is. */
export const toldText = (text: string): string => withoutCredentials(legible(text))

/** The same data with every text in it as it may be told; itself where nothing had to be changed. */
export const toldIn = <Data>(data: Data): Data => mapTexts(data, toldText)

/**
 * Plain data with every text in it changed, names of fields included; itself where nothing was.
 * @param field the name of the field that holds the data, if any
 */
export function mapTexts<Data>(
  data: Data,
  change: (text: string, field: string) => string,
  field = '',
): Data {
  // Thousands of records have the same few fields.
  const known = new Set<string>()
  const nameOf = (name: string): string => {
    if (known.has(name)) return name
    const as = change(name, '')
    if (as === name) known.add(name)
    return as
  }
  return mapped(data, change, nameOf, field) as Data
}

function mapped(
  data: unknown,
  change: (text: string, field: string) => string,
  nameOf: (name: string) => string,
  field: string,
): unknown {
  if (typeof data === 'string') return change(data, field)
  if (typeof data !== 'object' || data === null || ArrayBuffer.isView(data)) return data
  if (Array.isArray(data)) {
    let changed: unknown[] | null = null
    for (let index = 0; index < data.length; index += 1) {
      const now = mapped(data[index], change, nameOf, field)
      if (now === data[index]) continue
      changed ??= [...data]
      changed[index] = now
    }
    return changed ?? data
  }
  const record = data as Readonly<Record<string, unknown>>
  const names = Object.keys(record)
  let changed: [string, unknown][] | null = null
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string
    const value = mapped(record[name], change, nameOf, name)
    const as = nameOf(name)
    if (value === record[name] && as === name) continue
    changed ??= Object.entries(record)
    changed[index] = [as, value]
  }
  return changed === null ? data : Object.fromEntries(changed)
}
