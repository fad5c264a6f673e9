/**
 * The words in which public systems speak of what happened to them, in logs, events and alerts, as a table: each row
 * cites the page of its vendor. A word is a hint and no finding: what a scorer of operational causes makes of it, and
 * what it asks for besides, stands there. What is documented as the answer to a call is in `system-answers.ts`.
 */

/** What a text may speak of. */
export type Spoken =
  | 'certificate'
  | 'resolution'
  | 'node'
  | 'network'
  | 'capacity'
  | 'data'
  | 'datastore'
  | 'redelivery'
  | 'unreadable'
  | 'crash'

export interface SpokenSign {
  readonly id: string
  readonly of: Spoken
  /** The words as they are written; matched whatever their case. */
  readonly pattern: RegExp
  /** Where the vendor uses them. */
  readonly documented: string
}

export const SPOKEN_SIGNS: readonly SpokenSign[] = [
  {
    id: 'openssl-dates',
    of: 'certificate',
    pattern: /certificate (has |is )?expired|expired certificate|certificate.*not yet valid/,
    documented: 'https://docs.openssl.org/master/man1/openssl-verification-options/',
  },
  {
    id: 'nodejs-expired',
    of: 'certificate',
    pattern: /cert(ificate)?_(has_)?expired/,
    documented: 'https://nodejs.org/api/tls.html#x509-certificate-error-codes',
  },
  {
    id: 'go-x509-expired',
    of: 'certificate',
    pattern: /x509:.*expired/,
    documented: 'https://pkg.go.dev/crypto/x509#CertificateInvalidError',
  },
  {
    id: 'firefox-expired',
    of: 'certificate',
    pattern: /sec_error_expired/,
    documented: 'https://support.mozilla.org/kb/what-does-your-connection-is-not-secure-mean',
  },
  {
    id: 'watched-expiry',
    of: 'certificate',
    pattern: /certificate expiry/,
    documented: 'https://kener.ing/docs/v4/monitors/ssl',
  },
  {
    id: 'getaddrinfo-words',
    of: 'resolution',
    pattern: /enotfound|eai_again|getaddrinfo|name resolution/,
    documented: 'https://man7.org/linux/man-pages/man3/getaddrinfo.3.html',
  },
  {
    id: 'libcurl-resolve',
    of: 'resolution',
    pattern: /could not resolve|cannot resolve/,
    documented: 'https://curl.se/libcurl/c/libcurl-errors.html',
  },
  {
    id: 'dns-codes',
    of: 'resolution',
    pattern: /nxdomain|servfail/,
    documented: 'https://www.iana.org/assignments/dns-parameters/dns-parameters.xhtml',
  },
  {
    id: 'go-lookup',
    of: 'resolution',
    pattern: /no such host|server misbehaving|lookup \S+.*(timeout|timed out|fail)/,
    documented: 'https://pkg.go.dev/net#DNSError',
  },
  {
    id: 'grpc-resolver',
    of: 'resolution',
    pattern: /name resolver/,
    documented: 'https://grpc.io/docs/guides/custom-name-resolution/',
  },
  {
    id: 'java-unknown-host',
    of: 'resolution',
    pattern: /unknownhost/,
    documented:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/UnknownHostException.html',
  },
  {
    id: 'cluster-dns',
    of: 'resolution',
    pattern: /dns (error|failure|timeout|lookup)|resolver .*(fail|timeout|not respond)/,
    documented: 'https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/',
  },
  {
    id: 'node-conditions',
    of: 'node',
    pattern:
      /\bnode\b.*(not ?ready|pressure|under|contend|unreachable|lost|unhealthy|fail)|memorypressure|diskpressure|pidpressure|nodenotready|nodepressure|nodeunderpressure/,
    documented: 'https://kubernetes.io/docs/reference/node/node-status/',
  },
  {
    id: 'kubernetes-eviction',
    of: 'node',
    pattern: /evict/,
    documented: 'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
  },
  {
    id: 'kubernetes-drain',
    of: 'node',
    pattern: /\bnode\b.*(preempt|drain|cordon|reboot)/,
    documented: 'https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/',
  },
  {
    id: 'ec2-spot',
    of: 'node',
    pattern: /spot interruption|preemption/,
    documented: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html',
  },
  {
    id: 'noisy-neighbour',
    of: 'node',
    pattern: /noisy|co-?tenant|neighbou?r/,
    documented:
      'https://learn.microsoft.com/en-us/azure/architecture/antipatterns/noisy-neighbor/noisy-neighbor',
  },
  {
    id: 'stolen-time',
    of: 'node',
    pattern: /cpu contended|steal/,
    documented: 'https://man7.org/linux/man-pages/man5/proc_stat.5.html',
  },
  {
    id: 'ec2-retirement',
    of: 'node',
    pattern: /hardware (error|fault|failure)|host .*(fail|degraded|retire)/,
    documented: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-retirement.html',
  },
  {
    id: 'kernel-bug',
    of: 'node',
    pattern: /kernel (panic|bug)/,
    documented: 'https://docs.kernel.org/admin-guide/bug-hunting.html',
  },
  {
    id: 'container-throttled',
    of: 'node',
    pattern: /throttling container/,
    documented: 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/',
  },
  {
    id: 'errno-network',
    of: 'network',
    pattern: /network (is )?unreachable|no route to host|connection reset by peer/,
    documented: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  },
  {
    id: 'tcp',
    of: 'network',
    pattern: /packet loss|retransmi|mtu/,
    documented: 'https://www.rfc-editor.org/rfc/rfc9293',
  },
  {
    id: 'go-io-timeout',
    of: 'network',
    pattern: /i\/o timeout/,
    documented: 'https://pkg.go.dev/os#ErrDeadlineExceeded',
  },
  {
    id: 'rabbitmq-partition',
    of: 'network',
    pattern: /network partition|split.?brain/,
    documented: 'https://www.rabbitmq.com/docs/partitions',
  },
  {
    id: 'bgp',
    of: 'network',
    pattern: /link (down|flap)|\bbgp\b/,
    documented: 'https://www.rfc-editor.org/rfc/rfc4271',
  },
  {
    id: 'aws-zone',
    of: 'network',
    pattern: /availability zone|\baz[- ]?\w*\b.*(impair|degrad|down|unreach)/,
    documented: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html',
  },
  {
    id: 'nat-gateway',
    of: 'network',
    pattern: /nat gateway/,
    documented: 'https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html',
  },
  {
    id: 'dynamodb-throttled',
    of: 'capacity',
    pattern: /throttl|throughputexceeded/,
    documented: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html',
  },
  {
    id: 'rds-storage',
    of: 'capacity',
    pattern:
      /(ran )?out of storage|storage (space )?is (getting |critically )?low|low storage space|critically low/,
    documented: 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html',
  },
  {
    id: 'postgresql-checkpoints',
    of: 'capacity',
    pattern: /checkpoints? (are |is )?occurring too frequently/,
    documented: 'https://www.postgresql.org/docs/current/wal-configuration.html',
  },
  {
    id: 'postgresql-connections',
    of: 'capacity',
    pattern: /max_connections|connection slots|too many clients/,
    documented: 'https://www.postgresql.org/docs/current/runtime-config-connection.html',
  },
  {
    id: 'mysql-connections',
    of: 'capacity',
    pattern: /too many connections/,
    documented: 'https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html',
  },
  {
    id: 'http-429',
    of: 'capacity',
    pattern: /too many requests|\b429\b/,
    documented: 'https://www.rfc-editor.org/rfc/rfc6585',
  },
  {
    id: 'aws-quotas',
    of: 'capacity',
    pattern: /rate exceeded|quota|limit (exceeded|reached)|capacity|insufficient/,
    documented: 'https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html',
  },
  {
    id: 'io-wait',
    of: 'capacity',
    pattern: /(high|heavy) (disk )?i\/o wait/,
    documented: 'https://man7.org/linux/man-pages/man5/proc_stat.5.html',
  },
  {
    id: 'out-of-memory',
    of: 'capacity',
    pattern: /out ?of ?memory|oomkill|\boom\b/,
    documented: 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/',
  },
  {
    id: 'errno-disk',
    of: 'capacity',
    pattern: /no space left|disk full|enospc/,
    documented: 'https://man7.org/linux/man-pages/man3/errno.3.html',
  },
  {
    id: 'exhaustion',
    of: 'capacity',
    pattern: /pool exhaust|exhausted|queue (is )?full|saturat|max(imum)? .*reached/,
    documented: 'https://sre.google/sre-book/addressing-cascading-failures/',
  },
  {
    id: 'postgresql-data',
    of: 'data',
    pattern:
      /invalid (utf|json|csv|xml|payload|record|row|encoding)|duplicate key|constraint|out of range value/,
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'poison-message',
    of: 'data',
    pattern: /poison|bad (record|row|data|message)/,
    documented:
      'https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues',
  },
  {
    id: 'json-words',
    of: 'data',
    pattern: /malformed|unexpected (value|format|character|token|end of)|schema violation/,
    documented: 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors/JSON_bad_parse',
  },
  {
    id: 'checksums',
    of: 'data',
    pattern: /corrupt|checksum/,
    documented: 'https://www.postgresql.org/docs/current/checksums.html',
  },
  {
    id: 'hot-partition',
    of: 'data',
    pattern: /hot (partition|key|shard)|skew/,
    documented:
      'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
  },
  {
    id: 'kafka-size',
    of: 'data',
    pattern: /too large|oversized/,
    documented: 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  },
  {
    id: 'rds-failover',
    of: 'datastore',
    pattern:
      /fail(ed)?[- ]?over|maintenance (window|started|event)|preempted|instance (stopp|terminat|reboot)\w*/,
    documented: 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html',
  },
  {
    id: 'mongodb-primary',
    of: 'datastore',
    pattern: /primary (changed|lost|down|step|unavailable)|not (the )?(primary|master)/,
    documented: 'https://www.mongodb.com/docs/manual/reference/error-codes/',
  },
  {
    id: 'kafka-leader',
    of: 'datastore',
    pattern:
      /leader (lost|changed)|no leader|not (the )?leader|notleader|broker\b.*(down|unavailable|not available|lost|offline)|under-?replicated/,
    documented: 'https://kafka.apache.org/protocol.html#protocol_error_codes',
  },
  {
    id: 'postgresql-replica',
    of: 'datastore',
    pattern: /replica(tion)? (lag|broken|stopped|error)|read[- ]only (transaction|replica|mode)/,
    documented: 'https://www.postgresql.org/docs/current/errcodes-appendix.html',
  },
  {
    id: 'etcd-quorum',
    of: 'datastore',
    pattern: /quorum (lost|not)|split.?brain/,
    documented: 'https://etcd.io/docs/v3.5/faq/',
  },
  {
    id: 'amqp-redelivered',
    of: 'redelivery',
    pattern: /re-?deliver(ed|y|ies|ing)|delivery[-_ ]?(limit|count|attempt)|re-?queued?\b/,
    documented: 'https://www.rabbitmq.com/docs/quorum-queues#poison-message-handling',
  },
  {
    id: 'jms-redelivered',
    of: 'redelivery',
    pattern:
      /delivered (earlier|before|previously|again|\d+ times)|(was|were|been|and|is) (not|never) acknowledged|\bun-?ack(ed|nowledged)\b|\bnack(ed)?\b/,
    documented:
      'https://jakarta.ee/specifications/messaging/3.1/apidocs/jakarta.messaging/jakarta/jms/message',
  },
  {
    id: 'sqs-receive-count',
    of: 'redelivery',
    pattern: /receive[-_ ]?count|visibility timeout (expired|elapsed)/,
    documented:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html',
  },
  {
    id: 'dead-letter',
    of: 'redelivery',
    pattern: /dead[-_ ]?letter|\bdlq\b|maxdeliverycountexceeded|poison (message|pill|record)/,
    documented:
      'https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues',
  },
  {
    id: 'java-unreadable',
    of: 'unreadable',
    pattern:
      /numberformatexception|datetimeparseexception|json(parse|mapping|syntax)exception|unrecognizedpropertyexception|mismatchedinputexception|stackoverflowerror/,
    documented:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/NumberFormatException.html',
  },
  {
    id: 'python-unreadable',
    of: 'unreadable',
    pattern: /valueerror: |unicode(de|en)codeerror|jsondecodeerror|recursionerror|invalid literal for/,
    documented: 'https://docs.python.org/3/library/exceptions.html',
  },
  {
    id: 'go-unreadable',
    of: 'unreadable',
    pattern:
      /strconv\.\w+: parsing|invalid character .* (looking for|in string|after)|cannot unmarshal|parsing time/,
    documented: 'https://pkg.go.dev/encoding/json#SyntaxError',
  },
  {
    id: 'javascript-unreadable',
    of: 'unreadable',
    pattern: /syntaxerror: |unexpected token|maximum call stack size|rangeerror: invalid|uri malformed/,
    documented: 'https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors',
  },
  {
    id: 'dotnet-unreadable',
    of: 'unreadable',
    pattern: /system\.formatexception|was not in a correct format/,
    documented: 'https://learn.microsoft.com/en-us/dotnet/api/system.formatexception',
  },
  {
    id: 'protobuf-unreadable',
    of: 'unreadable',
    pattern:
      /(de)?seriali[sz]ationexception|invalidprotocolbuffer|error deserializing|failed to (decode|deserialize|parse|unmarshal)/,
    documented:
      'https://kafka.apache.org/39/javadoc/org/apache/kafka/common/errors/RecordDeserializationException.html',
  },
  {
    id: 'nodejs-crash',
    of: 'crash',
    pattern: /uncaught|unhandled(promise)?[ _]?(rejection|exception|error)/,
    documented: 'https://nodejs.org/api/process.html#event-uncaughtexception',
  },
  {
    id: 'java-crash',
    of: 'crash',
    pattern:
      /exception in thread|thread "[^"]*" (died|terminated|has terminated)|fatal error has been detected by the java/,
    documented:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Thread.UncaughtExceptionHandler.html',
  },
  {
    id: 'go-crash',
    of: 'crash',
    pattern: /\bpanic: |fatal error: |goroutine \d+ \[running\]/,
    documented: 'https://pkg.go.dev/builtin#panic',
  },
  {
    id: 'signal-crash',
    of: 'crash',
    pattern: /segmentation fault|sigsegv|sigabrt|core dumped|terminate called after throwing/,
    documented: 'https://man7.org/linux/man-pages/man7/signal.7.html',
  },
  {
    id: 'rust-crash',
    of: 'crash',
    pattern: /thread '[^']*' (\(\d+\) )?panicked at/,
    documented: 'https://doc.rust-lang.org/std/macro.panic.html',
  },
  {
    id: 'python-crash',
    of: 'crash',
    pattern:
      /traceback \(most recent call last\)|worker (\(pid:? ?\d+\) )?(died|was terminated|exited unexpectedly)/,
    documented: 'https://docs.python.org/3/library/traceback.html',
  },
]

const NOTHING = /[^\s\S]/

/** What speaks of such a thing, whatever its case; of what no row knows, nothing does. */
export function wordsFor(of: Spoken): RegExp {
  const rows = SPOKEN_SIGNS.filter((row) => row.of === of)
  return rows.length === 0 ? NOTHING : new RegExp(rows.map(({ pattern }) => pattern.source).join('|'), 'i')
}
