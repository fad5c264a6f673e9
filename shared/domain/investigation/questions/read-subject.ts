/** What a question is about: a known service, one that it suspects, or a name that nobody knows. */
import { stemOf } from '../records/entity-names.ts'
import { personAsked } from './asked-record.ts'
import { SUSPICIONS } from './asked-suspicion.ts'
import { nameMeant } from './name-meant.ts'
import { DAY_NAME, MONTH_NAME } from './named-times.ts'
import { EMPTY_WORDS, isCarrying } from './plain-words.ts'
import type { Intent } from './ways-to-ask.ts'

export interface Subject {
  /** One of the known services, as it is written there. */
  readonly service: string | null
  /** Other known services that it names together with that one, in its order. */
  readonly others: readonly string[]
  /** What the question itself takes for the cause: a known service, else the question's own words. */
  readonly suspect: string | null
  /** The name that the question is about and that is not known, in the question's own words. */
  readonly unknown: string | null
  /** A name of one slip that is taken for the service; null where the service is named as it is known. */
  readonly slip: string | null
  /** The known service that is left out of what changed; absent where none is. */
  readonly except?: string
}

export interface KnownNames {
  readonly services: readonly string[]
  /** Other names of the services, in lower case. */
  readonly aliases?: ReadonlyMap<string, string>
}

const NAME = '[\\p{L}][\\p{L}\\p{N}_.-]*'
/** The words of a suspicion end where the sentence turns to something else. */
const PHRASE = '([^,;?!]{1,80}?)'
const TURN = '(?=,|;|\\?|!|$)'

