import type { Calibration } from './calibration.ts'
import { GENERATIONS, type GenerationName } from './generations.ts'
import type { LeftOut } from './leave-one-out.ts'
import type { Age } from './simulated-incidents.ts'
import { withInterval } from './wilson.ts'

export interface Figure {
  readonly name: string
  readonly passed: number
  readonly total: number
}

/** What a share must be at least or at most; a control that does better than it may makes the incidents too easy. */
export type Goal = { readonly least: number } | { readonly most: number; readonly of?: 'a control' }

export interface SetReport {
  readonly set: string
  readonly published: string
  readonly figures: readonly Figure[]
  readonly notes: readonly string[]
  /** Cases whose answer was not first. */
  readonly misses: readonly string[]
}

/** Which simulated incidents a table is of: those of an age, or of a generation by what was done with its families. */
export type TableAge = Age | 'early_and_late' | `${GenerationName}_${'worked_with' | 'held_out'}` | 'all'

/** What each table is headed, in the order of the tables. */
export const HEADINGS: ReadonlyMap<TableAge, string> = new Map<TableAge, string>([
  ['early', 'early families (open to work)'],
  ['late', 'late families (only scored)'],
  ['early_and_late', 'early and late families together'],
  ...GENERATIONS.flatMap(({ name, from }) => {
    const reports = from === 'reports' ? 'from published reports, ' : ''
    return [
      [name, `${name} generation (${reports}written without knowledge of the engine)`],
      [`${name}_worked_with`, `${name} generation, its families that may be worked with (on other seeds)`],
      [`${name}_held_out`, `${name} generation, its families that are only scored`],
    ] as const
  }),
  ['all', 'all families together'],
])

/** How the engine did on simulated incidents of the families of one age. */
export interface SimulatedTable {
  readonly age: TableAge
  readonly n: number
  readonly figures: readonly (Figure & { readonly goal: Goal | null })[]
  readonly ece: number
  /** The same over these incidents and the same ones without what decides, each once: whoever asks does not know which he has. */
  readonly ece_with_lessened: number
  readonly brier_skill: number
  readonly auroc: number | null
  readonly median_ms: number
  readonly p95_ms: number
  /** The same of what the processor worked. */
  readonly p95_processor_ms: number
}

export interface Report {
  readonly engine: string
  readonly sets: SetReport[]
  readonly robustness: Figure[]
  calibration: Calibration | null
  readonly times: {
    readonly set: string
    readonly median: number
    readonly p95: number
    readonly worst: number
  }[]
  readonly rules: string[]
  /** 500 series of 960 points each, beside JSON.parse of the same data; least of several runs in one process. */
  large: { readonly investigate_ms: number; readonly parse_ms: number } | null
  /** Null where none were simulated. */
  simulated: readonly SimulatedTable[] | null
  /** The rankings with one system left out; null where that was not run. */
  left_out: readonly LeftOut[] | null
}

/** What the passes against fooling ourselves go by among the sets. */
export const PASSES = 'passes'

/** What the given half must reach, by set and figure; the least share. */
const GOALS: Readonly<Record<string, number>> = {
  'petshop: top-1': 0.95,
  'petshop: top-3': 1,
  'petshop: issues detected at confidence ≥ 0.3': 0.95,
  'petshop: disjoint normal windows silent at the same threshold': 0.95,
  'rcd-sock-shop: AC@1': 1,
  'nezha-train-ticket: AS@1': 0.95,
  'nezha-train-ticket: AS@3': 1,
  'nezha-online-boutique: CPU and delay, AS@1': 0.95,
  'rootcausebench: exact commit or none': 0.75,
  'opensre-rds: category right': 0.75,
  ...Object.fromEntries(
    [
      'byte-identical on a second run',
      'byte-identical under permuted order of records',
      'byte-identical with everything that holds truth deleted',
      'same verdict under renamed entities, mapped back',
      'innocent changes grafted on: none believed (confidence ≥ .5)',
    ].map((pass) => [`${PASSES}: ${pass}`, 1]),
  ),
}

