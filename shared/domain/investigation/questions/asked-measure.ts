/** Which measure a question asks for: a value, not why it is so. */

/** Words for measures, by what is measured or written down; the first that a question holds counts. */
const WORDS = {
  restarts:
    /\b(?:restart(?:s|ed)|respawn\w*|reboot(?:s|ed)|crash[- ]?loop\w*|oom[- ]?kill\w*|evict(?:ed|ions?))\b|\b(?:pods?|containers?|instances?|replicas?|who|what|how (?:many|often)|any(?:one|body)|some(?:one|body))\b.{0,40}\b(?:restart|reboot|bounce)/,
  alerts: /\balerts?\b|^(?:and |so )?what (?:else )?(?:fired|rang|went off)\b/,
  logs: /\b(logs?|(log|error) lines?|lines? (?=with|like|contain|say)|lines? of (?:the )?code|stack ?traces?|tracebacks?|exceptions?(?! (?:rate|count|of the rule))|(?:error|exception) (?:messages?|texts?))\b|\bhow (often|many times) .{1,60} (throws?|threw|thrown|logged|log)\b/,
  errors:
    /^(?:and |so )?by how much (?:did|have|has|are|were) (?:the )?(?:errors|failures)\b|\b(err(or)?s?|failures?|5xx|[45]\d\ds?)[ _](rate|ratio|count|percentage|percent|share|quota|proportion|fraction)s?\b|(?:percent(?:age)?|share|proportion|fraction|ratio|rate) of (?!cpu|memory|disk|traffic).{1,40}\b(?:fail\w*|errors?|5xx|[45]\d\ds?|broken)\b|\b(how many|number of|count of|total) (?:(?:the|of|total) )?(?:errors|failures|exceptions|time[- ]?outs|[45]\d\ds|5xxs?|(?:failed|failing) (?:requests|calls))\b/,
  queue:
    /\bqueue[ _](depth|length|size)|\bbacklog\b|\blag(?:s|ging)?\b|\bbacked up\b|\bmessages (?:are|is|wait\w*) /,
  latency:
    /\bp\d{2,3}\b|\bhow (?:long|fast|quick(?:ly)?) (?:do|does|are|is) (?!it\b|this\b|that\b).{1,60}\b(?:takes?|responds?|answers?|loads?)\b|\blatency\b|\bresponse[ _]times?\b/,
  traffic:
    /\btraffic\b|\bthroughput\b|\b[rqt]ps\b|\brequest[ _]rate\b|\b(?:requests|calls|queries|messages|hits|how many \w+) (?:per|an?|each|every) (?:second|minute|hour|sec|min)\b|\brequests?\/s(?:ec)?\b|\b(?:request|call) volume\b|\bload on\b/,
  cpu: /\bcpu\b/,
  memory: /\b(mem|memory|heap|ram)\b/,
  disk: /\b(disk|storage)\b/,
  connections: /\bconnections\b/,
} as const
export type Measure = keyof typeof WORDS
/** Every measure that a question can ask for. */
export const MEASURES = Object.keys(WORDS) as Measure[]

export interface AskedMeasure {
  readonly measure: Measure
  /** A quantile that is asked for by its number ("p99"), else null. */
  readonly quantile: string | null
  /** Further measures that the question names together with it. */
  readonly also?: readonly Measure[]
  /** What lines of a log are to hold, in lower case; absent where any are asked for. */
  readonly holds?: string
  /** What it was at an instant is asked for, not through a time. */
  readonly is_at_instant?: true
  /** The highest or the lowest value is asked for, and when that was. */
  readonly extreme?: 'highest' | 'lowest'
  /** Who did it is asked for. */
  readonly is_by_whom?: true
  /** Which of all services has most or least of it is asked for. */
  readonly rank?: 'most' | 'least'
  /** How many there were is asked for, not at which level they are. */
  readonly is_counted?: true
  /** Which errors alone are counted, as the question calls them ("timeouts"); absent where all are. */
  readonly sort?: string
  /** Of what it is asked how many failed, where that is not what tools count ("bookings"). */
  readonly things?: string
}

