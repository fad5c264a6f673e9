/** A row of measurements in short: the median, and the quartiles around it. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

const at = (sorted: readonly number[], share: number): number => {
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** Median and quartiles, between neighbours by straight line (Hyndman and Fan 1996, type 7). NaN of nothing. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: at(sorted, 0.5), lower: at(sorted, 0.25), upper: at(sorted, 0.75) }
}

/** The same list in an order of chance (Fisher and Yates), so that no case always runs after the same other. */
export function shuffled<Item>(items: readonly Item[], random: () => number = Math.random): Item[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [order[last], order[other]]
    if (a !== undefined && b !== undefined) [order[last], order[other]] = [b, a]
  }
  return order
}
