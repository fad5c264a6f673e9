/**
 * What an infrastructure's own record can break: such a record has no diff, and its title says what it is of.
 *
 * Each row pairs a sort of resource with what is observed when a change of it does harm, both in the words of its public
 * documentation, whose pages stand in `row-pages.ts`. As with diffs, it counts only where both halves are seen.
 */
import type { Mechanism } from './mechanism.ts'

interface RecordMechanism extends Omit<Mechanism, 'in_diff'> {
  /** Words by which a record's title says what it is of. */
  readonly in_title: RegExp
}

/** What is observed where something has less than it needs. */
const TOO_LITTLE = {
  symptom:
    /throttl|\boom|out of memory|insufficient|saturat|exhaust|evict|throughput ?exceeded|iops|queue[_ ]?depth|unschedul|pending|\bcpu\b|cpu_|_cpu|credit|memory|connections?_(?:active|used|in_use)/i,
  general: /latency|duration|time[d ]?[- ]?out|queue|pool/i,
} as const

/** A record whose values say that there is less than before, whatever its title is. */
export const LESS: Omit<Mechanism, 'in_diff'> = {
  ...{ id: 'record-less', does: 'gives it less than it had', kind: 'infra' },
  ...TOO_LITTLE,
}

/**
 * A flag that is taken off after it was on: whoever asks gets what its code has for that case, which is the way that was left,
 * and what that way needs may be gone.
 * @see https://launchdarkly.com/docs/home/flags/archive
 * @see https://openfeature.dev/specification/sections/flag-evaluation
 */
export const TAKEN_OFF: Omit<Mechanism, 'in_diff'> = {
  ...{ id: 'flag-taken-off', does: 'leads back to the way that was left', kind: 'flag' },
  symptom:
    /does ?n.t exist|does not exist|no such (?:table|column|route|index|topic|queue|bucket|key)|unknown (?:column|table|field|topic|endpoint)|undefined (?:column|table|method)|invalid object name|(?<!\bunknown\b.{0,300})\b404\b|\b410\b|no longer|deprecated|(?:flags?|features?)\b.*\bdefault|default (?:value|variant)|fall(?:ing)? ?back/i,
  general: /not found|cannot \w+ \/|missing|unsupported|\b404\b/i,
}

/**
 * What those say who ask a platform for an interface in a version that it no longer serves: an upgrade takes away those that were
 * announced to go.
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
export const NO_LONGER_SERVED =
  /no matches for kind|could not find the requested resource|unable to recognize|no kind "[^"]{1,80}" is registered|ensure crds are installed/i

/** The upgrade of a platform that many parts run on. */
export const PLATFORM: RecordMechanism = {
  id: 'record-platform',
  does: 'puts what runs there on a platform that serves other versions of its interfaces',
  kind: 'infra',
  in_title:
    /\b(?:kubernetes|k8s|eks|gke|aks|openshift|clusters?|control[- ]?planes?|platforms?)\b.{0,60}\b(?:upgrad\w+|versions?|v?\d\.\d+)|\bupgrad\w+\b.{0,60}\b(?:kubernetes|k8s|eks|gke|aks|openshift|clusters?|control[- ]?planes?)\b/i,
  symptom: NO_LONGER_SERVED,
  general: /readiness probe failed|no healthy upstream|unavailable|back-?off|unschedul|evict/i,
}

/** The words of a title: clouds name what was done in one, as PutSecretValue or RevokeSecurityGroupIngress. */
export const titleWords = (title: string): string => title.replace(/([a-z\d])([A-Z])/g, '$1 $2')

