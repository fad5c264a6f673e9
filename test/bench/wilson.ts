/** Two-sided 95 %: the 97.5th percentile of the standard normal distribution. */
const Z = 1.959964

/**
 * Wilson score interval of a proportion (E. B. Wilson, JASA 22, 1927): honest for small counts, where the usual
 * interval claims certainty at 0 of n.
 */
export function wilson(passed: number, total: number): { readonly low: number; readonly high: number } {
  if (total === 0) return { low: 0, high: 1 }
  const share = passed / total
  const centre = share + (Z * Z) / (2 * total)
  const spread = Z * Math.sqrt((share * (1 - share)) / total + (Z * Z) / (4 * total * total))
  const scale = 1 + (Z * Z) / total
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) }
}

/** `7 of 24 (29 %, 95 % interval 15 to 49 %)` */
export function withInterval(passed: number, total: number): string {
  const { low, high } = wilson(passed, total)
  const percent = (share: number): string => (share * 100).toFixed(0)
  return `${passed} of ${total} (${percent(total === 0 ? 0 : passed / total)} %, 95 % interval ${percent(low)} to ${percent(high)} %)`
}
