/**
 * What operating systems, resolvers, datastores and clouds answer to a call that they cannot serve: knowledge of public
 * technology as a table. Who quotes such an answer did not conclude it, it was told; each row cites the page on which
 * the vendor documents the answer. Timeouts and codes such as 500 or 503 are missing on purpose: every kind of fault
 * ends in one. What a service runs out of itself (its disk, its memory) is measured, and scored as capacity.
 */
import type { CauseKind, RemediationAction } from './findings.ts'

export interface SystemAnswer {
  readonly id: string
  /** The answer as it is written, in the words of those who pass it on. */
  readonly pattern: RegExp
  readonly kind: CauseKind
  /** Completes "The likely cause is …". */
  readonly what: string
  readonly action: RemediationAction
  /** Where the vendor documents it. */
  readonly documented: string
}

export const SYSTEM_ANSWERS: readonly SystemAnswer[] = [
  {
    id: 'getaddrinfo',
    pattern:
      /\benotfound\b|\beai_(again|noname|nodata)\b|temporary failure in name resolution|name or service not known|nodename nor servname/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
    documented: 'https://man7.org/linux/man-pages/man3/getaddrinfo.3.html',
  },
  {
    id: 'go-resolver',
    pattern: /lookup\s+\S+( on \S+)?: (no such host|server misbehaving)/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
    documented: 'https://pkg.go.dev/net#DNSError',
  },
  {
    id: 'java-resolver',
    pattern: /\bunknownhostexception\b/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
    documented:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/UnknownHostException.html',
  },
  {
    id: 'dns-response-code',
    pattern: /\b(nxdomain|servfail)\b/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
    documented: 'https://www.iana.org/assignments/dns-parameters/dns-parameters.xhtml',
  },
  {
    id: 'openssl-expired',
    pattern: /\bcert_has_expired\b|certificate has expired\b/i,
    kind: 'certificate',
    what: 'an expired certificate',
    action: 'rotate',
    documented: 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  },
  {
    id: 'nobody-listens',
    pattern: /\beconnrefused\b|connection refused|actively refused/i,
    kind: 'infra',
    what: 'an instance on which nothing listens',
    action: 'escalate',
    documented: 'https://man7.org/linux/man-pages/man2/connect.2.html',
  },
  {
    id: 'postgresql-not-ready',
    pattern:
      /database system is (starting up|shutting down|in recovery mode|not yet accepting connections)|terminating connection due to (administrator command|crash of another server process)|\b57p0[123]\b/i,
    kind: 'infra',
    what: 'a database that starts, stops or recovers',
    action: 'escalate',
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'mysql-not-ready',
    pattern: /server shutdown in progress|lost connection to mysql server|mysql server has gone away/i,
    kind: 'infra',
    what: 'a database that went away',
    action: 'escalate',
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/client-error-reference.html',
  },
  {
    id: 'redis-not-ready',
    pattern: /\b(clusterdown|masterdown)\b|loading redis is loading the dataset/i,
    kind: 'infra',
    what: 'a store that has lost its primary or is loading',
    action: 'escalate',
    documented: 'https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/',
  },
  {
    id: 'mongodb-no-primary',
    pattern: /notwritableprimary|primarysteppeddown|no primary (found|available|server)/i,
    kind: 'infra',
    what: 'a replica set without its primary',
    action: 'escalate',
    documented: 'https://www.mongodb.com/docs/manual/reference/error-codes/',
  },
  {
    id: 'kafka-no-leader',
    pattern: /not_leader_or_follower|leader_not_available|broker_not_available/i,
    kind: 'infra',
    what: 'a partition without its leader',
    action: 'escalate',
    documented: 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  },
  {
    id: 'unreachable',
    pattern: /\be(host|net)unreach\b|no route to host|network is unreachable/i,
    kind: 'network',
    what: 'a network without a way to the other end',
    action: 'escalate',
    documented: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  },
  {
    id: 'postgresql-slots',
    pattern: /remaining connection slots are reserved|sorry, too many clients already|\b53300\b/i,
    kind: 'capacity',
    what: 'connections that are used up',
    action: 'scale',
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'mysql-connections',
    pattern: /\ber_con_count_error\b|error 1040|too many connections/i,
    kind: 'capacity',
    what: 'connections that are used up',
    action: 'scale',
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  },
  {
    id: 'grpc-exhausted',
    pattern: /\bresource_exhausted\b|code ?= ?resourceexhausted/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
    documented: 'https://grpc.io/docs/guides/status-codes/',
  },
  {
    id: 'aws-throttled',
    pattern:
      /\b(throttlingexception|provisionedthroughputexceededexception|requestlimitexceeded|servicequotaexceededexception)\b/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
    documented: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html',
  },
]
