/**
 * The generations of simulated faults, one row each: ten families that were written together, without knowledge of the
 * engine (docs/simulator.md). Whose turn it is, seeds, tables of figures and their headings all follow from these rows.
 */
import { EIGHTEENTH_CHANGED } from '#test/simulator/eighteenth-changed-faults.ts'
import { EIGHTEENTH_UNCHANGED } from '#test/simulator/eighteenth-unchanged-faults.ts'
import { EIGHTH_CHANGED } from '#test/simulator/eighth-changed-faults.ts'
import { EIGHTH_UNCHANGED } from '#test/simulator/eighth-unchanged-faults.ts'
import { ELEVENTH_CHANGED } from '#test/simulator/eleventh-changed-faults.ts'
import { ELEVENTH_UNCHANGED } from '#test/simulator/eleventh-unchanged-faults.ts'
import { FIFTEENTH_CHANGED } from '#test/simulator/fifteenth-changed-faults.ts'
import { FIFTEENTH_UNCHANGED } from '#test/simulator/fifteenth-unchanged-faults.ts'
import { FIFTH_CHANGED } from '#test/simulator/fifth-changed-faults.ts'
import { FIFTH_UNCHANGED } from '#test/simulator/fifth-unchanged-faults.ts'
import { FOURTEENTH_CHANGED } from '#test/simulator/fourteenth-changed-faults.ts'
import { FOURTEENTH_UNCHANGED } from '#test/simulator/fourteenth-unchanged-faults.ts'
import { FOURTH_CHANGED } from '#test/simulator/fourth-changed-faults.ts'
import { FOURTH_UNCHANGED } from '#test/simulator/fourth-unchanged-faults.ts'
import { NINETEENTH_CHANGED } from '#test/simulator/nineteenth-changed-faults.ts'
import { NINETEENTH_UNCHANGED } from '#test/simulator/nineteenth-unchanged-faults.ts'
import { NINTH_CHANGED } from '#test/simulator/ninth-changed-faults.ts'
import { NINTH_UNCHANGED } from '#test/simulator/ninth-unchanged-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { SEVENTEENTH_CHANGED } from '#test/simulator/seventeenth-changed-faults.ts'
import { SEVENTEENTH_UNCHANGED } from '#test/simulator/seventeenth-unchanged-faults.ts'
import { SEVENTH_CHANGED } from '#test/simulator/seventh-changed-faults.ts'
import { SEVENTH_UNCHANGED } from '#test/simulator/seventh-unchanged-faults.ts'
import { SIXTEENTH_CHANGED } from '#test/simulator/sixteenth-changed-faults.ts'
import { SIXTEENTH_UNCHANGED } from '#test/simulator/sixteenth-unchanged-faults.ts'
import { SIXTH_CHANGED } from '#test/simulator/sixth-changed-faults.ts'
import { SIXTH_UNCHANGED } from '#test/simulator/sixth-unchanged-faults.ts'
import { TENTH_CHANGED } from '#test/simulator/tenth-changed-faults.ts'
import { TENTH_UNCHANGED } from '#test/simulator/tenth-unchanged-faults.ts'
import { THIRD_CHANGED } from '#test/simulator/third-changed-faults.ts'
import { THIRD_UNCHANGED } from '#test/simulator/third-unchanged-faults.ts'
import { THIRTEENTH_CHANGED } from '#test/simulator/thirteenth-changed-faults.ts'
import { THIRTEENTH_UNCHANGED } from '#test/simulator/thirteenth-unchanged-faults.ts'
import { TWELFTH_CHANGED } from '#test/simulator/twelfth-changed-faults.ts'
import { TWELFTH_UNCHANGED } from '#test/simulator/twelfth-unchanged-faults.ts'
import { TWENTIETH_CHANGED } from '#test/simulator/twentieth-changed-faults.ts'
import { TWENTIETH_UNCHANGED } from '#test/simulator/twentieth-unchanged-faults.ts'
import { TWENTY_EIGHTH_CHANGED } from '#test/simulator/twenty-eighth-changed-faults.ts'
import { TWENTY_EIGHTH_UNCHANGED } from '#test/simulator/twenty-eighth-unchanged-faults.ts'
import { TWENTY_FIFTH_CHANGED } from '#test/simulator/twenty-fifth-changed-faults.ts'
import { TWENTY_FIFTH_UNCHANGED } from '#test/simulator/twenty-fifth-unchanged-faults.ts'
import { TWENTY_FIRST_CHANGED } from '#test/simulator/twenty-first-changed-faults.ts'
import { TWENTY_FIRST_UNCHANGED } from '#test/simulator/twenty-first-unchanged-faults.ts'
import { TWENTY_FOURTH_CHANGED } from '#test/simulator/twenty-fourth-changed-faults.ts'
import { TWENTY_FOURTH_UNCHANGED } from '#test/simulator/twenty-fourth-unchanged-faults.ts'
import { TWENTY_NINTH_CHANGED } from '#test/simulator/twenty-ninth-changed-faults.ts'
import { TWENTY_NINTH_UNCHANGED } from '#test/simulator/twenty-ninth-unchanged-faults.ts'
import { TWENTY_SECOND_CHANGED } from '#test/simulator/twenty-second-changed-faults.ts'
import { TWENTY_SECOND_UNCHANGED } from '#test/simulator/twenty-second-unchanged-faults.ts'
import { TWENTY_SEVENTH_CHANGED } from '#test/simulator/twenty-seventh-changed-faults.ts'
import { TWENTY_SEVENTH_UNCHANGED } from '#test/simulator/twenty-seventh-unchanged-faults.ts'
import { TWENTY_SIXTH_CHANGED } from '#test/simulator/twenty-sixth-changed-faults.ts'
import { TWENTY_SIXTH_UNCHANGED } from '#test/simulator/twenty-sixth-unchanged-faults.ts'
import { TWENTY_THIRD_CHANGED } from '#test/simulator/twenty-third-changed-faults.ts'
import { TWENTY_THIRD_UNCHANGED } from '#test/simulator/twenty-third-unchanged-faults.ts'

