/**
 * What a library can break that is taken in another version: a manifest shows neither its code nor what it does
 * otherwise, but its name says what it is for.
 *
 * Method: each row pairs words of a library's name with what is observed when that which it is for works otherwise, both
 * as public packages and their documentation have them, whose pages stand in `row-pages.ts`. A first number that changes says that something is not compatible
 * (Semantic Versioning 2.0.0, item 8; below 1.0.0 the second one, item 4); any other is promised to be, and seldom is not.
 */
import type { Mechanism } from './mechanism.ts'
import type { DiffReading } from './read-diff.ts'

export interface BumpedLibrary extends Omit<Mechanism, 'in_diff'> {
  /** Words of the name of a library of this purpose. */
  readonly named: RegExp
}

export const BUMPED_LIBRARIES: readonly BumpedLibrary[] = [
  {
    id: 'bumped-store-client',
    does: 'takes another version of a client of a store',
    kind: 'dependency',
    named:
      /^(?:sqlx?|pgx?|psycopg\d?|postgres(?:ql)?|postgrex|libpq|mysql\d?|mysqlclient|mariadb|mssql|tedious|oracledb|jdbc|odbc|hikaricp|dbcp\d?|r2dbc|pool|knex|sequelize|typeorm|prisma|hibernate|jooq|mybatis|sqlalchemy|asyncpg|gorm|ecto|diesel|activerecord|mongo(?:db|id|ose)?|pymongo|cassandra|redis|ioredis|jedis|lettuce|memcached?|dynamodb|elasticsearch|opensearch|driver)$/,
    symptom:
      /(?<![a-z])pool(?![a-z])|connections?\b.*\b(?:time[d ]?[- ]?out|acquire|connect|active|used|in[_ ]use|wait)|time[d ]?[- ]?out\b.*\bconnect|connections?_(?:active|used|in_use|waiting)|too many (?:connections|clients)|slow[_ ](?:query|queries|log)|statement timeout|quer(?:y|ies)[_ ](?:time|duration|count|per|total)|prepared statement|transaction/i,
    general: /database|query|queries|connection|\bsql\b/i,
  },
  {
    id: 'bumped-http-client',
    does: 'takes another version of what sends or serves requests',
    kind: 'dependency',
    named:
      /^(?:https?|http\d|httpx|axios|undici|got|fetch|request|requests|superagent|ky|urllib\d?|aiohttp|okhttp\d?|retrofit|feign|resty|reqwest|hyper|netty|grpc|tonic|express|fastify|koa|hapi|flask|django|starlette|uvicorn|gunicorn|puma|rack|rails|sinatra|tomcat|jetty|undertow|gin|fiber|actix|axum)$/,
    symptom:
      /socket hang up|econnreset|\bepipe|connection reset|broken pipe|premature close|malformed|header(?:s)? (?:too large|overflow|invalid)|invalid header|redirect|\b4(?:00|05|06|11|13|14|15|31)\b|handshake|retries|in[_ ]?flight|open[_ ](?:sockets|files)/i,
    general: /time[d ]?[- ]?out|\b50[0234]\b|upstream|unavailable/i,
  },
  {
    id: 'bumped-queue-client',
    does: 'takes another version of a client of a broker',
    kind: 'dependency',
    named:
      /^(?:kafka|kafkajs|librdkafka|rdkafka|confluent|sarama|amqp|amqplib|amqp091|pika|rabbitmq|bunny|sqs|sns|pubsub|nats|pulsar|celery|sidekiq|bull|bullmq|resque|kombu)$/,
    symptom:
      /(?<![a-z])lag(?![a-z])|rebalanc|redeliver|re-?queue|unack|oldest[_ ]message|backlog|duplicate|offset|dead[-_ ]?letter|consumer (?:group|timeout)|poll (?:interval|timeout)/i,
    general: /consumer|queue|message/i,
  },
  {
    id: 'bumped-serializer',
    does: 'takes another version of what reads or writes data',
    kind: 'dependency',
    named:
      /^(?:json|jackson|gson|moshi|serde|protobuf|protoc|protobufjs|avro|thrift|msgpack|yaml|xml|jaxb|lxml|pydantic|marshmallow|ajv|zod|joi|yup|iconv|moment|luxon|dayjs|dateutil|pytz|tzdata|decimal|bignumber)$/,
    symptom:
      /pars(?:e|ing)|unmarshal|deseriali[sz]|serializ|decod(?:e|ing)|unexpected token|invalid (?:json|format|date|type|value|utf)|validation|schema|unrecognized|unknown field|mismatched/i,
    general: /invalid|\b400\b|\b422\b/i,
  },
  {
    id: 'bumped-security',
    does: 'takes another version of what encrypts, signs or signs in',
    kind: 'dependency',
    named:
      /^(?:openssl|boringssl|libressl|tls|ssl|crypto|cryptography|bouncycastle|jose|jwt|jsonwebtoken|pyjwt|oauth\d?|oidc|passport|auth|bcrypt|argon2|certifi|rustls|keycloak|saml)$/,
    symptom:
      /handshake|certificate|x509|cipher|\btls\b|\bssl\b|signature|invalid (?:token|key|grant|signature)|unauthori[sz]ed|\b401\b|\b403\b|unsupported (?:algorithm|protocol)/i,
  },
]