/** When an alert was raised. */
export const ALARM_RAISED =
  /\b(?:when|what time)\b.{0,30}\b(?:alerts?|alarms?|pagers?|monitors?)\b.{0,20}\b(?:fire|fired|go off|went off|trigger(?:ed)?|ring|rang|raised?|sound(?:ed)?|come in|came in|resolved?|clear(?:ed)?|end(?:ed)?|stop(?:ped)?)\b/
/** Whether another version does the same. */
export const OF_ANOTHER_VERSION =
  /^(?:and |so )?(?:does|do|did|has|is|was) (?:the )?(?:v\d[\w.-]*|\d+\.\d+[\w.-]*|(?:old|previous|last|earlier|new) (?:version|release|build))\b.{0,40}\b(?:too|also|as well|same|throws?|throwing|fails?|failing|have|shows?|broken|affected)\b/
/** How many of something failed; the group is of what. */
const FAILED_OF =
  /\b(?:how many|number of|count of) (?:of )?(?:the |our |all )?((?!incidents?|outages?|sevs?|services|alerts?|times|users|customers|people|regions?|hosts?|pods?)[a-z-]{3,20})\b(?: \S+){0,5}? (?:fail(?:ed|s|ing)?|went wrong|go wrong|errored|broke|timed out|(?:were|got|was|are|get|been) (?:rejected|declined|refused|dropped|lost))\b/
/** A time that such a count is of. */
const COUNTED_IN =
  /\b(?:between|since|during|from \d+|at \d+|(?:in|over|for|within) the (?:last|past|first)|today|yesterday|tonight|overnight|last (?:night|hour|minute)|this (?:morning|afternoon|evening|hour))\b/
/** Whether a question in plain lower-case words asks how many of something failed in a time; how many requests tells what is affected. */
export const asksCountInTime = (plain: string): boolean => {
  const things = FAILED_OF.exec(plain)?.[1]
  return (
    things !== undefined && !/^requests?$/.test(things) && COUNTED_IN.test(plain) && !OF_CAUSE.test(plain)
  )
}
/** Errors of a time, by nothing but the words for both. */
const ERRORS_OF_TIME =
  /^(?:and |so )?(?:the |(?:in )?(?:the )?(?:last|past) (?:\d+ ?)?\w+ )?(?!(?:any|why|no|get\w*|see\w*|is|are|did|which|what|more|fewer)\b)(?:[\w-]+ )?(?:errors|failures|5xxs?|failed (?:requests|calls))\b(?!.*\bsince\b)/
const OF_LAST = /\b(?:last|past) (?:\d|quarter|half|few|hour|minute|day|night)/
/** How something goes on, level by level. */
const TREND = /\b(?:trend|development|evolution)s? (?:of|in|for) /
/** When something was at an end of its scale; of what is not said, its errors are meant. */
const WHEN_EXTREME =
  /^(?:and |so )?(?:when|(?:at )?what time) (?:was|were|did|is) .{1,60}\b(?:worst|highest|lowest|peak(?:ed)?|max(?:imum)?)\b|\b(?:highest|lowest|max(?:imum)?|peak)\b.{1,40},? (?:and )?when(?: was (?:it|that))?[ ?!.]*$/
