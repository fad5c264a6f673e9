/** What a question itself takes for the cause: how that is put, and what kinds of things its words mean. */

import type { Cause, CauseKind } from '../findings.ts'
import type { Entity } from '../records/snapshot.ts'

/** Words for kinds of causes and of parts, as people say them, with the causes or the entities that are meant. */
const KINDS: readonly (readonly [RegExp, CauseKind | null, Entity['kind'] | null])[] = [
  [/\b(dbs?|databases?|sql|postgres|mysql|datastore|caches?|redis)\b/, null, 'datastore'],
  [/\b(queues?|broker|kafka)\b/, null, 'queue'],
  [/\b(providers?|vendors?|third party|upstream|aws|amazon|cloud)\b/, 'provider', 'external'],
  [/\bdns\b/, 'dns', null],
  [/\bnetwork\b/, 'network', null],
  [/\b(certs?|certificates?|tls)\b/, 'certificate', null],
  [/\b(nodes?|hosts?|machines?|hardware)\b/, 'node', 'node'],
  [/\b(traffic|load|d?dos\w*|attack\w*)\b/, 'traffic', null],
  [/\b(capacity|memory|leak|cpu|disks?|overload\w*)\b/, 'capacity', null],
  [/\bflags?\b/, 'flag', null],
  [/\bconfig\w*/, 'config', null],
  [/\b(deploys?|deployment|release|version|code)\b/, 'code', null],
]
/** A datastore by whose name it is a cache is not "the database". */
const CACHE = /cache|redis/i
/** Who names this provider means no other one: its own name, and those of what it runs that tools report by name. */
const AWS = /\b(aws|amazon)\b/
const AWS_PARTS =
  /aws|amazon|dynamo|kinesis|lambda|cognito|cloudfront|cloudwatch|eventbridge|elasticache|fargate|bedrock|(?:^|[^a-z])(?:s3|sqs|sns|rds|ec2|ebs|ecs|eks|efs|elb|alb|nlb|kms|iam|sts|ses|msk)(?![a-z])|(?:^|[^a-z])(?:us|eu|ap|ca|sa|me|af|il|mx)-(?:north|south|east|west|central)\w*-\d/i
const isOtherProvider = (words: string, name: string): boolean => AWS.test(words) && !AWS_PARTS.test(name)

/** Whether somebody's words mean a cause by its kind; code is meant by its change. */
export const meansCause = (
  words: string,
  { kind, change, entity }: Pick<Cause, 'kind' | 'change' | 'entity'>,
): boolean =>
  KINDS.some(([of, meant]) => meant === kind && of.test(words)) &&
  (kind !== 'code' || change !== null) &&
  (kind !== 'provider' || entity === null || !isOtherProvider(words, entity))

/** The entities that somebody's words mean by their kind ("the database", "the provider"). */
export const entitiesMeant = (
  words: string,
  entities: readonly Pick<Entity, 'name' | 'kind'>[],
): readonly string[] =>
  entities
    .filter(
      ({ kind, name }) =>
        KINDS.some(([of, , meant]) => meant === kind && of.test(words)) &&
        (kind !== 'datastore' || CACHE.test(words) === CACHE.test(name)) &&
        (kind !== 'external' || !isOtherProvider(words, name)),
    )
    .map(({ name }) => name)

/** Ways to speak of the only entity of a kind ("the db"), each with its name. */
export const spokenOf = (entities: readonly Pick<Entity, 'name' | 'kind'>[]): ReadonlyMap<string, string> =>
  new Map(
    ['db', 'database', 'cache', 'queue', 'provider'].flatMap((word) => {
      const [one, ...others] = entitiesMeant(word, entities)
      return one === undefined || others.length > 0
        ? []
        : ['the', 'our'].map((article) => [`${article} ${word}`, one] as const)
    }),
  )

const KIND =
  '(?:the |a |an |our |my )?(?:dns|network|dbs?|databases?|caches?|queues?|providers?|vendors?|certs?|certificates?|tls|disks?|memory|cpu|traffic|load|nodes?|aws|redis|kafka|config|deploys?|release|flags?|us)(?![\\w-])'
const TAG =
  "(?:again|then|right|isn't it|no|yes|correct|true|am i right|is it|eh|huh|or not|agreed?|(?:has|does|did|was|is)n't (?:it|that|this|s?he|they)|don't you think|wouldn't you say)"
const END = `(?:,? ${TAG}){0,2}[ ?!.]{0,3}$`
const JOINED = '^(?:(?:and|so|but|hm+) )*'
/** What is said of how things are, of which no cause is claimed ("it's over, right?"). */
const STATE =
  '(?!(?:all |already |really )?(?:not|still|over|back|gone|fixed|solved|resolved|done|ok(?:ay)?|fine|good|bad|better|worse|slow\\w*|up|down|broken|dead|normal|new|safe|red|green|real|an? (?:false|real)|recover\\w*|fail\\w*|since|too|(?:go|gett|work|runn|happen|improv)ing)\\b)'
/** A time that names no event. */
const CLOCK = '(?!\\d|when|yest|today|now|noon|midn|this|last|ab|ar|half|quarter|an? )'
/** Where what is suspected ends and what it is said to have done begins. */
const DID =
  "(?= (?:is|was|are|were|did|has|have|had|ran|broke|went|started|caused|triggered|made|took|brought|can't|cannot|isn't|can|could|might|that|who|which|throttl\\w+|fail\\w*)\\b|[,;?!]|\\.? ?$)"

