/**
 * Ways to ask for what stands in no telemetry: who agreed to a change, how things are made, how many of them there are, how
 * long an act usually takes, and whom people told. What was measured is no answer to any of them.
 */

import { type Refused, type Row, wordsOf } from './ways-to-ask.ts'

/** People, or nobody in particular. */
const SOMEBODY =
  '(?:we|they|any(?:one|body)|some(?:one|body)|(?:the |our )?(?:team|ops|support|on-?call|manager|management))'

/** A change that was looked at, tried or agreed to before it went out. */
const AGREED = new RegExp(
  `^who (?:\\w+ )?(?:approved|reviewed|vetted|okayed|signed off|gave (?:the )?(?:approval|sign-?off|go-ahead))\\b` +
    `|^who (?:wrote|runs|maintains) (?:the |our |any )?(?:unit |load )?(?:tests?|docs|documentation|runbook)\\b` +
    `|^(?:was|were|is|are|has|have) \\S.{0,60}\\b(?:approved|(?:peer[- ]|code[- ])?reviewed|signed off|vetted|audited|(?:load |unit )?tested|covered by tests?)\\b` +
    `|^(?:did|has|have) (?!the load|a load)\\S.{0,30} (?:approved?|reviewe?d?|vet(?:ted)?|sign(?:ed)? off(?: on)?|test(?:ed)?(?= (?:it|this|that|his|her|their|our|the)\\b)|last test(?:ed)?)\\b` +
    `|\\bwhen did ${SOMEBODY} last (?:test|rehearse|exercise|practi[cs]e)\\b`,
)
/** What a build or its tests came to. */
const BUILT =
  /^(?:did|have|has|do|does|were|was|are|is) (?:all )?(?:the |our |all |any )*(?:ci|(?:unit |integration |smoke |e2e |load |regression )?tests?|test suite|builds?|(?:ci|build|deploy(?:ment)?|release) (?:tests?|builds?|pipelines?|jobs?|runs?)|pipelines?)(?: of \S+| for \S+)? (?:all )?(?:pass(?:ed|ing)?|fail(?:ed|ing)?|succeed(?:ed)?|green|red|break|broken|run|ran)\b/
/** Things of a house and of a day, of which no tool tells. */
const EVERYDAY =
  /(?<!\bfor )\b(?:(?:the|our|my) (?:building|office|kitchen|coffee(?: machine)?|canteen|elevator|laptop|printer|fridge|toilet|meeting|dog|cat|kids|wife|husband|boss)|fire (?:alarm|drill|brigade|department)s?|dinner|supper)\b(?![-_.]| (?:service|api|app|page|search|worker|pods?|deploy\w*)\b)/

/** Of what something is made, where it is written down and what it is built to do. */
const MADE = new RegExp(
  `\\b(?:written|implemented|coded|programmed) in (?!the (?:last|past)\\b|an?\\b|\\d)` +
    `|^where (?:is|are|can i find|do i find) (?:the |our )?(?:source code|code|repo(?:sitory)?|dashboards?|docs|documentation|runbooks?|wiki|logs? of \\S+ (?:stored|kept|written))\\b` +
    `|^(?:does|do) .{1,40} (?:have|use|support|implement) (?:an? |any )?(?:circuit breakers?|retry polic(?:y|ies)|retries|fallbacks?|rate limiters?|health ?checks?|tests?|runbooks?|slos?|slas?|dashboards?|backups?|standby|failover)\\b` +
    `|^does .{1,40} (?:retry|cache|encrypt|authenticate)\\b(?! again)` +
    `|^(?:is|are) there (?:an? |any |some |our )?(?:jira|ticket|post-?mortem|retro(?:spective)?|runbook|playbook|dashboards?|documentation|docs|wiki|diagram|slack channel|war room|bridge|meeting|announcement)s?\\b` +
    `|\\b(?:mttr|mttd|mttf|mtta|mtbf)\\b|\\b(?:mean|average) time (?:to|between)\\b|\\berror budgets?\\b(?!.*\\b(?:burn\\w*|alert\\w*)\\b)` +
    `|\\bwhat (?:is|are) the (?:\\w+ )?timeouts? (?:of|for|on|between|configured)\\b`,
)
const INVENTORY =
  '(?:pods?|replicas?|instances?|nodes?|hosts?|machines?|servers?|containers?|vms?|customers?|users?|tenants?|engineers?|developers?|people|employees?|teams?|regions?|databases?|tables?|tests?)'
