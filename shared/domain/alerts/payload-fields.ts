/**
 * Reads what tools push. They add fields, leave fields out and change types between versions, so nothing here throws:
 * what is not there, or is something else, is absent.
 */

import { areCredentials, HIDDEN } from '../investigation/credentials.ts'
import { legibleLine } from '../investigation/legible-text.ts'
import { toldText } from '../investigation/told-text.ts'

export type Payload = Readonly<Record<string, unknown>>

/** The value as an object; anything else has no fields. */
export const objectOf = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {}

/** The value as a list; anything else is empty. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The first value that is a text with something in it, or a number. */
export function textOf(...values: readonly unknown[]): string | null {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return null
}

/** Longest value of a label that is kept. */
const LABEL_LENGTH = 300
/** Labels that are kept of one alert. */
const MOST_LABELS = 60
/** Names by which an object tells what it is: with one of them labels would be no plain object, and could not be stored. */
const NAMES_OF_OBJECTS = new Set(['__proto__', 'constructor', 'prototype'])

/** The first characters of a text as one printable line, without half of the last. */
const labelText = (text: string): string =>
  lineOf(text, Number.POSITIVE_INFINITY).slice(0, LABEL_LENGTH).toWellFormed()

/** An object's texts, numbers and truth values as labels of one printable line each, in order of their names; credentials hidden. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> {
  const read = Object.entries(objectOf(value)).flatMap(([given, member]): [string, string][] => {
    const name = labelText(given)
    const text = typeof member === 'boolean' ? String(member) : textOf(member)
    if (text === null || name === '' || NAMES_OF_OBJECTS.has(name)) return []
    return [[name, areCredentials(name, [text]) ? HIDDEN : labelText(text)]]
  })
  return Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST_LABELS))
}

/** Below this a number of time is in seconds: as milliseconds it would lie before 1974. */
const LEAST_MILLISECONDS = 1e11
/** Instants beyond have no four-digit year; tools write the year 1 for "not yet". */
const FIRST_INSTANT = 0
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const within = (at: number): number | null =>
  at > FIRST_INSTANT && at <= LAST_INSTANT ? Math.floor(at) : null

/** A date with a time of day in numbers, as ISO 8601 and many tools write it; without an offset it is in UTC. */
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/i
/** What begins as a date does, and names a year and its offset: of other words the runtime makes dates as well. */
const BEGINS =
  /^(?:\d|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[., ])/i
const NAMES_YEAR = /(?<!\d)\d{4}(?![\d:])/
const NAMES_OFFSET = /(?:z|gmt|utc|[+-]\d\d:?\d\d)(?: (?:utc|gmt)| ?\([a-z ]{1,40}\))?$/i
/** Longer than any tool writes a date. */
const LONGEST_DATE = 80

/** Reads a text that is a date, in milliseconds; NaN for any other. */
function dateIn(text: string): number {
  if (WITHOUT_OFFSET.test(text)) return Date.parse(`${text.replace(' ', 'T')}Z`)
  const isDate =
    text.length <= LONGEST_DATE && BEGINS.test(text) && NAMES_YEAR.test(text) && NAMES_OFFSET.test(text)
  return isDate ? Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : Number.NaN
}

/**
 * The first value that is an instant, in milliseconds: ISO 8601 with any offset, with or without a colon in it, or in UTC
 * without one; other date texts that name their offset; and seconds or milliseconds since the epoch as number or text.
 */
export function instantOf(...values: readonly unknown[]): number | null {
  for (const value of values) {
    const number =
      typeof value === 'number'
        ? value
        : typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
          ? Number(value)
          : null
    const at =
      number !== null
        ? within(number < LEAST_MILLISECONDS ? number * 1_000 : number)
        : typeof value === 'string'
          ? within(dateIn(value.trim()))
          : null
    if (at !== null) return at
  }
  return null
}

/** A text as one line of at most `most` characters that reads as what it is, without credentials. */
export function lineOf(text: string, most: number): string {
  const line = toldText(legibleLine(text.toWellFormed())).trim()
  const characters = Array.from(line)
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

/** An address that people may follow, or nothing. */
export function linkOf(...values: readonly unknown[]): string | null {
  const text = textOf(...values)
  return text !== null && /^https?:\/\/\S{1,2000}$/i.test(text) ? text : null
}
