/**
 * Whether a record says that something got less than before: a smaller machine, or less of a quantity.
 *
 * Clouds name machines by a family and a size; which size holds more is in their documentation.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-types.html
 * @see https://cloud.google.com/compute/docs/machine-resource
 * @see https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions
 */
import { quantityOf } from './read-diff.ts'

/** Processors of an `xlarge`, which an `8xlarge` has eight times. */
const XLARGE = 4
/** Processors of the sizes by name; the smallest have a share of one. */
const PROCESSORS: Readonly<Record<string, number>> = {
  nano: 1 / 8,
  micro: 1 / 4,
  small: 1 / 2,
  medium: 1,
  large: 2,
  xlarge: XLARGE,
}
const AMAZON = /^(?:[a-z]{2,9}\.)?[a-z][a-z\d-]{1,9}\.(nano|micro|small|medium|large|(\d{0,2})xlarge)$/i
const GOOGLE =
  /^(?:db-)?[a-z]\d{0,2}[a-z]?-?(?:standard|highmem|highcpu|custom|perf-optimized-n)-(\d{1,3})(?:-\d{1,7})?$/i
const AZURE = /^standard_[a-z]{1,3}(\d{1,3})[a-z]{0,4}(?:_v\d)?$/i

/** How much a machine of that name has beside others of its cloud; null where the name is none. */
function sizeOf(name: string): { readonly cloud: string; readonly size: number } | null {
  const [, word, times] = AMAZON.exec(name) ?? []
  if (word !== undefined)
    return {
      cloud: 'amazon',
      size: PROCESSORS[word.toLowerCase()] ?? Number(times) * XLARGE,
    }
  const google = GOOGLE.exec(name)?.[1]
  if (google !== undefined) return { cloud: 'google', size: Number(google) }
  const azure = AZURE.exec(name)?.[1]
  return azure === undefined ? null : { cloud: 'azure', size: Number(azure) }
}

/** Two numbers or more with dots between them and nothing else: a version is written so, and seldom a quantity. */
const VERSION = /^v?\d{1,6}(?:\.\d{1,6}){1,5}$/i
const partsOf = (version: string): readonly number[] =>
  version.trim().replace(/^v/i, '').split('.').map(Number)

/** Whether both read as versions of which the second is not below the first: 14.11 comes after 14.9. */
function isLaterVersion(before: string, after: string): boolean {
  if (!VERSION.test(before.trim()) || !VERSION.test(after.trim())) return false
  const [was, is] = [partsOf(before), partsOf(after)]
  const at = was.findIndex((part, index) => part !== (is[index] ?? 0))
  return at < 0 || (is[at] ?? 0) > (was[at] as number)
}

/** Whether what was there before was more than what came after; false where they cannot be compared. */
export function isLess(before: string, after: string): boolean {
  const [one, other] = [sizeOf(before.trim()), sizeOf(after.trim())]
  if (one !== null && other !== null) return one.cloud === other.cloud && other.size < one.size
  if (isLaterVersion(before, after)) return false
  const [was, is] = [quantityOf(before), quantityOf(after)]
  return was !== null && is !== null && is < was
}
