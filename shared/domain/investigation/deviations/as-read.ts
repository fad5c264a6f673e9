/**
 * A snapshot as the engine reads it, whoever asks: texts that read as what they are, each thing under one name and measured in
 * one series and one unit, no counts that cannot be, and waiting times where a tool tells sums and counts of them.
 */
import { withOneName } from '../records/join-names.ts'
import { withWholeSeries } from '../records/join-windows.ts'
import { withLegibleTexts } from '../records/legible-records.ts'
import { withPossibleCounts } from '../records/possible-counts.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { withUcumUnits } from '../records/ucum-units.ts'
import { withMeanTimes } from './mean-times.ts'

export const asRead = (given: Snapshot): Snapshot =>
  withMeanTimes(withOneName(withPossibleCounts(withWholeSeries(withUcumUnits(withLegibleTexts(given))))))
