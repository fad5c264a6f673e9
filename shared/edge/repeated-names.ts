/** Where an object of a JSON text gives one name to several members. */

/** An object or array that is being read: what names it had so far, and which member is at hand. */
interface Open {
  /** Null for an array. */
  readonly names: Set<string> | null
  at: string | number
}

/** A path as the error details write it; a name that is empty stands in quotes. */
const pathOf = (steps: readonly Open[]): string =>
  steps
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at === '' ? '""' : at}`))
    .join('')
    .replace(/^\./, '')

/** Index of the quote that ends the text which begins at `start`, at its own quote. */
function endOfText(json: string, start: number): number {
  let end = start + 1
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1
  return end
}

/**
 * The first member whose name an earlier one of its object has, as a path such as `context.time_range.start`; null where
 * there is none. Names are the same by what they spell, not by how: `"a"` is `"\u0061"`. What such an object means is not
 * defined (RFC 8259, section 4; RFC 7493, section 2.3, forbids it), and `JSON.parse` drops all but the last.
 *
 * Goes over the text once, without recursion. A parser that tells repeated names would do as well, but reads every body
 * at several times the cost of `JSON.parse`; this one reads only bodies of which members are known to be lost.
 * @param json a text that `JSON.parse` takes
 */
export function repeatedName(json: string): string | null {
  const open: Open[] = []
  let isNameNext = false
  for (let index = 0; index < json.length; index += 1) {
    const inside = open.at(-1)
    switch (json[index]) {
      case '{':
        open.push({ names: new Set(), at: '' })
        isNameNext = true
        break
      case '[':
        open.push({ names: null, at: 0 })
        isNameNext = false
        break
      case '}':
      case ']':
        open.pop()
        isNameNext = false
        break
      case ',':
        if (typeof inside?.at === 'number') inside.at += 1
        else isNameNext = true
        break
      case '"': {
        const end = endOfText(json, index)
        if (isNameNext && inside?.names) {
          const name = JSON.parse(json.slice(index, end + 1)) as string
          inside.at = name
          if (inside.names.has(name)) return pathOf(open)
          inside.names.add(name)
          isNameNext = false
        }
        index = end
      }
    }
  }
  return null
}