/** How a suspicion is put; the group is what is suspected. */
export const SUSPICIONS: readonly RegExp[] = [
  /^(?:and |so )?(?:is|was|isn't|could) (?!it |this |that |there )([^,;?!]{1,80}?)(?: be)? (?:the (?:real |root )?(?:cause|problem|culprit|issue|reason|bottleneck)|to blame|responsible|at fault)\b/u,
  new RegExp(
    `^(?:i bet|i suspect|i think|must be|probably|surely|maybe|obviously|looks like)(?: that)?(?: (?:it's|its|it is))? ((?:(?!\\b(?:is|are|was|broke|down|slow|fail)\\b)[^,;?!]){1,80}?)${END}`,
    'u',
  ),
  new RegExp(
    `${JOINED}(?:it's|it was|is it|was it|isn't it|could it be) (?:just )?(${KIND}[^,;?!]{0,60}?)${END}`,
    'u',
  ),
  // Whatever else is claimed, where a yes is asked for.
  new RegExp(
    `${JOINED}(?:it's|it is|it was|that's|this is) ${STATE}(?:(?:all|just|only|probably|surely|because of|due to) )*([^,;?!]{2,60}?),? ${TAG}${END}`,
    'u',
  ),
  new RegExp(
    `${JOINED}\\S+(?: \\S+)? (?:was|were|worked|ran|looked) (?:\\w+ )?(?:fine|ok(?:ay)?|well|good|normal|great|healthy) (?:until|till|before) ${CLOCK}([^,;?!]{2,60}?)${END}`,
    'u',
  ),
  new RegExp(
    `${JOINED}since ${CLOCK}([^,;?!]{2,60}?),? (?:it|this|that|everything|things|all) (?:is |was |has been |keeps )?(?:all )?(?:fail|br[eo]k|down|slow|err)[^,;?!]*${END}`,
    'u',
  ),
  new RegExp(
    `^(${KIND}) (?:issues?|problems?|outage|trouble)(?: again)?(?: (?:between|with|in|at|on|to) [^?!]{2,60})?[ ?!.]{0,3}$`,
    'u',
  ),
  new RegExp(
    `^(?:any )?(${KIND}(?: [a-z]+)? (?:leak(?:s|ing)?|full|expired|exhausted|pressure|saturated))(?![\\w-])`,
    'u',
  ),
  /^(?:is|are|was|were|has|have|did) (?:the |our |my )?((?:tls )?(?:certs?|certificates?))(?: (?:of|for|on) [^,;?! ]{1,60})? expired?[ ?!.]*$/u,
  /^(dns|network|db|database|cache|queue|provider|certs?|tls)\?/,
  new RegExp(
    `^(?:is there (?:any |a |some )?(?:chance|possibility)|any chance|what are the (?:odds|chances)|how likely is it|is it (?:plausible|likely|possible)|do you (?:think|believe|suspect|reckon)|would you (?:say|agree))(?: that)? (?:it(?:'s| is| was) )?([^,;?!]{1,80}?)${DID}`,
    'u',
  ),
  new RegExp(
    `^(?:(?:i|we) (?:reckon|guess|figure|suppose|assume|blame|would say|'d say|feel|believe)|my (?:hunch|guess|bet|money|theory|feeling|suspicion)(?: is| says)?|(?:it |this )?(?:smells|sounds|feels|seems|looks) (?:a lot )?like|(?:it )?has to be|pretty sure|clearly|apparently)(?: that| on)?:? (?:it(?:'s| is| was) )?([^,;?!]{1,80}?)${DID}`,
    'u',
  ),
  new RegExp(
    `^(?:and |so |but )?(?:(?:tell|promise|assure) me (?:that )?)?(?!(?:what|who|which|why|when|where|how|whose|it|this|that|did|does|do|has|have|is|are|was|were|can|could|should|would|will|since|i|we|you|give|show|get|tell|list|name|find|see|link)\\b)([^,;?!]{2,60}?)(?<! (?:that|which|who)) (?:did|started|caused|triggered|broke|began|did(?:n't| not) (?:do|start|cause|trigger|break)) (?:it|this|that|all this|everything|us|the (?:outage|incident|mess|trouble|problem))${END}`,
    'u',
  ),
  /^(?:and |so )?(?!(?:what|who|which|why|when|where|how)\b)([^?!;]{3,80}?),? (?:could|can|might|may|would) (?:that|this|it) (?:be|have been) (?:it|why|related|the (?:cause|reason|problem|culprit|trigger))[ ?!.]*$/u,
  /^(?:are there |is there |do (?:you|we) (?:see|have) )?(?:any|a) (?:signs?|hints?|indications?|traces?) (?:of|for|that) (?:an? |the )?([^,;?!]{2,60}?)[ ?!.]*$/u,
  /^(?:could|might|may|can) ([^,;?!]{2,60}?) (?:be|have been|lie|stand) behind\b/u,
  new RegExp(
    `^(?:and |so )?(?:is|was|are|were|isn't|wasn't) there (?:an? |any |some |too much )?((?:[\\w-]+ )?${KIND}(?: (?:leaks?|spikes?|surges?|issues?|problems?|trouble|pressure|outages?|failures?|exhaustion|saturation|shortage|bottleneck|increase|attacks?))?)${END}`,
    'u',
  ),
  /^(?:and |so )?(?:is|was|are|were|isn't|wasn't) (?!(?:it|this|that|there|any\w*|the (?:incident|outage|one))\b)([^,;?!]{1,80}?) (?:related|linked|relevant|involved|connected to (?:it|this|that|the (?:outage|incident)))(?: (?:to|in|with) (?:it|this|that|the (?:outage|incident|problem)))?[ ?!.]*$/u,
  /^(?:are|is) (?:we|someone|they) (?:being |getting )?(d?dos\w{0,4}|attack\w{0,4}|throttled|overloaded)[ ?!.]{0,3}$/u,
]
