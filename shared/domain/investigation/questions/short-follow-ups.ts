/**
 * What is asked on in a word or two: such words mean something by what was answered before them alone, and nothing, or
 * something else, by themselves.
 */

import type { Intent } from './ways-to-ask.ts'

/** What was asked before; any where it does not matter. */
const LISTING: ReadonlySet<Intent> = new Set(['list_incidents', 'count_incidents'])
const LEVELS: ReadonlySet<Intent> = new Set(['how_is', 'is_recovered', 'what_is_affected'])
const CHANGES: ReadonlySet<Intent> = new Set(['what_changed'])
const STORY: ReadonlySet<Intent> = new Set(['what_happened'])

type Row = readonly [meant: Intent | 'same', pattern: RegExp, after?: ReadonlySet<Intent>]

/** Each of the whole of what is typed, without what joins it to the answer and what ends it. */
const ROWS: readonly Row[] = [
  [
    'list_incidents',
    /^(?:(?:please )?(?:show|list|name|give me) (?:them|those|these)|what are (?:they|those|these)|which(?: ones?)?(?: are (?:they|those|these))?)$/,
    LISTING,
  ],
  ['count_incidents', /^(?:total|in total|count|count them|the count|a number|altogether)$/, LISTING],
  [
    'what_happened',
    /^(?:what happened (?:next|then|after(?: that)?|before(?: that)?)|(?:and )?(?:after|before)(?: that| then)?|then what|(?:and )?then|next|go on|continue|later)$/,
    STORY,
  ],
  [
    'how_is',
    /^(?:is (?:that|this|it) (?:a lot|much|many|high|low|bad|normal|usual|unusual|ok|fine)|normally|usually|on a normal day|compared to (?:what|usual|normal)|in numbers|in figures|(?:how (?:much|many) )?(?:is (?:it|that|this) )?(?:in|as) (?:an? )?(?:percent(?:age)?s?|ratio|share))$/,
    LEVELS,
  ],
  [
    'how_is',
    /^(?:the )?(?:errors|latency|traffic|cpu|memory|disk|connections|logs|alerts|restarts|error rate)$/,
    LEVELS,
  ],
  [
    'what_contradicts',
    /^(?:says who|not convinced|(?:i )?doubt (?:it|that)|no way|hm+|i don't (?:believe|buy) (?:it|that)|how come you(?:'re| are) so (?:sure|certain)|how so sure|based on(?: what)?|on what basis|nonsense|impossible)$/,
  ],
  ['same', /^(?:who|anyone|anybody|any others?|which others?) else$/, CHANGES],
  [
    'what_is_affected',
    /^(?:who|what|anyone|anybody|anything|any|which) else$|^(?:and )?(?:the |our )?(?:customers|users|others|other services|the rest)$|^(?:how bad|who|whom)$/,
  ],
  [
    'is_recovered',
    /^(?:still|over|fixed|gone|solved|resolved|better|ok now|fine now|still so|and now is it (?:ok|fine|over)|now is it (?:ok|fine|over)|already)$/,
  ],
  [
    'should_roll_back',
    /^(?:fix|the fix|solution|remedy|so what|what now|now what|and what now|what to do|action)$/,
  ],
  [
    'why',
    /^(?:how so|how come|why so|why that|because of(?: what)?|for what reason|the reason|cause|due to what)$/,
  ],
  [
    'same',
    /^(?:which(?: one)?(?: exactly)?|which of them|exactly|more|before that|the (?:hour|day|week) before|earlier|in detail|anything else)$/,
  ],
]
/** Words of the longest of them. */
const MOST_WORDS = 7
/** What joins such a question to what was answered. */
const JOINS = /^(?:(?:and|so|but|ok(?:ay)?|well|then|hm+|oh)[, ]+)+(?=\S)/

/** The intent that plain lower-case words have behind a question of another; null where they are no such words. */
export function shortFollowUp(plain: string, before: Intent): Intent | null {
  if (before === 'unknown' || plain.split(' ', MOST_WORDS + 1).length > MOST_WORDS) return null
  const bare = plain.replace(/[ ?!.,]+$/, '')
  const forms = [bare, bare.replace(JOINS, '').replace(/,/g, '')]
  const row = ROWS.find(
    ([, pattern, after]) =>
      (after === undefined || after.has(before)) && forms.some((form) => pattern.test(form)),
  )
  return row === undefined ? null : row[0] === 'same' ? before : row[0]
}