/** How many of them there are at all, not how many are in trouble. */
const OWNED = new RegExp(
  `\\bhow many ${INVENTORY}(?: \\w+)? (?:does|do|did) .{1,40} (?:have|run|own|use)[ ?!.]*$` +
    `|\\bhow many ${INVENTORY} (?:are|is|were) (?:there|in (?:the|our) (?:cluster|fleet|pool|region|account|team|company))\\b` +
    '|\\bhow many (?:people|employees|engineers|developers) (?:work|sit)\\b' +
    '|\\bhow many (?:lines|characters|words) (?:of code )?(?:did|does|has|were|was|are|is)\\b.{0,40}\\b(?:chang|add|delet|remov|touch|commit|merg)' +
    '|\\b(?:worst|biggest|longest|largest) (?:outage|incident|downtime) (?:ever|of|in|so far|this|we)\\b',
)
/** How long an act takes in general, and how old a thing is. */
const USUAL = new RegExp(
  '\\bhow long (?:does|do|would|should) (?:(?:an?|the|our) )?(?:\\S+ ){0,2}?(?:deploy(?:ment)?|roll ?back|rollout|release|build|migration|restart|fail ?over|revert)s? (?:usually |normally |typically |of \\S+ )?(?:take|last|run)\\b' +
    '|\\bhow long (?:does|do|would|should) it (?:usually |normally |typically )?take (?:us |you )?to (?:roll|deploy|release|ship|build|restart|reboot|fail over|revert|migrate|rebuild)\\b' +
    '|\\bhow long (?:has|have) \\S+ (?:been (?:in production|in use|around)|existed)\\b' +
    `|^how old (?:is|are) (?!(?:the )?(?:data|alerts?|incident|outage|oldest|backlog|messages?|deploy\\w*|commit|evidence|answer|certificate)\\b|this\\b|that\\b|it\\b)` +
    `|^when (?:was|were) (?!(?:it|this|that)\\b)\\S+(?: \\S+)? (?:written|founded|launched)\\b` +
    '|\\bwhen did \\S+ (?:start|begin) (?:working here|to work here)\\b',
)
/** What people did about it: whom they told, and who came first. */
const TOLD = new RegExp(
  `^(?:did|has|have) ${SOMEBODY} (?:already |ever |yet )?(?:tell|told|inform(?:ed)?|notif(?:y|ied)|warn(?:ed)?|contact(?:ed)?|ack(?:ed|nowledged?)?|respond(?:ed)?|react(?:ed)?|apologi[sz]ed?|refund(?:ed)?|escalated?|(?:wake|woke)n?)\\b` +
    `|^(?:did|has|have) (?:the |our |any |a )?(?:customers?|clients?|users?|vendor|provider|support|boss|manager) (?:already |ever )?(?:call|phone|write|wrote|written|mail|e-mail|repl)(?:e?d|ied|y)?(?: back| us| me| in|[ ?!.]*$)` +
    `|^(?:has|have|was|is) (?:the |our )?status ?page (?:\\w+ )?(?:been )?(?:updated|posted|published)\\b` +
    `|^who (?:\\w+ )?(?:opened|reported|raised|filed|declared|closed|noticed|detected|discovered|spotted) (?:it|this|that|inc_\\w+|the (?:incident|outage|ticket|alert|problem))\\b` +
    `|^(?:when|at what time) (?:was|were|did|has|have) .{1,30}\\b(?:informed?|told|notified|notify|warned?)\\b` +
    '|\\b(?:charged|billed|debited) (?:twice|double|again)\\b|\\b(?:double|over)[- ]?(?:charged|billed)\\b',
)

