/** What a line tells of scored incidents, of a family or of all: of how many each holds. */
import { BELIEVED, type Scored, SURE } from './rca-simulator.ts'

export const SCORED_FIGURES: readonly (readonly [title: string, holds: (one: Scored) => boolean])[] = [
  ['right', ({ right }) => right],
  ['right kind, of those without a change', ({ hasChange, rightKind }) => !hasChange && rightKind],
  [
    'claims that no change is the cause where one is',
    ({ hasChange, namesNoChange }) => hasChange && namesNoChange,
  ],
  [`wrong at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && !rightAtLevel],
  [`right at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && rightAtLevel],
  [`below ${BELIEVED} without what decides`, ({ undecided }) => undecided < BELIEVED],
]

/** The first two lines of a table of these. */
export const HEAD_OF_FIGURES = [
  `| family | n | ${SCORED_FIGURES.map(([title]) => title).join(' | ')} |`,
  `|---|---|${SCORED_FIGURES.map(() => '---|').join('')}`,
].join('\n')
