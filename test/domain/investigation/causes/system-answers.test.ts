import { describe, expect, it } from 'vitest'
import { ANSWER_PAGES } from '#shared/domain/investigation/causes/answer-pages.ts'
import { isAnswerOf, SYSTEM_ANSWERS } from '#shared/domain/investigation/causes/system-answers.ts'
import { CAUSE_KINDS, type CauseKind, REMEDIATION_ACTIONS } from '#shared/domain/investigation/findings.ts'

type Said = readonly [kind: CauseKind, action: string, says: readonly string[], others: readonly string[]]
/** What the systems write in every spelling that their vendors document, and what sounds alike and says something else. */
const SAID: Readonly<Record<string, Said>> = {
  getaddrinfo: [
    ...(['dns', 'escalate'] as const),
    [
      'getaddrinfo ENOTFOUND mail.internal',
      'EAI_AGAIN mail.internal',
      'EAI_NONAME',
      'EAI_NODATA',
      'Temporary failure in name resolution',
      'Name or service not known',
      'nodename nor servname provided, or not known',
    ],
    ['not found', 'EAI_FAMILY', 'notenotfoundhere', 'temporary failure of the disk'],
  ],
  'go-resolver': [
    ...(['dns', 'escalate'] as const),
    [
      'lookup mail on 10.0.0.2:53: no such host',
      'lookup  mail: no such host',
      'lookup mail on 10.0.0.2:53: server misbehaving',
    ],
    ['lookup mail: ok', 'lookup of the table: no such host', 'no such host'],
  ],
  'postgresql-denied': [
    ...(['config', 'revert_config'] as const),
    ['ERROR:  permission denied for table orders', 'permission denied for schema billing'],
    ['permission denied for whom it may concern', '/var/log: permission denied'],
  ],
  'aws-signature': [
    ...(['config', 'rotate'] as const),
    [
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    ],
    ['the signature matches', 'SignatureDoesNotMatchMine'],
  ],
  'oauth-client-refused': [
    ...(['config', 'rotate'] as const),
    ['{"error":"invalid_client"}', 'AADSTS7000215: Invalid client secret provided.', 'AADSTS7000216'],
    ['an invalid client of the shop', 'invalid_clients', 'AADSTS70002150'],
  ],
  'api-key-wrong': [
    ...(['config', 'rotate'] as const),
    ['Incorrect API key provided: sk-1***', 'Invalid API Key provided: sk_test_***'],
    ['an api key was provided', 'incorrect api keys'],
  ],
  'signing-keys': [
    ...(['config', 'rotate'] as const),
    [
      "SigningKeyNotFoundError: Unable to find a signing key that matches '7f'",
      'no matching JWK found',
      'JWKSNoMatchingKey',
    ],
    ['a signing key was found', 'no matching rows'],
  ],
  'rabbitmq-declared': [
    ...(['config', 'revert_config'] as const),
    [
      "NOT_FOUND - no queue 'orders' in vhost '/'",
      "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'orders'",
    ],
    ['NOT_FOUND', 'PRECONDITION_FAILED - unknown delivery tag 4'],
  ],
  'kafka-topic': [
    ...(['config', 'revert_config'] as const),
    ['UNKNOWN_TOPIC_OR_PARTITION', 'UnknownTopicOrPartitionException: This server does not host it'],
    ['unknown topic', 'a topic or partition'],
  ],
  'java-resolver': [
    'dns',
    'escalate',
    ['java.net.UnknownHostException: mail'],
    ['java.net.ConnectException'],
  ],
  'dns-response-code': ['dns', 'escalate', ['NXDOMAIN', 'rcode SERVFAIL'], ['NOERROR', 'nxdomains']],
  'curl-resolver': [
    ...(['dns', 'escalate'] as const),
    [
      "Couldn't resolve host 'mail'",
      'Could not resolve host: mail',
      'could not translate host name "db" to address',
    ],
    ['could resolve host', 'could not resolve the conflict'],
  ],
  'openssl-expired': [
    ...(['certificate', 'rotate'] as const),
    ['CERT_HAS_EXPIRED', 'certificate has expired'],
    ['the certificate expires in 60 days', 'XCERT_HAS_EXPIREDX'],
  ],
  'java-expired': [
    ...(['certificate', 'rotate'] as const),
    ['CertificateExpiredException: NotAfter', 'validity check failed'],
    ['validity checked'],
  ],
  'tls-alert': [
    ...(['certificate', 'rotate'] as const),
    [
      'tls alert: certificate expired',
      'SSL alert certificate_expired',
      'the certificate is not yet valid',
      'CERT_NOT_YET_VALID',
    ],
    ['an alert: certificate renewed', 'certificate is valid'],
  ],
  'openssl-untrusted': [
    ...(['certificate', 'rotate'] as const),
    [
      'self-signed certificate in certificate chain',
      'self signed certificate',
      'unable to get local issuer certificate',
      'unable to verify the first certificate',
      'x509: certificate signed by unknown authority',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['signed certificate', 'unable to get a page', 'certificate signed by the authority'],
  ],
  'oauth-grant-ended': [
    ...(['certificate', 'rotate'] as const),
    [
      '{"error":"invalid_grant"}',
      'refresh token has expired',
      'refresh token revoked',
      'refresh token is expired',
    ],
    ['invalid_grants', 'refresh token stored', '{"error":"invalid_request"}'],
  ],
  'password-expired': [
    ...(['certificate', 'rotate'] as const),
    [
      'ORA-28001: x',
      'ERROR 1862 (HY000): Your password has expired',
      'The password of the account has expired.',
      'AADSTS7000222: invalid_client',
      'The client secret keys for app are expired',
    ],
    ['ORA-28000', 'the password will expire in 7 days', 'AADSTS70002'],
  ],
  'tls-name': [
    ...(['certificate', 'rotate'] as const),
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'x509: certificate is valid for a.example.net, not b.example.net',
      'SSL: no alternative certificate subject name matches target host name',
      'No subject alternative DNS name matching b.example.net found',
      'No subject alternative names matching IP address 10.0.0.7 found',
      "Hostname/IP does not match certificate's altnames: Host: mail.",
      'certificate is valid for ingress.local, not shop.example.com',
      'certificate is valid for *.hosting.example.net, not shop.example.com',
      'certificate is valid for api.example.com, www.example.com, not shop.example.com',
    ],
    [
      ...['certificate is valid for 60 days', 'subject: no match'],
      'x509: certificate is valid for parked.example.org, not shop.example.com',
    ],
  ],
  'tls-stranger': [
    ...(['dns', 'escalate'] as const),
    [
      'x509: certificate is valid for parked.example.org, not shop.example.com',
      'certificate is valid for a.example.org, example.org, not api.shop.example.com: Get "https://x"',
    ],
    [
      'certificate is valid for api.example.com, www.example.com, not shop.example.com',
      'certificate is valid for ingress.local, not shop.example.com',
      'certificate is valid for *.hosting.example.net, not shop.example.com',
      'certificate is valid for 10.0.0.7, not mail.example.com',
    ],
  ],
  'threads-used-up': [
    ...(['capacity', 'scale'] as const),
    [
      'unable to create native thread',
      'unable to create new native thread',
      'pthread_create failed: EAGAIN',
      "RuntimeError: can't start new thread",
      'bash: fork: retry: Resource temporarily unavailable',
    ],
    ['created a new thread', 'recv: Resource temporarily unavailable'],
  ],
  'conntrack-full': [
    ...(['capacity', 'scale'] as const),
    ['nf_conntrack: table full, dropping packet', 'nf_conntrack: nf_conntrack: table full, dropping packet.'],
    ['nf_conntrack: automatic helper assignment is deprecated'],
  ],
  'elasticsearch-disk': [
    ...(['capacity', 'scale'] as const),
    [
      'flood stage disk watermark [95%] exceeded on node',
      'index.blocks.read_only_allow_delete',
      'FORBIDDEN/12/index read-only / allow delete',
    ],
    ['low disk watermark [85%] exceeded'],
  ],
  'elasticsearch-load': [
    ...(['capacity', 'scale'] as const),
    ['es_rejected_execution_exception', 'circuit_breaking_exception: [parent] Data too large'],
    ['search_phase_execution_exception'],
  ],
  'redis-clients': [
    ...(['capacity', 'scale'] as const),
    ['ERR max number of clients reached'],
    ['max number of replicas'],
  ],
  'redis-cannot-save': [
    ...(['capacity', 'scale'] as const),
    ['MISCONF Redis is configured to save RDB snapshots'],
    ['redis is configured to save'],
  ],
  'mysql-read-only': [
    ...(['infra', 'failover'] as const),
    ['running with the --read-only option', 'running with the --super-read-only option'],
    ['running with the --verbose option'],
  ],
  'etcd-space': [
    ...(['capacity', 'scale'] as const),
    ['mvcc: database space exceeded'],
    ['mvcc: required revision has been compacted'],
  ],
  'resolver-codes': [
    ...(['dns', 'escalate'] as const),
    [
      'queryA EREFUSED mail.internal',
      'querySrv ETIMEOUT mail.internal',
      'mail.internal could not be resolved (5: Operation refused)',
      'Could not contact DNS servers',
      'Timeout while contacting DNS servers',
      'dns error: failed to lookup address information',
    ],
    ['query refused', 'the conflict could not be resolved', 'the dns error was mended'],
  ],
  'tls-revoked': [
    ...(['certificate', 'rotate'] as const),
    ['sslv3 alert certificate revoked', 'CERTIFICATE_REVOKED', 'the certificate has been revoked'],
    ['revoked the role', 'certificate renewed'],
  ],
  'ended-in-words': [
    ...(['certificate', 'rotate'] as const),
    [
      'lease database/creds/app expired',
      'vault: the lease of quotes is expired',
      'Ticket expired',
      "AADSTS7000222: The provided client secret keys for app '0f6b61a4-3f0c-4c4e-8a87-1f2e3d4c5b6a' are expired.",
      'credentials are no longer valid',
      'session key of the partner is no longer valid',
    ],
    [
      ...['the lease was renewed', 'the cache entry expired', 'the secret agent'],
      ...['the lease for the blob has expired', 'leader lease expired', 'the subscription has expired'],
    ],
  ],
  'kernel-hung-task': [
    ...(['infra', 'failover'] as const),
    [
      'INFO: task kworker/u8:2:311 blocked for more than 120 seconds.',
      'blk_update_request: I/O error, dev sdb, sector 88',
      'Buffer I/O error on dev dm-0, logical block 4',
      'EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm sh: reading directory lblock 0',
    ],
    [
      ...['the task was blocked', 'EXT4-fs (sda1): mounted', 'i/o error'],
      'EXT4-fs (sda1): error count since last fsck: 4',
    ],
  ],
  'kernel-stuck': [
    ...(['node', 'reschedule'] as const),
    [
      'watchdog: BUG: soft lockup - CPU#2 stuck for 23s!',
      'rcu: INFO: rcu_sched detected stalls on CPUs/tasks',
      'mce: [Hardware Error]: Machine check events logged',
      'CPU3: Core temperature above threshold, cpu clock throttled',
      'CPU3: Package temperature is above threshold, cpu clock is throttled (total events = 219)',
    ],
    ['lockup period of the shares', 'temperature is normal'],
  ],
  'kernel-tables': [
    ...(['capacity', 'scale'] as const),
    [
      'neighbour: arp_cache: neighbor table overflow!',
      'TCP: request_sock_TCP: Possible SYN flooding on port 8080. Sending cookies.',
      'TCP: out of memory -- consider tuning tcp_mem',
      'cgroup: fork rejected by pids controller in /kubepods',
      'accept: ENFILE',
      'VFS: file-max limit 808 reached',
    ],
    ['the table has an overflow column', 'profile', 'fork of the repository'],
  ],
  'nginx-connections': [
    ...(['capacity', 'scale'] as const),
    ['[alert] 1024 worker_connections are not enough'],
    ['worker_connections 1024;'],
  ],
  'rabbitmq-alarm': [
    ...(['capacity', 'scale'] as const),
    [
      'memory resource limit alarm set on node rabbit@a.',
      'disk resource limit alarm set on node rabbit@a.',
      'Disk free space insufficient. Free bytes: 31',
      'Free disk space is insufficient. Free bytes: 31. Limit: 50000000',
    ],
    ['memory resource limit alarm cleared', 'disk free limit set to 50MB', 'disk space insufficient'],
  ],
  'elasticsearch-shards': [
    ...(['infra', 'failover'] as const),
    [
      'master_not_discovered_exception',
      'unavailable_shards_exception',
      'no_shard_available_action_exception',
      '[sales][0] primary shard is not active, wait operation timed out',
    ],
    ['the primary shard is active', 'master discovered'],
  ],
  'cassandra-replicas': [
    ...(['infra', 'failover'] as const),
    [
      'Not enough replicas available for query at consistency QUORUM (2 required but only 1 alive)',
      'Cannot achieve consistency level QUORUM',
      'NoHostAvailable: unable to complete the operation',
      'com.datastax.driver.core.exceptions.NoHostAvailableException',
    ],
    ['replicas available: 3', 'consistency level QUORUM'],
  ],
  'kafka-replicas': [
    ...(['infra', 'failover'] as const),
    ['NOT_ENOUGH_REPLICAS', 'NotEnoughReplicasException', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
    ['enough replicas'],
  ],
  'kms-key': [
    ...(['config', 'revert_config'] as const),
    [
      'KMSInvalidStateException: the state',
      'KmsKeyDisabledException',
      'KMS.DisabledException: the key is disabled',
      'arn:aws:kms:eu-west-1:1:key/abc-123 is pending deletion.',
    ],
    ['the keyboard is pending deletion', 'kms key created'],
  ],
  'aws-no-capacity': [
    ...(['capacity', 'scale'] as const),
    [
      'InsufficientInstanceCapacity',
      'VcpuLimitExceeded',
      'InstanceLimitExceeded',
      'Reason: ReservedFunctionConcurrentInvocationLimitExceeded',
      'ConcurrentInvocationLimitExceeded',
    ],
    ['InvalidInstanceID.NotFound'],
  ],
  'aws-expired-token': [
    ...(['certificate', 'rotate'] as const),
    ['ExpiredToken', 'ExpiredTokenException', 'The security token included in the request is expired'],
    ['ExpiredTokens', 'The security token included in the request is invalid'],
  ],
  'bearer-expired': [
    ...(['certificate', 'rotate'] as const),
    [
      'The access token expired',
      'token has expired',
      'bearer token is expired',
      'jwt expired',
      'TokenExpiredError: x',
    ],
    ['the token', 'jwt issued', 'the offer expired'],
  ],
  'nobody-listens': [
    ...(['infra', 'escalate'] as const),
    [
      'connect ECONNREFUSED 10.0.0.7:25',
      'dial tcp: connection refused',
      'the target machine actively refused it',
    ],
    ['connection reset', 'payment refused'],
  ],
  'postgresql-not-ready': [
    ...(['infra', 'escalate'] as const),
    [
      'the database system is starting up',
      'the database system is shutting down',
      'the database system is in recovery mode',
      'the database system is not yet accepting connections',
      'terminating connection due to administrator command',
      'terminating connection due to crash of another server process',
      'SQLSTATE 57P01',
      'SQLSTATE 57P02',
      'SQLSTATE 57P03',
    ],
    ['database system is ready to accept connections', 'terminating connection due to idle timeout', '57P04'],
  ],
  'mysql-not-ready': [
    ...(['infra', 'escalate'] as const),
    [
      'Server shutdown in progress',
      'Lost connection to MySQL server during query',
      'MySQL server has gone away',
    ],
    ['MySQL server has started'],
  ],
  'redis-not-ready': [
    ...(['infra', 'escalate'] as const),
    [
      'CLUSTERDOWN Hash slot not served',
      'MASTERDOWN Link with MASTER is down',
      'LOADING Redis is loading the dataset in memory',
    ],
    ['clusterdowntime', 'loading the dataset'],
  ],
  'mongodb-no-primary': [
    ...(['infra', 'escalate'] as const),
    [
      'NotWritablePrimary',
      'PrimarySteppedDown',
      'no primary found',
      'no primary available',
      'no primary server available',
    ],
    ['no primary key', 'primary elected'],
  ],
  'kafka-no-leader': [
    ...(['infra', 'escalate'] as const),
    ['NOT_LEADER_OR_FOLLOWER', 'LEADER_NOT_AVAILABLE', 'BROKER_NOT_AVAILABLE'],
    ['leader available'],
  ],
  unreachable: [
    ...(['network', 'escalate'] as const),
    ['connect EHOSTUNREACH 10.0.0.7', 'ENETUNREACH', 'No route to host', 'Network is unreachable'],
    ['route to host', 'the page is unreachable'],
  ],
  'postgresql-slots': [
    ...(['capacity', 'scale'] as const),
    [
      'remaining connection slots are reserved for superusers',
      'sorry, too many clients already',
      'SQLSTATE 53300',
    ],
    ['533001', 'connection slots'],
  ],
  'mysql-connections': [
    ...(['capacity', 'scale'] as const),
    ['ER_CON_COUNT_ERROR', 'ERROR 1040', 'Too many connections'],
    ['ERROR 1045', 'many connections'],
  ],
  'grpc-exhausted': [
    ...(['capacity', 'scale'] as const),
    ['RESOURCE_EXHAUSTED', 'code = ResourceExhausted', 'code=ResourceExhausted'],
    ['code = Unavailable'],
  ],
  'aws-throttled': [
    ...(['capacity', 'scale'] as const),
    [
      'ThrottlingException',
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'ServiceQuotaExceededException',
    ],
    ['ConditionalCheckFailedException'],
  ],
  'postgresql-refuses-login': [
    ...(['config', 'rotate'] as const),
    ['password authentication failed for user "a"', 'SQLSTATE 28P01'],
    ['authentication failed', '28P011'],
  ],
  'mysql-refuses-login': [
    ...(['config', 'rotate'] as const),
    ["Access denied for user 'a'@'10.0.0.7'", 'ER_ACCESS_DENIED_ERROR', 'ERROR 1045 (28000)'],
    ["Access denied for user 'a'", 'ERROR 1040'],
  ],
  'redis-refuses-login': [
    ...(['config', 'rotate'] as const),
    ['WRONGPASS invalid username-password pair', 'NOAUTH Authentication required.'],
    ['authentication required'],
  ],
  'postgresql-disk-full': [
    ...(['capacity', 'scale'] as const),
    [
      'could not extend file "base/1": No space left on device',
      'could not write to file "pg_wal/x": No space left on device',
      'could not write block 7 of relation 1: No space left on device',
      'SQLSTATE 53100',
    ],
    ['could not extend file "base/1": Permission denied', '531001'],
  ],
  'mysql-table-full': [
    ...(['capacity', 'scale'] as const),
    ["The table 'orders' is full", 'ERROR 1114'],
    ['the table is full', 'ERROR 1115'],
  ],
  'kernel-used-up': [
    ...(['capacity', 'scale'] as const),
    [
      'write: ENOSPC',
      'No space left on device',
      'accept: EMFILE',
      'Too many open files',
      'fork: ENOMEM',
      'Cannot allocate memory',
      'Disk quota exceeded',
    ],
    ['open files', 'EPIPE', 'allocate memory'],
  ],
  'redis-memory': [
    ...(['capacity', 'scale'] as const),
    ["OOM command not allowed when used memory > 'maxmemory'."],
    ['command not allowed'],
  ],
  'google-quota': [
    ...(['capacity', 'scale'] as const),
    [
      "Quota exceeded for quota metric 'Reads'",
      "Quota limit 'Reads per day' exceeded",
      "Quota metric 'Reads' has been exceeded",
      'You exceeded your current quota',
      'exceeded the daily quota',
      'exceeded your quota',
    ],
    ['the quota is 100', 'exceeded the time'],
  ],
  'postgresql-data': [
    ...(['data', 'clean_data'] as const),
    [
      'invalid byte sequence for encoding "UTF8"',
      'invalid input syntax for type integer',
      'value too long for type character varying(9)',
      'SQLSTATE 22021',
      'SQLSTATE 22P02',
      'SQLSTATE 22001',
      'SQLSTATE 22003',
    ],
    ['invalid byte', '22005', '220211'],
  ],
  'mysql-data': [
    ...(['data', 'clean_data'] as const),
    [
      'Incorrect string value: \\xF0',
      "Data too long for column 'note'",
      "Out of range value for column 'total'",
    ],
    ['incorrect string', 'column note'],
  ],
  'json-parse': [
    ...(['data', 'clean_data'] as const),
    [
      'Unexpected token < in JSON at position 0',
      '"x" is not valid JSON',
      'Unexpected end of JSON input',
      'json.decoder.JSONDecodeError: x',
    ],
    ['unexpected token', 'valid JSON'],
  ],
  'kafka-deserialize': [
    ...(['data', 'clean_data'] as const),
    ['RecordDeserializationException: x', 'SerializationException: x', 'Error deserializing key/value'],
    ['deserialized'],
  ],
  'postgresql-read-only': [
    'infra',
    'failover',
    [
      'ERROR: cannot execute INSERT in a read-only transaction',
      'cannot execute CREATE TABLE in a read-only transaction',
    ],
    ['the transaction is read-only'],
  ],
  'postgresql-damaged': [
    'data',
    'failover',
    [
      'ERROR: invalid page in block 7 of relation base/16384/24576',
      'could not read block 7 in file "base/1"',
      'could not access status of transaction 1104',
    ],
    ['the page is invalid', 'could not read the file'],
  ],
  'mysql-galera': [
    'infra',
    'failover',
    ['ERROR 1047 (08S01): WSREP has not yet prepared node for application use'],
    ['WSREP: node is synced'],
  ],
  'mongodb-selection': [
    'infra',
    'failover',
    [
      'MongoServerSelectionError: connection <monitor> to 10.0.3.7:27017 closed',
      'pymongo.errors.ServerSelectionTimeoutError: stock-db:27017',
      'No suitable servers found',
    ],
    ['server selection took 3 ms'],
  ],
  'redis-replicas': [
    'infra',
    'failover',
    ['NOREPLICAS Not enough good replicas to write.'],
    ['enough good replicas'],
  ],
  'kafka-storage': [
    'infra',
    'failover',
    ['KAFKA_STORAGE_ERROR', 'org.apache.kafka.common.errors.KafkaStorageException: Disk error'],
    ['kafka storage is at 40 %'],
  ],
  'kafka-coordinator': [
    'infra',
    'escalate',
    [
      'NOT_COORDINATOR',
      'NotCoordinatorException: This is not the correct coordinator.',
      'COORDINATOR_NOT_AVAILABLE',
      'CoordinatorNotAvailableException',
      'The coordinator is not available.',
    ],
    ['the coordinator is available'],
  ],
  'kafka-large': [
    'data',
    'clean_data',
    [
      'org.apache.kafka.common.errors.RecordTooLargeException: The message is 1404032 bytes',
      'MESSAGE_TOO_LARGE',
    ],
    ['the message is large'],
  ],
  'rabbitmq-split': [
    'network',
    'escalate',
    [
      'Mnesia(rabbit@a): ** ERROR ** mnesia_event got {inconsistent_database, running_partitioned_network, rabbit@b}',
      'Mnesia on rabbit@a sees a partitioned network',
    ],
    ['mnesia: loaded 40 tables'],
  ],
  'vault-sealed': [
    'infra',
    'escalate',
    ['* Vault is sealed', 'local node not active but active cluster node not found'],
    ['the vault is unsealed'],
  ],
  'coredns-errors': [
    'dns',
    'escalate',
    [
      '[ERROR] plugin/errors: 2 stock.shop.svc. A: read udp 10.0.0.3:41->10.0.0.2:53: i/o timeout',
      '[FATAL] plugin/loop: Loop (127.0.0.1:41 -> :53) detected for zone "."',
    ],
    ['[INFO] plugin/reload: Running configuration'],
  ],
  'envoy-unhealthy': [
    'infra',
    'escalate',
    ['503 no healthy upstream', 'no_healthy_upstream'],
    ['the upstream is healthy'],
  ],
  'envoy-overflow': [
    'capacity',
    'scale',
    [
      'upstream connect error or disconnect/reset before headers. reset reason: overflow',
      'upstream_reset_before_response_started{overflow}',
    ],
    ['reset reason: remote reset'],
  ],
  'envoy-route': [
    'config',
    'revert_config',
    ['404 NR route_not_found', '503 NC cluster_not_found'],
    ['route 7 not found in the list'],
  ],
  'nginx-upstreams': [
    'infra',
    'escalate',
    ['no live upstreams while connecting to upstream'],
    ['3 live upstreams'],
  ],
  'nginx-limits': [
    'traffic',
    'scale',
    [
      'limiting requests, excess: 80.4 by zone "perip", client: 203.0.113.7',
      'limiting connections by zone "addr"',
      'delaying request, excess: 1.2, by zone "perip"',
    ],
    ['limiting requests to 3'],
  ],
  'haproxy-servers': [
    'infra',
    'escalate',
    ["backend 'stock' has no server available!"],
    ['backend stock has 3 servers available'],
  ],
  'kernel-nfs': [
    'infra',
    'escalate',
    [
      'nfs: server filer-1 not responding, still trying',
      'Stale NFS file handle',
      'ESTALE: stale file handle, open',
    ],
    ['nfs: server filer-1 OK', 'stale handle'],
  ],
  'kernel-link': [
    'network',
    'reschedule',
    [
      'bond0: link is down',
      'ena 0000:00:05.0 eth0: NIC Link is Down',
      'e1000e: eth1 NIC Link is Down',
      'NETDEV WATCHDOG: eth0 (ena): transmit queue 0 timed out',
    ],
    ['eth0: Link is Up', 'the link is down', 'enough link is down'],
  ],
  'clock-chrony': [
    'infra',
    'escalate',
    [
      'System clock wrong by 331.205 seconds',
      'System clock was stepped by 331.2 seconds',
      "Can't synchronise: no selectable sources",
      "Can't synchronize: no majority",
    ],
    ['system clock TAI offset set to 37 seconds', 'System clock was stepped by -0.000012 seconds'],
  ],
  'oidc-keys': [
    'config',
    'rotate',
    [
      "Unable to find a signing key that matches: 'k7'",
      'JWKSNoMatchingKey: no applicable key found in the JSON Web Key Set',
    ],
    ['the signing key matches'],
  ],
  'tls-peer': [
    'certificate',
    'rotate',
    [
      'tlsv1 alert unknown ca',
      'sslv3 alert bad certificate',
      '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed',
    ],
    ['the ca is unknown'],
  ],
  'tls-versions': [
    'config',
    'revert_config',
    [
      'sslv3 alert handshake failure',
      'tlsv1 alert protocol version',
      'SSL routines:ssl3_get_record:wrong version number',
      'no shared cipher',
      'no cipher suites in common',
    ],
    ['the protocol version is 3'],
  ],
  'aws-denied': [
    'config',
    'revert_config',
    [
      'AccessDeniedException: User: arn:aws:sts::1:assumed-role/a is not authorized to perform: sqs:SendMessage',
      'with an explicit deny in a service control policy',
    ],
    ['is authorized to perform'],
  ],
  'aws-addresses': [
    'capacity',
    'scale',
    ['InsufficientFreeAddressesInSubnet', 'SubnetIPAddressLimitReachedException', 'ENILimitReachedException'],
    ['the subnet has 40 free addresses'],
  ],
  'google-denied': [
    'config',
    'revert_config',
    [
      "Permission 'storage.objects.get' denied on resource",
      'stock@shop.iam does not have storage.objects.get access to the Google Cloud Storage object.',
    ],
    [
      'permission granted on resource',
      'Permission was denied on page 3',
      'stock does not have root access to a',
    ],
  ],
  'google-no-capacity': [
    'capacity',
    'scale',
    [
      'ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS',
      "The zone 'a' does not have enough resources available to fulfill the request.",
    ],
    ['resources available'],
  ],
  'azure-denied': [
    'config',
    'revert_config',
    ['AuthorizationFailed', "The client 'a' does not have authorization to perform action 'b'"],
    ['authorization succeeded'],
  ],
  'azure-no-capacity': [
    'capacity',
    'scale',
    [
      'AllocationFailed',
      'ZonalAllocationFailed',
      'ConstrainedAllocationFailed',
      'OverconstrainedAllocationRequest',
      'OverconstrainedZonalAllocationRequest',
      'SkuNotAvailable',
    ],
    ['allocation of memory failed'],
  ],
  'sqlserver-full': [
    'capacity',
    'scale',
    [
      "The transaction log for database 'stock' is full due to 'LOG_BACKUP'.",
      "Could not allocate space for object 'dbo.orders' in database 'stock'",
      "Could not allocate a new page for database 'stock'",
    ],
    ['the log is full of errors'],
  ],
  'oracle-full': [
    'capacity',
    'scale',
    [
      'ORA-00257: Archiver error. Connect AS SYSDBA only until resolved.',
      'ORA-01653: unable to extend table',
      'ORA-01654: unable to extend index',
      'ORA-19809: limit exceeded for recovery files',
    ],
    ['ORA-01403: no data found'],
  ],
  'oracle-sessions': [
    'capacity',
    'scale',
    [
      'ORA-00018: maximum number of sessions exceeded',
      'ORA-00020: maximum number of processes (300) exceeded',
      'ORA-12516',
      'ORA-12519: TNS:no appropriate service handler found',
      'ORA-12520',
    ],
    ['ORA-12545'],
  ],
  'oracle-not-ready': [
    'infra',
    'escalate',
    [
      'ORA-01033: ORACLE initialization or shutdown in progress',
      'ORA-01034: ORACLE not available',
      'ORA-01089',
      'ORA-12514',
      'ORA-12528',
    ],
    ['ORA-01017'],
  ],
  'twilio-suspended': [
    'provider',
    'escalate',
    [
      'Account suspended',
      'account is suspended',
      'account has been suspended',
      'account was suspended',
      'Account is not active',
    ],
    ['the session is suspended', 'an active account'],
  ],
  'keystone-disabled': [
    'provider',
    'escalate',
    ['Project is disabled: hosting-3', 'Domain is disabled: default (HTTP 401)'],
    ['the project is disabled', 'project-disabled: false'],
  ],
  'google-suspended': [
    'provider',
    'escalate',
    ['CONSUMER_SUSPENDED', 'reason: GCP_SUSPENDED', 'BILLING_DISABLED'],
    ['consumer was suspended', 'billing is not disabled'],
  ],
  'openai-quota': [
    'capacity',
    'scale',
    ['insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.'],
    ['quota'],
  ],
  'github-limit': [
    'capacity',
    'scale',
    ['API rate limit exceeded for installation ID 7', 'You have exceeded a secondary rate limit'],
    ['the rate limit is 5000'],
  ],
  'postgresql-io': [
    'infra',
    'failover',
    [
      'FATAL: could not open file "global/pg_filenode.map": Input/output error',
      'ERROR:  could not read block 12 in file "base/16384/2619": Input/output error',
      'PANIC:  could not fsync file "pg_wal/000000010000000000000001": Input/output error',
      'ERROR: could not extend file "base/16384/2619": Read-only file system',
    ],
    [
      'could not open file "global/pg_filenode.map": No such file or directory',
      'write /var/lib/stock/queue: Input/output error',
    ],
  ],
  'docker-limit': [
    'capacity',
    'scale',
    [
      'toomanyrequests: You have reached your pull rate limit.',
      'reached your unauthenticated pull rate limit',
    ],
    ['pulled 3 images'],
  ],
}

describe('the answers of public systems', () => {
  it.each(Object.entries(SAID))(
    '%s is known in every spelling, and told from what sounds alike',
    (id, row) => {
      const [kind, action, says, others] = row
      const answer = SYSTEM_ANSWERS.find((one) => one.id === id)
      expect(answer).toMatchObject({ kind, action })
      for (const text of says) {
        expect(text).toMatch(answer?.pattern as RegExp)
        expect(isAnswerOf(kind, `stock: ${text}`)).toBe(true)
      }
      for (const text of others) expect(text).not.toMatch(answer?.pattern as RegExp)
    },
  )

  it('each name a kind, what to do and where the vendor documents it, and stand in the table once', () => {
    for (const { id, kind, action, what } of SYSTEM_ANSWERS) {
      expect(CAUSE_KINDS).toContain(kind)
      expect(REMEDIATION_ACTIONS).toContain(action)
      expect(what).toMatch(/^(a|an|connections|credentials|data)\b/)
      expect(ANSWER_PAGES[id]).toMatch(/^https:\/\/\S+$/)
    }
    expect(new Set(SYSTEM_ANSWERS.map(({ id }) => id)).size).toBe(SYSTEM_ANSWERS.length)
    expect(Object.keys(ANSWER_PAGES)).toHaveLength(SYSTEM_ANSWERS.length)
  })

  it('tell of who quotes them where what is local ran out or fails there, and of whom was called elsewhere', () => {
    const own = SYSTEM_ANSWERS.filter((answer) => answer.is_own === true).map(({ id }) => id)
    for (const id of [
      ...['oauth-grant-ended', 'aws-expired-token', 'ports-used-up', 'kernel-read-only', 'clock-aws'],
      ...[
        'clock-tokens',
        'clock-kerberos',
        'password-expired',
        'threads-used-up',
        'conntrack-full',
        'kernel-link',
        'clock-chrony',
        'calendar',
      ],
    ])
      expect(own).toContain(id)
    for (const id of ['getaddrinfo', 'nobody-listens', 'redis-clients', 'openssl-expired', 'key-revoked'])
      expect(own).not.toContain(id)
    for (const answer of SYSTEM_ANSWERS)
      if (!own.includes(answer.id)) expect(answer).not.toHaveProperty('is_own')
  })

  it.each([
    [
      'mysql-refuses-login',
      "Access denied for user 'shop'@'10.0.0.7'",
      "Access denied for user ''@'10.0.0.7'",
    ],
    ['json-parse', `Unexpected token 'o', "not json" in JSON`, 'Unexpected token < in JSON'],
    [
      'postgresql-wraparound',
      'database is not accepting commands that assign new XIDs to avoid wraparound data loss',
      'database "shop" must be vacuumed within 177009986 transactions',
    ],
    ['kernel-read-only', 'Read-only filesystem', 'Read-only file system'],
    [
      'redis-read-only',
      "READONLY You can't write against a read only replica.",
      'READONLY You cant write against a read only replica',
    ],
    ['zookeeper-session', 'ZooKeeper: the session has expired', 'zookeeper session expired'],
    [
      'clock-aws',
      'Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z',
      'Signature not yet current: 20260101T000500Z is later than 20260101T000000Z',
    ],
    [
      'clock-tokens',
      'Token used before issued',
      'token was used before issued',
      'the iat claim is too far in the future',
    ],
    [
      ...['licence-expired', 'License has expired', 'licence is expired', 'license expired'],
      ...['license key expired', 'the licence key has expired', 'an expired license', 'an expired licence'],
    ],
    [
      ...['key-revoked', 'api key revoked', 'api_key was disabled', 'API key has been revoked'],
      'InvalidClientTokenId: The security token included in the request is invalid',
    ],
    ['tls-name', 'subject alternative DNS name: no match'],
    [
      'aws-throttled',
      'TooManyRequestsException',
      'The level of configured provisioned throughput was exceeded',
    ],
    [
      'elasticsearch-load',
      '[parent] Data too large, data for [<http_request>] would be larger than the limit',
    ],
    ['elasticsearch-shards', 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized]'],
    ['postgresql-data', 'value "2147483648" is out of range for type integer'],
    ['kms-key', 'The ciphertext refers to a customer master key that does not exist'],
    ['rabbitmq-alarm', 'connection.blocked: low on memory', 'low on disk'],
    ['kernel-tables', 'TCP: too many orphaned sockets', 'ENOBUFS', 'sendto: No buffer space available'],
    ['kernel-hung-task', 'nvme0: I/O 7 QID 2 timeout, aborting', 'nvme1: controller is down; will reset'],
  ])('of %s are known in every spelling', (id, ...spellings) => {
    const answer = SYSTEM_ANSWERS.find((one) => one.id === id)
    for (const text of spellings) expect([text, answer?.pattern.test(text)]).toEqual([text, true])
  })

  it('do not take a token that ended for a key that was revoked', () => {
    const ended = 'InvalidClientTokenId: The security token included in the request is expired'
    expect(SYSTEM_ANSWERS.find(({ id }) => id === 'key-revoked')?.pattern.test(ended)).toBe(false)
  })

  it('are of their own kind alone', () => {
    expect(isAnswerOf('dns', 'connect ECONNREFUSED 10.0.0.7:25')).toBe(false)
    expect(isAnswerOf('infra', 'answered 503')).toBe(false)
    for (const text of ['the request timed out', 'answered 500', 'answered 503', ''])
      for (const kind of CAUSE_KINDS) expect(isAnswerOf(kind, text)).toBe(false)
  })
})
