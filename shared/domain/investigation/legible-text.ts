/**
 * Texts of others that read as what they are: without what moves a terminal's cursor, clears it or sets its title, what
 * turns the order of the characters around, and what takes no room and so hides in a name.
 *
 * Method: control characters become blanks, since they part words; what takes no room goes. Where it has a meaning it
 * stays: joiners within emoji, and between letters of the scripts whose spelling needs them (Unicode Standard Annex #31,
 * 2.3.1, unicode.org/reports/tr31/#Layout_and_Format_Control_Characters), and the tags of a flag. Letters of every script
 * and the directions that they have of themselves are left alone.
 */

/** Colours and movements of a terminal (ECMA-48, 5.4), and its titles and links up to their end (8.3.89). */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins them
  /(?:\u001b\[|\u009b)[0-?]{0,32}[ -/]{0,4}[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\n]{0,2000}(?:\u0007|\u001b\\|\u009c)/g
/** Control characters but for line breaks and tabs, and the line separators of Unicode. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u2028\u2029]/gu
/** Scripts in whose spelling joiners stand between letters. */
const JOINED_SCRIPTS =
  '[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Nko}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]'
/** What takes no room: soft hyphens, marks of direction, joiners, fillers, tags. */
const UNSEEN = new RegExp(
  [
    '[\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]',
    '(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,8})[\\u{e0000}-\\u{e007f}]',
    `\\u200c(?!(?<=${JOINED_SCRIPTS}\\u200c)${JOINED_SCRIPTS})`,
    `\\u200d(?!(?<=${JOINED_SCRIPTS}\\u200d)${JOINED_SCRIPTS}|(?<=[\\p{ExtPict}\\p{EMod}\\ufe0f]\\u200d)\\p{ExtPict})`,
  ].join('|'),
  'gu',
)
/** Whether there is any of it to look at: nearly every text has none. */
const SUSPECT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\0-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\udb40]/

/** What is beyond the characters that every keyboard has: most names and lines hold none, and are told so at a glance. */
const UNUSUAL = /[^ -~]/

/**
 * A text that reads as what it is; its lines and tabs stay. What is written as letters with marks of their own is written as one
 * letter (Unicode Standard Annex #15, form C): two tools name one thing alike, whatever system the name was typed on.
 */
export const legible = (text: string): string => {
  if (!UNUSUAL.test(text)) return text
  const seen = SUSPECT.test(text)
    ? text.replace(SEQUENCES, '').replaceAll('\r\n', '\n').replace(CONTROLS, ' ').replace(UNSEEN, '')
    : text
  return seen.normalize('NFC')
}

/** The same on one line. */
export const legibleLine = (text: string): string => {
  if (!UNUSUAL.test(text)) return text
  const lines = legible(text)
  return /[\n\t]/.test(lines) ? lines.replace(/[ \n\t]*[\n\t][ \n\t]*/g, ' ') : lines
}
