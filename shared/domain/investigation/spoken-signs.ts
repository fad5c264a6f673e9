/**
 * The words in which public systems speak of what happened to them, in logs, events and alerts, as a table: the page of
 * each row's vendor stands in `spoken-pages.ts`. A word is a hint and no finding: what a scorer of operational causes makes
 * of it, and what it asks for besides, stands there. What is documented as the answer to a call is in `system-answers.ts`.
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
}

export const SPOKEN_SIGNS: readonly SpokenSign[] = [
  {
    id: 'openssl-dates',
    of: 'certificate',
    pattern: /certificate (has |is )?expired|expired certificate|certificate.*not yet valid/,
  },
  {
    id: 'nodejs-expired',
    of: 'certificate',
    pattern: /cert(ificate)?_(has_)?expired/,
  },
  {
    id: 'go-x509-expired',
    of: 'certificate',
    pattern: /x509:.*expired/,
  },
  {
    id: 'firefox-expired',
    of: 'certificate',
    pattern: /sec_error_expired/,
  },
  {
    id: 'watched-expiry',
    of: 'certificate',
    pattern: /certificate expiry/,
  },
  {
    id: 'getaddrinfo-words',
    of: 'resolution',
    pattern: /enotfound|eai_again|getaddrinfo|name resolution/,
  },
  {
    id: 'libcurl-resolve',
    of: 'resolution',
    pattern: /could not resolve|cannot resolve/,
  },
  {
    id: 'dns-codes',
    of: 'resolution',
    pattern: /nxdomain|servfail/,
  },
  {
    id: 'go-lookup',
    of: 'resolution',
    pattern: /no such host|server misbehaving|lookup \S+.*(timeout|timed out|fail)/,
  },
  {
    id: 'grpc-resolver',
    of: 'resolution',
    pattern: /name resolver/,
  },
  {
    id: 'java-unknown-host',
    of: 'resolution',
    pattern: /unknownhost/,
  },
  {
    id: 'cluster-dns',
    of: 'resolution',
    pattern: /dns (error|failure|timeout|lookup)|resolver .*(fail|timeout|not respond)/,
  },
  {
    id: 'node-conditions',
    of: 'node',
    pattern:
      /\bnode\b.*(not ?ready|pressure|under|contend|unreachable|lost|unhealthy|fail)|memorypressure|diskpressure|pidpressure|nodenotready|nodepressure|nodeunderpressure/,
  },
  {
    id: 'kubernetes-eviction',
    of: 'node',
    pattern: /evict/,
  },
  {
    id: 'kubernetes-drain',
    of: 'node',
    pattern: /\bnode\b.*(preempt|drain|cordon|reboot)/,
  },
  {
    id: 'ec2-spot',
    of: 'node',
    pattern: /spot interruption|preemption/,
  },
  {
    id: 'noisy-neighbour',
    of: 'node',
    pattern: /noisy|co-?tenant|neighbou?r/,
  },
  {
    id: 'stolen-time',
    of: 'node',
    pattern: /cpu contended|steal/,
  },
  {
    id: 'ec2-retirement',
    of: 'node',
    pattern: /hardware (error|fault|failure)|host .*(fail|degraded|retire)/,
  },
  {
    id: 'kernel-bug',
    of: 'node',
    pattern: /kernel (panic|bug)/,
  },
  {
    id: 'container-throttled',
    of: 'node',
    pattern: /throttling container/,
  },
  {
    id: 'errno-network',
    of: 'network',
    pattern: /network (is )?unreachable|no route to host|connection reset by peer/,
  },
  {
    id: 'tcp',
    of: 'network',
    pattern: /packet loss|retransmi|mtu/,
  },
  {
    id: 'go-io-timeout',
    of: 'network',
    pattern: /i\/o timeout/,
  },
  {
    id: 'rabbitmq-partition',
    of: 'network',
    pattern: /network partition|split.?brain/,
  },
  {
    id: 'bgp',
    of: 'network',
    pattern: /link (down|flap)|\bbgp\b/,
  },
  {
    id: 'aws-zone',
    of: 'network',
    pattern: /availability zone|\baz[- ]?\w*\b.*(impair|degrad|down|unreach)/,
  },
  {
    id: 'nat-gateway',
    of: 'network',
    pattern: /nat gateway/,
  },
  {
    id: 'dynamodb-throttled',
    of: 'capacity',
    pattern: /throttl|throughputexceeded/,
  },
  {
    id: 'rds-storage',
    of: 'capacity',
    pattern:
      /(ran )?out of storage|storage (space )?is (getting |critically )?low|low storage space|critically low/,
  },
  {
    id: 'postgresql-checkpoints',
    of: 'capacity',
    pattern: /checkpoints? (are |is )?occurring too frequently/,
  },
  {
    id: 'postgresql-connections',
    of: 'capacity',
    pattern: /max_connections|connection slots|too many clients/,
  },
  {
    id: 'mysql-connections',
    of: 'capacity',
    pattern: /too many connections/,
  },
  {
    id: 'http-429',
    of: 'capacity',
    pattern: /too many requests|\b429\b/,
  },
  {
    id: 'aws-quotas',
    of: 'capacity',
    pattern: /rate exceeded|quota|limit (exceeded|reached)|capacity|insufficient/,
  },
  {
    id: 'io-wait',
    of: 'capacity',
    pattern: /(high|heavy) (disk )?i\/o wait/,
  },
  {
    id: 'out-of-memory',
    of: 'capacity',
    pattern: /out ?of ?memory|oomkill|\boom\b/,
  },
  {
    id: 'errno-disk',
    of: 'capacity',
    pattern: /no space left|disk full|enospc/,
  },
  {
    id: 'exhaustion',
    of: 'capacity',
    pattern: /pool exhaust|exhausted|queue (is )?full|saturat|max(imum)? .*reached/,
  },
  {
    id: 'postgresql-data',
    of: 'data',
    pattern:
      /invalid (utf|json|csv|xml|payload|record|row|encoding)|duplicate key|constraint|out of range value/,
  },
  {
    id: 'poison-message',
    of: 'data',
    pattern: /poison|bad (record|row|data|message)/,
  },
  {
    id: 'json-words',
    of: 'data',
    pattern: /malformed|unexpected (value|format|character|token|end of)|schema violation/,
  },
  {
    id: 'checksums',
    of: 'data',
    pattern: /corrupt|checksum/,
  },
  {
    id: 'hot-partition',
    of: 'data',
    pattern: /hot (partition|key|shard)|skew/,
  },
  {
    id: 'kafka-size',
    of: 'data',
    pattern: /too large|oversized/,
  },
  {
    id: 'rds-failover',
    of: 'datastore',
    pattern:
      /fail(ed)?[- ]?over|maintenance (window|started|event)|preempted|instance (stopp|terminat|reboot)\w*/,
  },
  {
    id: 'mongodb-primary',
    of: 'datastore',
    pattern: /primary (changed|lost|down|step|unavailable)|not (the )?(primary|master)/,
  },
  {
    id: 'kafka-leader',
    of: 'datastore',
    pattern:
      /leader (lost|changed)|no leader|not (the )?leader|notleader|broker\b.*(down|unavailable|not available|lost|offline)|under-?replicated/,
  },
  {
    id: 'postgresql-replica',
    of: 'datastore',
    pattern: /replica(tion)? (lag|broken|stopped|error)|read[- ]only (transaction|replica|mode)/,
  },
  {
    id: 'etcd-quorum',
    of: 'datastore',
    pattern: /quorum (lost|not)|split.?brain/,
  },
  {
    id: 'amqp-redelivered',
    of: 'redelivery',
    pattern: /re-?deliver(ed|y|ies|ing)|delivery[-_ ]?(limit|count|attempt)|re-?queued?\b/,
  },
  {
    id: 'jms-redelivered',
    of: 'redelivery',
    pattern:
      /delivered (earlier|before|previously|again|\d+ times)|(was|were|been|and|is) (not|never) acknowledged|\bun-?ack(ed|nowledged)\b|\bnack(ed)?\b/,
  },
  {
    id: 'sqs-receive-count',
    of: 'redelivery',
    pattern: /receive[-_ ]?count|visibility timeout (expired|elapsed)/,
  },
  {
    id: 'dead-letter',
    of: 'redelivery',
    pattern: /dead[-_ ]?letter|\bdlq\b|maxdeliverycountexceeded|poison (message|pill|record)/,
  },
  {
    id: 'java-unreadable',
    of: 'unreadable',
    pattern:
      /numberformatexception|datetimeparseexception|json(parse|mapping|syntax)exception|unrecognizedpropertyexception|mismatchedinputexception|stackoverflowerror/,
  },
  {
    id: 'python-unreadable',
    of: 'unreadable',
    pattern: /valueerror: |unicode(de|en)codeerror|jsondecodeerror|recursionerror|invalid literal for/,
  },
  {
    id: 'go-unreadable',
    of: 'unreadable',
    pattern:
      /strconv\.\w+: parsing|invalid character .* (looking for|in string|after)|cannot unmarshal|parsing time/,
  },
  {
    id: 'javascript-unreadable',
    of: 'unreadable',
    pattern: /syntaxerror: |unexpected token|maximum call stack size|rangeerror: invalid|uri malformed/,
  },
  {
    id: 'dotnet-unreadable',
    of: 'unreadable',
    pattern: /system\.formatexception|was not in a correct format/,
  },
  {
    id: 'protobuf-unreadable',
    of: 'unreadable',
    pattern:
      /(de)?seriali[sz]ationexception|invalidprotocolbuffer|error deserializing|failed to (decode|deserialize|parse|unmarshal)/,
  },
  {
    id: 'nodejs-crash',
    of: 'crash',
    pattern: /uncaught|unhandled(promise)?[ _]?(rejection|exception|error)/,
  },
  {
    id: 'java-crash',
    of: 'crash',
    pattern:
      /exception in thread|thread "[^"]*" (died|terminated|has terminated)|fatal error has been detected by the java/,
  },
  {
    id: 'go-crash',
    of: 'crash',
    pattern: /\bpanic: |fatal error: |goroutine \d+ \[running\]/,
  },
  {
    id: 'signal-crash',
    of: 'crash',
    pattern: /segmentation fault|sigsegv|sigabrt|core dumped|terminate called after throwing/,
  },
  {
    id: 'rust-crash',
    of: 'crash',
    pattern: /thread '[^']*' (\(\d+\) )?panicked at/,
  },
  {
    id: 'python-crash',
    of: 'crash',
    pattern:
      /traceback \(most recent call last\)|worker (\(pid:? ?\d+\) )?(died|was terminated|exited unexpectedly)/,
  },
]

const NOTHING = /[^\s\S]/

/** What speaks of such a thing, whatever its case; of what no row knows, nothing does. */
export function wordsFor(of: Spoken): RegExp {
  const rows = SPOKEN_SIGNS.filter((row) => row.of === of)
  return rows.length === 0 ? NOTHING : new RegExp(rows.map(({ pattern }) => pattern.source).join('|'), 'i')
}
