/** A record that a question names: a version, a deployment, a commit, a flag, a pull request; and which version ran when. */

/** A version, or the digest of a commit: it has letters and digits, so that no number is one. */
export const VERSION_OR_DIGEST = 'v\\d[\\w.-]*|(?=[a-f]*\\d)(?=\\d*[a-f])[a-f\\d]{7,40}'
/** The same, a version in numbers alone, or a number behind a hash. */
const NUMBERED = `${VERSION_OR_DIGEST}|\\d+\\.\\d+(?:\\.\\d+)*(?:-[a-z\\d.]+)?|#\\d{1,7}`
/** The same as it stands where a time could: two numbers with a point between them are one. */
const OF_PAIR = `${VERSION_OR_DIGEST}|\\d+(?:\\.\\d+){2,}(?:-[a-z\\d.]+)?`
/** What a bare number is the name of. */
const KIND =
  '(?:feature )?flag|toggle|setting|commit|deploy|deployment|release|version|rollout|build|revision|change|pr|pull request|mr|merge request'
/** A name as tools give them, of several parts. */
const OF_PARTS = '[a-z][a-z\\d]*(?:[_-][a-z\\d]+)+'
const RECORD = `(?:the |our )?(?:(?:${KIND}) )?(${NUMBERED}|${OF_PARTS}|(?<=(?:${KIND}) (?:no\\.? |number )?)\\d{1,8}|(?<=(?:commit|revision) )[a-f]{7,40})`
const SPOKEN = '(?:(?:please|can you|could you|and|so|ok) )*'
const END = '[ ?!.]*$'
/** What asks to be told, with nothing said of what. */
const TELL =
  '(?:(?:tell|show|give)(?: me| us)?(?: more| everything| all)?|(?:what|anything|everything|all)(?: do| that)? (?:we|you) (?:know|have)|(?:more )?(?:details?|info(?:rmation)?|facts)|more|describe|look up|find|check)(?: about| on| of| for| in)?'

/** How a record is asked for by its name, which is the group. */
const ASKED: readonly RegExp[] = [
  new RegExp(`^${SPOKEN}${TELL} ${RECORD}${END}`),
  new RegExp(
    `^${SPOKEN}(?:the )?(?:(?:${KIND}|[a-z][\\w-]{2,}) )?(${NUMBERED})(?:,? what(?:'s| is| was) (?:it|this|that))?${END}`,
  ),
  new RegExp(
    `\\bwhat(?:'s| is| was| are| were)?(?: all)? (?:in|inside|part of|about|new in|contained in|included in) ${RECORD}${END}`,
  ),
  new RegExp(`\\bwhat(?:'s| is| was) ${RECORD}(?: (?:about|for|doing))?${END}`),
  new RegExp(
    `\\bwhat(?: all)? (?:does|did|do|has) ${RECORD} (?:change|contain|do|done|bring|include|ship|carry|touch|introduce|add|remove)d?\\b`,
  ),
  new RegExp(`^${SPOKEN}who\\b(?! (?:should|is on|owns)).{0,50} (v\\d[\\w.-]*|#\\d{1,7})${END}`),
  new RegExp(
    `^${SPOKEN}who\\b.{0,30}\\b(?:put|let|cut|wrote|made|built|did|approved|signed off|signed|is behind|was behind|authored|started|shipped|deployed|released|merged|pushed|committed|turned|switched|enabled|disabled|flipped|toggled)(?: off| out| on)? ${RECORD}(?![\\w-])`,
  ),
  new RegExp(
    `\\b(?:when|at what time|what time|since when) (?:was|did|has|is) ${RECORD} .{0,20}\\b(?:roll|rolled|go|gone|went|come|came|deployed|released|shipped|merged|live|out|active|set|flipped|turned|switched|created|made)\\b`,
  ),
  new RegExp(
    `^(?:and |so )?(?:is|was|are|were) ${RECORD} (?:already |still |yet |now |even )?(?:on|off|in|live|out|enabled|disabled|deployed|released|running|active|rolled|merged|shipped)\\b`,
  ),
  new RegExp(
    `^(?:and |so )?(?:is|was) (?=(?:the )?(?:${KIND}|[#v]?\\d|[a-f\\d]{7,40} ))${RECORD} (?:still |really |all )?(?:fine|ok(?:ay)?|good|bad|broken|healthy|(?:al)?right|stable|safe|harmless|risky|dangerous|suspicious)${END}`,
  ),
  new RegExp(
    `^${SPOKEN}compare (?:the )?(?:(?:${KIND}) )?(?:${OF_PAIR}) (?:and|to|with|against) (?:the )?(?:(?:${KIND}) )?(${OF_PAIR})(?![\\w-])`,
  ),
  // What came from one to the other is told with the other.
  new RegExp(
    `^${SPOKEN}what\\b.{0,40} (?:between|from) (?:the )?(?:(?:${KIND}) )?(?:${OF_PAIR}) (?:and|to) (?:the )?(?:(?:${KIND}) )?(${OF_PAIR})(?![\\w-])`,
  ),
]
/** What a change that stands for its kind ("the hotfix from this morning") brought is asked. */
const OF_KIND =
  /\bwhat(?: all)? (?:(?:does|did|do|has) (?:the|this|that|our|last|latest) .{0,30}\b(?:hotfix|release|deploy|deployment|commit|rollout|build|patch|pull request|pr|merge)\b.{0,40}\b(?:change|contain|bring|include|ship|carry|touch|introduce|add|remove)d?[ ?!.]*$)/
