/** Days that a question names and no calendar has: a slip, which must not be answered of another time. */

/** A day as it is written, not as a part of a name or of a longer number. */
const WRITTEN_DAY = /(?<![\w.-])(\d{4})-(\d{2})-(\d{2})(?![\d-]|\.\d)/g
/** The day after the last of a month that is named; other numbers beside a month may count anything. */
const NAMED_DAY =
  /(?<![\w-])(?:feb(?:ruary)? (?:30|31)|(?:apr(?:il)?|june?|sept?(?:ember)?|nov(?:ember)?) 31)(?:st|th)?(?![\w:%-])/i

/** The first day in a text that no calendar has, as it is written there; null where there is none. */
export function impossibleDay(text: string): string | null {
  for (const [day, year, month, date] of text.matchAll(WRITTEN_DAY)) {
    const told = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
    // What does not exist is rolled over into what does; years below 100 are read as those of another century.
    if (told.getUTCMonth() !== Number(month) - 1 || told.getUTCDate() !== Number(date)) return day
  }
  return NAMED_DAY.exec(text)?.[0] ?? null
}