/** One generation. */
export interface GenerationRow {
  /** Which it is, "third". */
  readonly name: string
  /** What its families were made from: `thought` where they were invented, `reports` where each is a published one. */
  readonly from: 'thought' | 'reports'
  /** Its incidents are those of this seed and the next ones, so that no other generation's depend on them. */
  readonly first_seed: number
  /** In the order in which they have their turn. */
  readonly families: Readonly<Record<string, ProductionFamily>>
  /** Families that stay unread longest; the others may be worked with, on other seeds than those that are scored. */
  readonly held_out: readonly string[]
}

/** All generations, oldest first. */
export const GENERATIONS = [
  {
    ...{ name: 'third', from: 'thought', first_seed: 1_000_000 },
    families: { ...THIRD_CHANGED, ...THIRD_UNCHANGED },
    held_out: ['short-lived-cache', 'quota-used-up', 'greedy-client'],
  },
  {
    ...{ name: 'fourth', from: 'thought', first_seed: 3_000_000 },
    families: { ...FOURTH_CHANGED, ...FOURTH_UNCHANGED },
    held_out: ['lagging-replica', 'tight-limits', 'slow-provider'],
  },
  {
    ...{ name: 'fifth', from: 'thought', first_seed: 4_000_000 },
    families: { ...FIFTH_CHANGED, ...FIFTH_UNCHANGED },
    held_out: ['counted-as-one', 'lossy-link', 'old-primary'],
  },
  {
    ...{ name: 'sixth', from: 'thought', first_seed: 6_000_000 },
    families: { ...SIXTH_CHANGED, ...SIXTH_UNCHANGED },
    // Who is changed is not who fails, machines that are gone, and demand that no caller makes.
    held_out: ['larger-pool', 'reclaimed-machines', 'delivered-at-once'],
  },
  {
    ...{ name: 'seventh', from: 'reports', first_seed: 8_000_000 },
    families: { ...SEVENTH_CHANGED, ...SEVENTH_UNCHANGED },
    // Names that nobody answers for, requests that come to few of many, data that are damaged.
    held_out: ['hand-deployed-zone', 'kept-list', 'damaged-table'],
  },
  {
    ...{ name: 'eighth', from: 'reports', first_seed: 10_000_000 },
    families: { ...EIGHTH_CHANGED, ...EIGHTH_UNCHANGED },
    // Data that were made by hand, a way out that no call takes, two causes that no call joins.
    held_out: ['same-path-twice', 'downed-tunnel', 'two-at-once'],
  },
  {
    ...{ name: 'ninth', from: 'reports', first_seed: 12_000_000 },
    families: { ...NINTH_CHANGED, ...NINTH_UNCHANGED },
    // Who says nothing any more, demand that comes from outside, two causes that no call joins.
    held_out: ['silent-sender', 'passed-on', 'unrelated-pair'],
  },
  {
    ...{ name: 'tenth', from: 'reports', first_seed: 16_000_000 },
    families: { ...TENTH_CHANGED, ...TENTH_UNCHANGED },
    // Who is changed is not who fails, what did not happen in time, two causes that no call joins.
    held_out: ['kept-target', 'waiting-job', 'memory-and-list'],
  },
  {
    ...{ name: 'eleventh', from: 'reports', first_seed: 18_000_000 },
    families: { ...ELEVENTH_CHANGED, ...ELEVENTH_UNCHANGED },
    // Pods that the change did not get to, a wait that no call shows, two causes that no call joins.
    held_out: ['moved-table', 'slow-confirms', 'taken-connections'],
  },
  {
    ...{ name: 'twelfth', from: 'reports', first_seed: 20_000_000 },
    families: { ...TWELFTH_CHANGED, ...TWELFTH_UNCHANGED },
    // Who is changed answers as ever, one pod of many has nothing left, two causes that no call joins.
    held_out: ['tag-for-all', 'one-full-pool', 'defaults-and-keys'],
  },
  {
    ...{ name: 'thirteenth', from: 'reports', first_seed: 22_000_000 },
    families: { ...THIRTEENTH_CHANGED, ...THIRTEENTH_UNCHANGED },
    // Another refuses what a change sends, most fail long after the first, machines of one zone.
    held_out: ['filled-field', 'remaining-members', 'unreachable-zone'],
  },
  {
    ...{ name: 'fourteenth', from: 'reports', first_seed: 24_000_000 },
    families: { ...FOURTEENTH_CHANGED, ...FOURTEENTH_UNCHANGED },
    // Who is changed answers as ever, a cluster that no call shows, everybody hit by what all of them ask.
    held_out: ['number-for-text', 'election-loop', 'flooded-resolver'],
  },
  {
    ...{ name: 'fifteenth', from: 'reports', first_seed: 26_000_000 },
    families: { ...FIFTEENTH_CHANGED, ...FIFTEENTH_UNCHANGED },
    // Who is changed answers as ever, everybody in part by where they run, and what began an hour before it shows.
    held_out: ['private-files', 'two-zones', 'filled-spool'],
  },
  {
    ...{ name: 'sixteenth', from: 'reports', first_seed: 28_000_000 },
    families: { ...SIXTEENTH_CHANGED, ...SIXTEENTH_UNCHANGED },
    // Who is changed answers as ever, calls between two places while both are well, and what began before it shows.
    held_out: ['unasked-canary', 'core-router', 'leaking-heap'],
  },
  {
    ...{ name: 'seventeenth', from: 'reports', first_seed: 30_000_000 },
    families: { ...SEVENTEENTH_CHANGED, ...SEVENTEENTH_UNCHANGED },
    // Nobody calls who is changed, clients that come by another way, and a session that ends for one of those who ask.
    held_out: ['held-rows', 'devices-fall-back', 'ended-session'],
  },
  {
    ...{ name: 'eighteenth', from: 'reports', first_seed: 32_000_000 },
    families: { ...EIGHTEENTH_CHANGED, ...EIGHTEENTH_UNCHANGED },
    // Who is changed answers as ever, a machine out of reach that runs on, and what few requests leave behind.
    held_out: ['left-out-list', 'lost-address', 'few-left'],
  },
  {
    ...{ name: 'nineteenth', from: 'reports', first_seed: 34_000_000 },
    families: { ...NINETEENTH_CHANGED, ...NINETEENTH_UNCHANGED },
    // What stands before a service is gone, machines that are there and reach nobody, and clients that ask again at once.
    held_out: ['deleted-balancer', 'unjoined-machines', 'locked-syncs'],
  },
  {
    ...{ name: 'twentieth', from: 'reports', first_seed: 36_000_000 },
    families: { ...TWENTIETH_CHANGED, ...TWENTIETH_UNCHANGED },
    // Who is changed answers as ever, a store that ends and begins anew, and an outside party that lets nobody in.
    held_out: ['unread-events', 'scaled-connections', 'limited-scrapers'],
  },
  {
    ...{ name: 'twenty-first', from: 'reports', first_seed: 38_000_000 },
    families: { ...TWENTY_FIRST_CHANGED, ...TWENTY_FIRST_UNCHANGED },
    // Who is changed answers as ever, what nobody calls stands still, and an outside party whose answers are of no use.
    held_out: ['cascading-cleanup', 'stuck-ingestor', 'unusable-receipts'],
  },
  {
    ...{ name: 'twenty-second', from: 'reports', first_seed: 40_000_000 },
    families: { ...TWENTY_SECOND_CHANGED, ...TWENTY_SECOND_UNCHANGED },
    // Who is changed answers as ever, what stands between two that are well, and what comes from outside.
    held_out: ['discarded-mails', 'full-balancer', 'many-sign-ups'],
  },
  {
    ...{ name: 'twenty-third', from: 'reports', first_seed: 42_000_000 },
    families: { ...TWENTY_THIRD_CHANGED, ...TWENTY_THIRD_UNCHANGED },
    // Who is changed answers as ever and sooner, a clock that half of the machines believe, and all that is in one hall.
    held_out: ['early-reports', 'old-date', 'spent-batteries'],
  },
  {
    ...{ name: 'twenty-fourth', from: 'reports', first_seed: 44_000_000 },
    families: { ...TWENTY_FOURTH_CHANGED, ...TWENTY_FOURTH_UNCHANGED },
    // Who is changed answers as ever, deletions that make everybody slower and fail hardly anybody, and a site out of reach.
    held_out: ['clamped-pages', 'deleted-rows', 'struck-park'],
  },
  {
    ...{ name: 'twenty-fifth', from: 'reports', first_seed: 48_000_000 },
    families: { ...TWENTY_FIFTH_CHANGED, ...TWENTY_FIFTH_UNCHANGED },
    // Who is changed answers as ever and sooner, a store beside that no call shows, and what stays when its cause is over.
    held_out: ['forced-https', 'scanned-schedule', 'silent-source'],
  },
  {
    ...{ name: 'twenty-sixth', from: 'reports', first_seed: 52_000_000 },
    families: { ...TWENTY_SIXTH_CHANGED, ...TWENTY_SIXTH_UNCHANGED },
    // Who is changed answers as ever, a cluster that is there and gone in turn, and what gives out jobs beside all calls.
    held_out: ['unposted-work', 'falling-primaries', 'laden-jobs'],
  },
  {
    ...{ name: 'twenty-seventh', from: 'reports', first_seed: 56_000_000 },
    families: { ...TWENTY_SEVENTH_CHANGED, ...TWENTY_SEVENTH_UNCHANGED },
    // Who is changed answers as ever, a place where networks meet while both ends are well, and files beside all calls.
    held_out: ['emptied-calendars', 'looped-exchange', 'taken-over-filer'],
  },
  {
    ...{ name: 'twenty-eighth', from: 'reports', first_seed: 58_000_000 },
    families: { ...TWENTY_EIGHTH_CHANGED, ...TWENTY_EIGHTH_UNCHANGED },
    // What no service runs is changed, a cluster that is hurt in two steps, and what answers as ever and is not new.
    held_out: ['opened-demo', 'rebooted-secondary', 'unpublished-copy'],
  },
  {
    ...{ name: 'twenty-ninth', from: 'reports', first_seed: 60_000_000 },
    families: { ...TWENTY_NINTH_CHANGED, ...TWENTY_NINTH_UNCHANGED },
    // A change that gets to users one by one, three causes none of which would do alone, and a link between two that are well.
    held_out: ['moved-mailboxes', 'absent-mailer', 'flooded-link'],
  },
] as const satisfies readonly GenerationRow[]

/** What a generation is called. */
export type GenerationName = (typeof GENERATIONS)[number]['name']

/** The oldest, and the newest, whose held-out families nobody works with. */
export const OLDEST: GenerationRow & { readonly name: GenerationName } = GENERATIONS[0]
export const NEWEST: GenerationRow & { readonly name: GenerationName } = GENERATIONS[
  GENERATIONS.length - 1
] as (typeof GENERATIONS)[number]
