/**
 * The beginning of a text, without half of its last character: such a half is no text that a store or every reader of
 * JSON takes.
 * @param most length in UTF-16 units
 */
export const beginningOf = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** A text of at most `most` UTF-16 units; one that was longer ends in `…`. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? `${beginningOf(text, most - 1)}…` : text
