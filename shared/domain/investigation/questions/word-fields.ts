/**
 * What single words of a question speak for, wherever they stand: read only where it is put in no way that the tables
 * of ways to ask know. Each field holds words, and beginnings of words that end with a hyphen.
 */
import { EMPTY_WORDS } from './plain-words.ts'
import { BEGUN, WANTS_ELSE } from './read-intent.ts'
import type { Intent } from './ways-to-ask.ts'

/** Words by which nothing but this intent is asked for, and words that others are asked by as well. */
type Field = readonly [intent: Intent, plainly: string, perhaps: string]

/** The more particular an intent, the earlier: of two that as much speaks for, the first is meant. */
const FIELDS: readonly Field[] = [
  ['count_incidents', '', 'many count number total often times'],
  [
    'seen_before',
    'previously recur- reoccur- repeat- similar familiar histor- preceden- ever relaps-',
    'before earlier past again same often last first-time new pattern',
  ],
  [
    'when_started',
    'start- began begin- begun onset earliest commenc- originat-',
    'when first long time minute moment hour',
  ],
  [
    'is_recovered',
    'recover- resol- solved fixed restor- healed mitigated stab- subsid- calm- finished ended ends gone',
    'over back again still yet already normal finally done closed end safe clear better improv-',
  ],
  [
    'what_contradicts',
    'sure certain- confiden- doubt- proof- prove- convinc- hypothes- refut- disprov- contradict- evidence plausib- trust- alternativ- mistaken argu- likelihood probab- odds assumption- speculat-',
    'wrong likely else against real really believe guess- maybe',
  ],
  [
    'what_was_asked',
    'sources datasource- integration- consulted telemetry blind queried visibility instrument-',
    'source quer- asked checked inspected tools tool connected data missing coverage see dashboards gaps',
  ],
  [
    'what_is_affected',
    'affect- impact- suffer- victim- casualt- spread- collateral downstream dependents unusable blast radius scope extent touched hurt- severity severe damage widespread',
    'hit customers customer users user clients client tenants tenant regions region zones everyone everybody people visitors shoppers buyers audience who where parts many bad reach- else functions features',
  ],
  [
    'should_roll_back',
    'mitigat- workaround- advi- recommend- suggest- revert- undo- rollback remedy countermeasure- stopgap',
    'should fix stop action- steps options plan next better safe wise',
  ],
  [
    'what_changed',
    'chang- deploy- releas- rollout- commit- merg- push- modif- alter- edited updat- upgrad- patch- rotat- installed introduced migrat- shipped hotfix- diff author- committer- flags toggl- config- refactor- bumped',
    'new version- who did made touched different flag pull switched work-',
  ],
  [
    'what_happened',
    'timeline chronolog- sequence events narrative unfold- recount',
    'story happen- occur- passed step- order first then progress- recap history overview',
  ],
  [
    'why',
    'caus- reason- culprit blame guilty origin- expla- trigger- diagnos- rootcause suspect- broke breaks theory clue',
    'idea source behind fault problem issue responsible broken failing failed fails fail failure- error- slow down crash- stuck timeout- outage dying wrong struggl- hang-',
  ],
  [
    'how_is',
    'status health- metric- performance usage utili- saturat- throughput latency percentile rate ratio percentage cpu memory disk connections backlog lag- depth retrying queueing behav- performing weird odd strange unusual unstable flapping flaky',
    'doing issue- problem- trouble busy loaded look- acting ok fine alive healthy up down working works running available reachable responding normal share graphs level- state bad slow load behind restart- retr-',
  ],
]
const PLAINLY = 2
const PERHAPS = 1

/** Compiled when the first question needs it: most are read by the tables. */
let compiled: readonly (readonly [Intent, (word: string) => number])[] | undefined
const fieldsOf = (): NonNullable<typeof compiled> =>
  FIELDS.map(([intent, plainly, perhaps]) => {
    const [strong, weak] = [plainly, perhaps].map(matcherOf) as [Matches, Matches]
    return [intent, (word) => (strong(word) ? PLAINLY : weak(word) ? PERHAPS : 0)] as const
  })
type Matches = (word: string) => boolean
function matcherOf(words: string): Matches {
  const all = words.split(' ').filter((word) => word !== '')
  const whole = new Set(all.filter((word) => !word.endsWith('-')))
  const begun = all.filter((word) => word.endsWith('-')).map((word) => word.slice(0, -1))
  return (word) => whole.has(word) || begun.some((beginning) => word.startsWith(beginning))
}

/** How a question begins tells what it asks for, where its words leave that open. */
const FORMS: readonly (readonly [RegExp, Intent])[] = [
  [/^(?:when|since|(?:for )?how long|what time|at what)\b/, 'when_started'],
  [/^(?:who|whose|by whom)\b/, 'what_changed'],
  [/^(?:where|which|whom)\b/, 'what_is_affected'],
  [/^(?:is|are|was|were|does|do|has|have|how)\b/, 'how_is'],
]

