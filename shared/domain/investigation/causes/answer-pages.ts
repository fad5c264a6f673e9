/**
 * Where the vendors of public systems document the answers of `system-answers.ts` and the words of runtimes in
 * `filled-memory.ts`: the page of each row, by its id. They stand apart from the words because who reads a log needs these
 * and who checks the tables needs the pages.
 */
export const ANSWER_PAGES: Readonly<Record<string, string>> = {
  getaddrinfo: 'https://man7.org/linux/man-pages/man3/getaddrinfo.3.html',
  'go-resolver': 'https://pkg.go.dev/net#DNSError',
  'java-resolver':
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/UnknownHostException.html',
  'dns-response-code': 'https://www.iana.org/assignments/dns-parameters/dns-parameters.xhtml',
  'openssl-expired': 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  'nobody-listens': 'https://man7.org/linux/man-pages/man2/connect.2.html',
  'postgresql-not-ready': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'mysql-not-ready': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/client-error-reference.html',
  'redis-not-ready': 'https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/',
  'mongodb-no-primary': 'https://www.mongodb.com/docs/manual/reference/error-codes/',
  'kafka-no-leader': 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  unreachable: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  'postgresql-slots': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'mysql-connections': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'grpc-exhausted': 'https://grpc.io/docs/guides/status-codes/',
  'aws-throttled': 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html',
  'curl-resolver': 'https://curl.se/libcurl/c/libcurl-errors.html',
  'java-expired':
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/security/cert/CertificateExpiredException.html',
  'tls-alert': 'https://www.rfc-editor.org/rfc/rfc8446#section-6.2',
  'openssl-untrusted': 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  'oauth-grant-ended': 'https://www.rfc-editor.org/rfc/rfc6749#section-5.2',
  'aws-expired-token': 'https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html',
  'bearer-expired': 'https://www.rfc-editor.org/rfc/rfc6750#section-3.1',
  'postgresql-refuses-login': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'mysql-refuses-login': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'redis-refuses-login': 'https://redis.io/docs/latest/develop/reference/errors/common/wrongpass/',
  'postgresql-disk-full': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'mysql-table-full': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'kernel-used-up': 'https://man7.org/linux/man-pages/man3/errno.3.html',
  'redis-memory': 'https://redis.io/docs/latest/develop/reference/errors/common/oom/',
  'google-quota': 'https://cloud.google.com/apis/design/errors',
  'postgresql-data': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'mysql-data': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'json-parse': 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors/JSON_bad_parse',
  'kafka-deserialize':
    'https://kafka.apache.org/39/javadoc/org/apache/kafka/common/errors/RecordDeserializationException.html',
  'ports-used-up': 'https://man7.org/linux/man-pages/man2/connect.2.html',
  'aws-slow-down': 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html',
  'postgresql-numbers': 'https://www.postgresql.org/docs/current/sql-createsequence.html',
  'postgresql-wraparound': 'https://www.postgresql.org/docs/current/routine-vacuuming.html',
  'kernel-read-only': 'https://man7.org/linux/man-pages/man3/errno.3.html',
  'redis-read-only': 'https://redis.io/docs/latest/operate/oss_and_stack/management/replication/',
  'consul-no-leader': 'https://developer.hashicorp.com/consul/docs/architecture/consensus',
  'etcd-no-leader': 'https://etcd.io/docs/v3.5/faq/',
  'zookeeper-session':
    'https://zookeeper.apache.org/doc/current/apidocs/zookeeper-server/org/apache/zookeeper/KeeperException.html',
  'clock-aws': 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html',
  'clock-tokens': 'https://www.rfc-editor.org/rfc/rfc7519#section-4.1.5',
  'clock-kerberos': 'https://www.rfc-editor.org/rfc/rfc4120#section-7.5.9',
  'licence-expired':
    'https://www.elastic.co/docs/deploy-manage/license/manage-your-license-in-self-managed-cluster',
  'key-revoked': 'https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html',
  'password-expired': 'https://docs.oracle.com/en/error-help/db/ora-28001/',
  'tls-name': 'https://nodejs.org/api/tls.html#x509-certificate-error-codes',
  'threads-used-up': 'https://man7.org/linux/man-pages/man3/pthread_create.3.html',
  'conntrack-full': 'https://docs.kernel.org/networking/nf_conntrack-sysctl.html',
  'elasticsearch-disk': 'https://www.elastic.co/docs/troubleshoot/elasticsearch/fix-watermark-errors',
  'elasticsearch-load': 'https://www.elastic.co/docs/troubleshoot/elasticsearch/rejected-requests',
  'redis-clients': 'https://redis.io/docs/latest/develop/reference/clients/',
  'redis-cannot-save': 'https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/',
  'mysql-read-only': 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  'etcd-space': 'https://etcd.io/docs/v3.5/op-guide/maintenance/',
  'aws-no-capacity': 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
  calendar: 'https://docs.python.org/3/library/datetime.html',
  'resolver-codes': 'https://nodejs.org/api/dns.html#error-codes',
  'tls-revoked': 'https://docs.openssl.org/master/man3/X509_STORE_CTX_get_error/',
  'ended-in-words': 'https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes',
  'kernel-hung-task': 'https://docs.kernel.org/admin-guide/sysctl/kernel.html#hung-task-timeout-secs',
  'kernel-stuck': 'https://docs.kernel.org/admin-guide/lockup-watchdogs.html',
  'kernel-tables': 'https://docs.kernel.org/networking/ip-sysctl.html',
  'nginx-connections': 'https://nginx.org/en/docs/ngx_core_module.html#worker_connections',
  'rabbitmq-alarm': 'https://www.rabbitmq.com/docs/alarms',
  'elasticsearch-shards': 'https://www.elastic.co/docs/troubleshoot/elasticsearch/red-yellow-cluster-status',
  'cassandra-replicas': 'https://docs.datastax.com/en/developer/python-driver/3.25/api/cassandra',
  'kafka-replicas':
    'https://kafka.apache.org/42/javadoc/org/apache/kafka/common/errors/NotEnoughReplicasAfterAppendException.html',
  'kms-key': 'https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html',
  'postgresql-read-only': 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  'postgresql-damaged': 'https://www.postgresql.org/docs/current/runtime-config-developer.html',
  'mysql-galera': 'https://mariadb.com/docs/reference/mdb/status-variables/wsrep_cluster_status/',
  'mongodb-selection':
    'https://www.mongodb.com/docs/drivers/node/current/connect/connection-troubleshooting/',
  'redis-replicas': 'https://redis.io/docs/latest/develop/reference/errors/common/noreplicas/',
  'kafka-storage':
    'https://kafka.apache.org/42/javadoc/org/apache/kafka/common/errors/KafkaStorageException.html',
  'kafka-coordinator':
    'https://kafka.apache.org/36/javadoc/org/apache/kafka/common/errors/CoordinatorNotAvailableException.html',
  'kafka-large': 'https://kafka.apache.org/0110/generated/protocol_errors.html',
  'rabbitmq-split': 'https://www.rabbitmq.com/docs/partitions',
  'vault-sealed': 'https://developer.hashicorp.com/vault/docs/concepts/seal',
  'coredns-errors': 'https://coredns.io/plugins/errors/',
  'envoy-unhealthy':
    'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details',
  'envoy-overflow':
    'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details',
  'envoy-route':
    'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details',
  'nginx-upstreams': 'https://nginx.org/en/docs/http/ngx_http_upstream_module.html',
  'nginx-limits': 'https://nginx.org/en/docs/http/ngx_http_limit_req_module.html',
  'haproxy-servers':
    'https://www.haproxy.com/documentation/haproxy-configuration-tutorials/proxying-essentials/configuration-basics/backends/',
  'kernel-nfs': 'https://manpages.ubuntu.com/manpages/jammy/man5/nfs.5.html',
  'kernel-link': 'https://blogs.oracle.com/linux/network-interface-transmission-queue-timeout',
  'clock-chrony': 'https://chrony-project.org/doc/4.5/chronyd.html',
  'oidc-keys': 'https://github.com/jpadilla/pyjwt/blob/master/jwt/jwks_client.py',
  'tls-peer': 'https://datatracker.ietf.org/doc/html/rfc8446#section-6.2',
  'tls-versions': 'https://datatracker.ietf.org/doc/html/rfc8446#section-6.2',
  'aws-denied':
    'https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied-authorization-id.html',
  'aws-addresses':
    'https://docs.aws.amazon.com/botocore/latest/reference/services/lambda/client/exceptions/SubnetIPAddressLimitReachedException.html',
  'google-denied': 'https://docs.cloud.google.com/iam/docs/permission-error-messages',
  'google-no-capacity':
    'https://docs.cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability',
  'azure-denied': 'https://learn.microsoft.com/en-us/azure/role-based-access-control/troubleshooting',
  'azure-no-capacity':
    'https://learn.microsoft.com/en-us/troubleshoot/azure/virtual-machines/windows/allocation-failure',
  'sqlserver-full':
    'https://learn.microsoft.com/en-us/sql/relational-databases/errors-events/mssqlserver-9002-database-engine-error',
  'oracle-full': 'https://docs.oracle.com/error-help/db/ora-01653',
  'oracle-sessions': 'https://docs.oracle.com/en/error-help/db/ora-00020',
  'oracle-not-ready': 'https://docs.oracle.com/error-help/db/ora-01034',
  'twilio-suspended': 'https://www.twilio.com/docs/api/errors/30002',
  'openai-quota': 'https://platform.openai.com/docs/guides/error-codes/api-errors',
  'github-limit': 'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
  'docker-limit': 'https://docs.docker.com/docker-hub/usage/',
}

/** The same of the words of runtimes. */
export const RUNTIME_PAGES: Readonly<Record<string, string>> = {
  v8: 'https://nodejs.org/en/learn/diagnostics/memory/using-gc-traces',
  jvm: 'https://docs.oracle.com/en/java/javase/21/troubleshoot/troubleshooting-memory-leaks.html',
  dotnet: 'https://learn.microsoft.com/en-us/dotnet/api/system.outofmemoryexception',
  go: 'https://go.dev/doc/gc-guide',
  python: 'https://docs.python.org/3/library/exceptions.html#MemoryError',
  ruby: 'https://docs.ruby-lang.org/en/master/NoMemoryError.html',
  cpp: 'https://en.cppreference.com/w/cpp/memory/new/bad_alloc',
  php: 'https://www.php.net/manual/en/ini.core.php#ini.memory-limit',
}
