/**
 * What operating systems, resolvers, datastores and clouds answer to a call that they cannot serve: knowledge of public
 * technology as a table. Who quotes such an answer did not conclude it, it was told; the page on which
 * the vendor documents the answer stands in `answer-pages.ts`. Timeouts and codes such as 500 or 503 are missing on
 * purpose: every kind of fault ends in one.
 */
import type { CauseKind, RemediationAction } from '../findings.ts'
import {
  API_KEY_WRONG,
  AWS_SIGNATURE_WRONG,
  KEY_REVOKED,
  MYSQL_REFUSES_LOGIN,
  OAUTH_CLIENT_REFUSED,
  POSTGRESQL_REFUSES_LOGIN,
  REDIS_REFUSES_LOGIN,
} from '../place/refused-credentials.ts'

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
  /** True where who is answered cannot tell the way from the other end's being away, nor why it is. */
  readonly is_either?: true
  /** True where only time uses it up, over months: no change of the hour brought it. */
  readonly is_of_time?: true
}

type Told = readonly [kind: CauseKind, what: string, action: RemediationAction]
const row = (id: string, pattern: RegExp, [kind, what, action]: Told, is_own?: true): SystemAnswer => ({
  ...{ id, pattern, kind, what, action },
  ...(is_own ? { is_own } : {}),
})

// What several answers tell.
const UNRESOLVED = ['dns', 'a name that does not resolve', 'escalate'] as const
const EXPIRED = ['certificate', 'an expired certificate', 'rotate'] as const
const CONNECTIONS = ['capacity', 'connections that are used up', 'scale'] as const
const QUOTA = ['capacity', 'a quota that is used up', 'scale'] as const
const ENDED = ['certificate', 'a credential that has expired', 'rotate'] as const
const REFUSED = ['config', 'credentials that the other end refuses', 'rotate'] as const
const FULL_DISK = ['capacity', 'a disk that is full', 'scale'] as const
const UNSTORABLE = ['data', 'data that cannot be stored as they are', 'clean_data'] as const
const UNREADABLE = ['data', 'data that cannot be read', 'clean_data'] as const
const PRIMARY = ['infra', 'a store whose primary has changed', 'failover'] as const
const HARDWARE = ['node', 'a machine whose hardware or kernel fails', 'reschedule'] as const
const REPLICAS = ['infra', 'a store that has lost too many of its copies', 'failover'] as const
const CLOCK = ['infra', 'a clock that is off', 'escalate'] as const
const DAMAGED = ['data', 'data that are damaged', 'failover'] as const
const UNTRUSTED = ['certificate', 'a certificate that is not trusted', 'rotate'] as const
const NO_INSTANCE = ['infra', 'an end of which no instance is well', 'escalate'] as const
const SUSPENDED = ['provider', 'an account that its provider has suspended', 'escalate'] as const
const NO_MACHINES = ['capacity', 'a cloud without room for more machines', 'scale'] as const
const DENIED = ['config', 'a permission that is missing', 'revert_config'] as const
const MEMORY = ['capacity', 'a memory that is used up', 'scale'] as const
const BUSY = ['capacity', 'a store that has no room for more requests', 'scale'] as const
const NOT_READY = ['infra', 'a database that starts, stops or recovers', 'escalate'] as const

