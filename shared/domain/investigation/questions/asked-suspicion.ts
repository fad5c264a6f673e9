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
const END = "(?:,? (?:again|right|isn't it|no)){0,2}[ ?!.]{0,3}$"

/** How a suspicion is put; the group is what is suspected. */
export const SUSPICIONS: readonly RegExp[] = [
  /^(?:and |so )?(?:is|was|isn't|could) (?!it |this |that |there )([^,;?!]{1,80}?)(?: be)? (?:the (?:real |root )?(?:cause|problem|culprit|issue|reason|bottleneck)|to blame)\b/u,
  new RegExp(
    `^(?:i bet|i suspect|i think|must be|probably|surely|maybe|obviously|looks like)(?: that)?(?: (?:it's|its|it is))? ((?:(?!\\b(?:is|are|was|broke|down|slow|fail)\\b)[^,;?!]){1,80}?)${END}`,
    'u',
  ),
  new RegExp(`^(?:it's|it was|is it|was it|isn't it|could it be) (${KIND}[^,;?!]{0,60}?)${END}`, 'u'),
  new RegExp(`^(${KIND}) (?:issues?|problems?|outage|trouble)(?: again)?[ ?!.]{0,3}$`, 'u'),
  new RegExp(
    `^(?:any )?(${KIND} (?:leak(?:s|ing)?|full|expired|exhausted|pressure|saturated))(?![\\w-])`,
    'u',
  ),
  /^(?:is|are|was|were|has|have|did) (?:the |our |my )?((?:tls )?(?:certs?|certificates?))(?: (?:of|for|on) [^,;?! ]{1,60})? expired?[ ?!.]*$/u,
  /^(dns|network|db|database|cache|queue|provider|certs?|tls)\?/,
  /^(?:are|is) (?:we|someone|they) (?:being |getting )?(d?dos\w{0,4}|attack\w{0,4}|throttled|overloaded)[ ?!.]{0,3}$/u,
]
