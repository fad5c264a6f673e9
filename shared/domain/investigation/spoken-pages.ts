/**
 * Where the vendors of public systems use the words of `spoken-signs.ts`: the page of each row, by its id. It stands apart
 * from the words because who reads a log needs these and who checks the table needs the pages.
 */
export const SPOKEN_PAGES: Readonly<Record<string, string>> = {
  'openssl-dates': 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  'nodejs-expired': 'https://nodejs.org/api/tls.html#x509-certificate-error-codes',
  'go-x509-expired': 'https://pkg.go.dev/crypto/x509#CertificateInvalidError',
  'firefox-expired': 'https://support.mozilla.org/kb/what-does-your-connection-is-not-secure-mean',
  'watched-expiry': 'https://kener.ing/docs/v4/monitors/ssl',
  'getaddrinfo-words': 'https://man7.org/linux/man-pages/man3/getaddrinfo.3.html',
  'libcurl-resolve': 'https://curl.se/libcurl/c/libcurl-errors.html',
  'dns-codes': 'https://www.iana.org/assignments/dns-parameters/dns-parameters.xhtml',
  'go-lookup': 'https://pkg.go.dev/net#DNSError',
  'grpc-resolver': 'https://grpc.io/docs/guides/custom-name-resolution/',
  'java-unknown-host':
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/UnknownHostException.html',
  'cluster-dns': 'https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/',
  'node-conditions': 'https://kubernetes.io/docs/reference/node/node-status/',
  'kubernetes-eviction': 'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
  'kubernetes-drain': 'https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/',
  'ec2-spot': 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html',
  'noisy-neighbour':
    'https://learn.microsoft.com/en-us/azure/architecture/antipatterns/noisy-neighbor/noisy-neighbor',
  'stolen-time': 'https://man7.org/linux/man-pages/man5/proc_stat.5.html',
  'ec2-retirement': 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-retirement.html',
  'kernel-bug': 'https://docs.kernel.org/admin-guide/bug-hunting.html',
  'container-throttled': 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/',
  'errno-network': 'https://man7.org/linux/man-pages/man3/errno.3.html',
  tcp: 'https://www.rfc-editor.org/rfc/rfc9293',
  'go-io-timeout': 'https://pkg.go.dev/os#ErrDeadlineExceeded',
  'rabbitmq-partition': 'https://www.rabbitmq.com/docs/partitions',
  bgp: 'https://www.rfc-editor.org/rfc/rfc4271',
  'aws-zone': 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html',
  'nat-gateway': 'https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html',
  'dynamodb-throttled':
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html',
  'rds-storage': 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html',
  'postgresql-checkpoints': 'https://www.postgresql.org/docs/current/wal-configuration.html',
  'postgresql-connections': 'https://www.postgresql.org/docs/current/runtime-config-connection.html',
  'mysql-connections': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'http-429': 'https://www.rfc-editor.org/rfc/rfc6585',
  'aws-quotas': 'https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html',
  'io-wait': 'https://man7.org/linux/man-pages/man5/proc_stat.5.html',
  'out-of-memory': 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/',
  'errno-disk': 'https://man7.org/linux/man-pages/man3/errno.3.html',
  exhaustion: 'https://sre.google/sre-book/addressing-cascading-failures/',
  'postgresql-data': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'poison-message':
    'https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues',
  'json-words': 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors/JSON_bad_parse',
  checksums: 'https://www.postgresql.org/docs/current/checksums.html',
  'hot-partition':
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
  'kafka-size': 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  'rds-failover': 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html',
  'mongodb-primary': 'https://www.mongodb.com/docs/manual/reference/error-codes/',
  'kafka-leader': 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  'postgresql-replica': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'etcd-quorum': 'https://etcd.io/docs/v3.5/faq/',
  'amqp-redelivered': 'https://www.rabbitmq.com/docs/quorum-queues#poison-message-handling',
  'jms-redelivered':
    'https://jakarta.ee/specifications/messaging/3.1/apidocs/jakarta.messaging/jakarta/jms/message',
  'sqs-receive-count':
    'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html',
  'dead-letter':
    'https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues',
  'java-unreadable':
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/NumberFormatException.html',
  'python-unreadable': 'https://docs.python.org/3/library/exceptions.html',
  'go-unreadable': 'https://pkg.go.dev/encoding/json#SyntaxError',
  'javascript-unreadable': 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors',
  'dotnet-unreadable': 'https://learn.microsoft.com/en-us/dotnet/api/system.formatexception',
  'protobuf-unreadable':
    'https://kafka.apache.org/39/javadoc/org/apache/kafka/common/errors/RecordDeserializationException.html',
  'nodejs-crash': 'https://nodejs.org/api/process.html#event-uncaughtexception',
  'java-crash':
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Thread.UncaughtExceptionHandler.html',
  'go-crash': 'https://pkg.go.dev/builtin#panic',
  'signal-crash': 'https://man7.org/linux/man-pages/man7/signal.7.html',
  'rust-crash': 'https://doc.rust-lang.org/std/macro.panic.html',
  'python-crash': 'https://docs.python.org/3/library/traceback.html',
  'postgresql-locks':
    'https://www.postgresql.org/docs/current/runtime-config-logging.html#GUC-LOG-LOCK-WAITS',
  'mysql-locks': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'sqlserver-locks':
    'https://learn.microsoft.com/en-us/sql/relational-databases/errors-events/mssqlserver-1205-database-engine-error',
  'oracle-locks': 'https://docs.oracle.com/en/error-help/db/ora-00060/',
  'mongodb-locks': 'https://www.mongodb.com/docs/manual/reference/error-codes/',
  'sqlite-locks': 'https://www.sqlite.org/rescode.html',
  'dynamodb-conflicts':
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html',
  'postgresql-slow': 'https://www.postgresql.org/docs/current/auto-explain.html',
  'postgresql-statistics': 'https://www.postgresql.org/docs/current/routine-vacuuming.html',
  'postgresql-given-up': 'https://www.postgresql.org/docs/current/runtime-config-client.html',
  'mysql-slow': 'https://dev.mysql.com/doc/refman/8.4/en/slow-query-log.html',
  'mongodb-slow': 'https://www.mongodb.com/docs/manual/reference/log-messages/',
  'redis-slow': 'https://redis.io/docs/latest/commands/slowlog/',
  'elasticsearch-slow': 'https://www.elastic.co/docs/reference/elasticsearch/index-settings/slow-log',
  'cassandra-slow':
    'https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/tombstones.html',
  'oracle-slow': 'https://docs.oracle.com/en/error-help/db/ora-01555/',
  'http-gone': 'https://www.rfc-editor.org/rfc/rfc9110#section-15.5.11',
  'sunset-header': 'https://www.rfc-editor.org/rfc/rfc8594',
  'deprecation-header': 'https://www.rfc-editor.org/rfc/rfc9745',
  'azure-versions': 'https://github.com/microsoft/api-guidelines/blob/vNext/azure/Guidelines.md',
  'ended-words': 'https://docs.github.com/en/rest/about-the-rest-api/api-versions',
  'openai-models': 'https://platform.openai.com/docs/deprecations',
  'kubernetes-versions': 'https://kubernetes.io/docs/reference/using-api/deprecation-guide/',
  'kubelet-conditions': 'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
  'ec2-checks':
    'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html',
  'aws-health': 'https://docs.aws.amazon.com/health/latest/ug/aws-health-concepts-and-terms.html',
  'elasticache-events': 'https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/ElastiCacheSNS.html',
  'kubernetes-lease': 'https://kubernetes.io/docs/concepts/architecture/leases/',
  'lease-words': 'https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html',
  'kafka-poll': 'https://kafka.apache.org/documentation/#consumerconfigs_max.poll.interval.ms',
  'java-stuck':
    'https://tomcat.apache.org/tomcat-10.1-doc/api/org/apache/catalina/valves/StuckThreadDetectionValve.html',
  'dotnet-starved': 'https://learn.microsoft.com/en-us/dotnet/core/diagnostics/debug-threadpool-starvation',
  'quartz-misfires':
    'https://www.quartz-scheduler.org/documentation/quartz-2.3.0/tutorials/tutorial-lesson-04.html',
}