/** What a figure of a set must reach; null where nothing is asked of it. */
export const goalOf = (set: string, { name }: Figure): Goal | null => {
  const least = GOALS[`${set}: ${name}`]
  return least === undefined ? null : { least }
}

/** `at least 85 %` */
export const boundText = (goal: Goal): string =>
  'least' in goal ? `at least ${percent(goal.least)} %` : `at most ${percent(goal.most)} %`

/** Whether a share of something is what it must be. */
export const isMet = (goal: Goal, { passed, total }: Figure): boolean =>
  'least' in goal ? passed >= goal.least * total : passed <= goal.most * total

/** `goal at least 85 %: met`; empty where there is no goal, or nothing that could meet it. */
export function goalText(goal: Goal | null, figure: Figure): string {
  if (goal === null || figure.total === 0) return ''
  if (isOfControl(goal)) return `hard enough ${boundText(goal)}: ${isMet(goal, figure) ? 'yes' : 'NO'}`
  return `goal ${boundText(goal)}: ${isMet(goal, figure) ? 'met' : 'MISSED'}`
}

/** Whether it says how hard the incidents are, and not how good the answers. */
export const isOfControl = (goal: Goal): boolean => 'of' in goal

const percent = (share: number): string => (share * 100).toFixed(0)

const semicolon = (text: string): string => (text === '' ? '' : `; ${text}`)

const WIDTH = 72

/** The report as it is printed. */
export function reportLines(report: Report): string[] {
  const lines: string[] = []
  const row = (figure: Figure): void =>
    void lines.push(`  ${figure.name.padEnd(WIDTH)} ${withInterval(figure.passed, figure.total)}`)
  for (const { set, published, figures, notes, misses } of report.sets) {
    lines.push(`${set}, IN SAMPLE`)
    for (const figure of figures) {
      row(figure)
      lines.push(`${lines.pop()}${semicolon(goalText(goalOf(set, figure), figure))}`)
    }
    for (const note of notes) lines.push(`  ${note}`)
    lines.push(`  published: ${published}`)
    if (misses.length > 0) lines.push(`  not first: ${misses.join('; ')}`)
    lines.push('')
  }
  lines.push('Against fooling ourselves, IN SAMPLE')
  for (const figure of report.robustness) {
    row(figure)
    lines.push(`${lines.pop()}${semicolon(goalText(goalOf(PASSES, figure), figure))}`)
  }
  lines.push('')
  if (report.calibration !== null) {
    lines.push('Confidence, every set weighing the same, IN SAMPLE')
    for (const [name, value] of calibrationRows(report.calibration))
      lines.push(`  ${name.padEnd(WIDTH)} ${value}`)
    lines.push('')
  }
  lines.push('Milliseconds from parsed snapshot to findings (least of three runs)')
  for (const { set, median, p95, worst } of report.times)
    lines.push(
      `  ${set.padEnd(WIDTH)} median ${median.toFixed(1)}, p95 ${p95.toFixed(1)}, worst ${worst.toFixed(1)}`,
    )
  if (report.large !== null) lines.push(`  ${largeText(report.large)}`)
  if (report.left_out !== null) lines.push('', ...leftOutLines(report.left_out))
  lines.push('', 'How findings become labels:')
  for (const rule of report.rules) lines.push(`  ${rule}`)
  return lines
}

/** How much a system may lose by being left out, in points. */
export const LEFT_OUT_POINTS = 10

export const leftOutRows = (all: readonly LeftOut[]): readonly (readonly string[])[] =>
  all.map(({ system, n, as_is, without, chosen }) => [
    system,
    String(n),
    `${as_is.toFixed(1)} %`,
    `${without.toFixed(1)} %`,
    as_is - without <= LEFT_OUT_POINTS ? 'met' : 'MISSED',
    chosen.join(', ') || 'none',
  ])

