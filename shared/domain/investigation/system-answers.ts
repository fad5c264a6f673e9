/**
 * What operating systems, resolvers, datastores and clouds answer to a call that they cannot serve: knowledge of public
 * technology as a table. Who quotes such an answer did not conclude it, it was told; the page on which
 * the vendor documents the answer stands in `answer-pages.ts`. Timeouts and codes such as 500 or 503 are missing on
 * purpose: every kind of fault ends in one.
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
  /** True where it tells of who quotes it, not of whom was called: what is local ran out or fails there. */
  readonly is_own?: true
}

export const SYSTEM_ANSWERS: readonly SystemAnswer[] = [
  {
    id: 'getaddrinfo',
    pattern:
      /\benotfound\b|\beai_(again|noname|nodata)\b|temporary failure in name resolution|name or service not known|nodename nor servname/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
  },
  {
    id: 'go-resolver',
    pattern: /lookup\s+\S+( on \S+)?: (no such host|server misbehaving)/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
  },
  {
    id: 'java-resolver',
    pattern: /\bunknownhostexception\b/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
  },
  {
    id: 'dns-response-code',
    pattern: /\b(nxdomain|servfail)\b/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
  },
  {
    id: 'openssl-expired',
    pattern: /\bcert_has_expired\b|certificate has expired\b/i,
    kind: 'certificate',
    what: 'an expired certificate',
    action: 'rotate',
  },
  {
    id: 'nobody-listens',
    pattern: /\beconnrefused\b|connection refused|actively refused/i,
    kind: 'infra',
    what: 'an instance on which nothing listens',
    action: 'escalate',
  },
  {
    id: 'postgresql-not-ready',
    pattern:
      /database system is (starting up|shutting down|in recovery mode|not yet accepting connections)|terminating connection due to (administrator command|crash of another server process)|\b57p0[123]\b/i,
    kind: 'infra',
    what: 'a database that starts, stops or recovers',
    action: 'escalate',
  },
  {
    id: 'mysql-not-ready',
    pattern: /server shutdown in progress|lost connection to mysql server|mysql server has gone away/i,
    kind: 'infra',
    what: 'a database that went away',
    action: 'escalate',
  },
  {
    id: 'redis-not-ready',
    pattern: /\b(clusterdown|masterdown)\b|loading redis is loading the dataset/i,
    kind: 'infra',
    what: 'a store that has lost its primary or is loading',
    action: 'escalate',
  },
  {
    id: 'mongodb-no-primary',
    pattern: /notwritableprimary|primarysteppeddown|no primary (found|available|server)/i,
    kind: 'infra',
    what: 'a replica set without its primary',
    action: 'escalate',
  },
  {
    id: 'kafka-no-leader',
    pattern: /not_leader_or_follower|leader_not_available|broker_not_available/i,
    kind: 'infra',
    what: 'a partition without its leader',
    action: 'escalate',
  },
  {
    id: 'unreachable',
    pattern: /\be(host|net)unreach\b|no route to host|network is unreachable/i,
    kind: 'network',
    what: 'a network without a way to the other end',
    action: 'escalate',
  },
  {
    id: 'postgresql-slots',
    pattern: /remaining connection slots are reserved|sorry, too many clients already|\b53300\b/i,
    kind: 'capacity',
    what: 'connections that are used up',
    action: 'scale',
  },
  {
    id: 'mysql-connections',
    pattern: /\ber_con_count_error\b|error 1040|too many connections/i,
    kind: 'capacity',
    what: 'connections that are used up',
    action: 'scale',
  },
  {
    id: 'grpc-exhausted',
    pattern: /\bresource_exhausted\b|code ?= ?resourceexhausted/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
  },
  {
    id: 'aws-throttled',
    pattern:
      /\b(throttlingexception|provisionedthroughputexceededexception|requestlimitexceeded|servicequotaexceededexception)\b/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
  },
  {
    id: 'curl-resolver',
    pattern: /could ?n[o']t resolve host|could not translate host name/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
  },
  {
    id: 'java-expired',
    pattern: /certificateexpiredexception|validity check failed/i,
    kind: 'certificate',
    what: 'an expired certificate',
    action: 'rotate',
  },
  {
    id: 'tls-alert',
    pattern: /alert:? certificate[ _]expired|certificate is not yet valid|\bcert_not_yet_valid\b/i,
    kind: 'certificate',
    what: 'a certificate that is not valid now',
    action: 'rotate',
  },
  {
    id: 'openssl-untrusted',
    pattern:
      /self[- ]signed certificate|unable to (get local issuer certificate|verify the first certificate)|certificate signed by unknown authority|\bunable_to_verify_leaf_signature\b/i,
    kind: 'certificate',
    what: 'a certificate that is not trusted',
    action: 'rotate',
  },
  {
    id: 'oauth-grant-ended',
    pattern: /\binvalid_grant\b|refresh token (has |is )?(expired|revoked)/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    is_own: true,
    action: 'rotate',
  },
  {
    id: 'aws-expired-token',
    pattern: /\bexpiredtoken(exception)?\b|security token included in the request is expired/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    is_own: true,
    action: 'rotate',
  },
  {
    id: 'bearer-expired',
    pattern: /\b(access |bearer |id )?token (has |is )?expired\b|\bjwt expired\b|\btokenexpirederror\b/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    action: 'rotate',
  },
  {
    id: 'postgresql-refuses-login',
    pattern: /password authentication failed for user|\b28p01\b/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
  },
  {
    id: 'mysql-refuses-login',
    pattern: /access denied for user '[^']*'@|\ber_access_denied_error\b|\berror 1045\b/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
  },
  {
    id: 'redis-refuses-login',
    pattern: /\bwrongpass\b|\bnoauth authentication required/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
  },
  {
    id: 'postgresql-disk-full',
    pattern: /could not (extend|write( to)?) (file|block).*no space left|\b53100\b/i,
    kind: 'capacity',
    what: 'a disk that is full',
    action: 'scale',
  },
  {
    id: 'mysql-table-full',
    pattern: /the table '[^']*' is full|\berror 1114\b/i,
    kind: 'capacity',
    what: 'a disk that is full',
    action: 'scale',
  },
  {
    id: 'kernel-used-up',
    pattern:
      /\benospc\b|no space left on device|\bemfile\b|too many open files|\benomem\b|cannot allocate memory|disk quota exceeded/i,
    kind: 'capacity',
    what: 'a resource of the system that is used up',
    action: 'scale',
  },
  {
    id: 'redis-memory',
    pattern: /oom command not allowed when used memory/i,
    kind: 'capacity',
    what: 'a memory that is used up',
    action: 'scale',
  },
  {
    id: 'google-quota',
    pattern:
      /quota (limit|metric)?\s*('[^']*' )?(has been )?exceeded|exceeded (your|the) (current |daily )?quota/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
  },
  {
    id: 'postgresql-data',
    pattern:
      /invalid byte sequence for encoding|invalid input syntax for type|value too long for type|\b22(021|p02|001|003)\b/i,
    kind: 'data',
    what: 'data that cannot be stored as they are',
    action: 'clean_data',
  },
  {
    id: 'mysql-data',
    pattern: /incorrect string value: |data too long for column|out of range value for column/i,
    kind: 'data',
    what: 'data that cannot be stored as they are',
    action: 'clean_data',
  },
  {
    id: 'json-parse',
    pattern:
      /unexpected token .* in json|is not valid json|unexpected end of json input|\bjsondecodeerror\b/i,
    kind: 'data',
    what: 'data that cannot be read',
    action: 'clean_data',
  },
  {
    id: 'kafka-deserialize',
    pattern: /\b(record)?(de)?serializationexception\b|error deserializing/i,
    kind: 'data',
    what: 'data that cannot be read',
    action: 'clean_data',
  },
  {
    id: 'ports-used-up',
    pattern: /\beaddrnotavail\b|cannot assign requested address/i,
    kind: 'capacity',
    what: 'a range of local ports that is used up',
    is_own: true,
    action: 'scale',
  },
  {
    id: 'aws-slow-down',
    pattern: /\bslowdown\b: |please reduce your request rate/i,
    kind: 'capacity',
    what: 'a request rate that the other end no longer bears',
    action: 'scale',
  },
  {
    id: 'postgresql-numbers',
    pattern: /reached maximum value of sequence|integer out of range|\b2200h\b/i,
    kind: 'capacity',
    what: 'a sequence of numbers that is used up',
    action: 'escalate',
  },
  {
    id: 'postgresql-wraparound',
    pattern: /not accepting commands .*wraparound|must be vacuumed within \d+ transactions/i,
    kind: 'capacity',
    what: 'a range of transaction numbers that is used up',
    action: 'escalate',
  },
  {
    id: 'kernel-read-only',
    pattern: /\berofs\b|read-only file ?system|\beio\b|input\/output error/i,
    kind: 'infra',
    what: 'a disk that fails',
    is_own: true,
    action: 'failover',
  },
  {
    id: 'redis-read-only',
    pattern: /\breadonly\b you can'?t write against a read only replica/i,
    kind: 'infra',
    what: 'a store whose primary has changed',
    action: 'failover',
  },
  {
    id: 'consul-no-leader',
    pattern: /no cluster leader/i,
    kind: 'infra',
    what: 'a cluster without a leader',
    action: 'escalate',
  },
  {
    id: 'etcd-no-leader',
    pattern:
      /etcdserver: (no leader|request timed out|leader changed)|leader election lost|failed to renew lease/i,
    kind: 'infra',
    what: 'a lease or a leader that is lost',
    action: 'escalate',
  },
  {
    id: 'zookeeper-session',
    pattern: /keeperexception|zookeeper.*session (has )?expired/i,
    kind: 'infra',
    what: 'a coordinator that lost its session',
    action: 'escalate',
  },
  {
    id: 'clock-aws',
    pattern:
      /\brequesttimetooskewed\b|signature (not yet current|expired): .*is (now )?(later|earlier) than/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
  },
  {
    id: 'clock-tokens',
    pattern: /token (was )?used before issued|\bnotbeforeerror\b|jwt not active|iat claim .*in the future/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
  },
  {
    id: 'clock-kerberos',
    pattern: /clock skew too great|krb_ap_err_skew/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
  },
  {
    id: 'licence-expired',
    pattern: /licen[cs]e (key )?(has |is )?expired|current license is non-compliant|expired licen[cs]e/i,
    kind: 'certificate',
    what: 'a licence that has expired',
    action: 'rotate',
  },
  {
    id: 'key-revoked',
    pattern:
      /\binvalidclienttokenid\b(?!.{0,80}\bexpired\b)|\binvalidaccesskeyid\b|api[ _]key (has been |was |is )?(revoked|expired|disabled)/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
  },
  {
    id: 'password-expired',
    pattern:
      /\bora-28001\b|your password has expired|password of the account has expired|\baadsts7000222\b|client secret .{0,40}(has |is )?expired/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    is_own: true,
    action: 'rotate',
  },
  {
    id: 'tls-name',
    pattern:
      /\berr_tls_cert_altname_invalid\b|certificate is valid for .{1,200}, not |no alternative certificate subject name|subject alternative .{0,20}no match|no subject alternative (dns )?names? matching/i,
    kind: 'certificate',
    what: 'a certificate of another name',
    action: 'rotate',
  },
  {
    id: 'threads-used-up',
    pattern:
      /unable to create (new )?native thread|pthread_create failed|can't start new thread|fork: .{0,20}resource temporarily unavailable/i,
    kind: 'capacity',
    what: 'a number of threads that is used up',
    is_own: true,
    action: 'scale',
  },
  {
    id: 'conntrack-full',
    pattern: /nf_conntrack: (nf_conntrack: )?table full/i,
    kind: 'capacity',
    what: 'a table of connections that is full',
    is_own: true,
    action: 'scale',
  },
  {
    id: 'elasticsearch-disk',
    pattern: /flood[- ]stage disk watermark|read_only_allow_delete|forbidden\/12\/index read-only/i,
    kind: 'capacity',
    what: 'a disk that is full',
    action: 'scale',
  },
  {
    id: 'elasticsearch-load',
    pattern: /\b(es_rejected_execution|circuit_breaking)_exception\b/i,
    kind: 'capacity',
    what: 'a store that has no room for more requests',
    action: 'scale',
  },
  {
    id: 'redis-clients',
    pattern: /max number of clients reached/i,
    kind: 'capacity',
    what: 'connections that are used up',
    action: 'scale',
  },
  {
    id: 'redis-cannot-save',
    pattern: /\bmisconf redis is configured to save/i,
    kind: 'infra',
    what: 'a store that cannot write to its disk',
    action: 'escalate',
  },
  {
    id: 'mysql-read-only',
    pattern: /running with the --(super-)?read-only option/i,
    kind: 'infra',
    what: 'a store whose primary has changed',
    action: 'failover',
  },
  {
    id: 'etcd-space',
    pattern: /mvcc: database space exceeded/i,
    kind: 'capacity',
    what: 'a store that is full',
    action: 'scale',
  },
  {
    id: 'aws-no-capacity',
    pattern:
      /\b(insufficientinstancecapacity|vcpulimitexceeded|instancelimitexceeded|reservedfunctionconcurrentinvocationlimitexceeded|concurrentinvocationlimitexceeded)\b/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
  },
  {
    id: 'calendar',
    pattern:
      /day is out of range for month|invalid date 'february 29|nonexistenttimeerror|ambiguoustimeerror|invalid value for dayofmonth/i,
    kind: 'data',
    what: 'a date that is not expected',
    is_own: true,
    action: 'clean_data',
  },
]

/** Whether a text quotes an answer of such a kind. */
export const isAnswerOf = (kind: CauseKind, text: string): boolean =>
  SYSTEM_ANSWERS.some((answer) => answer.kind === kind && answer.pattern.test(text))
