/**
 * Finds a name in a text as a word of its own: `node-1` is neither in `node-12` nor in `big-node-1` or `node-1-spare`, but
 * it is in `node-1.internal`, `shop/node-1` and `node-1:9100`.
 */

/** What goes on with a name; a hyphen does where more of it follows. */
const GOES_ON = /[\p{L}\p{N}_]/u

/** Whether a text holds a name, as it is written there, and not only as a part of another one. */
export function holdsName(text: string, name: string): boolean {
  if (name === '') return false
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1)) {
    const [before, after, next] = [
      text.charAt(from - 1),
      text.charAt(from + name.length),
      text.charAt(from + name.length + 1),
    ]
    const isEndless = GOES_ON.test(after) || (after === '-' && GOES_ON.test(next))
    if (!isEndless && before !== '-' && !GOES_ON.test(before)) return true
  }
  return false
}
