/** How well stated probabilities match what came true. */

/** One named cause: the stated probability, whether it was right, and the system that it weighs for. */
export interface Stated {
  readonly system: string
  readonly confidence: number
  readonly right: boolean
}

export interface Calibration {
  readonly n: number
  /** 1 − Brier score ÷ that of always stating the base rate; above 0 is better than knowing nothing. */
  readonly brier_skill: number
  /** Chance that a right answer has the higher confidence than a wrong one; null without both. */
  readonly auroc: number | null
  /** Mean distance of stated from observed over ten equal bins. */
  readonly ece: number
  readonly wrong_at_80: number
  readonly right: number
  readonly right_at_80: number
}

const HIGH = 0.8
const BINS = 10

/** Every system weighs the same, however many cases it has. */
export function calibrationOf(stated: readonly Stated[]): Calibration {
  const counts = new Map<string, number>()
  for (const { system } of stated) counts.set(system, (counts.get(system) ?? 0) + 1)
  const weight = ({ system }: Stated): number => 1 / (counts.size * (counts.get(system) ?? 1))
  const mean = (of: (one: Stated) => number): number =>
    stated.reduce((sum, one) => sum + weight(one) * of(one), 0)
  const base = mean(({ right }) => Number(right))
  const brier = mean(({ confidence, right }) => (confidence - Number(right)) ** 2)
  const reference = base * (1 - base)
  let pairs = 0
  let won = 0
  for (const good of stated)
    for (const bad of stated) {
      if (!good.right || bad.right) continue
      const both = weight(good) * weight(bad)
      pairs += both
      won += both * (good.confidence > bad.confidence ? 1 : good.confidence === bad.confidence ? 0.5 : 0)
    }
  const bins = Array.from({ length: BINS }, () => ({ stated: 0, right: 0 }))
  for (const one of stated) {
    const bin = bins[Math.min(BINS - 1, Math.floor(one.confidence * BINS))] as {
      stated: number
      right: number
    }
    bin.stated += weight(one) * one.confidence
    bin.right += weight(one) * Number(one.right)
  }
  return {
    n: stated.length,
    brier_skill: reference < 1e-9 ? 0 : 1 - brier / reference,
    auroc: pairs === 0 ? null : won / pairs,
    ece: bins.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.right), 0),
    wrong_at_80: stated.filter((one) => !one.right && one.confidence >= HIGH).length,
    right: stated.filter((one) => one.right).length,
    right_at_80: stated.filter((one) => one.right && one.confidence >= HIGH).length,
  }
}
