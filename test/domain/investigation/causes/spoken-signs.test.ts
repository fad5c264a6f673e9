import { describe, expect, it } from 'vitest'
import { SPOKEN_PAGES } from '#shared/domain/investigation/causes/spoken-pages.ts'
import { SPOKEN_SIGNS, type Spoken, wordsFor } from '#shared/domain/investigation/causes/spoken-signs.ts'

/** What each of them may say, as its vendor words it, and what sounds alike and says something else. */
const SAID: Readonly<Record<string, readonly [says: string, other: string]>> = {
  'openssl-dates': [
    'error 10 at 0 depth lookup: certificate has expired',
    'the certificate expires in 60 days',
  ],
  'nodejs-expired': ["{ code: 'CERT_HAS_EXPIRED' }", "{ code: 'CERT_REJECTED' }"],
  'go-x509-expired': [
    'remote error: x509: it is expired or not yet valid',
    'x509: certificate is valid for a.test, not b.test',
  ],
  'firefox-expired': ['SEC_ERROR_EXPIRED_CERTIFICATE', 'SEC_ERROR_UNKNOWN_ISSUER'],
  'watched-expiry': ['Certificate expiry of shop.example in 0 h', 'certificate issued'],
  'getaddrinfo-words': ['getaddrinfo ENOTFOUND mail.internal', 'connect ECONNREFUSED 10.0.0.7:25'],
  'libcurl-resolve': ['curl: (6) Could not resolve host: mail.internal', 'curl: (28) Operation timed out'],
  'dns-codes': ['resolver answered NXDOMAIN', 'resolver answered NOERROR'],
  'go-lookup': ['dial tcp: lookup mail on 10.0.0.2:53: no such host', 'dial tcp 10.0.0.7:25: i/o timeout'],
  'grpc-resolver': ['name resolver error: produced zero addresses', 'name of the caller: orders'],
  'java-unknown-host': ['java.net.UnknownHostException: mail', 'java.net.ConnectException: mail'],
  'cluster-dns': ['DNS lookup took 5 s', 'the DNS of the cluster was upgraded'],
  'node-conditions': ['Node pool-1-a status is now: NodeNotReady', 'Node pool-1-a status is now: NodeReady'],
  'kubernetes-eviction': ['The node was low on resource: memory. Evicted', 'Scheduled to pool-1-a'],
  'kubernetes-drain': ['node pool-1-a cordoned', 'node pool-1-a added'],
  'ec2-spot': ['EC2 Spot Interruption Warning', 'Spot request fulfilled'],
  'noisy-neighbour': ['a noisy neighbor on the same host', 'a quiet hour'],
  'stolen-time': ['steal time 34 %', 'idle time 34 %'],
  'ec2-retirement': ['the host is scheduled to be retired', 'the host was started'],
  'kernel-bug': ['Kernel panic - not syncing', 'kernel 6.12 booted'],
  'container-throttled': ['cpu quota: throttling container', 'starting container'],
  'errno-network': ['connect: no route to host', 'connect: operation in progress'],
  tcp: ['TCP retransmission 12 %', 'TCP keepalive set'],
  'go-io-timeout': ['read tcp 10.0.0.1:1->10.0.0.2:2: i/o timeout', 'read tcp: EOF'],
  'rabbitmq-partition': ['Network partition detected between nodes', 'table partition created'],
  bgp: ['BGP session to the peer ended', 'a link to the page'],
  'aws-zone': ['increased error rates in one Availability Zone', 'the zone file was read'],
  'nat-gateway': ['ErrorPortAllocation of the NAT gateway', 'the gateway answered'],
  'dynamodb-throttled': ['ProvisionedThroughputExceededException', 'ConditionalCheckFailedException'],
  'rds-storage': ['DB instance ran out of storage', 'DB instance storage was extended'],
  'postgresql-checkpoints': [
    'LOG: checkpoints are occurring too frequently (9 seconds apart)',
    'LOG: checkpoint complete',
  ],
  'postgresql-connections': ['FATAL: sorry, too many clients already', 'FATAL: role "a" does not exist'],
  'mysql-connections': ['ERROR 1040 (08004): Too many connections', 'ERROR 1045 (28000): Access denied'],
  'http-429': ['upstream answered 429', 'upstream answered 418'],
  'aws-quotas': ['VcpuLimitExceeded: limit exceeded', 'the limit is 100'],
  'io-wait': ['high I/O wait on the volume', 'idle, waiting for work'],
  'out-of-memory': ['Last state: OOMKilled', 'Last state: Completed'],
  'errno-disk': ['write: ENOSPC', 'write: EPIPE'],
  'connection-pools': [
    'HikariPool-1 - Connection is not available, request timed out after 30000ms',
    'HikariPool-1 - Start completed.',
  ],
  'worker-pools': ['server reached pm.max_children setting (50)', '5 of 12 workers busy'],
  exhaustion: ['the pool is exhausted', 'the pool has 3 idle members'],
  'postgresql-data': ['ERROR: duplicate key value', 'ERROR: canceling statement'],
  'poison-message': ['moved a poison message aside', 'moved a message aside'],
  'json-words': ['Unexpected end of JSON input', 'end of file'],
  checksums: ['page verification failed, calculated checksum 1 but expected 2', 'page written'],
  'hot-partition': ['one hot partition takes 90 % of the reads', 'the partition takes reads'],
  'kafka-size': ['the message is too large', 'the message is old'],
  'rds-failed': [
    'The DB instance has failed due to an incompatible configuration or an underlying storage issue.',
    'The DB instance has failed over to its standby',
  ],
  'rds-failover': ['Multi-AZ instance failover started', 'instance created'],
  'mongodb-primary': ['NotWritablePrimary: not primary', 'primary elected'],
  'kafka-leader': ['there is no leader for this topic', 'the leader answered'],
  'postgresql-replica': ['cannot execute INSERT in a read-only transaction', 'transaction committed'],
  'amqp-redelivered': ['basic.deliver redelivered=true', 'basic.deliver of a new message'],
  'jms-redelivered': ['message 7 was delivered 4 times', 'message 7 was delivered'],
  'sqs-receive-count': ['ApproximateReceiveCount of the message is 9', 'received 9 messages'],
  'dead-letter': ['moved to the dead-letter queue', 'moved to the outgoing queue'],
  'java-unreadable': ['java.time.format.DateTimeParseException: Text', 'java.io.IOException: Text'],
  'python-unreadable': ["ValueError: invalid literal for int() with base 10: 'x'", 'KeyError: 7'],
  'go-unreadable': ['strconv.Atoi: parsing "12,5": invalid syntax', 'context deadline exceeded'],
  'javascript-unreadable': ['URIError: URI malformed', 'Error: socket hang up'],
  'dotnet-unreadable': ['The input string was not in a correct format.', 'The operation was canceled.'],
  'protobuf-unreadable': ['InvalidProtocolBufferException: wrong wire type', 'message encoded'],
  'nodejs-crash': ['[UnhandledPromiseRejection: reason', 'a rejection was handled'],
  'java-crash': ['Exception in thread "worker-3" java.lang.Error', 'thread "worker-3" started'],
  'go-crash': ['panic: runtime error: index out of range', 'no reason to be alarmed'],
  'signal-crash': ['Segmentation fault (core dumped)', 'signal handler installed'],
  'fatal-signals': ['received SIGBUS', 'received SIGTERM'],
  'exit-codes': ['exited with code 139', 'exited with code 137'],
  'cpp-terminate': ['terminate called without an active exception', 'terminate was asked for'],
  'java-fatal': ['# A fatal error has been detected by the Java Runtime Environment:', 'java started'],
  'go-fatal': ['fatal error: concurrent map writes', 'fatal error: runtime: out of memory'],
  'windows-fatal': ['Unhandled exception: 0xC0000005', 'handled exception 0x80000003'],
  'rust-crash': ["thread 'main' panicked at src/main.rs:4:5", "thread 'main' started"],
  'python-crash': ['Traceback (most recent call last):', 'trace sampled'],
  'postgresql-locks': [
    'process 31 still waiting for ShareLock on transaction 7 after 1000.2 ms',
    'process 31 acquired ShareLock on transaction 7',
  ],
  'mysql-locks': [
    'ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction',
    'ERROR 1064 (42000): You have an error in your SQL syntax',
  ],
  'sqlserver-locks': [
    'was deadlocked on lock resources and has been chosen as the deadlock victim',
    'the index was locked down',
  ],
  'oracle-locks': [
    'ORA-00060: deadlock detected while waiting for resource',
    'ORA-00942: table or view does not exist',
  ],
  'mongodb-locks': ['WriteConflict error: this operation conflicted', 'lock acquired'],
  'sqlite-locks': ['SQLITE_BUSY: database is locked', 'database is open'],
  'dynamodb-conflicts': [
    'TransactionConflictException: Transaction is ongoing for the item',
    'ConditionalCheckFailedException',
  ],
  'postgresql-slow': ['LOG:  duration: 5666.551 ms  execute <unnamed>: SELECT 1', 'the duration: 5 min'],
  'postgresql-statistics': [
    'automatic analyze of table "app.public.orders" system usage: CPU: user: 2.14 s',
    'analyze of the results',
  ],
  'postgresql-given-up': [
    'ERROR:  canceling statement due to statement timeout',
    'ERROR:  canceling statement due to user request',
  ],
  'mysql-slow': [
    '# Query_time: 12.5  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 9000000',
    'the query is timed',
  ],
  'mongodb-slow': ['Slow query planSummary: COLLSCAN docsExamined: 900000', 'planSummaries of the year'],
  'redis-slow': ['BUSY Redis is busy running a script. You can only call SCRIPT KILL', 'Redis is ready'],
  'elasticsearch-slow': [
    '[index.search.slowlog.query] took[9.2s], took_millis[9200]',
    '[index.search] started',
  ],
  'cassandra-slow': ['Read 50 live rows and 90000 tombstone cells for query', 'Read 50 live rows'],
  'oracle-slow': ['ORA-01555: snapshot too old', 'ORA-01017: invalid username'],
  'http-gone': ['upstream answered HTTP/1.1 410 Gone', 'upstream answered HTTP/1.1 404 Not Found'],
  'sunset-header': ['Sunset: Sat, 31 Dec 2026 23:59:59 GMT', 'the sunset of 2026'],
  'deprecation-header': ['Deprecation: @1688169599', 'deprecations are listed'],
  'azure-versions': ['UnsupportedApiVersion: use another', 'the version of the api is 3'],
  'ended-words': ['v1 is no longer served, use v3', 'v1 is served'],
  'openai-models': ['{"code":"model_not_found"}', 'the model was loaded'],
  'kubernetes-versions': [
    'no matches for kind "Ingress" in version "extensions/v1beta1"',
    'no matches for the label',
  ],
  'kubelet-conditions': [
    'SystemOOM: System OOM encountered, victim process: api',
    'InvalidDiskCapacity: invalid capacity 0 on image filesystem',
  ],
  'ec2-checks': ['EC2 Instance Rebalance Recommendation', 'instance status check passed'],
  'aws-health': ['AWS_EC2_OPERATIONAL_ISSUE', 'AWS_EC2_BILLING_NOTICE'],
  'elasticache-events': ['ElastiCache:CacheNodeReplaceStarted', 'ElastiCache:SnapshotComplete'],
  'kubernetes-lease': ['leaderelection lost', 'leader elected'],
  'lease-words': ['this replica is not the leader, waiting', 'this replica is the leader'],
  'kafka-poll': [
    'leaving since consumer poll timeout has expired.',
    'Member c-1-f17d sending LeaveGroup request to coordinator due to the consumer is being closed',
  ],
  'java-stuck': ['Thread "http-nio-8080-exec-4" (id=31) has been active for 61,000 ms', 'thread started'],
  'dotnet-starved': ['ThreadPool starvation detected', 'ThreadPool started'],
  'rabbitmq-member': ["rabbit on node 'rabbit@letters-2' down", "rabbit on node 'rabbit@letters-2' up"],
  'elasticsearch-member': [
    'node-left[{es-2}{7Yx} reason: disconnected], term: 4, version: 811',
    'node-join[{es-2}{7Yx}]',
  ],
  'redis-member': ['Marking node 4f1c as failing (quorum reached).', 'Cluster state changed: ok'],
  'cassandra-member': ['InetAddress /10.0.0.7:7000 is now DOWN', 'InetAddress /10.0.0.7:7000 is now UP'],
  'mongodb-member': [
    'Member mongo-2:27017 is now in state DOWN',
    'Member mongo-2:27017 is now in state SECONDARY',
  ],
  'etcd-member': ['lost the TCP streaming connection with peer 8e9e05c5', 'established with peer 8e9e05c5'],
  'serf-member': [
    'memberlist: Suspect store-3 has failed, no acks received',
    'memberlist: Initiating push/pull',
  ],
  'galera-member': [
    'WSREP: view(view_id(NON-PRIM,8f2)): Non-primary configuration',
    'WSREP: Synced with group',
  ],
  'probed-member': ['letters: letters-2 does not answer its probe', 'the probe was added'],
  'java-blocked': [
    '"http-7" #41 BLOCKED (on object monitor) - waiting to lock <0x00000007aab1> (a java.util.TreeMap)',
    '"http-7" #41 RUNNABLE - locked <0x00000007aab1> (a java.util.TreeMap)',
  ],
  'go-blocked': ['goroutine 31 [semacquire, 4 minutes]:', 'goroutine 31 [IO wait, 4 minutes]:'],
  'vertx-blocked': [
    'Thread Thread[vert.x-eventloop-thread-0,5,main] has been blocked for 5021 ms, time limit is 2000 ms',
    'the account has been blocked for 3 days',
  ],
  'hikari-starved': [
    'HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=1m3s).',
    'HikariPool-1 - Start completed.',
  ],
  'ruby-deadlock': [
    'fatal: No live threads left. Deadlock?',
    'deadlock detected while waiting for ShareLock',
  ],
  'quartz-misfires': [
    'Handling 20 trigger(s) that missed their scheduled fire-time.',
    'Found 0 triggers that missed their scheduled fire-time.',
  ],
  'etcd-quorum': ['quorum lost: 1 of 3 members', 'quorum of 3 members'],
}