/** What a question that names no incident and no cause asks plainly of levels; null where it asks for none so. */
export function levelAsked(plain: string): AskedMeasure | null {
  if (OF_CAUSE.test(plain)) return null
  const rank = rankIn(plain)
  if (rank !== null) return rank
  const measure = MEASURES.find((each) => WORDS[each].test(plain)) ?? 'errors'
  if (WHEN_EXTREME.test(plain))
    return { measure, quantile: null, extreme: LOWEST.test(plain) ? 'lowest' : 'highest' }
  if (TREND.test(plain)) return { measure, quantile: null }
  const [, ...held] = IN_LOGS.exec(plain) ?? []
  const holds = held.find((text) => text !== undefined)
  if (holds !== undefined) return { measure: 'logs', quantile: null, holds }
  return ERRORS_OF_TIME.test(plain) && (COUNTED_IN.test(plain) || OF_LAST.test(plain))
    ? { measure: 'errors', quantile: null, is_counted: true }
    : null
}

/** What is counted where anything is: the rest is told by it. */
const CALLS = /^(?:requests?|calls?|errors?|failed|failing|failures?)$/
/** How much waits. */
const WAITING =
  /\bhow many (?:messages|jobs|events|items|tasks)\b(?!.*\b(?:lost|fail\w*|missed|log\w*)\b)|\bqueue\b.{0,10}\bfull\b/

/** Which of all services has most or least of a measure, which is told behind that or by the word itself. */
const ONE = '(?:service|system|app|application|component|one)s?'
const RANKED = new RegExp(
  `^(?:and |so )?(?:which|what) (?:\\w+ )?${ONE}\\b.{0,30}\\b(?:(?<most>most|highest|largest|biggest|slowest|busiest)|(?<least>fewest|least|lowest|smallest|fastest|quietest))\\b(?<of>.*)$`,
)
/** The same told before it, and of each of them by itself. */
const RANKED_BEFORE = new RegExp(
  `^(?:and |so )?(?:(?:which|what|who)(?:'s| is| are)? )?(?:the )?(?:(?<most>slowest|busiest|worst|top)|(?<least>fastest|quietest))(?: \\d{1,2}| three| five| ten)?(?: failing| broken)? ${ONE}\\b(?<of>)`,
)
const OF_EACH = new RegExp(` (?:per|by|(?:of|for|in) (?:each|every)) (?:the )?${ONE}[ ?!.]*$`)
const OF_RANKED: readonly (readonly [Measure, RegExp])[] = [
  [
    'errors',
    /^(?: \w+)? (?:errors?|failures?|exceptions|5xxs?|(?:failed|failing) (?:requests|calls))\b|^ error[ -]?(?:rate|ratio)\b/,
  ],
  ['latency', /^ (?:latency|response times?|p\d\d)\b/],
  ['traffic', /^(?: \w+)? (?:traffic|requests|calls|load|throughput)\b/],
  ['cpu', /^(?: \w+)? cpu\b/],
  ['memory', /^(?: \w+)? (?:memory|ram)\b/],
  ['connections', /^(?: \w+)? connections\b/],
]
const RANKED_ITSELF: Readonly<Record<string, Measure>> = {
  ...{
    worst: 'errors',
    top: 'errors',
    slowest: 'latency',
    fastest: 'latency',
    busiest: 'traffic',
    quietest: 'traffic',
  },
}
function rankIn(plain: string): AskedMeasure | null {
  const { most, least, of = '' } = (RANKED.exec(plain) ?? RANKED_BEFORE.exec(plain))?.groups ?? {}
  if (OF_EACH.test(plain)) {
    const each = MEASURES.find((one) => WORDS[one].test(plain)) ?? (SOME_ERRORS.test(plain) ? 'errors' : null)
    return each === null ? null : { measure: each, quantile: null, rank: 'most' }
  }
  const word = most ?? least
  if (word === undefined || OF_CAUSE.test(plain)) return null
  const measure = RANKED_ITSELF[word] ?? OF_RANKED.find(([, pattern]) => pattern.test(of))?.[0]
  // The slowest has the most of it.
  const isMost = most !== undefined
  return measure === undefined ? null : { measure, quantile: null, rank: isMost ? 'most' : 'least' }
}
const SOME_ERRORS = /\b(?:errors?|failures)\b/

