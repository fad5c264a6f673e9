/**
 * What operating systems, resolvers, datastores and clouds answer to a call that they cannot serve: knowledge of public
 * technology as a table. Who quotes such an answer did not conclude it, it was told; each row cites the page on which
 * the vendor documents the answer. Timeouts and codes such as 500 or 503 are missing on purpose: every kind of fault
 * ends in one.
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
  {
    id: 'curl-resolver',
    pattern: /could ?n[o']t resolve host|could not translate host name/i,
    kind: 'dns',
    what: 'a name that does not resolve',
    action: 'escalate',
    documented: 'https://curl.se/libcurl/c/libcurl-errors.html',
  },
  {
    id: 'java-expired',
    pattern: /certificateexpiredexception|validity check failed/i,
    kind: 'certificate',
    what: 'an expired certificate',
    action: 'rotate',
    documented:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/security/cert/CertificateExpiredException.html',
  },
  {
    id: 'tls-alert',
    pattern: /alert:? certificate[ _]expired|certificate is not yet valid|\bcert_not_yet_valid\b/i,
    kind: 'certificate',
    what: 'a certificate that is not valid now',
    action: 'rotate',
    documented: 'https://www.rfc-editor.org/rfc/rfc8446#section-6.2',
  },
  {
    id: 'openssl-untrusted',
    pattern:
      /self[- ]signed certificate|unable to (get local issuer certificate|verify the first certificate)|certificate signed by unknown authority|\bunable_to_verify_leaf_signature\b/i,
    kind: 'certificate',
    what: 'a certificate that is not trusted',
    action: 'rotate',
    documented: 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  },
  {
    id: 'oauth-grant-ended',
    pattern: /\binvalid_grant\b|refresh token (has |is )?(expired|revoked)/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    is_own: true,
    action: 'rotate',
    documented: 'https://www.rfc-editor.org/rfc/rfc6749#section-5.2',
  },
  {
    id: 'aws-expired-token',
    pattern: /\bexpiredtoken(exception)?\b|security token included in the request is expired/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    is_own: true,
    action: 'rotate',
    documented: 'https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html',
  },
  {
    id: 'bearer-expired',
    pattern: /\b(access |bearer |id )?token (has |is )?expired\b|\bjwt expired\b|\btokenexpirederror\b/i,
    kind: 'certificate',
    what: 'a credential that has expired',
    action: 'rotate',
    documented: 'https://www.rfc-editor.org/rfc/rfc6750#section-3.1',
  },
  {
    id: 'postgresql-refuses-login',
    pattern: /password authentication failed for user|\b28p01\b/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'mysql-refuses-login',
    pattern: /access denied for user '[^']*'@|\ber_access_denied_error\b|\berror 1045\b/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  },
  {
    id: 'redis-refuses-login',
    pattern: /\bwrongpass\b|\bnoauth authentication required/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
    documented: 'https://redis.io/docs/latest/develop/reference/errors/common/wrongpass/',
  },
  {
    id: 'postgresql-disk-full',
    pattern: /could not (extend|write( to)?) (file|block).*no space left|\b53100\b/i,
    kind: 'capacity',
    what: 'a disk that is full',
    action: 'scale',
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'mysql-table-full',
    pattern: /the table '[^']*' is full|\berror 1114\b/i,
    kind: 'capacity',
    what: 'a disk that is full',
    action: 'scale',
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  },
  {
    id: 'kernel-used-up',
    pattern:
      /\benospc\b|no space left on device|\bemfile\b|too many open files|\benomem\b|cannot allocate memory|disk quota exceeded/i,
    kind: 'capacity',
    what: 'a resource of the system that is used up',
    action: 'scale',
    documented: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  },
  {
    id: 'redis-memory',
    pattern: /oom command not allowed when used memory/i,
    kind: 'capacity',
    what: 'a memory that is used up',
    action: 'scale',
    documented: 'https://redis.io/docs/latest/develop/reference/errors/common/oom/',
  },
  {
    id: 'google-quota',
    pattern:
      /quota (limit|metric)?\s*('[^']*' )?(has been )?exceeded|exceeded (your|the) (current |daily )?quota/i,
    kind: 'capacity',
    what: 'a quota that is used up',
    action: 'scale',
    documented: 'https://cloud.google.com/apis/design/errors',
  },
  {
    id: 'postgresql-data',
    pattern:
      /invalid byte sequence for encoding|invalid input syntax for type|value too long for type|\b22(021|p02|001|003)\b/i,
    kind: 'data',
    what: 'data that cannot be stored as they are',
    action: 'clean_data',
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'mysql-data',
    pattern: /incorrect string value: |data too long for column|out of range value for column/i,
    kind: 'data',
    what: 'data that cannot be stored as they are',
    action: 'clean_data',
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  },
  {
    id: 'json-parse',
    pattern:
      /unexpected token .* in json|is not valid json|unexpected end of json input|\bjsondecodeerror\b/i,
    kind: 'data',
    what: 'data that cannot be read',
    action: 'clean_data',
    documented: 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors/JSON_bad_parse',
  },
  {
    id: 'kafka-deserialize',
    pattern: /\b(record)?(de)?serializationexception\b|error deserializing/i,
    kind: 'data',
    what: 'data that cannot be read',
    action: 'clean_data',
    documented:
      'https://kafka.apache.org/39/javadoc/org/apache/kafka/common/errors/RecordDeserializationException.html',
  },
  {
    id: 'ports-used-up',
    pattern: /\beaddrnotavail\b|cannot assign requested address/i,
    kind: 'capacity',
    what: 'a range of local ports that is used up',
    is_own: true,
    action: 'scale',
    documented: 'https://man7.org/linux/man-pages/man2/connect.2.html',
  },
  {
    id: 'aws-slow-down',
    pattern: /\bslowdown\b: |please reduce your request rate/i,
    kind: 'capacity',
    what: 'a request rate that the other end no longer bears',
    action: 'scale',
    documented: 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html',
  },
  {
    id: 'postgresql-numbers',
    pattern: /reached maximum value of sequence|integer out of range|\b2200h\b/i,
    kind: 'capacity',
    what: 'a sequence of numbers that is used up',
    action: 'escalate',
    documented: 'https://www.postgresql.org/docs/current/sql-createsequence.html',
  },
  {
    id: 'postgresql-wraparound',
    pattern: /not accepting commands .*wraparound|must be vacuumed within \d+ transactions/i,
    kind: 'capacity',
    what: 'a range of transaction numbers that is used up',
    action: 'escalate',
    documented: 'https://www.postgresql.org/docs/current/routine-vacuuming.html',
  },
  {
    id: 'kernel-read-only',
    pattern: /\berofs\b|read-only file ?system|\beio\b|input\/output error/i,
    kind: 'infra',
    what: 'a disk that fails',
    is_own: true,
    action: 'failover',
    documented: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  },
  {
    id: 'redis-read-only',
    pattern: /\breadonly\b you can'?t write against a read only replica/i,
    kind: 'infra',
    what: 'a store whose primary has changed',
    action: 'failover',
    documented: 'https://redis.io/docs/latest/operate/oss_and_stack/management/replication/',
  },
  {
    id: 'consul-no-leader',
    pattern: /no cluster leader/i,
    kind: 'infra',
    what: 'a cluster without a leader',
    action: 'escalate',
    documented: 'https://developer.hashicorp.com/consul/docs/architecture/consensus',
  },
  {
    id: 'etcd-no-leader',
    pattern:
      /etcdserver: (no leader|request timed out|leader changed)|leader election lost|failed to renew lease/i,
    kind: 'infra',
    what: 'a lease or a leader that is lost',
    action: 'escalate',
    documented: 'https://etcd.io/docs/v3.5/faq/',
  },
  {
    id: 'zookeeper-session',
    pattern: /keeperexception|zookeeper.*session (has )?expired/i,
    kind: 'infra',
    what: 'a coordinator that lost its session',
    action: 'escalate',
    documented:
      'https://zookeeper.apache.org/doc/current/apidocs/zookeeper-server/org/apache/zookeeper/KeeperException.html',
  },
  {
    id: 'clock-aws',
    pattern:
      /\brequesttimetooskewed\b|signature (not yet current|expired): .*is (now )?(later|earlier) than/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
    documented: 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html',
  },
  {
    id: 'clock-tokens',
    pattern: /token (was )?used before issued|\bnotbeforeerror\b|jwt not active|iat claim .*in the future/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
    documented: 'https://www.rfc-editor.org/rfc/rfc7519#section-4.1.5',
  },
  {
    id: 'clock-kerberos',
    pattern: /clock skew too great|krb_ap_err_skew/i,
    kind: 'infra',
    what: 'a clock that is off',
    is_own: true,
    action: 'escalate',
    documented: 'https://www.rfc-editor.org/rfc/rfc4120#section-7.5.9',
  },
  {
    id: 'licence-expired',
    pattern: /licen[cs]e (key )?(has |is )?expired|current license is non-compliant|expired licen[cs]e/i,
    kind: 'certificate',
    what: 'a licence that has expired',
    action: 'rotate',
    documented:
      'https://www.elastic.co/docs/deploy-manage/license/manage-your-license-in-self-managed-cluster',
  },
  {
    id: 'key-revoked',
    pattern:
      /\binvalidclienttokenid\b(?!.{0,80}\bexpired\b)|\binvalidaccesskeyid\b|api[ _]key (has been |was |is )?(revoked|expired|disabled)/i,
    kind: 'config',
    what: 'credentials that the other end refuses',
    action: 'rotate',
    documented: 'https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html',
  },
  {
    id: 'calendar',
    pattern:
      /day is out of range for month|invalid date 'february 29|nonexistenttimeerror|ambiguoustimeerror|invalid value for dayofmonth/i,
    kind: 'data',
    what: 'a date that is not expected',
    is_own: true,
    action: 'clean_data',
    documented: 'https://docs.python.org/3/library/datetime.html',
  },
]

/** Whether a text quotes an answer of such a kind. */
export const isAnswerOf = (kind: CauseKind, text: string): boolean =>
  SYSTEM_ANSWERS.some((answer) => answer.kind === kind && answer.pattern.test(text))