/** How surely a library of a purpose does otherwise what it is for: its name and number say so, and nothing else does. */
export const INCOMPATIBLE = 0.8
export const COMPATIBLE = 0.3

/**
 * A library and its version as manifests write them: `"name": "^1.2.3"`, `name==1.2`, `module v1.2.3`, `name = "1.2"`. Of a
 * line without runs of white space, and bounded: a manifest is anybody's text.
 */
const ENTRY =
  /^(?:(?:implementation|api|require|gem) ?)?["'(]{0,2}([A-Za-z@][\w./@:-]{0,200}?)["']? ?(?::|,|==|~=|>=|=| ) ?["'^~>= ]{0,4}v?(\d{1,9})\.(\d{1,9})/

/** The first two numbers of a version. */
type Version = readonly [first: string, second: string]

/** Whether a version says that it is not compatible with another: by its first number, or below 1.0.0 by its second. */
export const isIncompatible = ([first, second]: Version, [now, then]: Version): boolean =>
  first !== now || (first === '0' && second !== then)

function entriesOf(lines: readonly string[]): ReadonlyMap<string, Version> {
  const found = new Map<string, Version>()
  for (const line of lines) {
    const entry = ENTRY.exec(line.trim().replace(/\s+/g, ' '))
    if (entry === null) continue
    const [, name, first, second] = entry as unknown as readonly [string, string, string, string]
    found.set(name.toLowerCase(), [first, second])
  }
  return found
}

/** What a diff bumps: the words of each name, and how surely that does something otherwise. */
function bumpsOf({ removed, added }: DiffReading): readonly (readonly [words: readonly string[], number])[] {
  const before = entriesOf(removed)
  const bumps: [readonly string[], number][] = []
  for (const [name, now] of entriesOf(added)) {
    const old = before.get(name)
    if (old === undefined) continue
    bumps.push([name.split(/[^a-z\d]/), isIncompatible(old, now) ? INCOMPATIBLE : COMPATIBLE])
  }
  return bumps
}

/** The rows that a diff of manifests does something of, each with how surely it does, 0 to 1. */
export function bumpedIn(diff: DiffReading): readonly (readonly [row: BumpedLibrary, number])[] {
  const bumps = bumpsOf(diff)
  return BUMPED_LIBRARIES.flatMap((row) => {
    const sure = bumps
      .filter(([words]) => words.some((word) => row.named.test(word)))
      .map(([, sureness]) => sureness)
    return sure.length === 0 ? [] : [[row, Math.max(...sure)] as const]
  })
}

/** A library whose name does not say what it is for, in a version that is not compatible: it may break whatever its owner does. */
export const BUMPED_ANY: Omit<Mechanism, 'in_diff'> = {
  id: 'bumped-any',
  does: 'takes a version of a library that is not compatible with the one before',
  kind: 'dependency',
  symptom: /\S/,
}
/** How surely that is what fails: something is done otherwise, and nothing says what. Just worth a sentence. */
const UNKNOWN_PURPOSE = 0.25
/** What lockfiles and manifests call anything, and sections of what no service runs. */
const NO_LIBRARY =
  /^(?:version|resolved|integrity|node|npm|engines?|edition|lockfile-?version|go|python|java)$/
const DEVELOPMENT = /dev-?_?dependencies|\[dev\b|test-?dependencies/i

/** How surely a diff of manifests takes a library of no known purpose in a version that is not compatible, 0 to 1. */
export function isBumpedOtherwise(diff: DiffReading): number {
  if (diff.surroundings.some((line) => DEVELOPMENT.test(line))) return 0
  const isOfPurpose = (word: string): boolean => BUMPED_LIBRARIES.some(({ named }) => named.test(word))
  return bumpsOf(diff).some(
    ([words, sure]) => sure === INCOMPATIBLE && !NO_LIBRARY.test(words.join('-')) && !words.some(isOfPurpose),
  )
    ? UNKNOWN_PURPOSE
    : 0
}
