/**
 * A change with all that was found for and against it, and the ranking that it stands in.
 */

import type { SeriesShift } from '../deviations/series-shift.ts'
import type { VersionContrast } from '../deviations/version-contrast.ts'
import type { Symptom } from '../place/symptoms.ts'
import type { Change, ControlPlaneEvent } from '../records/snapshot.ts'
import type { Run } from './first-runs.ts'
import type { FittingMechanism } from './fitting-mechanism.ts'
import type { DiffReading, SettingChange } from './read-diff.ts'
import type { SeenVersion } from './seen-versions.ts'

/** From here a mechanism is worth a sentence. */
export const FITS = 0.2

/** A change with its score and what that is made of. */
export interface RankedChange {
  readonly change: Change
  readonly diff: DiffReading
  readonly score: number
  /** When it took effect; `known` says whether a rollout tells so. */
  readonly effective_at: { readonly from: number; readonly to: number; readonly known: boolean }
  /** The deploy that carried it into effect. */
  readonly carried_by: Change | null
  /** What bore its version before its record says that it took effect. */
  readonly sight?: SeenVersion
  /** A statement of its changes what is stored, which taking back its version does not undo. */
  readonly acts_on_stored_data: boolean
  /** When the work that it brought ran last before the onset; null where it brought none, or none of it ran. */
  readonly run: Run | null
  readonly place: number
  readonly reaches: string | null
  /** What runs on the machine that it reached, and by which it stands where it does. */
  readonly falls_on?: string
  /** Who fails and cannot read the answers of what it reached. */
  readonly misread_by?: string
  /** It was done to a store that nobody asks who is hurt, and nobody who is hurt speaks of it. */
  readonly is_of_others: boolean
  readonly mechanism: FittingMechanism | null
  readonly echo: { readonly setting: SettingChange; readonly shift: SeriesShift } | null
  /** What began to be used up where it arrived, just after it did, and ran out when users felt it; or what stepped there then, by itself or together with the harm. */
  readonly spent: SeriesShift | null
  /** What was used up is all of it, there and then: what it was done to came to nothing. */
  readonly is_stopped: boolean
  /** What a platform recorded of the very part, minutes after: it changed places. */
  readonly failed_over: ControlPlaneEvent | null
  /**
   * A name that what fails quotes: the change removes, changes or adds it, alone asks for what is not there, alone brings in the part or the value
   * of that name, sets it to that value, writes the field of that name, edits the file of that name,
   * touches lines that hold it, no longer handles the error of that name, writes in the folder of
   * that name, says what is done at the path of that name, changes settings of what bears it, or is a flag that bears it.
   */
  readonly quoted: {
    readonly name: string
    readonly symptom: Symptom
    readonly how:
      | 'removes'
      | 'drops'
      | 'changes'
      | 'adds'
      | 'asks'
      | 'brings'
      | 'bears'
      | 'sets'
      | 'writes'
      | 'stores'
      | 'routes'
      | 'edits'
      | 'configures'
      | 'touches'
  } | null
  /** Its version does worse than another at the same time. */
  readonly contrast: VersionContrast | null
  readonly words: readonly string[]
  readonly words_score: number
  readonly trivial: string | null
  /** Something in the change names something that is observed. */
  readonly is_linked: boolean
  /** How close before the onset it reached what fails, as a share of all changes that did, 0 to 1. */
  readonly closeness: number
  /** It is next to alone in having reached what fails just before it did. */
  readonly coincides: boolean
  /** It arrived so soon before, at a place where so little else did, that it is hardly chance. */
  readonly hardly_chance: boolean
}

/** A name that was added, or stands in a changed line, is spoken of; one that was taken away, set or borne was acted on. */
export const isActedOn = (quoted: RankedChange['quoted']): boolean =>
  quoted !== null && quoted.how !== 'adds' && quoted.how !== 'touches'

/** Every change that may be the cause, and those that came too late. */
export interface ChangeRanking {
  /** Most likely first. */
  readonly ranked: readonly RankedChange[]
  /** Took effect too late, earliest first. */
  readonly too_late: readonly RankedChange[]
}