/** Whether, when or by whom something was restarted. */
const RESTARTED =
  /^(?:and |so )?(?:who|what|which \w+|when|did|has|have|had|was|were|is|are)\b(?! (?:the |a )?(?:re(?:start|boot)|bounce)\b)(?!.*\b(?:help\w*|fix\w*|after|since|caus\w*|should|keeps?|restarting|rebooting)\b).{0,60}\b(?:re(?:start|boot)(?:s|ed)?|bounced?|respawned)\b/

const BY_WHOM = /^(?:and |so )?who\b/

/** How a value is asked for; a symptom ("latency of stock is rising") is told otherwise. */
const ASKED =
  /^(and |so )?(?:(?:(?:normal|usual|current)ly|(?:right )?now),? )?(by how much|what('s| is| are| was|'re| were)?|(?:percent(?:age)?|share|proportion|fraction|ratio|rate) of|(?:[45]\d\ds?|5xx|errors?|failures?|exceptions?|requests|calls|connections)\b.{0,20}\b(?:per|rate|ratio|share|count)|how (much|many|often|long|fast|quick(?:ly)?|high|low|big|long|full|backed)|number of|count of|total|is|are|was|were|tell (?:me|us)|show|give|get|list|see|any|no|which|did|has|have|the|(error )?messages?|logs?|alerts?|stack ?traces?|average|avg|mean|median|max|peak|current|\w+[ _](rate|depth|count)|latency|response|traffic|throughput|[rqt]ps|cpu|mem|memory|heap|ram|disk|requests|calls|pods?|containers?|instances?|replicas?)\b|^p\d/
/** A measure behind the name of what has it ("stock error rate since 9"), with nothing said of it. */
const NAMED =
  /^(?:and |so )?(?!high|low|bad|huge|slow|elevated|increased|weird)\S+ (?:(?:api|service|db|worker) )?(?:err(?:or)?[ _]rate|failure rate|request[ _]rate|latency|response times?|throughput|[rqt]ps|p\d{2,3}|cpu|mem|memory|heap|disk|traffic|lag|backlog|queue[ _](?:depth|size|length)|connections)(?: usage)?(?:(?: please)?[ ?!.]*$| (?:now|today|yesterday|tonight|last|past|since|over|during|between|from|at|around|for|in the)\b)/
/** What is asked of a cause, a time or an act, or told as a symptom, is not asked of a value. */
const OTHER =
  /\b(why|caus\w+|root|reason|since when|should|who|wrong|problem|issue|leak|spik\w+|ris(e|ing)|increas\w+|jump\w*|drop\w*|went|going)\b/
const OF_CAUSE = /\b(?:why|caus\w+|root|reason|should|who)\b/
/** A number of things is asked for. */
const COUNTED = /\b(how (?:many|often)|number of|count of|total)\b|\b(?:error|failure|5xx|5\d\d)[ _]count\b/
/** Errors of one sort, as questions call them. */
const SORT = /\btime[- ]?outs?\b|\b[45]\d\ds?(?![a-z\d])/
/** What can be counted one by one. */
const COUNTABLE: ReadonlySet<Measure> = new Set(['errors', 'logs'])
/** Nothing but the class of a status, of whom and now: how many end so is asked. */
const STATUSES =
  /^(?:and |so )?[45]xxs?(?: (?:on|of|at|for|in|from) \S{1,60})?(?: (?:right )?now| today| currently)?[ ?!.]*$/
/** Two versions beside each other, of which most is told by what fails. */
const TWO_VERSIONS = /\bv\d[\w.-]*(?: \w+)? (?:vs\.?|versus|against|compared \w+|and|or|than) (?:the )?v\d/
/** How long answers take, told by how they feel. */
const SLOWER =
  /^(?:and |so )?(?:how much )?(?:(?<=how much )|(?:is|are|was|were|did|does|has|have) .{1,60} )(?:slower|faster|more slowly)\b/