describe('the words of public systems', () => {
  it.each(SPOKEN_SIGNS.map((row) => [row.id, row] as const))(
    '%s are documented by their vendor, and are told from what sounds alike',
    (id, { of, pattern }) => {
      expect(SPOKEN_PAGES[id]).toMatch(/^https:\/\/\S+$/)
      const [says, other] = SAID[id] ?? ['', '']
      const own = new RegExp(pattern.source, 'i')
      expect(says).toMatch(own)
      expect(other).not.toMatch(own)
      expect(says).toMatch(wordsFor(of))
    },
  )

  it('each stand in the table once', () => {
    expect(SPOKEN_SIGNS.map(({ id }) => id).sort()).toEqual(Object.keys(SAID).sort())
    expect(Object.keys(SPOKEN_PAGES).sort()).toEqual(Object.keys(SAID).sort())
  })
})

/** Further spellings of the same, as they are met. */
const SPELLED: Readonly<Record<string, readonly string[]>> = {
  'ec2-checks': [
    ...['AWS_EC2_INSTANCE_STORE_DRIVE_PERFORMANCE_DEGRADED', 'system status check failed'],
    'Instance Status Checks Failed',
  ],
  'elasticache-events': [
    ...['ElastiCache:CacheNodeReplaceComplete : quotes', 'ElastiCache:CacheNodesRebooted'],
    'ElastiCache:FailoverComplete',
  ],
  'kafka-poll': [
    'Member c-1-f17d in group quotes has failed, removing it from the group',
    'Application maximum poll interval (300000ms) exceeded by 88ms',
  ],
  'java-stuck': [
    "[STUCK] ExecuteThread: '4' for queue: 'weblogic.kernel.Default' has been busy for \"671\" seconds",
    ...['stuck thread', 'hogging thread'],
  ],
  'rabbitmq-member': [
    "memory resource limit alarm set on node 'rabbit@letters-1'.",
    'disk resource limit alarm set',
  ],
  'elasticsearch-member': ['master not discovered yet', 'MASTER_NOT_DISCOVERED'],
  'redis-member': ['Cluster state changed: fail', 'CLUSTERDOWN The cluster is down'],
  'etcd-member': ['failed to reach the peerURL(https://10.0.0.7:2380) of member'],
  'serf-member': ['serf: EventMemberFailed: store-3'],
  'galera-member': ['WSREP: (5a7) suspecting node: 8f2', 'WSREP: forgetting 8f2'],
  'probed-member': ['does not respond to the health check', 'does not answer the heartbeats'],
  'java-blocked': ['Found one Java-level deadlock:', 'Found 2 deadlocks.', '- waiting to lock <0x1f>'],
  'go-blocked': ['goroutine 9 [sync.RWMutex.RLock, 12 minutes]:', 'goroutine 9 [sync.Mutex.Lock]:'],
  'ruby-deadlock': ['deadlock; recursive locking (ThreadError)', 'deadlock; lock already owned by another'],
  'quartz-misfires': [
    'Handling the first 20 triggers that missed their scheduled fire-time.',
    ...['More misfired triggers remain to be processed.', 'a misfire', 'misfires'],
  ],
  'openssl-dates': [
    ...['certificate expired', 'certificate is expired', 'an expired certificate'],
    'the certificate of shop.test is not yet valid',
  ],
  'nodejs-expired': ['CERT_EXPIRED', 'CERTIFICATE_HAS_EXPIRED'],
  'go-lookup': [
    'lookup mail: no answer, timeout',
    'lookup mail on 10.0.0.2:53: it timed out',
    'lookup mail fails',
  ],
  'cluster-dns': ['dns error', 'dns failure', 'resolver 10.0.0.2 did not respond', 'the resolver has failed'],
  'node-conditions': [
    'node pool-1 is not ready',
    'node pool-1 notready',
    'node pool-1 was lost',
    'DiskPressure',
  ],
  'noisy-neighbour': ['a noisy tenant', 'a co-tenant', 'a cotenant', 'a neighbour', 'a neighbor'],
  'errno-network': ['network unreachable', 'network is unreachable', 'connection reset by peer'],
  'rabbitmq-partition': ['split-brain', 'split brain', 'splitbrain'],
  'aws-zone': ['az impaired', 'az1 degraded', 'az-2 is down', 'AZ use1-az4 of the region is unreachable'],
  'rds-storage': [
    ...['out of storage', 'storage is low', 'storage space is low', 'storage is getting low'],
    ...['low storage space', 'critically low'],
  ],
  'postgresql-checkpoints': [
    ...['checkpoint occurring too frequently', 'checkpoints occurring too frequently'],
    'checkpoint is occurring too frequently',
  ],
  'out-of-memory': ['OutOfMemoryError', 'out of memory', 'oom'],
  'connection-pools': [
    ...['The pool is probably full', 'Pool empty. Unable to fetch', 'PoolTimeout: no connection in 500 ms'],
    ...['QueuePool limit of size 5 overflow 10 reached', 'Timed out fetching a client from the pool'],
    ...['could not obtain a connection from the pool within 5.000 seconds', 'resource from the pool'],
    ...['checking out a connection from the connection pool', 'Timeout acquiring a connection'],
    ...['SequelizeConnectionAcquireTimeoutError', "couldn't get a connection after 30.00 sec"],
    ...['MongoWaitQueueFullException', 'no more connections allowed', 'all pooled connections were in use'],
  ],
  'worker-pools': [
    ...['RejectedExecutionException: Task rejected', 'no worker is free', 'no free workers', 'no slot left'],
    ...['no threads are available', '12 of 12 workers busy', '20/20 connections in use'],
  ],
  exhaustion: [
    'exhaustion of ports',
    'queue full',
    'queue is full',
    'max reached',
    'max clients reached',
    'maximum of 9 reached',
  ],
  'rds-failover': [
    ...['failover', 'fail-over', 'failed over', 'failed-over', 'maintenance window', 'instance stopped'],
    ...['instance terminating', 'instance reboot'],
  ],
  'kafka-leader': ['not leader', 'not the leader', 'broker 3 is down', 'under-replicated', 'underreplicated'],
  'postgresql-replica': ['replica lag', 'replication broken', 'read only mode', 'read-only replica'],
  'etcd-quorum': ['split-brain', 'splitbrain', 'quorum not reached'],
  'amqp-redelivered': [
    ...[
      're-delivered',
      'redelivery',
      'delivery limit',
      'delivery_count',
      'delivery-attempt',
      'deliverylimit',
    ],
    ...['requeue', 'requeued', 're-queue', 're-queued'],
  ],
  'jms-redelivered': [
    ...['delivered before', 'delivered 12 times', 'was not acknowledged', 'unacked', 'un-acked'],
    ...['unacknowledged', 'nack', 'nacked'],
  ],
  'sqs-receive-count': ['receive-count', 'receive_count', 'receive count', 'visibility timeout expired'],
  'dead-letter': ['dead letter', 'dead_letter', 'deadletter', 'DLQ', 'poison pill'],
  'go-unreadable': ["invalid character 'x' looking for beginning of value", 'parsing time "x"'],
  'protobuf-unreadable': ['SerializationException', 'DeserialisationException', 'failed to unmarshal'],
  'nodejs-crash': [
    'uncaught',
    'unhandled rejection',
    'unhandledRejection',
    'unhandled_exception',
    'unhandled error',
  ],
  'java-crash': ['thread "worker-3" died', 'thread "main" has terminated'],
  'go-crash': ['goroutine 17 [running]', 'fatal error: all goroutines are asleep'],
  'rust-crash': ["thread 'w' (1234) panicked at src/lib.rs"],
  'python-crash': [
    ...['worker died', 'worker (pid: 123) died', 'worker (pid 123) was terminated'],
    'worker (pid:7) exited unexpectedly',
  ],
  'sqlserver-locks': ['Lock request time out period exceeded', 'lock request timeout period exceeded'],
  'sqlite-locks': ['database table is locked', 'database is locked', 'SQLITE_LOCKED'],
  'dynamodb-conflicts': ['TransactionConflict', 'TransactionInProgressException'],
  'postgresql-slow': ['duration: 5666 ms  execute x', 'duration: 12.5 ms plan:'],
  'postgresql-statistics': [
    ...['automatic vacuum of table "a"', 'automatic aggressive vacuum of table "a"'],
    'automatic aggressive vacuum to prevent wraparound of table "a"',
  ],
  'mysql-slow': ['Rows_examined: 9000000', 'maximum statement execution time exceeded'],
  'sunset-header': ['Sunset:Sat, 31 Dec', 'it was sunset', 'the sunset date'],
  'deprecation-header': [
    ...['Deprecation:true', 'deprecation: @1', 'the api is deprecated', 'endpoint /v1/orders was removed'],
    'version 2024-01 has been retired',
  ],
  'azure-versions': [
    ...['unsupported version', 'unsupported api version', 'Invalid_Api_Version', 'supported versions are 3'],
    ...['supported api versions are: 3', 'MissingApiVersionParameter'],
  ],
  'ended-words': [
    ...['version retired', 'VERSION_RETIRED', 'was turned off', 'end of life', 'end-of-life'],
    ...['end of-support', 'end-of service'],
  ],
  'openai-models': ['the model `text-001` has been deprecated', 'model text-001 has been deprecated'],
}
/** What rows speak of. */
const OF: Readonly<Partial<Record<Spoken, string>>> = {
  certificate: 'openssl-dates nodejs-expired go-x509-expired firefox-expired watched-expiry',
  resolution:
    'getaddrinfo-words libcurl-resolve dns-codes go-lookup grpc-resolver java-unknown-host cluster-dns',
  node: 'node-conditions kubernetes-eviction kubernetes-drain ec2-spot noisy-neighbour stolen-time ec2-retirement kernel-bug container-throttled',
  network: 'errno-network tcp go-io-timeout rabbitmq-partition bgp aws-zone nat-gateway',
  capacity:
    'dynamodb-throttled rds-storage postgresql-checkpoints postgresql-connections mysql-connections http-429 aws-quotas io-wait out-of-memory errno-disk connection-pools worker-pools exhaustion',
  data: 'postgresql-data poison-message json-words checksums hot-partition kafka-size',
  datastore: 'rds-failover mongodb-primary kafka-leader postgresql-replica etcd-quorum',
  redelivery: 'amqp-redelivered jms-redelivered sqs-receive-count dead-letter',
  unreadable:
    'java-unreadable python-unreadable go-unreadable javascript-unreadable dotnet-unreadable protobuf-unreadable',
  crash: 'nodejs-crash java-crash go-crash signal-crash rust-crash python-crash',
  fatal: 'fatal-signals exit-codes cpp-terminate java-fatal go-fatal windows-fatal',
  locked:
    'postgresql-locks mysql-locks sqlserver-locks oracle-locks mongodb-locks sqlite-locks dynamodb-conflicts',
  laborious:
    'postgresql-slow postgresql-statistics postgresql-given-up mysql-slow mongodb-slow redis-slow elasticsearch-slow cassandra-slow oracle-slow',
  ended:
    'http-gone sunset-header deprecation-header azure-versions ended-words openai-models kubernetes-versions',
  standing: 'kubernetes-lease lease-words kafka-poll quartz-misfires',
  blocked: 'java-stuck dotnet-starved java-blocked go-blocked vertx-blocked hikari-starved ruby-deadlock',
  member:
    'rabbitmq-member elasticsearch-member redis-member cassandra-member mongodb-member etcd-member serf-member galera-member probed-member',
  failed: 'rds-failed',
}

describe('the words of one thing', () => {
  it.each(Object.entries(SPELLED))('are known of %s in every spelling', (id, spellings) => {
    const pattern = SPOKEN_SIGNS.find((row) => row.id === id)?.pattern.source ?? '(?!)'
    for (const text of spellings) expect([text, new RegExp(pattern, 'i').test(text)]).toEqual([text, true])
  })

  it.each(Object.entries(OF) as [Spoken, string][])('are those of the rows that speak of %s', (of, ids) => {
    for (const id of ids.split(' ')) {
      expect([id, SPOKEN_SIGNS.find((row) => row.id === id)?.of]).toEqual([id, of])
      expect(SAID[id]?.[0]).toMatch(wordsFor(of))
    }
  })

  it('are not those of another, and of what no row knows nothing speaks', () => {
    expect('Segmentation fault (core dumped)').toMatch(wordsFor('crash'))
    expect('Segmentation fault (core dumped)').not.toMatch(wordsFor('certificate'))
    expect('certificate has expired').not.toMatch(wordsFor('crash'))
    for (const text of ['', ' ', 'a word', 'certificate has expired', 's', 'S'])
      expect(wordsFor('weather' as Spoken).test(text)).toBe(false)
  })
})
