import type { Spread } from '../spread.ts'

/** One figure: a single number or a spread of runs, and what was promised. */
export interface Figure extends Partial<Spread> {
  readonly median: number
  readonly goal?: string
}
export type Figures = Readonly<Record<string, Figure>>

const round = (value: number): number => Number(value.toPrecision(4))

/** Four digits are more than such measurements have. */
export const rounded = ({ median, lower, upper }: Spread): Spread => ({
  median: round(median),
  lower: round(lower),
  upper: round(upper),
})

/** A figure that was measured once. */
export const single = (value: number, goal?: string): Figure => ({
  median: round(value),
  ...(goal === undefined ? {} : { goal }),
})

/** A table of figures for people. */
export function tableOf(figures: Figures): string {
  const rows = Object.entries(figures).map(([name, { median, lower, upper, goal }]) => {
    const quartiles = lower === undefined || upper === undefined ? '' : `${lower} to ${upper}`
    return `| ${name} | ${median} | ${quartiles} | ${goal ?? ''} |`
  })
  return ['| figure | median | quartiles | goal |', '|---|---|---|---|', ...rows].join('\n')
}
