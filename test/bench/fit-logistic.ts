/**
 * Logistic regression whose coefficients cannot be negative, every system weighing the same.
 *
 * Method: projected gradient descent on the weighted log loss with a ridge (a standard normal prior on every coefficient
 * but the intercept), which keeps the fit finite where an input separates right from wrong.
 */

export interface Sample {
  readonly system: string
  readonly inputs: readonly number[]
  readonly right: boolean
}

const STEPS = 20_000
/** Less than the inverse of the largest curvature for inputs between 0 and 2. */
const RATE = 0.2
const RIDGE = 0.5

export const chanceOf = (weights: readonly number[], inputs: readonly number[]): number =>
  1 /
  (1 +
    Math.exp(
      -inputs.reduce(
        (sum, input, index) => sum + input * (weights[index + 1] as number),
        weights[0] as number,
      ),
    ))

/** Intercept and one coefficient for each input; coefficients are at least 0. */
export function fitLogistic(samples: readonly Sample[]): readonly number[] {
  const counts = new Map<string, number>()
  for (const { system } of samples) counts.set(system, (counts.get(system) ?? 0) + 1)
  const size = samples[0]?.inputs.length ?? 0
  const weights = new Array<number>(size + 1).fill(0)
  for (let step = 0; step < STEPS; step++) {
    const slope = new Array<number>(size + 1).fill(0)
    for (const { system, inputs, right } of samples) {
      const weight = 1 / (counts.size * (counts.get(system) as number))
      const error = (chanceOf(weights, inputs) - Number(right)) * weight
      slope[0] = (slope[0] as number) + error
      for (const [index, input] of inputs.entries())
        slope[index + 1] = (slope[index + 1] as number) + error * input
    }
    for (const index of weights.keys()) {
      const pull = index === 0 ? 0 : (RIDGE / samples.length) * (weights[index] as number)
      const next = (weights[index] as number) - RATE * ((slope[index] as number) + pull)
      weights[index] = index === 0 ? next : Math.max(0, next)
    }
  }
  return weights
}