export const RECORD_MECHANISMS: readonly RecordMechanism[] = [
  {
    id: 'record-secret',
    does: 'replaces a secret that others hold a copy of',
    kind: 'config',
    in_title:
      /\b(?:secrets?|passwords?|credentials?|(?:api|access|signing)[- ]?keys?|tokens?|rotat(?:e|ed|ion))\b/i,
    symptom:
      /authentication failed|access denied|invalid (?:password|credentials?|token|signature|api key|grant)|wrong ?pass|noauth|unauthori[sz]ed|\b401\b|login failed|signature (?:does not match|mismatch)/i,
  },
  {
    id: 'record-permission',
    does: 'changes who may do what',
    kind: 'config',
    in_title: /\b(?:iam|roles?|polic(?:y|ies)|permissions?|grants?|rbac|acls?|access control)\b/i,
    symptom:
      /access ?denied|permission denied|forbidden|\b403\b|not authori[sz]ed|unauthorizedoperation|insufficient (?:privilege|scope|permission)/i,
  },
  {
    id: 'record-network-rule',
    does: 'changes what may be reached over the network',
    kind: 'infra',
    in_title:
      /\b(?:security[- ]?groups?|firewalls?|network[- ]?(?:polic(?:y|ies)|acls?)|route[- ]?tables?|routes?|peerings?|subnets?|nat|waf|vpn|egress|ingress rules?)\b/i,
    symptom:
      /etimedout|ehostunreach|enetunreach|connect(?:ion)?\b.{0,20}\btime[d ]?[- ]?out|i\/o timeout|no route|unreachable|connection refused|could not connect/i,
    general: /time[d ]?[- ]?out|deadline|connect/i,
  },
  {
    id: 'record-name',
    does: 'changes what a name resolves to',
    kind: 'dns',
    in_title: /\b(?:dns|zones?|record ?sets?|cname|a records?|name ?servers?|resolvers?|coredns)\b/i,
    symptom:
      /no such host|\benotfound|eai_again|nxdomain|servfail|name (?:or service not known|resolution)|could ?n.t resolve|unknown host/i,
    general: /connection refused|econnrefused|time[d ]?[- ]?out|certificate .*not valid for/i,
  },
  {
    id: 'record-certificate',
    does: 'replaces a certificate or what is trusted',
    kind: 'certificate',
    in_title: /\b(?:certificates?|certs?|ca[- ]bundles?|trust ?stores?|key ?stores?|tls|ssl|mtls)\b/i,
    symptom: /x509|certificate|handshake|unknown (?:ca|authority)|\btls\b|\bssl\b|pkix|self.signed/i,
  },
  {
    id: 'record-parameter',
    does: 'changes a parameter of a datastore',
    kind: 'config',
    in_title:
      /\b(?:parameter[- ]?groups?|parameters?|max_connections|statement_timeout|work_mem|shared_buffers|innodb_\w+|max_?memory|eviction[- ]?policy)\b/i,
    symptom:
      /too many (?:connections|clients)|remaining connection slots|statement timeout|lock (?:wait|timeout)|out of (?:shared )?memory|slow[_ ](?:query|queries|log)|\boom\b|evict|connections?_(?:active|used|in_use)/i,
    general: /connections|memory|query|latency|duration|cpu/i,
  },
  {
    id: 'record-size',
    does: 'changes how much it is given',
    kind: 'infra',
    in_title:
      /\b(?:right-?siz\w+|instance (?:class|type|size)|resiz\w+|down-?siz\w+|scal(?:e|ed|ing) (?:down|in)|storage (?:type|class)|iops|throughput|provisioned|capacity|shards?|max (?:replicas|capacity|size))\b/i,
    ...TOO_LITTLE,
  },
  {
    id: 'record-quota',
    does: 'changes how much may be asked',
    kind: 'config',
    in_title: /\b(?:quotas?|rate[- ]?limits?|usage plans?|throttl\w+|concurrency|burst)\b/i,
    symptom:
      /\b429\b|too many requests|throttl|rate ?(?:limit|exceeded)|quota|resource_?exhausted|concurren\w+ limit/i,
  },
  {
    id: 'record-balancing',
    does: 'changes how requests are routed to instances',
    kind: 'infra',
    in_title:
      /\b(?:load[- ]?balanc\w+|target[- ]?groups?|listeners?|health[- ]?checks?|virtual ?services?|distributions?|gateways?|backends?)\b/i,
    symptom:
      /no (?:healthy|live|available) (?:upstream|backend|host|target|endpoint)s?|unhealthy|bad gateway|connection reset/i,
    general: /unavailable|upstream|connect|\b50[234]\b|\b404\b/i,
  },
  {
    id: 'record-queue',
    does: 'changes how messages are kept or handed out',
    kind: 'config',
    in_title:
      /\b(?:queues?|topics?|subscriptions?|consumer[- ]?groups?|visibility|retention|dead[- ]?letter|redrive|partitions?)\b/i,
    symptom:
      /\blag\b|backlog|oldest[_ ]message|redeliver|duplicate|rebalanc|offset out of range|unknown[_ ]topic|dead.?letter|message too large|receive count/i,
    general: /consumer|queue|messages/i,
  },
  {
    id: 'record-cache',
    does: 'empties a cache or changes what it keeps',
    kind: 'config',
    in_title: /\b(?:flush\w*|purg\w+|invalidat\w+|caches?|ttl)\b/i,
    symptom: /\b(?:hit|miss)(?:es)?[_ ]?(?:ratio|rate|count)?\b|evict|stampede|cold cache|cache/i,
    general: /database|connections|load|latency|duration/i,
  },
  {
    id: 'record-removal',
    does: 'takes out what is taken to be needed no more',
    kind: 'infra',
    in_title:
      /\b(?:garbage[- ]?collect\w*|gc|prun(?:e|ed|ing)|clean(?:ed|ing)?[- ]?up|purg(?:e|ed|ing)|lifecycle|expir(?:e|ed|y|ation|ing)|delet(?:e|ed|es|ing|ion)|remov(?:e|ed|es|ing|al)|orphan\w*|sweep|swept)\b/i,
    symptom:
      /\b(?:blobs?|manifests?|objects?|keys?|layers?|artifacts?|files?|images?|tags?|revisions?|snapshots?|packages?|records?)[\s_](?:is |was |are )?(?:unknown|not[\s_]found|missing|gone)|(?:blob|manifest)_unknown|\bno such (?:key|object|file|image|blob)|nosuch(?:key|object|version)|unknown (?:blob|manifest|object|layer|image)|not[_ ]found_per/i,
    general: /not found|missing|does not exist|\b404\b|\b410\b/i,
  },
  {
    id: 'record-engine',
    does: 'takes another version, or restarts or replaces what others are connected to',
    kind: 'infra',
    in_title:
      /\b(?:engine|upgrad\w+|patch\w*|maintenance|failover|failed over|reboot\w*|restart\w*|replac(?:ed?|ing|ement)|swapped|spare)\b/i,
    symptom:
      /terminating connection|retransmi\w{1,10}|no (?:answer|response|reply) (?:of|from)\b|server closed the connection|connection (?:reset|terminated|closed)|read-?only (?:transaction|replica|mode)|recovery mode|starting up|shutting down|incompatib|unsupported|deprecated|unknown (?:command|variable)/i,
    general: /connect|unavailable|refused/i,
  },
  PLATFORM,
  {
    id: 'record-system',
    does: 'puts it on another version of its operating system',
    kind: 'infra',
    in_title:
      /\b(?:debian|ubuntu|rhel|red ?hat|centos|alma ?linux|rocky ?linux|amazon linux|al20\d\d|suse|sles|windows server|bottlerocket|flatcar|kernels?|operating systems?|os (?:versions?|images?|upgrades?|updates?|patch\w*)|dist-upgrade|amis?|(?:base|node|machine|golden)[- ]images?)\b/i,
    symptom:
      /connection ?(?:reset|terminated|closed|lost|aborted)|streamlost|retransmi\w{1,10}|handshake|\bssl\b|\btls\b|glibc|shared (?:object|librar)|symbol not found|exec format|cgroup|seccomp|apparmor|selinux|unit \S{1,60} (?:failed|not found)|illegal instruction/i,
    general: /connect|unavailable|refused|permission|no such file|time[d ]?[- ]?out|latency|duration/i,
  },
]
