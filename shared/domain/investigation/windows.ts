import type { Baseline, Window } from './snapshot.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Trouble begins before it is noticed: this much is looked at before the start that is known. */
const LEAD_MS = HOUR_MS
/** After recovery this much is still looked at, to see that it held. */
const TAIL_MS = 15 * MINUTE_MS
/** More than this tells little more and costs every tool. */
const MOST_MS = 6 * HOUR_MS
/** The hour before ends this long before the window, so that the beginning does not count as normal. */
const GUARD_MS = 15 * MINUTE_MS

/**
 * The window of an incident: from an hour before its known start to now, or to a quarter of an hour after it was
 * resolved; at most six hours, counted from the beginning, since causes stand there.
 * All instants in milliseconds.
 */
export function incidentWindow(startedAt: number, now: number, resolvedAt: number | null): Window {
  const from = startedAt - LEAD_MS
  const to = resolvedAt === null ? now : Math.min(now, resolvedAt + TAIL_MS)
  return { from, to: Math.min(Math.max(to, startedAt + MINUTE_MS), from + MOST_MS) }
}

/** What counts as normal for a window: the hour before it, the same time a day and a week earlier. */
export const baselinesOf = ({ from, to }: Window): Baseline[] => [
  { name: 'b1', from: from - GUARD_MS - HOUR_MS, to: from - GUARD_MS },
  { name: 'b2', from: from - DAY_MS, to: to - DAY_MS },
  { name: 'b3', from: from - 7 * DAY_MS, to: to - 7 * DAY_MS },
]