/** What people decided and why, since when they keep to it, and what a thing is for. */
const DECIDED = new RegExp(
  `^why (?:do|did|does|don't|didn't|doesn't|are|aren't) (?:we|they|people|(?:the |our )?(?:team|engineers|developers|company|management)) (?:use(?! (?:so|too|that|all|more|up)\\b)|choose|chosen?|pick|prefer|adopt|hire|write|buy|pay|allow|forbid|using|allowed|forbidden)\\b` +
    `|^since when (?:do|did|have|are) (?:we|they|(?:the |our )?team) (?:use[ds]?|using|own|run on)\\b` +
    `|^since when (?:is|was) \\S+ (?:on the team|in the team|in the company|with us|employed)\\b` +
    `|^how long (?:is|are) (?:an?|the|our) (?!(?:outage|incident|downtime|disruption|interruption|queue|backlog|delay|wait|response|request|problem|trouble|lag)s?\\b)\\w+[ ?!.]*$` +
    `|^what (?:does|do) (?:the |our )?(?!(?:it|this|that|you|we|they|i)\\b)[a-z]+(?:-[a-z]+)*(?: service)? do[ ?!.]*$`,
)

/** What people say about it to others, and who has nothing to do with anything. */
const COMPLAINED = new RegExp(
  `^(?:who|which \\w+|did|has|have|do|are|how many)\\b.{0,40}\\b(?:complain(?:ed|ts?)|call(?:ed)? (?:in|support)|support tickets?|tickets? (?:did|have) we|phone ?calls)\\b` +
    `|^who (?:(?:did(?: not|n't)|has(?: not|n't)|never) (?:change|deploy|release|ship|merge|push|commit|touch|do)\\w*|(?:chang|deploy|releas|shipp|merg|push|committ|touch)ed nothing)\\b`,
)
/** Why nobody and nothing noticed it: what should have is no part of what was measured. */
const WHY = `^why (?:did|does|was|were|is|are|has|have|had)`
const UNNOTICED = new RegExp(
  `${WHY}(?=n't| not|.{1,40}\\b(?:no|none|nobody|not|never|so (?:long|late))\\b).{1,60}\\b(?:notice[ds]?|caught|catch|detect(?:ed)?|spot(?:ted)?|page[ds]?|warn(?:ed)?)\\b` +
    `|${WHY} there no (?:\\w+ )?(?:alerts?|alarms?|warnings?|pages?|tests?|monitoring)\\b` +
    `|${WHY}(?=n't|.{1,40}\\b(?:not|miss\\w*|let|pass\\w*|overlook)\\b)(?:n't)? (?:the |our |any )?(?:\\w+ )?(?:ci|tests?|checks|reviews?|qa|alerts?|alarms?|alerting|monitoring)\\b`,
)

/** Each with words of which any text that fits holds one. */
export const KEPT_ELSEWHERE: readonly Row<Refused>[] = [
  ['kept_elsewhere', AGREED, wordsOf('who |approve|review|vet|sign|audit|test|rehearse|exercise|practi')],
  ['kept_elsewhere', BUILT, wordsOf('ci|test|build|pipeline|job|run')],
  [
    'kept_elsewhere',
    EVERYDAY,
    wordsOf(
      'building|office|kitchen|coffee|canteen|elevator|laptop|printer|fridge|toilet|meeting|dog|cat|kids|wife|husband|boss|fire|dinner|supper',
    ),
  ],
  ['kept_elsewhere', MADE, wordsOf(' in |where|do|there|error budget|timeout|mtt|mtbf| time ')],
  ['kept_elsewhere', OWNED, wordsOf('how many|outage|incident|downtime')],
  ['kept_elsewhere', USUAL, wordsOf('how long|how old|when')],
  [
    'kept_elsewhere',
    DECIDED,
    wordsOf('us|cho|pick|prefer|adopt|hire|write|buy|pay|allow|forbid|since when|how long|what'),
  ],
  ['kept_elsewhere', COMPLAINED, wordsOf('who|complain|call|ticket|phone')],
  [
    'kept_elsewhere',
    UNNOTICED,
    wordsOf(
      'notice|caught|catch|detect|spot|page|warn|there no|ci|test|checks|review|qa|alert|alarm|monitoring',
    ),
  ],
  [
    'kept_elsewhere',
    TOLD,
    wordsOf(
      'tell|told|inform|notif|warn|contact|ack|respond|react|apolog|refund|escalat|wake|woke|call|phone|writ|wrote|mail|repl|status|who |charged|billed|debited',
    ),
  ],
]