/** What lines are to hold: between quotes, or behind a word that says so; the group is that. */
const HOLDS =
  /\b(?:with|like|saying|say|where|contain(?:s|ing)?|mention(?:s|ing)?|match(?:es|ing)?|includ(?:es?|ing)) ["']([^"']{2,100})["']|\b(?:containing|contain|mentioning|mention|matching|match) ["']?([^"'?!]{2,100}?)["']?(?: (?:in|of|on|at|from|for|since|between|during|before|after|last|today|yesterday)\b.*)?[ ?!.]*$/
/** The same asked of the lines of a log as a whole; the group is what they hold. */
const IN_LOGS =
  /["']([^"']{2,80})["'] in (?:\S+ ){0,2}?logs?\b|\bany (?!(?:error|exception|new|odd|strange|weird|more)s?\b)([\w.:-]{3,40}) in (?:the )?logs?\b|^(?:is|was) (?:the |this )?([\w.]*(?:error|exception)) new\b/
/** An instant, and a time that begins or ends with one ("from 14:00 to", "the last hour at 3"). */
const AT_INSTANT =
  /\b(?:at|around|near) (?:about |around |exactly )?(?:\d{1,2}[:h]\d\d|\d{1,2} ?[ap]m\b|noon|midnight|(?:half|quarter|five|ten|twenty) (?:past|to)\b)|\b\w+ ?(?:min(?:ute)?s?|m|hours?|h) ago\b/
const FROM_INSTANT =
  /\b(?:since|from|between|before|after|until|till|last|(?<!half |quarter |five |ten |twenty )past|over|during)\b/
/** Whether plain lower-case words ask about an instant, not about a stretch of time. */
export const isAtInstant = (plain: string): boolean => AT_INSTANT.test(plain) && !FROM_INSTANT.test(plain)
/** The end of the scale that is asked for. */
const HIGHEST = /\b(?:highest|maximum|maximal|max|peak(?:ed)?|worst|largest)\b/
const LOWEST = /\b(?:lowest|minimum|minimal|smallest)\b/
/** Whether it moved, asked behind the measure; its level beside the normal one answers that. */
const MOVED =
  /(?:,? (?:and )?|[?.] )(?:did|do|does|have|has|is|are|was|were) (?:it|they|that|those)\b.{0,20}\b(?:drop|fall|fell|rise|grow|climb|increase|decrease|change|move|go|gone|lower|higher|up|down|normal)\w*[ ?!.]*$/

/** Whether a measure has moved, asked of it ("is it rising" tells a symptom); its level beside the normal one answers that. The group is all but the movement. */
const DID_MOVE =
  /^((?:and |so )?(?:did|has|have) (?:the |our )?(?:\S+ ){0,3}?(?:traffic|throughput|load|latency|response times?|error rate|request rate|cpu|memory|disk usage|[rqt]ps|p\d{2,3})(?: usage)?(?: (?:of|on|at|for|to|in) \S+)?) (?:suddenly |really |also )?(?:increas\w+|decreas\w+|ris(?:e|en|ing)|grow(?:n|ing)?|spik\w+|jump\w*|drop\w*|fall(?:en|ing)?|go(?:ne|ing)? (?:up|down))(?=[ ?!.]*$)/

/** What stands between two measures that are asked for together. */
const JOINED = /,| and | & /
const BESIDE = [
  'errors',
  'latency',
  'traffic',
  'cpu',
  'memory',
  'disk',
  'connections',
] as const satisfies readonly Measure[]

/** The measure whose value a question in plain lower-case words asks for; null where it asks for none. */
export function measureAsked(asked: string): AskedMeasure | null {
  const whole = measureOf(asked)
  const [first = ''] = /^[^?!;]{8,}[?!;](?= )/.exec(asked) ?? []
  // What is suspected behind it is no symptom of it.
  return whole ?? (first === '' ? null : measureOf(first))
}

