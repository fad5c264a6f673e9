import type { Baseline, Window } from './snapshot.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** How far an investigation looks back; in milliseconds. */
export interface WindowLengths {
  /** Trouble begins before it is noticed: this much is looked at before the start that is known. */
  readonly lead: number
  /** The normal time before ends this long before the window, so that the beginning does not count as normal. */
  readonly guard: number
  /** How much normal time before is looked at. */
  readonly baseline: number
}
/** The lengths where nothing else is set. */
export const USUAL_LENGTHS: WindowLengths = { lead: HOUR_MS, guard: 15 * MINUTE_MS, baseline: HOUR_MS }
/** Whether two stretches of time have an instant in common; the end of neither is in it. */
export const overlaps = (one: Window, other: Window): boolean => one.from < other.to && other.from < one.to

/** After recovery this much is still looked at, to see that it held. */
const TAIL_MS = 15 * MINUTE_MS
/** More than this tells little more and costs every tool. */
const MOST_MS = 6 * HOUR_MS

/**
 * The window of an incident: from an hour before its known start to now, or to a quarter of an hour after it was
 * resolved; at most six hours, counted from the beginning, since causes stand there.
 * All instants in milliseconds.
 */
export function incidentWindow(
  startedAt: number,
  now: number,
  resolvedAt: number | null,
  { lead }: WindowLengths = USUAL_LENGTHS,
): Window {
  const from = startedAt - lead
  const to = resolvedAt === null ? now : Math.min(now, resolvedAt + TAIL_MS)
  return { from, to: Math.min(Math.max(to, startedAt + MINUTE_MS), from + MOST_MS) }
}

/** What counts as normal for a window: the hour before it, the same time a day and a week earlier. */
export const baselinesOf = (
  { from, to }: Window,
  { guard, baseline }: WindowLengths = USUAL_LENGTHS,
): Baseline[] => [
  { name: 'b1', from: from - guard - baseline, to: from - guard },
  { name: 'b2', from: from - DAY_MS, to: to - DAY_MS },
  { name: 'b3', from: from - 7 * DAY_MS, to: to - 7 * DAY_MS },
]

/**
 * Lengths written as three numbers of seconds, `lead,guard,baseline`; the usual ones where nothing is written.
 * @throws Error for anything else
 */
export function readLengths(text: string | undefined): WindowLengths {
  if (text === undefined || text === '') return USUAL_LENGTHS
  const written = /^(\d{1,6}),(\d{1,6}),(\d{1,6})$/.exec(text)
  const [lead = 0, guard = 0, baseline = 0] = (written ?? []).slice(1).map((part) => Number(part) * 1000)
  if (lead === 0 || guard === 0 || baseline === 0)
    throw new Error('lengths of windows must be three numbers of seconds above 0: lead,guard,baseline')
  return { lead, guard, baseline }
}
