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
  | 'fatal'
  | 'locked'
  | 'laborious'
  | 'ended'
  | 'standing'
  | 'blocked'
  | 'member'
  | 'failed'

export interface SpokenSign {
  readonly id: string
  readonly of: Spoken
  /** The words as they are written; matched whatever their case. */
  readonly pattern: RegExp
}

const saying = (of: Spoken, words: Readonly<Record<string, RegExp>>): readonly SpokenSign[] =>
  Object.entries(words).map(([id, pattern]) => ({ id, of, pattern }))

/** Each row's id and its words, by what they speak of. */
export const SPOKEN_SIGNS: readonly SpokenSign[] = [
  ...saying('certificate', {
    'openssl-dates': /certificate (has |is )?expired|expired certificate|certificate.*not yet valid/,
    'nodejs-expired': /cert(ificate)?_(has_)?expired/,
    'go-x509-expired': /x509:.*expired/,
    'firefox-expired': /sec_error_expired/,
    'watched-expiry': /certificate expiry/,
  }),
  ...saying('resolution', {
    'getaddrinfo-words': /\benotfound|eai_again|getaddrinfo|name resolution/,
    'libcurl-resolve': /could not resolve|cannot resolve/,
    'dns-codes': /nxdomain|servfail/,
    'go-lookup': /no such host|server misbehaving|lookup \S.*(timeout|timed out|fail)/,
    'grpc-resolver': /name resolver/,
    'java-unknown-host': /unknownhost/,
    'cluster-dns': /dns (error|failure|timeout|lookup)|resolver .*(fail|timeout|not respond)/,
  }),
  ...saying('node', {
    'node-conditions':
      /\bnode\b.*(not ?ready|pressure|under|contend|unreachable|lost|unhealthy|fail)|memorypressure|diskpressure|pidpressure|nodenotready|nodepressure|nodeunderpressure/,
    'kubernetes-eviction': /evict/,
    'kubernetes-drain': /\bnode\b.*(preempt|drain|cordon|reboot)/,
    'ec2-spot': /spot interruption|preemption/,
    'noisy-neighbour': /noisy|co-?tenant|neighbou?r/,
    'stolen-time': /cpu contended|steal/,
    'ec2-retirement': /hardware (error|fault|failure)|host .*(fail|degraded|retire)/,
    'kernel-bug': /kernel (panic|bug)/,
    'kubelet-conditions':
      /systemoom|(freediskspace|imagegc|containergc)failed|pleg is not healthy|kubeletsetupfailed/,
    'ec2-checks':
      /rebalance recommendation|(system|instance) status checks? failed|drive[ _]performance[ _]degraded/,
    'container-throttled': /throttling container/,
  }),
  ...saying('network', {
    'errno-network': /network (is )?unreachable|no route to host|connection reset by peer/,
    tcp: /packet loss|retransmi|mtu/,
    'go-io-timeout': /i\/o timeout/,
    'rabbitmq-partition': /network partition|split.?brain/,
    bgp: /link (down|flap)|\bbgp\b/,
    'aws-zone': /availability zone|\baz\w*\b.*(impair|degrad|down|unreach)/,
    'nat-gateway': /nat gateway/,
  }),
  ...saying('capacity', {
    'dynamodb-throttled': /throttl|throughputexceeded/,
    'rds-storage':
      /out of storage|storage (space )?is (getting |critically )?low|low storage space|critically low/,
    'postgresql-checkpoints': /checkpoints? (are |is )?occurring too frequently/,
    'postgresql-connections': /max_connections|connection slots|too many clients/,
    'mysql-connections': /too many connections/,
    'http-429': /too many requests|\b429\b/,
    'aws-quotas':
      /rate exceeded|(?<![a-z])quotas?(?![a-z])|quotaexceeded|limit (exceeded|reached)|capacity|insufficient(?![ _-]?(funds?|balance|credits?|stock|inventory|permissions?|privileges?|rights|scopes?|access))/,
    'io-wait': /(high|heavy) (disk )?i\/o wait/,
    'out-of-memory': /out ?of ?memory|oomkill|\boom\b/,
    'errno-disk': /no space left|disk full|enospc/,
    'connection-pools':
      /\bpool (is )?(probably )?(empty|full)\b|\bpooltimeout\b|queuepool limit|connection is not available, request timed out|(connection|resource|client) from the (connection )?pool|timeout acquiring a connection|connectionacquiretimeout|couldn't get a connection after|waitqueuefull|no more connections allowed|all pooled connections/,
    'worker-pools':
      /rejectedexecution|pm\.max_children|\bno (free|idle|available) (worker|thread|slot)s?\b|\bno (worker|thread|slot)s? (is |are )?(free|idle|left|available)\b|\b(?<all>\d+) ?(of|\/) ?\k<all> (workers|threads|connections|slots) (are )?(busy|in use)/,
    exhaustion: /pool exhaust|exhaust(ed|ion)|queue (is )?full|saturat|max(imum)? .*reached/,
  }),
  ...saying('data', {
    'postgresql-data':
      /invalid (utf|json|csv|xml|payload|record|row|encoding)|duplicate key|constraint|out of range value/,
    'poison-message': /poison|bad (record|row|data|message)/,
    'json-words': /malformed|unexpected (value|format|character|token|end of)|schema violation/,
    checksums: /corrupt|checksum/,
    'hot-partition': /hot (partition|key|shard)|skew/,
    'kafka-size': /too large|oversized/,
  }),
  ...saying('datastore', {
    'rds-failover':
      /fail(ed)?[- ]?over|maintenance (window|started|event)|preempted|instance (stopp|terminat|reboot)/,
    'mongodb-primary': /primary (changed|lost|down|step|unavailable)|not (the )?(primary|master)/,
    'kafka-leader':
      /leader (lost|changed)|no leader|not (the )?leader|notleader|broker\b.*(down|unavailable|not available|lost|offline)|under-?replicated/,
    'postgresql-replica': /replica(tion)? (lag|broken|stopped|error)|read[- ]only (transaction|replica|mode)/,
    'aws-health':
      /\baws_\w{1,60}_operational_issue\b|\b(increased|elevated) (api )?(error|fault|failure) rates?\b/,
    'elasticache-events': /cachenode(replace(started|complete)|srebooted)|failovercomplete/,
    'etcd-quorum': /quorum (lost|not)|split.?brain/,
  }),
  ...saying('redelivery', {
    'amqp-redelivered': /re-?deliver(ed|y|ies|ing)|delivery[-_ ]?(limit|count|attempt)|re-?queued?\b/,
    'jms-redelivered':
      /delivered (earlier|before|previously|again|\d+ times)|(was|were|been|and|is) (not|never) acknowledged|\bun-?ack(ed|nowledged)\b|\bnack(ed)?\b/,
    'sqs-receive-count': /receive[-_ ]?count|visibility timeout (expired|elapsed)/,
    'dead-letter': /dead[-_ ]?letter|\bdlq\b|maxdeliverycountexceeded|poison (message|pill|record)/,
  }),
  ...saying('unreadable', {
    'java-unreadable':
      /numberformatexception|datetimeparseexception|json(parse|mapping|syntax)exception|unrecognizedpropertyexception|mismatchedinputexception|stackoverflowerror/,
    'python-unreadable':
      /valueerror: |unicode(de|en)codeerror|jsondecodeerror|recursionerror|invalid literal for/,
    'go-unreadable':
      /strconv\.\w+: parsing|invalid character .* (looking for|in string|after)|cannot unmarshal|parsing time/,
    'javascript-unreadable':
      /syntaxerror: |unexpected token|maximum call stack size|rangeerror: invalid|uri malformed/,
    'dotnet-unreadable': /system\.formatexception|was not in a correct format/,
    'protobuf-unreadable':
      /seriali[sz]ationexception|invalidprotocolbuffer|error deserializing|failed to (decode|deserialize|parse|unmarshal)/,
  }),
  ...saying('crash', {
    'nodejs-crash': /uncaught|unhandled(promise)?[ _]?(rejection|exception|error)/,
    'java-crash':
      /exception in thread|thread "[^"]*" (died|terminated|has terminated)|fatal error has been detected by the java/,
    'go-crash': /\bpanic: |fatal error: |goroutine \d+ \[running\]/,
    'signal-crash': /segmentation fault|sigsegv|sigabrt|core dumped|terminate called after throwing/,
    'rust-crash': /thread '[^']*' (\(\d+\) )?panicked at/,
    'python-crash':
      /traceback \(most recent call last\)|worker (\(pid:? ?\d+\) )?(died|was terminated|exited unexpectedly)/,
  }),
  ...saying('fatal', {
    'fatal-signals':
      /\bsig(segv|abrt|bus|ill|fpe)\b|\bsignal (4|6|7|8|11)\b|segmentation fault|\bsegfault\b|core dumped/,
    'exit-codes': /exit(ed|s)?( with)?( code| status)?:? (132|134|135|136|139)\b/,
    'cpp-terminate': /terminate called (after|without)/,
    'java-fatal': /fatal error has been detected by the java/,
    'go-fatal': /\bfatal error: (?!.*out of memory)|\bpanic: /,
    'windows-fatal': /access violation|0xc0000005/,
  }),
  ...saying('locked', {
    'postgresql-locks':
      /still waiting for \w+lock on|idle in transaction|due to lock timeout|deadlock detected|\b(55p03|40p01)\b/,
    'mysql-locks':
      /lock wait timeout exceeded|deadlock found when trying|waiting for table metadata lock|\ber_lock_(wait_timeout|deadlock)\b/,
    'sqlserver-locks': /chosen as the deadlock victim|lock request time ?out period exceeded/,
    'oracle-locks': /\bora-(00054|00060|30006)\b|\benq: tx\b/,
    'mongodb-locks': /\b(locktimeout|writeconflict|lockbusy)\b/,
    'sqlite-locks': /database (table )?is locked|\bsqlite_(busy|locked)\b/,
    'dynamodb-conflicts': /\btransactionconflict(exception)?\b|\btransactioninprogressexception\b/,
  }),
  ...saying('laborious', {
    'postgresql-slow':
      /\bduration: \d+(\.\d+)? ms +(execute|statement|plan|parse|bind)|\bseq scan on |\btemporary file: path/,
    'postgresql-statistics': /automatic (analyze|vacuum|aggressive vacuum\b.{0,30}) of table/,
    'postgresql-given-up': /canceling statement due to statement timeout|\b57014\b/,
    'mysql-slow': /\bquery_time: |\brows_examined: \d|maximum statement execution time exceeded/,
    'mongodb-slow': /\bcollscan\b|\bplansummary\b|operation exceeded time limit|\bmaxtimemsexpired\b/,
    'redis-slow': /\bbusy redis is busy running a script|\bslowlog\b/,
    'elasticsearch-slow': /\bindex\.(search|indexing)\.slowlog\b|\btook_millis\[/,
    'cassandra-slow': /\blive rows and \d+ tombstone|\btombstoneoverwhelmingexception\b/,
    'oracle-slow': /\bora-(01555|01013|01652)\b|snapshot too old/,
  }),
  ...saying('ended', {
    'http-gone': /\b410 gone\b|\b426 upgrade required\b|\b451 unavailable for legal reasons\b/,
    'sunset-header':
      /\bsunset: ?(mon|tue|wed|thu|fri|sat|sun),|(was|is|has been|been|already) sunset\b|\bsunset (date|on|at)\b/,
    'deprecation-header':
      /\bdeprecation: ?(@\d|true)|(api|version|endpoint|method|model|feature) (is|was|has been|\S{1,40} (is|was|has been)) (deprecated|retired|removed|discontinued|decommissioned)/,
    'azure-versions':
      /\b(unsupported|missing|invalid)_?api_?version(parameter)?\b|unsupported (api )?version|is not supported by the api version|supported (api )?versions (are|is)/,
    'ended-words':
      /\bno longer (served|supported|available|accepted|offered)\b|\b(was|were|is|are|been|version)[ _](retired|discontinued|decommissioned|turned off|shut down)\b|\bend[- ]of[- ](life|support|service)\b/,
    'openai-models': /\bmodel_not_found\b|\bmodel \S{1,62} has been deprecated/,
    'kubernetes-versions': /no matches for kind \S{1,80} in version|could not find the requested resource/,
  }),
  ...saying('standing', {
    'kubernetes-lease':
      /\b(leaderelection lost|stopped leading|failed to (renew|acquire) (the )?(lease|lock)|lock is held by \S{1,80} and has not yet expired)/,
    'lease-words':
      /\b(not|no longer|never) (the |a )?(leader|holder|owner|active)\b|\b(lease|leadership|lock)\b.{0,40}\b(lost|expired|held by another)\b|\bstanding by\b/,
    'kafka-poll':
      /consumer poll timeout has expired|member \S{1,80} in group \S{1,80} has failed|maximum poll interval/,
    'quartz-misfires': /\bmisfire[ds]?\b|\b[1-9]\d{0,8} trigger\S{1,3} that missed their scheduled fire-time/,
  }),
  ...saying('blocked', {
    'java-stuck':
      /\bstuck thread|\[stuck\] executethread|hogging thread|thread \S{1,80} .{0,40}has been (active|stuck|blocked) for/,
    'dotnet-starved': /thread ?pool starvation/,
    'java-blocked':
      /\bblocked \(on object monitor\)|waiting to lock <0x|found (one|\d{1,4}) (java-level )?deadlocks?\b/,
    'go-blocked': /\bgoroutine \d{1,12} \[(semacquire|sync\.(rw)?mutex\.r?lock)(, \d{1,6} minutes)?\]/,
    'vertx-blocked': /\bthread\S{0,80} .{0,40}has been blocked for \d{1,9} ms/,
    'hikari-starved': /thread starvation or clock leap/,
    'ruby-deadlock': /no live threads left\. deadlock|deadlock; (recursive locking|lock already owned)/,
  }),
  ...saying('member', {
    'rabbitmq-member': /\brabbit on node \S{1,80} down|\b(memory|disk) resource limit alarm set\b/,
    'elasticsearch-member': /\bnode-left\[|\bmaster[- _]not[- _]discovered/,
    'redis-member': /\bmarking node \S{1,60} as failing|\bcluster state changed: fail\b|\bclusterdown\b/,
    'cassandra-member': /\binetaddress \S{1,60} is now down\b/,
    'mongodb-member': /\bmember \S{1,80} is now in state (down|unknown|removed)\b/,
    'etcd-member': /\blost the tcp streaming connection with peer|\bfailed to reach the peerurl/,
    'serf-member': /\bmemberlist: suspect \S{1,80} has failed|\beventmemberfailed\b/,
    'galera-member': /\bwsrep\b.{0,60}(non-primary|suspecting node|forgetting)/,
    'probed-member': /\bdoes not (answer|respond to) (its|the) (health )?(probe|check|heartbeat)s?\b/,
  }),
  ...saying('failed', {
    'rds-failed': /\b(instance|cluster) has failed due to\b/,
  }),
]

const NOTHING = /[^\s\S]/

/** What speaks of such a thing, whatever its case; of what no row knows, nothing does. */
export function wordsFor(of: Spoken): RegExp {
  const rows = SPOKEN_SIGNS.filter((row) => row.of === of)
  return rows.length === 0 ? NOTHING : new RegExp(rows.map(({ pattern }) => pattern.source).join('|'), 'i')
}