/** How questions put their own answer into our mouth; the group is what they suspect. */
const LEADING: readonly RegExp[] = [
  new RegExp(`^(?:did|could|can|would|may|might) (?!you\\b)${PHRASE} (?:have )?(?<!\\bthe )cause`, 'u'),
  new RegExp(
    `\\b(?:because(?: of)?|due to|caused by|thanks to) ${PHRASE}(?=,|;|\\?|!|$| (?:right|isn't it|is it|again)\\b)`,
    'u',
  ),
  new RegExp(`\\b(?:is|isn't|was|wasn't) it ${PHRASE}(?:'s fault|(?= (?:that|which|who)\\b))`, 'u'),
  new RegExp(
    `^(?:did|does|has|have|is|isn't|was|could|can|may|might|i \\w+(?: that)?|surely|probably|maybe) ${PHRASE} (?:is |was |be )?(?:break|broke|broken|cause[sd]?|causing|breaking|kill(?:ed)?|take down|bring down|the (?:cause|reason|culprit)|to blame|responsible for)\\b`,
    'u',
  ),
  new RegExp(`^(?:did|could|has) ${PHRASE} (?:have )?(?:do|done) (?:it|this|that)\\b`, 'u'),
  new RegExp(`^(?:is|was) (?:it|this|that) (?:related|down) to ${PHRASE}${TURN}`, 'u'),
  /^(?:and |so )?(?:is|was|isn't|wasn't|could) (?:it|this|that)(?: be)? ((?:the|a|an|our|my|dns|tls|capacity|traffic|memory|cpu|disk|network)\b[^,;?!]{0,80}?)(?=,|;|\?|!|$)/u,
  /^(?:and |so )?(?:is|was|isn't|wasn't) (?:it|this|that) (?:\w+ )?(\S+'s? (?:commit|change|deploy(?:ment)?|release|merge|pr|flag))\b/u,
  ...SUSPICIONS,
]
/** How the answer itself is doubted for something else; the group is what that is. */
const DOUBTED: readonly RegExp[] = [
  new RegExp(
    `\\b(?:why not|why (?:is|was)n't it|speaks for|rul(?:e|ed|es|ing) out|(?:it's|its|it is|it was|it isn't|it wasn't)(?: not)?) ${PHRASE}${TURN}`,
    'u',
  ),
]

/** The change that something is asked to have begun with; the group is whose it is. */
const BEGUN_WITH: readonly RegExp[] = [
  /\b(?:with|after|before|since) (?:the |our )?(?!(?:the|an?|this|that|our|last|latest|new|bad) )([^,;?! ]{2,60}) (?:deploy|release|rollout|change|commit|flag)/u,
]

/** What a suspicion is held to be likelier than, which is not suspected. */
const IN_PLACE_OF = / (?:instead of|rather than|as opposed to|and not|but not|not) \S.*$/u

/** Who is left out of what is asked for; the group is whose changes are. */
const BESIDES =
  /(?:,? and )?\b(?:besides|except(?: for)?|other than|apart from|aside from|not counting|excluding) (?:the |our )?([^,;?! ]{2,60}(?: (?:service|deploy|deployment|release|change|commit)s?\b)?)/u

/** What any of those holds: a look for it is cheap beside them, and most questions suspect nothing. */
const MAY_SUSPECT =
  /^(?:and |so )?(?:did|could|can|would|may|might|does|has|have|is|isn't|was|wasn't|are|i|it's|it|must|surely|probably|maybe|obviously|looks)\b|^(?:the )?\w+\?|\b(?:because|due|caused|thanks|it|issues?|problems?|outage|trouble|leak|full|expired|exhausted|pressure|saturated|since|until|till)\b/

/** Asks for a yes to what follows; none of it is what follows. */
const CONFIRM =
  /^(?:and |so )?is(?:n't)? it (?:not )?(?:true|correct|right|possible|likely|untrue|false|wrong|incorrect|impossible|unlikely|the case) (?:that )?/

/** Words that stand where a name stands and are none, without a plural's s. */
const GENERIC = new Set(
  "it this that these those there here we i you he she they them us our your my all any some every everything anything something nothing thing so many much most more no not user customer people clients request calls error failure latency traffic load cpu memory disk production prod staging dev system service site website web app application api cluster platform backend frontend database db server host node pod queue network dns response page time today yesterday tonight now morning afternoon evening night last past previous week month day hour minute incident outage alert alarm problem issue the a an high low critical medium slow down failing broken up ok bad good wrong still again really suddenly it's rollback rolling reverting deploy deployment release change config configuration flag version being been between before after since going happening happened happen first similar like resolved seen ever percent percentage total general detail particular utc gmt noon midnight year quarter half anyone anybody everyone somebody someone one two three both other same their his her its shift affair root second next".split(
    ' ',
  ),
)

/** Parts of the calendar, which stand there as well. */
const CALENDAR = new RegExp(`^(?:${MONTH_NAME}|${DAY_NAME}|mon|tue|wed|thu|fri|sat|sun|q[1-4])$`)
const isGeneric = (word: string): boolean =>
  GENERIC.has(word) || GENERIC.has(word.replace(/s$/, '')) || CALENDAR.test(word)

const OUR = '(?:the |our |my )?'
/** Where a name stands in a question; the group is the name. */
const PLACES: readonly RegExp[] = [
  new RegExp(
    `\\bwhy (?:is|are|was|were|does|do|did|has|have|can't|won't|isn't|aren't) (?:the |our |my |all |any )?(${NAME})(?![\\p{L}\\p{N}_.-]| (?:see|get|experience|complain|report|notice|have to|keep|still see)\\b)`,
    'gu',
  ),
  new RegExp(
    `\\b(?:wrong|going on|happened|happening|problems?|issues?|matter|errors?|failures?|latency|timeouts?|changed?|changes|deploys?|deployed|commits?|incidents?|outages?|status|health|state|spikes?|impact|cause|reasons?) (?:with|in|on|to|of|at|for|about|behind) ${OUR}(?=(${NAME}))`,
    'gu',
  ),
  new RegExp(
    `\\bwhat (?:all |else )?(?:did|has|have|does) ${OUR}(?=(${NAME}) (?:change|deploy|ship|merge|push|commit|release|roll|touch|do\\b))`,
    'gu',
  ),
  new RegExp(
    `\\b(?:changes?|changed|deploy(?:s|ed|ments?)?|commits?|committed|merge[ds]?|releases?|released|pushed|pull requests?|prs?|done|made) (?:\\S+ ){0,2}by (?!(?:hand|mistake|accident|default|whom|the|an?|\\d)\\b)(?=(${NAME}))`,
    'gu',
  ),
  new RegExp(`\\b(?:version|release|build|revision|image)s? of ${OUR}(?=(${NAME}))`, 'gu'),
  new RegExp(`^(?:did|has|have) (?=(${NAME}) (?:change|deploy|ship|merge|push|commit|release|touch))`, 'gu'),
  new RegExp(`^(?:and |so )?how(?:'s| is| are| was| were| did) ${OUR}(${NAME})`, 'gu'),
  new RegExp(
    `^(?:is|are|has|have|was|were|does|do) ${OUR}(${NAME})(?: \\w+)? (?:ok|work|up|down|slow|failing|broken|fine|healthy|recovered|still|back|working|getting|having)\\b`,
    'gu',
  ),
  new RegExp(`^${OUR}(${NAME}) (?:is|are|was|were|keeps?|has been|seems?) `, 'gu'),
  new RegExp(
    `^(?:and |so )?${OUR}(?!\\w+ly\\b|(?:also|just|not|always|never|only) )(${NAME}) (?:slow|down|broken|failing|up|ok|fine|healthy|working|unavailable|unreachable|timing out)[ ?!.]*$`,
    'gu',
  ),
  new RegExp(
    `(?<![\\p{L}\\p{N}_.-])(${NAME}[-_](?:service|svc|api|server|app|worker|gateway|db|deployment|job))(?![\\p{L}\\p{N}_-])`,
    'gu',
  ),
]
/** Where a name stands in a question how often, or whether before, which is answered from the incidents alone. */
const PLACES_OF_INCIDENTS: readonly RegExp[] = [
  // What they were is no name: "were caused", "was closed".
  new RegExp(`\\b(?:did|has|was|were) (?!\\w+ed\\b|due\\b|because\\b)${OUR}(?=(${NAME}))`, 'gu'),
  new RegExp(`\\btime (?:that )?${OUR}(?=(${NAME}))`, 'gu'),
]
/** Words behind which something is taken back, or that stand beside it: no name is one of them. */
const NO_NAME =
  '(?!(?:to|or|and|if|as|in|at|on|of|by|for|with|is|it|because|yet|too|then|when|while|until|once|anyway|instead|only|just|already|soon|help|would|will|should|could|might|may|safe|risky|possible|wise|better|worth|enough|needed|necessary|advised|the|a|an|\\w+ly)\\b)'
/** Where a name stands in a question whether to go back: what speaks for going back elsewhere is no answer to it. */
const PLACES_OF_GOING_BACK: readonly RegExp[] = [
  new RegExp(
    `\\b(?:roll(?:ing)?[ -]?back|revert(?:ing)?|back(?:ing)? out|undo(?:ing)?) ${OUR}(?=${NO_NAME}(${NAME})(?:[?!.,;]|$| (?:to|now|back|or|service|safe|help)\\b))`,
    'gu',
  ),
  new RegExp(`\\b(?:roll(?:ing)?|back(?:ing)?) ${OUR}(?=${NO_NAME}(${NAME}) (?:back|out)\\b)`, 'gu'),
]
/** Where a name stands in a question what is affected. */
const PLACES_OF_HARM: readonly RegExp[] = [
  new RegExp(`^(?:and |so )?(?:is|are|was|were) ${OUR}(?=(${NAME}) (?:affected|impacted|hit)\\b)`, 'gu'),
  new RegExp(
    `\\b(?:calls?|talks? to|rel(?:y|ies) on|depend(?:s|ed|ing)? on) ${OUR}(?=(?!(?:for|us|in|support|them|him|her|me)\\b)(${NAME})(?: (?:service|api|app))?(?:[ ]?[?!.,;]|[ ]*$))`,
    'gu',
  ),
  new RegExp(
    `^(?:(?:and|so) )?(?:(?:what|who|whom|which \\w+) )?(?:does|do) ${OUR}(?=(${NAME})(?: (?:service|api|app))? (?:call|talk to|rely on|depend on)(?![\\w-]))`,
    'gu',
  ),
  new RegExp(
    `^(?:and |so )?(?:did|does|has|have|is|was) (?:it|this|that|(?:the |this )?(?:outage|incident|trouble|problem|failure|issue)s?) (?:also |even )?(?:affect|impact|hit|hurt|touch|reach)(?:ed|ing)? ${OUR}(?=${NO_NAME}(${NAME})(?:[?!.,;]|$| (?:too|also|as well|yet|already|now)\\b))`,
    'gu',
  ),
]
/** Further places of names, by what is asked. */
const PLACES_OF: Partial<Readonly<Record<Intent, readonly RegExp[]>>> = {
  count_incidents: PLACES_OF_INCIDENTS,
  seen_before: PLACES_OF_INCIDENTS,
  should_roll_back: PLACES_OF_GOING_BACK,
  what_is_affected: PLACES_OF_HARM,
}
/** Words of a question that can begin a sentence just as a name can. */
const ASKING =
  /^(p\d|sev-?\d|what|which|who|whose|why|when|where|how|is|are|was|were|do|does|did|has|have|had|can|could|should|would|will|list|show|give|find|any|tell|explain|please|investigate|diagnose|and|so|but)$/

const CHANGING =
  '(?:(?:feature )?flags?|toggles?|settings?|(?:re)?deploys?|deployments?|releases?|rollouts?|commits?|upgrades?|changes?|configs?)'
const OF_PARTS = '[\\p{L}][\\p{L}\\p{N}]*(?:[_-][\\p{L}\\p{N}]+)+'
/** Where a suspicion names whose change it means, or which; the group is the name. */
const STRANGERS: readonly RegExp[] = [
  new RegExp(`\\b${CHANGING} (?:of|in|to|on|for) ${OUR}(${NAME})`, 'u'),
  new RegExp(`\\b${CHANGING} (${OF_PARTS})`, 'u'),
  new RegExp(`(?<![\\p{L}\\p{N}_-])(${OF_PARTS}) ${CHANGING}\\b`, 'u'),
]

/** The name of a change, or of whose it is, in the plain words of a suspicion; null where they name none. */
export function strangerIn(suspect: string): string | null {
  for (const pattern of STRANGERS) {
    const name = pattern.exec(suspect)?.[1]?.replace(/[.-]+$/, '')
    if (name !== undefined && !isGeneric(name)) return name
  }
  return null
}

/**
 * Reads what a question in plain lower-case words is about, once for each set of names that is known: what it says
 * whatever is known is read when it is first needed.
 */
export function subjectReader(plain: string, intent: Intent): (known: KnownNames) => Subject {
  const guess =
    intent === 'what_contradicts'
      ? doubtIn(plain)
      : intent === 'when_started'
        ? guessIn(plain, BEGUN_WITH)
        : intent === 'why'
          ? suspicionIn(plain.replace(CONFIRM, 'did '))
          : null
  // What an answer is doubted for, or began with, is what the question is about.
  const left = intent === 'what_changed' ? BESIDES.exec(plain) : null
  const rest =
    intent === 'why' ? (guess?.rest ?? plain) : left === null ? plain : plain.replace(left[0], ' … ')
  let stranger: string | null | undefined
  return (known) => {
    const guessed = guess?.words.replace(IN_PLACE_OF, '') ?? null
    const suspect = guessed === null ? null : (serviceIn(guessed, known) ?? bare(guessed))
    const named = servicesIn(rest, known)
    // Several of what a service does are called by its name: "checkouts fail".
    const [service = null, ...others] = named.length > 0 ? named : servicesIn(rest, known, 's')
    const without = left === null ? null : serviceIn(left[1] ?? '', known)
    if (without !== null) return { service, others, suspect, unknown: null, slip: null, except: without }
    if (service !== null) return { service, others, suspect, unknown: null, slip: null }
    if (stranger === undefined) stranger = unknownIn(rest, intent)
    const meant = guess === null ? nameMeant(plain, known.services, isNoName) : null
    const isMeant =
      meant !== null &&
      (stranger === null ||
        meant.slip.split(/[-_. ]/).includes(stranger) ||
        stranger === meant.slip ||
        isPlace(plain, meant.slip))
    const [one = null, ...further] = isMeant ? meant.services : []
    if (one === null || meant === null)
      return { service: null, others, suspect, unknown: stranger, slip: null }
    // Two that are as near are asked back about.
    return further.length > 0
      ? { service: null, others, suspect, unknown: meant.slip, slip: null }
      : { service: one, others, suspect, unknown: null, slip: meant.slip }
  }
}

/** The suspected words, and the question without them. */
function suspicionIn(plain: string): { readonly words: string; readonly rest: string } | null {
  return MAY_SUSPECT.test(plain) ? guessIn(plain, LEADING) : null
}

/** What an answer is doubted for, also where that is a question of its own ("are you sure? could it be the db"). */
function doubtIn(plain: string): { readonly words: string; readonly rest: string } | null {
  const doubted = guessIn(plain, DOUBTED)
  if (doubted !== null) return doubted
  for (const part of plain.split(/[?!.;,] (?:and |or |but |so )?/)) {
    const guess = suspicionIn(part)
    if (guess !== null) return guess
  }
  return null
}

function guessIn(
  plain: string,
  patterns: readonly RegExp[],
): { readonly words: string; readonly rest: string } | null {
  for (const pattern of patterns) {
    const match = pattern.exec(plain)
    const words = match?.[1]
    if (match === null || words === undefined || bare(words) === null) continue
    const at = match.index + match[0].indexOf(words)
    return { words, rest: `${plain.slice(0, at)}…${plain.slice(at + words.length)}` }
  }
  return null
}

/** The words without articles; null for words that point at nothing. */
function bare(words: string): string | null {
  const text = words.replace(/^(?:the|our|my|a|an|some|that|this)\s+/u, '').trim()
  return text === '' || /^(it|this|that|there|what|anything|something|\u2026)$/u.test(text) ? null : text
}

function unknownIn(plain: string, intent: Intent): string | null {
  const person = intent === 'what_changed' ? personAsked(plain) : null
  if (person !== null && !isGeneric(person)) return person
  for (const pattern of [...PLACES, ...(PLACES_OF[intent] ?? [])]) {
    for (const match of plain.matchAll(pattern)) {
      const name = (match[1] ?? '').replace(/(?:'s|[.-])+$/u, '')
      // Neither a version nor an incident is a part of the system: what is on record of it is another question.
      if (name.length > 1 && !isGeneric(name) && !ASKING.test(name) && !/^v\d|^inc_/.test(name)) return name
    }
  }
  return null
}

/** Words that are no name, however near to one they are. */
const isNoName = (word: string): boolean =>
  isGeneric(word) || ASKING.test(word) || EMPTY_WORDS.has(word) || isCarrying(word)

/** Whether a word stands where what something happens to is told, not what happens. */
const isPlace = (plain: string, word: string): boolean =>
  new RegExp(`\\b(?:in|on|at|of|with|to|from|for) (?:the |our )?${word}(?![\\p{L}\\p{N}_-])`, 'u').test(plain)

const serviceIn = (plain: string, known: KnownNames): string | null => servicesIn(plain, known)[0] ?? null

/** What stands between two names that are named together. */
const TOGETHER = /^,? ?(?:(?:and|or|und|oder|&|\/|,|vs\.?|versus|than) ?)?(?:the |our |my |is |are )?$/
/** What stands between two names where the same is asked again of the second ("is stock up? is web up?"). */
const AGAIN =
  /^[^?!.;]{0,60}[?!.;] (?:(?:and|so|but) )?(?:(?:is|are|was|were|how is|how are|how's|why is|why are|why does|did|does|what about|how about|what changed in) )?(?:the |our |my )?$/
/** Services that one question is answered for, beside the first. */
const MOST_OTHERS = 3

/** The known service that is named first, of two that begin at one place the longer one, and those named together with it. */
function servicesIn(plain: string, { services, aliases }: KnownNames, ending = ''): readonly string[] {
  const stems = new Map<string, number>()
  for (const service of services) {
    const stem = stemOf(service)
    if (stem !== null) stems.set(stem, (stems.get(stem) ?? 0) + 1)
  }
  const forms: (readonly [form: string, service: string])[] = [...(aliases ?? [])]
  for (const service of services) {
    forms.push([service.toLowerCase(), service])
    const stem = stemOf(service)
    if (stem !== null && stems.get(stem) === 1) forms.push([stem, service])
  }
  const found: { service: string; at: number; length: number }[] = []
  for (const [form, service] of forms) {
    if (form.trim() === '') continue
    const pattern = form
      .split(/[-_. ]+/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[-_. ]?')
    const match = new RegExp(
      `(?<![\\p{L}\\p{N}_-])${pattern}${ending}(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}])`,
      'u',
    ).exec(plain)
    if (match !== null) found.push({ service, at: match.index, length: match[0].length })
  }
  found.sort((a, b) => a.at - b.at || b.length - a.length || (a.service < b.service ? -1 : 1))
  const named: string[] = []
  let end = -1
  for (const { service, at, length } of found) {
    if (at < end) continue
    const between = plain.slice(end, at)
    if (end >= 0 && !TOGETHER.test(between) && !AGAIN.test(between)) break
    end = at + length
    if (!named.includes(service)) named.push(service)
    if (named.length > MOST_OTHERS) break
  }
  return named
}