/** Each row: its id, the answer, what it tells and what helps; `true` where it tells of who quotes it. */
export const SYSTEM_ANSWERS: readonly SystemAnswer[] = [
  row(
    'getaddrinfo',
    /\benotfound\b|\beai_(again|noname|nodata)\b|temporary failure in name resolution|name or service not known|nodename nor servname/i,
    UNRESOLVED,
  ),
  row('go-resolver', /lookup\s+\S+( on \S+)?: (no such host|server misbehaving)/i, UNRESOLVED),
  row('java-resolver', /\bunknownhostexception\b/i, UNRESOLVED),
  row('dns-response-code', /\b(nxdomain|servfail)\b/i, UNRESOLVED),
  row('openssl-expired', /\bcert_has_expired\b|certificate has expired\b/i, EXPIRED),
  row('nobody-listens', /\beconnrefused\b|connection refused|actively refused/i, [
    'infra',
    'an instance on which nothing listens',
    'escalate',
  ]),
  row(
    'postgresql-not-ready',
    /database system is (starting up|shutting down|in recovery mode|not yet accepting connections)|terminating connection due to (administrator command|crash of another server process)|\b57p0[123]\b/i,
    NOT_READY,
  ),
  row(
    'mysql-not-ready',
    /server shutdown in progress|lost connection to mysql server|mysql server has gone away/i,
    ['infra', 'a database that went away', 'escalate'],
  ),
  row('redis-not-ready', /\b(clusterdown|masterdown)\b|loading redis is loading the dataset/i, [
    'infra',
    'a store that has lost its primary or is loading',
    'escalate',
  ]),
  row('mongodb-no-primary', /notwritableprimary|primarysteppeddown|no primary (found|available|server)/i, [
    'infra',
    'a replica set without its primary',
    'escalate',
  ]),
  row('kafka-no-leader', /not_leader_or_follower|leader_not_available|broker_not_available/i, [
    'infra',
    'a partition without its leader',
    'escalate',
  ]),
  {
    ...row('unreachable', /\be(host|net)unreach\b|no route to host|network is unreachable/i, [
      'network',
      'a network without a way to the other end',
      'escalate',
    ]),
    is_either: true,
  },
  row(
    'postgresql-slots',
    /remaining connection slots are reserved|sorry, too many clients already|\b53300\b/i,
    CONNECTIONS,
  ),
  row('mysql-connections', /\ber_con_count_error\b|error 1040|too many connections/i, CONNECTIONS),
  row('grpc-exhausted', /\bresource_exhausted\b|code ?= ?resourceexhausted/i, QUOTA),
  row(
    'aws-throttled',
    /\b(throttlingexception|provisionedthroughputexceededexception|requestlimitexceeded|servicequotaexceededexception|toomanyrequestsexception)\b|level of configured provisioned throughput/i,
    QUOTA,
  ),
  row('curl-resolver', /could ?n[o']t resolve host|could not translate host name/i, UNRESOLVED),
  row('java-expired', /certificateexpiredexception|validity check failed/i, EXPIRED),
  row('tls-alert', /alert:? certificate[ _]expired|certificate is not yet valid|\bcert_not_yet_valid\b/i, [
    'certificate',
    'a certificate that is not valid now',
    'rotate',
  ]),
  row(
    'openssl-untrusted',
    /self[- ]signed certificate|unable to (get local issuer certificate|verify the first certificate)|certificate signed by unknown authority|\bunable_to_verify_leaf_signature\b/i,
    UNTRUSTED,
  ),
  row('oauth-grant-ended', /\binvalid_grant\b|refresh token (has |is )?(expired|revoked)/i, ENDED, true),
  row(
    'aws-expired-token',
    /\bexpiredtoken(exception)?\b|security token included in the request is expired/i,
    ENDED,
    true,
  ),
  row(
    'bearer-expired',
    /\b(access |bearer |id )?token (has |is )?expired\b|\bjwt expired\b|\btokenexpirederror\b/i,
    ENDED,
  ),
  row('postgresql-refuses-login', POSTGRESQL_REFUSES_LOGIN, REFUSED),
  row('mysql-refuses-login', MYSQL_REFUSES_LOGIN, REFUSED),
  row('redis-refuses-login', REDIS_REFUSES_LOGIN, REFUSED),
  row(
    'postgresql-disk-full',
    /could not (extend|write( to)?) (file|block).*no space left|\b53100\b/i,
    FULL_DISK,
  ),
  row('mysql-table-full', /the table '[^']*' is full|\berror 1114\b/i, FULL_DISK),
  row(
    'kernel-used-up',
    /\benospc\b|no space left on device|\bemfile\b|too many open files|\benomem\b|cannot allocate memory|disk quota exceeded/i,
    ['capacity', 'a resource of the system that is used up', 'scale'],
  ),
  row('redis-memory', /oom command not allowed when used memory/i, MEMORY),
  row(
    'google-quota',
    /quota (limit|metric)?\s*('[^']*' )?(has been )?exceeded|exceeded (your|the) (current |daily )?quota/i,
    QUOTA,
  ),
  row(
    'postgresql-data',
    /invalid byte sequence for encoding|invalid input syntax for type|value too long for type|is out of range for type|\b22(021|p02|001|003)\b/i,
    UNSTORABLE,
  ),
  row(
    'mysql-data',
    /incorrect string value: |data too long for column|out of range value for column/i,
    UNSTORABLE,
  ),
  row(
    'json-parse',
    /unexpected token .* in json|is not valid json|unexpected end of json input|\bjsondecodeerror\b/i,
    UNREADABLE,
  ),
  row('kafka-deserialize', /\b(record)?(de)?serializationexception\b|error deserializing/i, UNREADABLE),
  row(
    'ports-used-up',
    /\beaddrnotavail\b|cannot assign requested address/i,
    ['capacity', 'a range of local ports that is used up', 'scale'],
    true,
  ),
  row('aws-slow-down', /\bslowdown\b: |please reduce your request rate/i, [
    'capacity',
    'a request rate that the other end no longer bears',
    'scale',
  ]),
  {
    ...row('postgresql-numbers', /reached maximum value of sequence|integer out of range|\b2200h\b/i, [
      'capacity',
      'a sequence of numbers that is used up',
      'escalate',
    ]),
    is_of_time: true,
  },
  {
    ...row(
      'postgresql-wraparound',
      /not accepting commands .*wraparound|must be vacuumed within \d+ transactions/i,
      ['capacity', 'a range of transaction numbers that is used up', 'escalate'],
    ),
    is_of_time: true,
  },
  row(
    'postgresql-io',
    /could not (?:open|read|write|fsync|extend|stat|access)\b.{0,40}\bfile "[^"\n]{1,200}".{0,20}: (?:input\/output error|read-only file system)/i,
    ['infra', 'a store that can no longer read or write its files', 'failover'],
  ),
  row(
    'kernel-read-only',
    /\berofs\b|read-only file ?system|\beio\b|input\/output error/i,
    ['infra', 'a disk that fails', 'failover'],
    true,
  ),
  row('redis-read-only', /\breadonly\b you can'?t write against a read only replica/i, PRIMARY),
  row('consul-no-leader', /no cluster leader/i, ['infra', 'a cluster without a leader', 'escalate']),
  row(
    'etcd-no-leader',
    /etcdserver: (no leader|request timed out|leader changed)|leader election lost|failed to renew lease/i,
    ['infra', 'a lease or a leader that is lost', 'escalate'],
  ),
  {
    ...row('zookeeper-session', /keeperexception|zookeeper.*session (has )?expired/i, [
      'infra',
      'a coordinator that lost its session',
      'escalate',
    ]),
    is_either: true,
  },
  row(
    'clock-aws',
    /\brequesttimetooskewed\b|signature (not yet current|expired): .*is (now )?(later|earlier) than/i,
    CLOCK,
    true,
  ),
  row(
    'clock-tokens',
    /token (was )?used before issued|\bnotbeforeerror\b|jwt not active|iat claim .*in the future/i,
    CLOCK,
    true,
  ),
  row('clock-kerberos', /clock skew too great|krb_ap_err_skew/i, CLOCK, true),
  row(
    'licence-expired',
    /licen[cs]e (key )?(has |is )?expired|current license is non-compliant|expired licen[cs]e/i,
    ['certificate', 'a licence that has expired', 'rotate'],
  ),
  row('key-revoked', KEY_REVOKED, REFUSED),
  row(
    'password-expired',
    /\bora-28001\b|your password has expired|password of the account has expired|\baadsts7000222\b|client secret .{0,40}(has |is )?expired/i,
    ENDED,
    true,
  ),
  row(
    'tls-name',
    // The lookahead is the row of the stranger's server below.
    /^(?!.*certificate is valid for (?=.{1,200}, not \S{0,200}?([a-z\d-]+\.[a-z]{2,})(?![\w-]|\.\w))(?!.{0,200}?(?:\b\1,|\*|\.(?:local|localdomain|internal|lan|svc)\b))[a-z\d-]{1,63}\.[a-z]).*(?:\berr_tls_cert_altname_invalid\b|does not match certificate's altnames|certificate is valid for .{1,200}, not |no alternative certificate subject name|subject alternative .{0,20}no match|no subject alternative (?:dns )?names? (?:matching|present))/i,
    ['certificate', 'a certificate of another name', 'rotate'],
  ),
  // A certificate of names in another registered domain than the one that was asked for: the name leads to somebody else. What a
  // proxy or a platform shows for hosts that it does not know has a local name or a wildcard, and a sibling's is of one domain.
  row(
    'tls-stranger',
    /certificate is valid for (?=.{1,200}, not \S{0,200}?([a-z\d-]+\.[a-z]{2,})(?![\w-]|\.\w))(?!.{0,200}?(?:\b\1,|\*|\.(?:local|localdomain|internal|lan|svc)\b))[a-z\d-]{1,63}\.[a-z]/i,
    ['dns', "a name that leads to a stranger's server", 'escalate'],
  ),
  row(
    'threads-used-up',
    /unable to create (new )?native thread|pthread_create failed|can't start new thread|fork: .{0,20}resource temporarily unavailable/i,
    ['capacity', 'a number of threads that is used up', 'scale'],
    true,
  ),
  row(
    'conntrack-full',
    /nf_conntrack: (nf_conntrack: )?table full/i,
    ['capacity', 'a table of connections that is full', 'scale'],
    true,
  ),
  row(
    'elasticsearch-disk',
    /flood[- ]stage disk watermark|read_only_allow_delete|forbidden\/12\/index read-only/i,
    FULL_DISK,
  ),
  row(
    'elasticsearch-load',
    /\b(es_rejected_execution|circuit_breaking)_exception\b|data too large, data for \[/i,
    BUSY,
  ),
  row('redis-clients', /max number of clients reached/i, CONNECTIONS),
  row('redis-cannot-save', /\bmisconf redis is configured to save/i, [
    'capacity',
    'a store that cannot write to its disk',
    'scale',
  ]),
  row('mysql-read-only', /running with the --(super-)?read-only option/i, PRIMARY),
  row('etcd-space', /mvcc: database space exceeded/i, ['capacity', 'a store that is full', 'scale']),
  row(
    'aws-no-capacity',
    /\b(insufficientinstancecapacity|vcpulimitexceeded|instancelimitexceeded|reservedfunctionconcurrentinvocationlimitexceeded|concurrentinvocationlimitexceeded)\b/i,
    QUOTA,
  ),
  row(
    'resolver-codes',
    /\bquery\w{1,8} e(refused|timeout|nodata|formerr|badresp)\b|could not be resolved \(\d{1,3}: |could not contact dns servers|timeout while contacting dns servers|dns error: failed to lookup/i,
    UNRESOLVED,
  ),
  row('tls-revoked', /certificate[ _](has been |was |is )?revoked\b/i, [
    'certificate',
    'a certificate that was revoked',
    'rotate',
  ]),
  row(
    'ended-in-words',
    /\b(vault\b.{0,20}\blease|lease [\w-]{1,40}\/\S{1,80}|ticket|session key|assertion|access key|secret|credentials?)\b.{0,30}\b(expired|no longer valid)\b|client secret keys for app \S{1,80} are expired/i,
    ENDED,
    true,
  ),
  row(
    'kernel-hung-task',
    /\btask \S{1,80} blocked for more than \d{1,9} seconds|\bi\/o error, dev \w|\bnvme\d{1,3}: (i\/o \d.{0,40}timeout|controller is down)|\bbuffer i\/o error on dev|\b(ext4-fs|xfs|btrfs)\b.{0,40}\berror\b(?! count since)/i,
    ['infra', 'a disk that fails', 'failover'],
    true,
  ),
  row(
    'kernel-stuck',
    /\bsoft lockup - cpu|detected (hard lockup|stalls) on cpu|\bmce: .{0,20}hardware error|temperature (is )?above threshold, cpu clock (is )?throttled/i,
    HARDWARE,
    true,
  ),
  row(
    'kernel-tables',
    /neighbou?r: .{0,30}table overflow|possible syn flooding on port|tcp: out of memory -- consider|too many orphaned sockets|\benobufs\b|no buffer space available|fork rejected by pids controller|\benfile\b|vfs: file-max limit/i,
    ['capacity', 'a table of the kernel that is full', 'scale'],
    true,
  ),
  row('nginx-connections', /worker_connections are not enough/i, CONNECTIONS, true),
  row(
    'rabbitmq-alarm',
    /(memory|disk) resource limit alarm set|\blow on (memory|disk)\b|disk free space insufficient|free disk space is insufficient/i,
    ['capacity', 'a broker that has no room for more messages', 'scale'],
  ),
  row(
    'elasticsearch-shards',
    /\b(master_not_discovered|unavailable_shards|no_shard_available_action)_exception\b|primary shard is not active|state not recovered/i,
    REPLICAS,
  ),
  row(
    'cassandra-replicas',
    /not enough replicas available for query|cannot achieve consistency level|\bnohostavailable(exception)?\b/i,
    REPLICAS,
  ),
  row('kafka-replicas', /\bnot_?enough_?replicas(_after_append)?(exception)?\b/i, REPLICAS),
  row(
    'kms-key',
    /\bkms\.?(key)?(invalidstate|disabled)(exception)?\b|\bkey\b.{0,120} is pending deletion\b|customer master key that does not exist/i,
    ['config', 'a key that is disabled', 'revert_config'],
  ),
  row('postgresql-read-only', /cannot execute [\w ]{1,60} in a read-only transaction/i, PRIMARY),
  row(
    'postgresql-damaged',
    /invalid page in block \d|could not (read block \d|access status of transaction)/i,
    DAMAGED,
  ),
  row('mysql-galera', /wsrep has not yet prepared node/i, REPLICAS),
  row('mongodb-selection', /\b(mongo)?serverselection(timeout)?error\b|no suitable servers found/i, REPLICAS),
  row('redis-replicas', /\bnoreplicas not enough good replicas/i, REPLICAS),
  row('kafka-storage', /\bkafka_?storage_?(error|exception)\b/i, ['infra', 'a disk that fails', 'failover']),
  row(
    'kafka-coordinator',
    /\bnot_?coordinator(exception)?\b|\bcoordinator_?not_?available(exception)?\b|coordinator is not available/i,
    ['infra', 'a group without its coordinator', 'escalate'],
  ),
  row('kafka-large', /\brecordtoolargeexception\b|\bmessage_too_large\b/i, [
    'data',
    'a message that is larger than may be sent',
    'clean_data',
  ]),
  row('rabbitmq-split', /mnesia.{0,80}partitioned network|running_partitioned_network/i, [
    'network',
    'a cluster that is split',
    'escalate',
  ]),
  row('vault-sealed', /\bvault is sealed\b|active cluster node not found/i, [
    'infra',
    'a vault that is sealed or has no leader',
    'escalate',
  ]),
  row('coredns-errors', /\[error\] plugin\/(errors|forward)\b|plugin\/loop: loop/i, UNRESOLVED),
  { ...row('envoy-unhealthy', /\bno[ _]healthy[ _](upstream|host)/i, NO_INSTANCE), is_either: true },
  row('envoy-overflow', /reset reason: overflow\b|response_started\{overflow\}/i, [
    'capacity',
    'a limit of waiting calls that is reached',
    'scale',
  ]),
  row('envoy-route', /\b(route|cluster)_not_found\b/i, [
    'config',
    'a route that leads nowhere',
    'revert_config',
  ]),
  { ...row('nginx-upstreams', /no live upstreams while/i, NO_INSTANCE), is_either: true },
  row('nginx-limits', /(limiting (requests|connections)|delaying request)(, excess| by zone)/i, [
    'traffic',
    'a client that asks for more than it may',
    'scale',
  ]),
  { ...row('haproxy-servers', /\bhas no server available\b/i, NO_INSTANCE), is_either: true },
  row('kernel-nfs', /\bnfs4?: server \S{1,80} not responding|\bstale (nfs )?file handle|\bestale\b/i, [
    'infra',
    'a file server that does not answer',
    'escalate',
  ]),
  row(
    'kernel-link',
    /\b(eth|en[ops]|bond)\d\w{0,11}:? (nic )?link is down\b|netdev watchdog: .{1,80}timed out/i,
    ['network', 'a network card without a link', 'reschedule'],
    true,
  ),
  // A step of less than a tenth of a second is what chrony makes at every start.
  row(
    'clock-chrony',
    /\bsystem clock (wrong by|was stepped by) (?!-?0\.0)|can't synchroni[sz]e: no (selectable|majority)/i,
    CLOCK,
    true,
  ),
  row(
    'oidc-keys',
    /unable to find a signing key that matches|no (applicable|matching) key.{0,30}(jwks|json web key)/i,
    ['config', 'a signing key that is not known', 'rotate'],
  ),
  row('tls-peer', /alert:? (unknown[ _]ca|bad[ _]certificate)\b|\bcertificate_verify_failed\b/i, UNTRUSTED),
  row(
    'tls-versions',
    /alert:? (handshake[ _]failure|protocol[ _]version)\b|\bwrong version number\b|\bno shared cipher\b|no cipher suites in common/i,
    ['config', 'a TLS version or cipher that one end refuses', 'revert_config'],
  ),
  row(
    'postgresql-denied',
    /permission denied for (table|relation|schema|sequence|database|function|view|language)\b/i,
    DENIED,
  ),
  row('aws-signature', AWS_SIGNATURE_WRONG, REFUSED),
  row('oauth-client-refused', OAUTH_CLIENT_REFUSED, REFUSED),
  row('api-key-wrong', API_KEY_WRONG, REFUSED),
  row(
    'signing-keys',
    /\bsigningkeynotfounderror\b|unable to find a signing key that matches|no matching jwk|\bjwksnomatchingkey\b/i,
    ['config', 'a signing key that nobody here knows', 'rotate'],
  ),
  row(
    'rabbitmq-declared',
    /\bnot_found - no (queue|exchange|binding) |\bprecondition_failed - inequivalent arg\b/i,
    ['config', 'a queue that is not there as it is asked for', 'revert_config'],
  ),
  row('kafka-topic', /\bunknown_?topic_?or_?partition(exception)?\b/i, [
    'config',
    'a topic that is not there',
    'revert_config',
  ]),
  row('aws-denied', /\bis not authorized to perform: |with an explicit deny\b/i, DENIED),
  row(
    'aws-addresses',
    /\binsufficientfreeaddressesinsubnet\b|\bsubnetipaddresslimitreached(exception)?\b|\benilimitreached(exception)?\b/i,
    ['capacity', 'a network without free addresses', 'scale'],
  ),
  row(
    'google-denied',
    /\bpermission '?\w{1,40}\.[\w.]{1,60}'? denied on|does not have \w{1,40}\.[\w.]{1,60} access to/i,
    DENIED,
  ),
  row(
    'google-no-capacity',
    /zone_resource_pool_exhausted|enough resources available to fulfill/i,
    NO_MACHINES,
  ),
  row('azure-denied', /\bauthorizationfailed\b|does not have authorization to perform action/i, DENIED),
  row(
    'azure-no-capacity',
    /\b(zonal|constrained)?allocationfailed\b|\boverconstrained(zonal)?allocationrequest\b|\bskunotavailable\b/i,
    NO_MACHINES,
  ),
  row(
    'sqlserver-full',
    /transaction log for database .{1,80} is full|could not allocate (a new page|space) for/i,
    FULL_DISK,
  ),
  row('oracle-full', /\bora-(00257|01653|01654|19809)\b/i, FULL_DISK),
  row('oracle-sessions', /\bora-(00018|00020|12516|12519|12520)\b/i, CONNECTIONS),
  row('oracle-not-ready', /\bora-(01033|01034|01089|12514|12528)\b/i, NOT_READY),
  row('twilio-suspended', /\baccount (is |has been |was )?suspended\b|\baccount is not active\b/i, SUSPENDED),
  row('keystone-disabled', /\b(project|domain) is disabled: ?\S/i, SUSPENDED),
  row('google-suspended', /\b(consumer|gcp)_suspended\b|\bbilling_disabled\b/i, SUSPENDED),
  row('openai-quota', /\binsufficient_quota\b|check your plan and billing details/i, QUOTA),
  row('github-limit', /\bapi rate limit exceeded\b|\bsecondary rate limit\b/i, QUOTA),
  row('docker-limit', /\btoomanyrequests: |\bpull rate limit\b/i, QUOTA),
  row(
    'calendar',
    /day is out of range for month|invalid date 'february 29|nonexistenttimeerror|ambiguoustimeerror|invalid value for dayofmonth/i,
    ['data', 'a date that is not expected', 'clean_data'],
    true,
  ),
]

/** Whether a text quotes an answer of such a kind. */
export const isAnswerOf = (kind: CauseKind, text: string): boolean =>
  SYSTEM_ANSWERS.some((answer) => answer.kind === kind && answer.pattern.test(text))

const OF_CLOCKS = SYSTEM_ANSWERS.filter(({ what }) => what === CLOCK[1])

/** Any answer by which times that do not fit are refused. */
export const OFF_CLOCK = new RegExp(OF_CLOCKS.map(({ pattern }) => `(?:${pattern.source})`).join('|'), 'i')

/** Whether a text says so. */
export const saysClockIsOff = (text: string): boolean => OFF_CLOCK.test(text)

/** Whether a text says that a provider has suspended an account. */
export const isOfSuspension = (text: string): boolean =>
  SYSTEM_ANSWERS.some(({ what, pattern }) => what === SUSPENDED[1] && pattern.test(text))
