/** Which known name somebody may have meant who wrote one that is not known. */

/** Names shorter than this differ in every letter that counts. */
const SHORTEST = 4
/** From this length on two slips are forgiven, below it one. */
const LONG = 8

/**
 * How many letters must be put in, left out, replaced or exchanged with their neighbour to make one word of another
 * (optimal string alignment).
 */
export function slipsBetween(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [row, letter] of a.entries()) {
    const next = [row + 1]
    for (const [column, against] of b.entries()) {
      const replaced = (last[column] ?? 0) + (letter === against ? 0 : 1)
      const moved = Math.min((last[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1)
      const isSwapped = row > 0 && column > 0 && letter === b[column - 1] && a[row - 1] === against
      const swapped = isSwapped ? (beforeLast[column - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, moved, swapped))
    }
    beforeLast = last
    last = next
  }
  return last[b.length] ?? 0
}

/** The one known name that is at most a slip away, or two in a long word; null where there is none, or more than one. */
export function nearestName(written: string, names: readonly string[]): string | null {
  if (written.length < SHORTEST) return null
  const most = written.length < LONG ? 1 : 2
  const near = names.filter((name) => slipsBetween(written.toLowerCase(), name.toLowerCase()) <= most)
  return near.length === 1 ? (near[0] ?? null) : null
}