/** The rankings with one system left out, as they are printed. */
export const leftOutLines = (all: readonly LeftOut[]): string[] => [
  `Rankings with one system left out (goal: at most ${LEFT_OUT_POINTS} points less), IN SAMPLE`,
  ...leftOutRows(all).map(
    ([system, n, asIs, without, goal, chosen]) =>
      `  ${system}, n = ${n}: ${asIs} as it is, ${without} as the others choose: ${goal}; chosen anew: ${chosen}`,
  ),
]

/** Incidents from which on the calibration error has a goal, and the goal: fewer scatter by more than it. */
const CALIBRATED_FROM = 1_000
const MOST_CALIBRATION_ERROR = 0.05
/** Milliseconds that 95 % of snapshots take at most. */
const MOST_P95_MS = 50

/** `.042 (goal .05: met)` from as many incidents on as the goal speaks of, the figure alone below. */
export const eceText = ({ ece, n }: Pick<SimulatedTable, 'ece' | 'n'>): string =>
  n < CALIBRATED_FROM
    ? ece.toFixed(3)
    : `${ece.toFixed(3)} (goal ${MOST_CALIBRATION_ERROR}: ${ece <= MOST_CALIBRATION_ERROR ? 'met' : 'MISSED'})`

/** `p95 47.6 (goal 50: met)` */
export const p95Text = (p95: number): string =>
  `p95 ${p95.toFixed(1)} (goal ${MOST_P95_MS}: ${p95 <= MOST_P95_MS ? 'met' : 'MISSED'})`

/** The tables of several runs: of each age that of most incidents, in the order of the headings. */
export const joinedTables = (all: readonly SimulatedTable[]): readonly SimulatedTable[] =>
  [...HEADINGS.keys()].flatMap((age) => {
    const [most] = all.filter((table) => table.age === age).sort((a, b) => b.n - a.n)
    return most === undefined ? [] : [most]
  })

/** What of a simulated table is no count. */
const simulatedNotes = (table: SimulatedTable): string[] => [
  `expected calibration error ${eceText(table)}, ${table.ece_with_lessened.toFixed(3)} with the same without what decides, Brier skill ${table.brier_skill.toFixed(2)}, AUROC ${table.auroc === null ? 'n/a' : table.auroc.toFixed(2)}`,
  `milliseconds: median ${table.median_ms.toFixed(1)}, ${p95Text(table.p95_ms)}; of the processor: p95 ${table.p95_processor_ms.toFixed(1)}`,
]

/** The figures of simulated incidents as they are printed. */
export const simulatedLines = (tables: readonly SimulatedTable[]): string[] =>
  tables.flatMap((table) => [
    `simulated, ${HEADINGS.get(table.age)}, n = ${table.n}`,
    ...table.figures.map(
      (figure) =>
        `  ${figure.name}: ${withInterval(figure.passed, figure.total)}${semicolon(goalText(figure.goal, figure))}`,
    ),
    ...simulatedNotes(table).map((note) => `  ${note}`),
  ])

/** How 500 long series did. */
export const largeText = ({ investigate_ms, parse_ms }: NonNullable<Report['large']>): string =>
  `500 series of 960 points: ${investigate_ms.toFixed(0)} ms, ${(investigate_ms / parse_ms).toFixed(2)} of JSON.parse of the same data (goal .2: ${investigate_ms <= 0.2 * parse_ms ? 'met' : 'MISSED'})`

/** Stated beside observed, a line each. */
export const calibrationRows = (found: Calibration): readonly (readonly [string, string])[] => [
  ['answers', String(found.n)],
  ['Brier skill', found.brier_skill.toFixed(3)],
  ['AUROC', found.auroc === null ? 'not defined' : found.auroc.toFixed(3)],
  ['expected calibration error (10 bins; a goal only from 1,000 answers on)', found.ece.toFixed(3)],
  ['wrong at ≥ .8', String(found.wrong_at_80)],
  ['right answers at ≥ .8', withInterval(found.right_at_80, found.right)],
]