function measureOf(asked: string): AskedMeasure | null {
  const plain = asked.replace(MOVED, '').replace(DID_MOVE, '$1')
  if (ALARM_RAISED.test(plain)) return { measure: 'alerts', quantile: null }
  if (OF_ANOTHER_VERSION.test(plain)) return { measure: 'errors', quantile: null }
  const failed = FAILED_OF.exec(plain)?.[1]
  if (failed !== undefined && !OF_CAUSE.test(plain))
    return {
      ...{ measure: 'errors', quantile: null, is_counted: true },
      ...(CALLS.test(failed) ? {} : { things: failed }),
    }
  const level = levelAsked(plain)
  if (level !== null) return level
  if (RESTARTED.test(plain))
    return {
      measure: 'restarts',
      quantile: null,
      ...(BY_WHOM.test(plain) ? { is_by_whom: true as const } : {}),
    }
  if (OTHER.test(plain)) return null
  if (WAITING.test(plain)) return { measure: 'queue', quantile: null }
  if (TWO_VERSIONS.test(plain) || STATUSES.test(plain)) return { measure: 'errors', quantile: null }
  const measure = SLOWER.test(plain) ? 'latency' : MEASURES.find((each) => WORDS[each].test(plain))
  if (measure === undefined || !(ASKED.test(plain) || NAMED.test(plain))) return null
  const also = JOINED.test(plain) ? BESIDE.filter((each) => each !== measure && WORDS[each].test(plain)) : []
  const told = {
    ...{ measure, quantile: /\bp\d{2,3}\b/.exec(plain)?.[0] ?? null },
    ...(isAtInstant(plain) ? { is_at_instant: true as const } : {}),
    ...(HIGHEST.test(plain) ? { extreme: 'highest' as const } : {}),
    ...(LOWEST.test(plain) ? { extreme: 'lowest' as const } : {}),
    ...(also.length > 0 ? { also } : {}),
  }
  if (measure === 'logs') {
    const [, quoted, said = quoted] = HOLDS.exec(plain) ?? []
    if (said !== undefined) return { ...told, holds: said.trim() }
  }
  if (!COUNTABLE.has(measure) || !COUNTED.test(plain)) return told
  const sort = SORT.exec(plain)?.[0]
  return { ...told, is_counted: true, ...(sort === undefined ? {} : { sort }) }
}

/** Why a level is as it is, where that is no failure by itself; the level must be looked at before anything explains it. */
const WHY_LEVEL = /^(?:and |so |but )?(?:why|how come)\b(?!.*\b(?:fail\w*|err\w*|slow\w*|down|broken)\b)/
const LEVELS = [
  'traffic',
  'queue',
  'cpu',
  'memory',
  'disk',
  'connections',
] as const satisfies readonly Measure[]
const FEW_CALLS =
  /\bquiet\b|\b(?:so |too )?(?:few|little|fewer|less) (?:requests|calls|users|orders|visitors)\b/
/** The measure whose level a question in plain lower-case words wants explained; null where it asks why something fails. */
export const levelExplained = (plain: string): Measure | null =>
  !WHY_LEVEL.test(plain)
    ? null
    : FEW_CALLS.test(plain)
      ? 'traffic'
      : (LEVELS.find((each) => WORDS[each].test(plain)) ?? (/\bqueues?\b/.test(plain) ? 'queue' : null))

/** The measure that a word names by itself, behind a question that asked how something does; null where it names none. */
export const measureNamed = (plain: string): AskedMeasure | null =>
  /^(?:(?:and|so) )?(?:(?:the )?errors|.*\b(?:in|as) (?:an? )?(?:percent(?:age)?s?|ratio|share))[ ?!.]*$/.test(
    plain,
  )
    ? { measure: 'errors', quantile: null }
    : (measureAsked(plain) ?? measureAsked(`what is the ${plain.replace(/^(?:(?:and|so) )?(?:the )?/, '')}`))