/** Incidents by other words. */
const INCIDENTS = /\b(?:incidents?|outages?|disruptions?|downtimes?|interruptions?|sev ?-?[0-4]s?|pages)\b/
const COUNTS = /\b(?:how (?:many|often)|count|number|total|times)\b/
/** What a text without the name of a service speaks of, where it speaks of what is run. */
const SPEAKS_OF_SYSTEMS =
  /\b(?:incidents?|outages?|disruptions?|downtimes?|failures?|errors?|alerts?|alarms?|issues?|problems?|trouble|services?|systems?|site|platform|app|api|settings?|permissions?|schema|config\w*|migrations?|flags?|versions?|builds?|servers?|hosts?|nodes?|certs?|certificates?|timeouts?|exceptions?|connections|cpu|memory|disk|dashboards?|graphs?|root cause|rollback|status page|backend|prod(?:uction)?|deploy\w*|releases?|rollouts?|commits?|latency|traffic|requests|customers|users|database|db|cache|queue|cluster|pods?|logs|metrics)\b/
/** By nothing but a word that points at it. */
const POINTS_AT_IT = /\b(?:it|this|that|these|we|us|our|everything|anything|things)\b/
/** Words that say nothing of what is meant, beside those of any question. */
const SAYS_NOTHING = new Set(
  'being am done having us he its here so too also just only really very more most than then if but may might must whom whose get got one ones thing things something anything everything nothing yes now tonight'.split(
    ' ',
  ),
)
/** Asks after a service in English, whatever of it. */
const ASKS_AFTER =
  /^(?:(?:and|so|please|can you|could you) )*(?:(?:is|are|was|were|does|has)(?:n't)?|check|look (?:at|into)|tell (?:me|us) about|info (?:on|about)|(?:what |how )?about|anything (?:on|with|about))\b/
/** The same of one word that may be a service's name: whether it is one, the tools know. */
const ASKS_AFTER_NAME =
  /^(?:(?:and|so) )*(?:(?:what|how) about|anything (?:on|with|about)) (?:the |our )?((?!(?:it|this|that|these|those|you|me|us|him|her|them|now|then|today|yesterday|tonight|tomorrow)\b)[a-z][\w.-]{2,59})(?: (?:service|api|worker))?[ ?!.]*$/
/** The word that plain words ask after, if nothing else is asked; null where they do not. */
export const nameAskedAfter = (plain: string): string | null =>
  ASKS_AFTER_NAME.exec(plain)?.[1]?.replace(/[.]+$/, '') ?? null
/**
 * Whether what is asked of nothing that is named is asked of an incident: every word that says something must stand in
 * some field then, or half of them where one of them is plain and another points at what everybody talks of.
 */
function isWhole(words: readonly string[], isPlain: boolean): boolean {
  const saying = words.filter((word) => !EMPTY_WORDS.has(word) && !SAYS_NOTHING.has(word))
  const known = saying.filter((word) => (compiled ?? []).some(([, weigh]) => weigh(word) > 0)).length
  return (
    known > 0 &&
    (known === saying.length ||
      (isPlain && 2 * known >= saying.length) ||
      (known >= 2 && known >= saying.length - 1))
  )
}

/** What the words of a text speak for most, if only faintly, with how much; nothing where none speaks for anything. */
function spokenFor(
  plain: string,
  words: readonly string[],
): { readonly intent: Intent | null; readonly most: number } {
  compiled ??= fieldsOf()
  let best: Intent | null = null
  let most = 0
  for (const [intent, weigh] of compiled) {
    const said = words.reduce((sum, word) => sum + weigh(word), 0)
    if (said === 0 || (intent === 'count_incidents' && !(INCIDENTS.test(plain) && COUNTS.test(plain))))
      continue
    const form = FORMS.some(([begins, of]) => of === intent && begins.test(plain.replace(BEGUN, '')))
      ? PERHAPS
      : 0
    const bonus = intent === 'count_incidents' ? PLAINLY : 0
    if (said + form + bonus > most) [best, most] = [intent, said + form + bonus]
  }
  return { intent: best, most }
}
const wordsOf = (plain: string): readonly string[] => [
  ...new Set(plain.split(/[^\p{L}\p{N}'_-]+/u).filter((word) => word !== '')),
]

/** The intent that a text which cannot be read comes nearest to; null where it comes near none. */
export const intentLikely = (plain: string): Intent | null =>
  WANTS_ELSE.test(plain) ? null : spokenFor(plain, wordsOf(plain)).intent

/**
 * The intent that the words of a question speak for, where nothing else of it can be read; null where they speak for none.
 *
 * @param follows what leaves its intent to the question before it says another one by a plain word alone
 */
export function intentByWords(plain: string, namesService: boolean, follows = false): Intent | null {
  if (WANTS_ELSE.test(plain)) return null
  const words = wordsOf(plain)
  const isAbout = namesService || SPEAKS_OF_SYSTEMS.test(plain)
  const { intent: best, most } = spokenFor(plain, words)
  if (follows) return most >= PLAINLY ? best : null
  if (best !== null && (isAbout || isWhole(words, most >= PLAINLY && POINTS_AT_IT.test(plain)))) return best
  return (namesService && ASKS_AFTER.test(plain)) || nameAskedAfter(plain) !== null ? 'how_is' : null
}
