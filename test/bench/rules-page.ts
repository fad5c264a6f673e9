/** The page that says what each rule of the engine is worth. */
import type { EngineRule } from './engine-rules.ts'
import type { Turn } from './simulated-incidents.ts'

/** What a rule did in the incidents in which it found something. */
export interface RuleWorth {
  readonly rule: EngineRule
  /** When it was first there by its name, an ISO instant. */
  readonly written: string
  /** Incidents in which it found something. */
  found: number
  /** Of these, those that are answered otherwise, or otherwise without what decides, where it finds nothing. */
  altered: number
  /** Incidents that are right only with it, and only without it. */
  readonly right_with: Pick<Turn, 'age' | 'family'>[]
  readonly right_without: Pick<Turn, 'age' | 'family'>[]
  /** Answers more with it that are wrong and sure, right and sure, and that stay below .5 without what decides. */
  wrong: number
  sure: number
  undecided: number
  /** Cases of the public sets in which it found something, and right answers to them more with it than without it. */
  given_found: number
  given_net: number
}

/** So many incidents, and how many are answered right. */
interface Answered {
  readonly n: number
  readonly right: number
}

/** What the page is made of besides. */
interface Whole {
  readonly engine: string
  readonly command: string
  /** Which families the simulated incidents are of. */
  readonly of: string
  readonly simulated: Answered
  /** Of the public sets; null where they were not at hand. */
  readonly given: Answered | null
  /** When the families of a generation were written, an ISO instant. */
  written(age: string): string
}

/** Families that are right in more incidents with a rule than without it. */
function familiesServed({ right_with: gained, right_without: lost }: RuleWorth): ReadonlyMap<string, string> {
  const balance = new Map<string, { age: string; sum: number }>()
  for (const [turns, by] of [[gained, 1] as const, [lost, -1] as const])
    for (const { age, family } of turns)
      balance.set(family, { age, sum: (balance.get(family)?.sum ?? 0) + by })
  return new Map([...balance].flatMap(([family, { age, sum }]) => (sum > 0 ? [[family, age]] : [])))
}

/** A rule as the page tells of it. */
interface Told {
  readonly worth: RuleWorth
  /** Right answers more with it than without it. */
  readonly net: number
  readonly families: number
  /** Of these, written after it. */
  readonly younger: number
}

const signed = (value: number): string => (value > 0 ? `+${value}` : String(value).replace('-', '−'))

const rowOf = ({ worth, net, families, younger }: Told): string => {
  const { rule, found, altered, right_with: gained, right_without: lost, wrong, sure, undecided } = worth
  const given = [worth.given_found, signed(worth.given_net)]
  const counts = [found, altered, gained.length, lost.length, signed(net)]
  const surely = [signed(sure), signed(wrong), signed(undecided)]
  return `| \`${rule.name}\` | ${rule.file} | ${[...counts, ...surely, families, younger, ...given].join(' | ')} |`
}

/** The page, rules in the order of what they are worth. */
export function pageOfRules(worths: readonly RuleWorth[], whole: Whole): string {
  const told = worths
    .map((worth): Told => {
      const families = [...familiesServed(worth)]
      return {
        worth,
        net: worth.right_with.length - worth.right_without.length,
        families: families.length,
        younger: families.filter(([, age]) => worth.written !== '' && whole.written(age) > worth.written)
          .length,
      }
    })
    .sort(
      (a, b) =>
        b.net - a.net ||
        b.worth.altered - a.worth.altered ||
        b.worth.found - a.worth.found ||
        (a.worth.rule.name < b.worth.rule.name ? -1 : 1),
    )
  const served = told.filter(({ families }) => families > 0)
  const younger = served.filter(({ younger: count }) => count > 0)
  const costly = told.filter(({ net }) => net < 0)
  const needed = told.filter(({ worth }) => worth.given_net > 0)
  const idle = told.filter(({ worth }) => worth.altered === 0 && worth.given_net === 0)
  const { simulated, given } = whole
  const ofSets =
    given === null
      ? 'The public sets were not at hand.'
      : `So are ${given.n} cases of the public sets (${given.right} right), for ${needed.length} rules of which there are right answers that they alone give.`
  return `# What each rule is worth

Written by \`${whole.command} --write docs/engine-rules.md\` with engine ${whole.engine}; nobody edits it by hand.

A rule is a function of the engine's [causes](../shared/domain/investigation/causes) and [changes](../shared/domain/investigation/changes)
that may find nothing, or hand on what it was given. ${simulated.n} simulated incidents, spread evenly over ${whole.of}, are
investigated as the engine is (${simulated.right} are right), and again without each rule that found something there. ${ofSets}

All of these families were in sight when the engine was worked on, so what stands here does not say how it does on others:
[the simulator](simulator.md) does. It says which rules carry the answers, whether a rule serves faults that were written after it, and
which could go.

Of ${told.length} rules ${served.length} serve a family: more of its incidents are right with the rule than without it. ${younger.length} of these serve one that was
written after the rule was; the others have shown no more than that they know the fault that they were written for. ${costly.length} cost more right
answers than they gain. ${idle.length} change nothing here that is scored: other rules find the same, or no incident asks for what they know.

- *found*: incidents in which the rule found something; *alters*: of these, those that are answered otherwise without it, or
  otherwise when what decides is missing as well.
- *only with*, *only without*: incidents that are right only so; *net* is the difference.
- *sure*, *wrong*: right and wrong answers at .8 or more; *undecided*: answers below .5 where what decides is missing. How many more there
  are with the rule.
- *families*: served by it; *younger*: of these, written after the rule was first there by its name.
- *given*: cases of the public sets in which it found something, and how many more are right with it.

| rule | file | found | alters | only with | only without | net | sure | wrong | undecided | families | younger | given: found | given: net |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${told.map(rowOf).join('\n')}
`
}