/** Asks after everything of somebody; the group is who. */
const ALL_OF_PERSON =
  /^(?:(?:please|show(?: me)?|list|give me|tell me|and) )*(?:all|everything|anything|whatever)(?: that)? (?!(?:it|this|that|we|you|they|i|he|she|there|is|was|has|what|which)\b)([\p{L}][\p{L}\p{N}_.-]{1,40}) (?:did|put|made|shipped|pushed|deployed|merged|changed|released|rolled|has done|has changed|touched|committed)\b/u

const UP_TO =
  /^(?:and |so )?what (?:has|have|had|is|was) (?!(?:it|this|that|you|we|they|i|he|she|there)\b)([\p{L}][\p{L}\p{N}_.-]{1,40}) (?:been )?(?:(?:up to|working on|doing in|busy with)\b|doing[ ?!.]*$)|^(?:and |so )?what (?:all |else )?did (?!(?:it|this|that|you|we|they|i|he|she|any\w+|some\w+|every\w+)\b)([\p{L}][\p{L}\p{N}_.-]{1,40}) do(?! (?:to|with|about|when|after)\b)(?![\w-])/u
/** Somebody of whom nothing is known but the name. */
export const WHO_IS =
  /^(?:and |so )?who(?:'s| is| was) (?!(?:it|this|that|there|next|here|who|\w+(?:ed|ing))\b)([\p{L}][\p{L}\p{N}_.-]{2,40})[ ?!.]*$/u

/** What somebody or something does is asked: of a service that is how it does. */
const DOING = /\bdoing[ ?!.]*$|^(?:and |so )?what (?:all |else )?did /
/** Whether plain lower-case words ask what somebody does, by a word that is said of services too. */
export const asksOfDoing = (plain: string): boolean => DOING.test(plain) && UP_TO.test(plain)

/** The name of a record that plain lower-case words ask for; null where they ask for none. */
export function recordAsked(plain: string): string | null {
  for (const pattern of ASKED) {
    const name = pattern.exec(plain)?.[1]
    if (name !== undefined) return name.replace(/[.-]+$/, '')
  }
  return null
}

/** Versions in numbers, which would be read as times of the day. */
const IN_NUMBERS = /(?<![\w.])\d+(?:\.\d+){2,}(?![\w.])/g

/** Plain words that ask for a record, without the versions in them that would be taken for times. */
export const withoutVersions = (plain: string): string => plain.replace(IN_NUMBERS, '…')

/** Whoever all of whose changes are asked for; null where nobody is. */
export const personAsked = (plain: string): string | null =>
  ALL_OF_PERSON.exec(plain)?.[1] ??
  UP_TO.exec(plain)
    ?.slice(1)
    .find((name) => name !== undefined) ??
  WHO_IS.exec(plain)?.[1] ??
  null

/** What nearly every question lacks that could name a record. */
const MAY_NAME =
  /\d|[a-z][_-][a-z]|\b(?:hotfix|releas|deploy|commit|rollout|build|patch|pull|pr|merge|all|everything|anything|whatever|up to|working|doing|busy|did)/
/** Whether a record is asked for by its name, the last of its kind, or all of a person. */
export const asksOfRecord = (plain: string): boolean =>
  MAY_NAME.test(plain) &&
  (recordAsked(plain) !== null || OF_KIND.test(plain) || (personAsked(plain) !== null && !WHO_IS.test(plain)))

/** Asks which version ran, not which one changed something. */
const VERSION_RAN =
  /\b(?:which|what) (?:\w+ )?(?:version|release|build|revision|image|tag)s?\b(?: of \S+)?(?: \S+){0,4}? (?:run|runs|running|ran|live|active|serving|served|in production|in use|in place|were we on|are we on)\b|^(?:and |so )?what (?:was|is|were) (?:(?:running|live|active|in production)\b|\S+ running\b)/
/** Asks which one ran before that. */
const RAN_BEFORE =
  /\b(?:what|which)\b.{0,20}\b(?:(?:version|release|build)\b.{0,20}\bbefore(?: \w+){0,2}|(?:previous|prior|earlier|last good) (?:version|release|build))(?: of \S+)?[ ?!.]*$/
const AT_ONSET =
  /\b(?:when|as|while|at the (?:time|moment)) (?:it|this|that|things|everything|all this|\S+|the \w+) (?:(?:first|all) )?(?:broke|failed|started|began|went (?:down|wrong|bad)|fell(?: over)?|crashed|died|happened|hit|set in)\b/
const AT_INSTANT = /\b(?:at|around) (?:about )?(?:\d|noon|midnight|lunch)/

/** When a version is asked for that ran: when the trouble began, at an instant, or in a time, else at the end of what was read. */
export type AskedVersion = 'before' | 'at_onset' | 'at_instant' | 'in_time'

/** Which running version plain lower-case words ask for; null where they ask for none. */
export const versionAsked = (plain: string): AskedVersion | null =>
  RAN_BEFORE.test(plain)
    ? 'before'
    : !VERSION_RAN.test(plain)
      ? null
      : AT_ONSET.test(plain)
        ? 'at_onset'
        : AT_INSTANT.test(plain)
          ? 'at_instant'
          : 'in_time'
