/**
 * What kinds of change break what: each mechanism pairs what a diff does with what is then observed.
 *
 * Source: the taxonomies of Ganatra et al. (ASE 2023), Ghosh et al. (SoCC 2022), Tang et al. (SOSP 2015, on
 * configuration) and Gunawi et al. (SoCC 2016) of incident causes, and the catalogue of Nygard (Release It!,
 * 2018). A mechanism counts only where both halves are seen.
 */

import { anyText } from '../any-text.ts'
import { MISREAD } from '../place/misread-answers.ts'
import { SCHEDULED } from './acting-changes.ts'
import { MISFITS } from './built-otherwise.ts'
import { isIncompatible } from './bumped-libraries.ts'
import type { Mechanism } from './mechanism.ts'
import { type DiffReading, quantityOf, type SettingChange } from './read-diff.ts'
import { turnedConditions } from './turned-conditions.ts'
import { onlyWidens } from './widened-ranges.ts'

/**
 * A condition that ends before what it was for, so that this is done whether it holds or not, in languages that write it as C does
 * (Error Prone, EmptyIf; GCC and Clang, -Wempty-body; C#, warning CS0642).
 */
const ENDED_CONDITION = /^(?:\}? ?else )?if ?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) ?;$/

type Direction = 'up' | 'down' | 'any'

/** The strongest change of a setting whose key consists of, or contains, such words. */
function setting(diff: DiffReading, keys: RegExp, direction: Direction): number {
  let best = 0
  for (const change of diff.settings) {
    const inKey = keys.test(change.key_words)
    if (!inKey && !keys.test(change.context_words)) continue
    best = Math.max(best, step(change, direction) * (inKey ? 1 : 0.6))
  }
  return best
}

/** How long whoever asks whether something is alive waits: no call of users waits for that, and `health-check` reads it. */
const OF_PROBES = /\b(?:probes?|liveness|readiness|health ?checks?)\b/
/** The same diff without such settings. */
const ofCalls = (diff: DiffReading): DiffReading => ({
  ...diff,
  settings: diff.settings.filter(
    ({ key_words, context_words }) => !OF_PROBES.test(`${key_words} ${context_words}`),
  ),
})

/** A factor of two or more is a full step; the harmless direction and small steps count little. */
function step(change: SettingChange, direction: Direction): number {
  if (change.factor === null) return direction === 'any' ? 0.8 : 0.4
  const size = Math.min(1, Math.max(0.1, Math.log2(change.factor)))
  return direction === 'any' || change.direction === direction ? size : 0.12 * size
}

/** So many texts are looked at as fast one by one as all together. */
const FEW = 2
/** What tells of texts of a diff whether an expression may match one, as long as the diff's reading is kept: every mechanism asks. */
const mayMatchBefore = new WeakMap<readonly string[], (pattern: RegExp) => boolean>()

function mayMatch(texts: readonly string[], pattern: RegExp): boolean {
  let may = mayMatchBefore.get(texts)
  if (may === undefined) {
    may = anyText(texts)
    mayMatchBefore.set(texts, may)
  }
  return may(pattern)
}

function matchesAny(texts: readonly string[], pattern: RegExp): boolean {
  if (texts.length > FEW && !mayMatch(texts, pattern)) return false
  for (const text of texts) if (pattern.test(text)) return true
  return false
}

const gone = (diff: DiffReading, pattern: RegExp): number => (matchesAny(diff.lines_gone, pattern) ? 1 : 0)
const fresh = (diff: DiffReading, pattern: RegExp): number => (matchesAny(diff.lines_new, pattern) ? 1 : 0)
const file = (diff: DiffReading, pattern: RegExp): number => (matchesAny(diff.files, pattern) ? 1 : 0)
const newWord = (diff: DiffReading, pattern: RegExp): number => (matchesAny(diff.net_added, pattern) ? 1 : 0)

/** A word leaves the code for good: it is in no new line. Where it only becomes rarer, a third. */
function dropped(diff: DiffReading, pattern: RegExp): number {
  if (!mayMatch(diff.net_removed, pattern)) return 0
  const words = diff.net_removed.filter((word) => pattern.test(word))
  if (words.length === 0) return 0
  return words.some((word) => !diff.words_added.has(word)) ? 1 : 0.3
}

/** Files that state values. */
const STATED = /\.(?:ya?ml|toml|ini|conf|cfg|env|properties|json)$/i

/** Settings by which nginx, ingress controllers, Envoy, Traefik, Express, Spring and others know who asks behind a proxy. */
const CLIENT_ADDRESS =
  /x-forwarded-for|forwarded-(?:headers|for|allow-ips)|forwarded_(?:headers|for|allow_ips)|real[_-]ip|proxy[_-]protocol|trusted[_-]?(?:prox|hops|ips)|trust[_ -]proxy|forward-?headers-?strategy|client[_-]ip|ip[_-]?address[_-]?header/i

/**
 * How web servers, gateways and frameworks are told to send whoever asks elsewhere.
 * @see https://httpd.apache.org/docs/2.4/rewrite/flags.html#flag_r (R), https://httpd.apache.org/docs/2.4/mod/mod_alias.html (Redirect)
 * @see https://nginx.org/en/docs/http/ngx_http_rewrite_module.html (return, rewrite)
 * @see https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/ (ssl-redirect)
 * @see https://doc.traefik.io/traefik/middlewares/http/redirectscheme/
 * @see https://docs.djangoproject.com/en/5.0/ref/settings/#secure-ssl-redirect, https://guides.rubyonrails.org/configuring.html (force_ssl)
 */
const SENDS_ELSEWHERE =
  /\bRewriteRule\b.{0,300}\s\[(?:[^\][]{0,60},)?(?:R|redirect)[=,\]]|^\s*Redirect(?:Match|Permanent|Temp)?\s|\breturn 30[12378]\b|\brewrite\s.{0,300}\s(?:permanent|redirect)\b|redirect[-_ ]?(?:scheme|to[-_ ]?https)|(?:force[-_])?ssl[-_]redirect|\bforce_ssl\b|https[-_]only/i

const CALL_STATEMENT = /^(?:await |defer |go )?[\w$.]*[A-Za-z_$]\w*(?:::\w+)? ?\([^=]*\) ?;?$/
const SETUP_VERB =
  /^(register|init|load|seed|subscribe|bind|mount|setup|configure|start|connect|enable|warm|populate|provide|install|bootstrap|schedule|attach|preload|migrate|ensure|hydrate|sync|add)/i

/** Statements that called something which no new line calls. */
function lostCalls(diff: DiffReading): readonly string[] {
  const names: string[] = []
  for (const line of diff.lines_gone) {
    if (
      !CALL_STATEMENT.test(line) ||
      /\b(log|logger|print|console|fmt|debug|error|write\w*|json)\b/i.test(line)
    )
      continue
    const name = /([A-Za-z_$]\w*) ?\(/.exec(line)?.[1]
    if (name !== undefined && !diff.added.some((added) => added.includes(`${name}(`))) names.push(name)
  }
  return names
}

const EXIT = /\b(?:return|throw|raise|continue|break)\b/
const RELEASE =
  /[\w)\]]\s*(?:\.|->|::)\s*(?:release|close|unlock|dispose|free|put|done|return_?to_?pool)\w*\s*\(/i
/** What gives back on every way out, however many are added. */
const ON_EVERY_WAY = /\b(?:defer|finally|ensure|using|with)\b/

/**
 * What was given back before every way out is given back after a new one: whoever leaves there keeps it. A pool ends so
 * after as many of them as it holds (node-postgres, features/pooling: "You must release a client when you are finished
 * with it"; HikariCP's leakDetectionThreshold exists for this).
 */
function leavesBeforeRelease({ removed, added }: DiffReading): number {
  const before = removed.map((line) => line.trim())
  const after = added.map((line) => line.trim())
  const isLate = after.some((line, index) => {
    if (!RELEASE.test(line) || ON_EVERY_WAY.test(line)) return false
    const stood = before.indexOf(line)
    const left = (lines: readonly string[], to: number): boolean =>
      lines.slice(0, to).some((one) => EXIT.test(one))
    return stood >= 0 && !left(before, stood) && left(after, index)
  })
  return isLate && !after.some((line) => ON_EVERY_WAY.test(line)) ? 1 : 0
}

/** Has something done as soon as nothing else is to be done: in Node and browsers, and in Python's asyncio. */
const AT_ONCE =
  /\b(?:setImmediate|nextTick|queueMicrotask|call_soon)\( ?(?:\(\) ?=> ?)?(?:this\.|self\.)?([A-Za-z_$]\w{0,60})|\bset(?:Timeout|Interval)\( ?(?:this\.)?([A-Za-z_$]\w{0,60}) ?(?:, ?[01] ?)?\)/

/**
 * Something that a change brings has itself begun anew at once, so that its process never rests and what waits for it does
 * (Node.js, "Don't Block the Event Loop" and "Understanding setImmediate()": recursive calls starve what else is to be done).
 */
function beginsAnew({ lines_new: fresh }: DiffReading): number {
  const names = fresh.flatMap((line) => {
    const found = AT_ONCE.exec(line)
    return found === null ? [] : [found[1] ?? found[2]]
  })
  const isBrought = (name: string | undefined): boolean =>
    fresh.some(
      (line) =>
        /^(?:export )?(?:async )?(?:const|let|var|function|def) ([A-Za-z_$]\w{0,60})/.exec(line)?.[1] ===
        name,
    )
  return names.some(isBrought) ? 1 : 0
}

/**
 * What has a store read many rows for one answer: joins, groups, sums and orders, in SQL, in its libraries and in stages of
 * aggregations. What a program does with what it holds looks alike where it is called without an argument that names a column.
 * @see https://www.postgresql.org/docs/current/performance-tips.html, https://dev.mysql.com/doc/refman/8.4/en/select-optimization.html
 * @see https://guides.rubyonrails.org/active_record_querying.html (joins, group, calculations)
 * @see https://docs.djangoproject.com/en/5.1/topics/db/aggregation/, https://www.mongodb.com/docs/manual/core/aggregation-pipeline/
 */
const PUT_TOGETHER =
  /\bJOIN\b|\bGROUP BY\b|\b(?:SUM|COUNT|AVG|MIN|MAX)\((?:DISTINCT )?[\w.*]+\)[^;]*\bFROM\b|\bUNION\b|\.(?:left_(?:outer_)?)?joins?\(["':A-Z]|\.(?:sum|average|minimum|maximum|calculate|pluck|group)\((?::|["'])|\.(?:annotate|aggregate)\(|\$(?:lookup|group|unwind|facet)\b|\.(?:groupBy|innerJoin|leftJoin|leftJoinAndSelect|GroupBy|Joins|select_from|outerjoin)\(/g

/** The same, for one look whether there are any. */
const PUT_ANY = new RegExp(PUT_TOGETHER.source)

/** How far a change has a store put together more than before: more such words are in its lines than in those that they replace. */
export function putsTogether({ lines_gone: gone, lines_new: added }: DiffReading): number {
  if (!matchesAny(added, PUT_ANY)) return 0
  const count = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + (line.match(PUT_TOGETHER)?.length ?? 0), 0)
  return count(added) > count(gone) ? 0.9 : 0
}

/** How much a query or a page may hold at most, in the words of SQL, of its libraries and of public interfaces. */
const AT_MOST =
  /\blimit (?:[$:@?%{]|\d)|\bfetch (?:first|next)\b|\bselect top\b|\.(?:limit|take|setMaxResults|page_?size)\(|\b(?:page_?size|max_?results|per_?page|max_?keys)["']? ?[:=]|[?&](?:limit|per_page)=/i

/**
 * Empties a cache as a whole, or has caches on the way keep nothing, in the words of Cloudflare, Fastly, CloudFront, Redis,
 * memcached, Rails and Django, and of HTTP itself (RFC 9111, sections 4.1 and 5.2.2).
 */
const EMPTIES =
  /\bpurge_?(?:everything|all|cache|site)\b|\bflush_?(?:all|db)\b|create-?invalidation|\bcache\.(?:clear|flush|purge|reset)\b|\bcache[-_ ]control\b.{0,40}\b(?:no-store|no-cache|private|max-age=0)\b|\bvary\b.{0,20}(?:cookie|user-agent|\*)/i

/** Connections that are kept for the next request, in the words of Node, Go, Python, Java and HTTP itself. */
const KEPT = /keep[-_ ]?alives?(?:Enabled)?["']? ?[:=(,]+ ?["']?(?:true|yes|on|1|keep-alive)\b/i
const NOT_KEPT =
  /(?:disable|no)[-_ ]?keep[-_ ]?alives?["']? ?[:=(,]+ ?["']?(?:true|yes|on|1)\b|keep[-_ ]?alives?["']? ?[:=(,]+[^\n,;]*\b(?:false|off|no)\b|["']?connection["']?\]? ?[:=,] ?["']close\b/i

/** Kubernetes, Cilium, Calico, Istio, Terraform, CloudFormation, iptables-save(8), nft(8) and ufw(8) declare rules of the network so. */
const NETWORK_RULE =
  /\bkind:\s*["']?(?:\w*NetworkPolicy|AuthorizationPolicy|ServiceEntry|Sidecar)\b|\b(?:aws_(?:vpc_)?(?:security_group|network_acl|route)\w*|google_compute_firewall\w*|azurerm_network_security_\w+)\b|AWS::EC2::(?:SecurityGroup|NetworkAcl|Route)\w*|\biptables\b|\b(?:podSelector|ipBlock|fromEndpoints|toEndpoints|fromCIDR|toCIDR|remoteIpBlocks|source_ranges|cidr_blocks|CidrIp)\b|^-[AI] (?:INPUT|FORWARD|OUTPUT)\b.* -j [A-Z]+|\bip6? [sd]addr\b.*\b(?:accept|drop|reject)\b|^ufw (?:allow|deny|reject|limit)\b/

/** Whether a diff changes lines in or beside a rule of the network, and does more than to let more in. */
export const isNetworkRule = (diff: DiffReading): boolean =>
  diff.lines_gone.length + diff.lines_new.length > 0 &&
  !onlyWidens(diff.lines_gone, diff.lines_new) &&
  [...diff.surroundings, ...diff.removed, ...diff.added].some((line) => NETWORK_RULE.test(line))

/** A field of an answer or a message and what is put there, in an object, a struct or a mapping. */
const FIELD = /^["']?([A-Za-z_]\w*)["']? ?(?::|=>|=) ?(.+?)[,;]?$/
/** Something that is computed: a bare number, text or word is a setting. */
const COMPUTED = /[\w)\]] ?(?:\.|->|::) ?\w|\w ?\(|\?/
/** Makes another type of a value, or a type that readers do not know yet. */
const RETYPES =
  /\b(?:toFixed|toString|to_s|to_str|to_i|to_f|to_json|to_string|toISOString|toJSON|toLocale\w+|ToString|Itoa|isoformat)\b|\b(?:String|Number|BigInt|Boolean|str|int|float|Decimal|parseInt|parseFloat|stringify|Sprintf?|format|split|join) ?\(|\?\?|\|\||\b(?:null|None|nil|undefined)\b|["'][A-Z][A-Z_]+["']/

/**
 * The same field filled otherwise: surely where its type, its emptiness or its set of words may change (Protocol Buffers,
 * "Updating a message type"; JSON Schema, "type" and "enum"), less so where it is computed from something else.
 */
function refills({ lines_gone: gone, lines_new: fresh, files }: DiffReading): number {
  if (files.length > 0 && files.every((path) => SETTINGS.test(path))) return 0
  let best = 0
  const now = fieldsOf(fresh)
  const retyped = (text: string): string => (text.match(new RegExp(RETYPES, 'g')) ?? []).join(' ')
  for (const [key, values] of fieldsOf(gone))
    for (const [before, wasComputed] of values)
      for (const [after, isComputed] of now.get(key) ?? [])
        if (before !== after && (wasComputed || isComputed))
          best = Math.max(best, retyped(before) === retyped(after) ? 0.4 : 0.9)
  return best
}

/** A line longer than anybody writes is generated, and a field that is filled more often than this is a table. */
const LONGEST_FIELD = 400
const MOST_VALUES = 20

/** What is put into each field, each once, and whether it is computed. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, ReadonlyMap<string, boolean>> {
  const fields = new Map<string, Map<string, boolean>>()
  for (const line of lines) {
    const [, key, value = ''] = line.length > LONGEST_FIELD ? [] : (FIELD.exec(line) ?? [])
    if (key === undefined) continue
    const values = fields.get(key) ?? new Map<string, boolean>()
    fields.set(key, values)
    if (values.size < MOST_VALUES && !values.has(value)) values.set(value, COMPUTED.test(value))
  }
  return fields
}
const SETTINGS = /\.(ya?ml|toml|ini|conf|cfg|env|properties|tf|tfvars|hcl)$/i

/**
 * Data definition that keeps others from a table while it runs: PostgreSQL, Explicit Locking (ACCESS EXCLUSIVE and SHARE);
 * MySQL, Online DDL Operations. What is built concurrently or checked later holds up nobody for long.
 */
function holdsUpTable({ lines_new: lines }: DiffReading): number {
  const isBlocking = (line: string): boolean =>
    /\bVACUUM FULL\b|\bCLUSTER \w|\bLOCK TABLES?\b/i.test(line) ||
    (/\b(?:CREATE (?:UNIQUE )?INDEX|REINDEX)\b/i.test(line) && !/CONCURRENTLY|ONLINE/i.test(line)) ||
    (/\bALTER TABLE\b|\bop\.alter_column\(|\bchange_column\b/i.test(line) &&
      !/NOT VALID|ALGORITHM ?= ?(?:INSTANT|INPLACE)|SET \(/i.test(line))
  const isHeavy =
    /\bTYPE\b|NOT NULL|CONSTRAINT|FOREIGN KEY|PRIMARY KEY|\bCHECK\b|MODIFY|CHANGE COLUMN|alter_column|change_column|INDEX|VACUUM|CLUSTER|LOCK/i
  if (!lines.some(isBlocking)) return 0
  return lines.some((line) => isBlocking(line) && isHeavy.test(line)) ? 1 : 0.5
}

const GUARD =
  /\bif\b.*(nil|null|undefined|None|empty|isEmpty|len\(|length|== ?0|<= ?0|< ?0|ok\b|exists|has\(|valid)|\?\.|\?\?|Optional|getOrDefault|\.get\([^)]*,|\bcatch\b|\bexcept\b|\brescue\b|recover\(\)|\bassert|validate|sanitize|unwrap_or|orElse|defaultdict|isinstance/
/**
 * A way out before the rest is done, whatever is asked first: a statement of one line in C's kin and Python, a modifier of Ruby, the
 * guard of Swift and Kotlin's Elvis operator (Fowler, Refactoring, 2018: Replace Nested Conditional with Guard Clauses).
 */
const EARLY_WAY_OUT =
  /^\s*(?:\}? ?else )?if ?\(.*\) ?\{? ?(?:return|throw|continue|break)\b|^\s*if [^:]{1,200}: ?(?:return|raise|continue|break)\b|^\s*(?:return|raise|next)\b.* (?:if|unless) |^\s*guard .* else\b|\?: ?(?:return|throw)\b/
const ERROR_CHECK = /err(or)? ?!= ?nil|err(or)? ?:?= ?nil/
/** What a function of one line answers, whatever it is called. */
const ANSWER_OF_A_LINE = /(?:[{:]\s*return\s+|=>\s*)([^{}]+?);?\s*\}?\s*$/
/** Checks among lines; an error that is looked at is no check of a value. */
const guardsIn = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => (GUARD.test(line) || EARLY_WAY_OUT.test(line)) && !ERROR_CHECK.test(line))
/** Checks that a diff takes away: one that only goes by another name, or in one where there were two, stays. */
function guardsTaken(diff: DiffReading): readonly string[] {
  const kept = new Set(guardsIn(diff.lines_new).map((line) => ANSWER_OF_A_LINE.exec(line)?.[1]))
  return guardsIn(diff.lines_gone).filter((line) => {
    const answer = ANSWER_OF_A_LINE.exec(line)?.[1]
    return answer === undefined || !kept.has(answer)
  })
}

const CONTRACT_LINE =
  /json:|yaml:|xml:|protobuf|@JsonProperty|@SerializedName|column|field|schema|mapping|properties|required|"[\w.-]+" ?:|'[\w.-]+' ?:|= ?\d+; ?$|\benum\b|message |topic|header/i
const CONTRACT_FILE =
  /schema|mapping|proto|models?\b|dto|contract|envelope|types?\b|entit|avro|openapi|graphql|index|event/i
const MANIFEST =
  /(^|\/)(go\.(mod|sum)|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|requirements[^/]*\.txt|poetry\.lock|pom\.xml|build\.gradle(\.kts)?|Cargo\.(toml|lock)|Gemfile(\.lock)?|Dockerfile)$/i

/** Whether nothing but versions of libraries changes: then no other mechanism can be read from it. */
export const isManifestOnly = (diff: DiffReading): boolean =>
  diff.files.length > 0 && diff.files.every((path) => MANIFEST.test(path))

/** A name that stands for an object, a list or a function which is made there and then. */
const MADE_THERE = /^(?:const|let|var) (\w{1,60}) ?= ?(?:[{[]|new |\([\w, ]{0,80}\) ?=>|function)/
/** What runs again whenever one of a list is another one. */
const RUNS_ON = /\[([^\][]{1,200})\] ?\)/

/**
 * What runs again whenever something is another one now waits for an object that is made anew each time, and so runs each
 * time: "Removing unnecessary object dependencies", https://react.dev/reference/react/useEffect
 */
function runsAnew({ lines_gone: before, lines_new: after }: DiffReading): number {
  const made = new Set(after.flatMap((line) => MADE_THERE.exec(line.trim())?.[1] ?? []))
  const waitsFor = (lines: readonly string[]): readonly string[] =>
    lines.flatMap(
      (line) =>
        RUNS_ON.exec(line)?.[1]
          ?.split(',')
          .map((name) => name.trim()) ?? [],
    )
  return waitsFor(before).length > 0 && waitsFor(after).some((name) => made.has(name)) ? 1 : 0
}

/** How Kubernetes, load balancers, Docker and Consul ask whether something is alive, and what is asked for. */
const HEALTH_CHECK =
  /(?:liveness|readiness|startup)_?probe|health[-_ ]?check|(?:un)?healthy_?threshold|failure_?threshold/i
const ASKED_FOR = /^["']?(?:path|port|command|grpc|exec|endpoint|url|test)["']? ?[:=]|^HEALTHCHECK\b/i

export const MECHANISMS: readonly Mechanism[] = [
  {
    id: 'ceiling',
    does: 'lowers a ceiling on connections, workers or queues',
    kind: 'config',
    in_diff: (diff) =>
      Math.max(
        setting(
          diff,
          /\b(max|maximum) .*\b(conns?|connections?|pool|workers?|threads?|open|idle|active|size|concurrency|concurrent|inflight|requests|clients|sessions|tasks)\b|\bpool size\b|\b(conns|connections|workers?|threads?|concurrency|permits|slots|parallelism|prefetch)$|\bqueue (size|length|len|capacity|depth)\b/,
          'down',
        ),
        0.6 * dropped(diff, /^(pool|pooled|semaphore|bulkhead)$/),
      ),
    symptom:
      /pool|acquir\w+ (a )?conn|too many (connections|clients)|connection (limit|slots)|queue (is )?full|in[_ ]use|no (free|available) (conn|worker|slot|thread)|max_?conn|worker.*busy|thread.*(exhaust|starv)/i,
    general: /exhaust|saturat|wait|reject|starv|backlog|timeout/i,
  },
  {
    id: 'timeout',
    does: 'changes a timeout or a deadline',
    kind: 'config',
    in_diff: (diff) =>
      Math.max(
        setting(ofCalls(diff), /\b(time ?out|deadline|max wait|grace|keep ?alive|linger|ttl)\b/, 'down'),
        0.3 * setting(ofCalls(diff), /\b(time ?out|deadline)\b/, 'up'),
        0.8 * dropped(diff, /^(timeout|deadline|timeouts)$/),
        0.4 * fresh(diff, /with_?timeout|settimeout|deadline/i),
      ),
    symptom:
      /time[d ]?[- ]?out|deadline|cancel+ed|\b504\b|gateway time|\bhung\b|\bhang(s|ing)?\b|in-?flight/i,
    general: /latency|slow|duration|p9\d|stuck|unavailable|waiting/i,
  },
  {
    id: 'health-check',
    does: 'changes how its platform asks whether it is alive',
    kind: 'config',
    // https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
    // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
    in_diff: (diff) =>
      [...diff.surroundings, ...diff.removed, ...diff.added].some((line) => HEALTH_CHECK.test(line))
        ? Math.max(
            setting(
              diff,
              /\b(time ?out|threshold|failures?|retries|period|interval|delay|deadline)\b/,
              'down',
            ),
            0.9 * Math.min(gone(diff, ASKED_FOR), fresh(diff, ASKED_FOR)),
            0.8 * dropped(diff, /^(startup|probe|livenessprobe|readinessprobe|startupprobe|healthcheck)$/),
          )
        : 0,
    symptom:
      /(?:liveness|readiness|startup) probe|probes?[ _](?:failed|errored|failures?)|(?:failed|failing) (?:its )?(?:liveness|health)|health ?checks? (?:failed|failing)|unhealthy|\bSIGTERM\b|\bkilling\b|will be restarted|marked (?:as )?(?:down|failed)/i,
    general: /restart|terminat|not ready|unready|no (?:healthy|available)/i,
  },
  {
    id: 'retries',
    does: 'changes how often or how fast failed calls are repeated',
    kind: 'config',
    in_diff: (diff) =>
      Math.max(
        0.9 * setting(diff, /\b(retry|retries|attempts?|back ?off|budget|max tries)\b/, 'down'),
        0.7 * setting(diff, /\b(retry|retries|attempts?|max tries)\b/, 'up'),
        0.8 * dropped(diff, /^(retry|retries|retrying|backoff|attempts|jitter|breaker|circuitbreaker)$/),
        0.6 * newWord(diff, /^(retry|retries)$/),
      ),
    symptom: /retr(y|ies|ied)|attempts?\b|back[_ -]?off|retry storm|amplif|circuit|\bbudget\b/i,
    general: /conflict|contention|exhaust|overload|rate.?limit|429|too many requests|transient/i,
  },
  {
    id: 'locking',
    does: 'takes away a lock or another guard of concurrent access',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        dropped(
          diff,
          /^(mutex|rwmutex|lock|unlock|rlock|runlock|locked|synchronized|atomic|semaphore|volatile|serializable|latch|concurrenthashmap|setnx|redlock)$/,
        ),
        0.8 *
          gone(
            diff,
            /FOR UPDATE|sync\.|\.lock\(|synchronized|@Transactional|begin_?transaction|transaction\(|setnx/i,
          ),
        0.5 * gone(diff, /\bawait /),
        0.4 * fresh(diff, /go func|Thread\(|Promise\.all|parallel|asyncio\.gather|@async/i),
      ),
    symptom:
      /concurren|\brace\b|data race|duplicate|double[- ](charge|book|process|spend|write)|inconsisten|out of order|lost update|oversold|negative (stock|balance|inventory)|already (exists|processed)|version conflict|interleav/i,
    general: /deadlock|corrupt|panic|conflict|fatal/i,
  },
  {
    id: 'lock-added',
    does: 'holds a lock or a transaction for longer',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        0.8 * newWord(diff, /^(mutex|lock|synchronized|serializable|exclusive)$/),
        0.8 * fresh(diff, /FOR UPDATE|LOCK TABLE|\.lock\(|@Transactional|SERIALIZABLE/i),
        0.9 * holdsUpTable(diff),
      ),
    symptom:
      /deadlock|lock (wait|timeout|contention)|lock_?wait|waiting for (?:a )?(?:\w+ )?lock|metadata lock|serialization failure|could not obtain lock/i,
    general: /blocked|contention|stall|wait/i,
  },
  {
    id: 'guard',
    does: 'takes away a check for missing or malformed values',
    kind: 'code',
    in_diff: (diff) => {
      const taken = guardsTaken(diff).length
      return taken === 0 ? 0 : guardsIn(diff.lines_new).length >= taken ? 0.2 : 0.9
    },
    symptom:
      /\bnil\b|\bnull\b|undefined|none ?type|nullpointer|nullreference|object reference not set|\bnpe\b|typeerror|keyerror|attributeerror|valueerror|segfault|segmentation|index out of|out of (range|bounds)|cannot read propert|nosuchelement|dereference|divi(de|sion) by zero|illegalargument|unwrap/i,
    general: /panic|invalid|malformed|unexpected|fatal/i,
  },
  {
    id: 'ended-condition',
    does: 'ends a condition before what it was for, which is then done always',
    kind: 'code',
    in_diff: (diff) => fresh(diff, ENDED_CONDITION),
    symptom:
      /refus(?:ed|es|al)|reject(?:ed|s)|den(?:ied|ies)|declin|forbidden|not (?:allowed|permitted|eligible)|insufficient|exceed(?:ed|s)|duplicate|already|illegal ?state|invalid/i,
    general: /\b4\d\d\b|\b500\b|exception|unexpected/i,
  },
  {
    id: 'turned-condition',
    does: 'turns a condition, so that what it is for is done where it was not before',
    kind: 'code',
    in_diff: (diff) => (turnedConditions(diff).length > 0 ? 0.9 : 0),
    symptom:
      /refus(?:ed|es|al)|reject(?:ed|s)|den(?:ied|ies)|declin|forbidden|not (?:allowed|permitted|eligible|valid)|insufficient|exceed(?:ed|s)|over.?limit|duplicate|already|illegal ?state|invalid/i,
    general: /\b4\d\d\b|\b500\b|exception|unexpected|missing|not found/i,
  },
  {
    id: 'call-removed',
    does: 'no longer makes a call that it made before',
    kind: 'code',
    in_diff: (diff) => {
      const lost = lostCalls(diff)
      if (lost.length === 0) return 0
      return lost.some((name) => SETUP_VERB.test(name)) ? 1 : 0.25
    },
    symptom:
      /not (found|registered|initiali[sz]ed|configured|loaded|set up|subscribed|bound)|unregistered|uninitiali|no (handler|provider|route|binding|implementation|subscriber|bean)/i,
    general: /missing|unknown|undefined|empty|absent|404|does not exist|stale|never/i,
  },
  {
    id: 'contract',
    does: 'renames or removes a field, a key or a type that others read',
    kind: 'code',
    in_diff: (diff) => {
      const renamed =
        diff.lines_gone.some((line) => CONTRACT_LINE.test(line)) && diff.literals_removed.length > 0
      if (!renamed) return 0.6 * file(diff, /\.(proto|avsc|graphql|thrift)$/)
      return file(diff, CONTRACT_FILE) > 0 ? 0.9 : 0.5
    },
    symptom:
      /deserial|unmarshal|decod(e|ing)|pars(e|ing) (error|exception|fail)|fail\w* to parse|schema|mapping|unknown (field|column|key|property)|missing (required )?(field|key|param|column|prop)|unrecogni[sz]ed|no such (field|column)|required (field|property)|type mismatch|invalid (type|json|payload|message)|keyerror|contract/i,
    general: /field|column|propert|validation|\b422\b|\b400\b|undefined|null|incompatib|required|missing/i,
  },
  {
    id: 'field-value',
    does: 'puts something else into a field that others read',
    kind: 'code',
    in_diff: refills,
    symptom: MISREAD,
    general: /field|column|propert|validation|\b422\b|\b400\b|undefined|null|incompatib|invalid/i,
  },
  {
    id: 'query',
    does: 'changes a query, an index or how many are sent',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        0.8 *
          gone(
            diff,
            /\b(WHERE|JOIN|LIMIT|USE INDEX)\b|\bindex(es)?\b|prefetch|select_related|includes?\(|preload|eager|join|paginate|page_?size/i,
          ) *
          (gone(diff, /sql|query|select|where|join|index|find|db\.|repo|orm|model|include|preload|prefetch/i)
            ? 1
            : 0),
        0.8 *
          fresh(
            diff,
            /\bSELECT\b|\bJOIN\b|ORDER BY|\bLIKE\b|LOWER\(|DISTINCT|findAll|full_?scan|match_all|wildcard|\bILIKE\b/,
          ),
        0.8 *
          (fresh(diff, /\bfor\b|\.map\(|forEach|while\b/) &&
            fresh(diff, /query|select|find|fetch|\.get\w*\(|load\w*\(|exec/i)),
        0.6 * setting(diff, /\b(limit|page size|batch|fetch size)\b/, 'up'),
      ),
    symptom:
      /slow (query|log)|query (time|duration|latency|count)|queries|full scan|table scan|seq(uential)? scan|rows (examined|read)|n\+1|lock wait|statement timeout|sql/i,
    general: /\bdb\b|database|query|index|iops|cpu|latency|duration|connections/i,
  },
  {
    id: 'put-together',
    does: 'has a store put together more for each answer',
    kind: 'code',
    in_diff: putsTogether,
    symptom:
      /(?:statement|query|execution|command)[_ ]time(?:d[_ ]|[_ -])?out|\btime(?:d |-)?out\b.{1,40}\b(?:query|statement|command)\b|max_?statement_?time|maximum statement execution time|query (?:execution|duration|latency)|slow[_ ](?:query|queries|log)|slow[_ ]statements?|threads[_ ]running|exceeded time limit|maxtimems|querycancel|(?:rows|tuples|tup|documents?|docs)[_ ](?:read|examined|scanned|fetched)|(?:temp|temporary|tmp)[_ ](?:files?|tables?|disk)/i,
    general: /\bdb\b|database|query|cpu|iops|connections|latency|duration/i,
  },
  {
    id: 'unbounded',
    does: 'no longer bounds how much it reads',
    kind: 'code',
    // PostgreSQL, LIMIT and OFFSET; nginx, ngx_http_proxy_module: what does not fit its buffers goes to a file.
    in_diff: (diff) => 0.9 * gone(diff, AT_MOST) * (1 - fresh(diff, AT_MOST)),
    symptom:
      /response of \d+ ?(?:bytes|[kmg]i?b)|(?:rows|tuples|documents|records)[_ ](?:read|returned|fetched|examined|sent)|result (?:set|size)|too large|buffered to a temporary file|statement timeout|maximum statement execution time|out ?of ?memory|\boom|heap|memory[_ ](?:usage|used|bytes)|\bgc\b|bytes[_ ](?:sent|out|returned|fetched)/i,
    general: /\bdb\b|database|query|cpu|latency|duration|time[d ]?[- ]?out/i,
  },
  {
    id: 'header-room',
    does: 'leaves less room for headers',
    kind: 'config',
    // nginx, ngx_http_proxy_module (proxy_buffer_size holds the header of an answer) and large_client_header_buffers; Node.js,
    // --max-http-header-size; Spring Boot, server.max-http-request-header-size; RFC 6585, section 5.
    in_diff: (diff) =>
      setting(
        diff,
        /\bbuffer size\b|\bheaders?\b.*\b(?:size|kb|bytes|buffers?|count)\b|\bfield size\b/,
        'down',
      ),
    symptom:
      /too (?:big|large|long|many) (?:request |response )?headers?\b|headers? (?:is |are )?too (?:big|large|long)|header (?:fields? |or cookie )too (?:big|large|long)|headers? (?:size|count|length) (?:exceed|limit)|header[_ ]overflow|\b431\b/i,
    general: /\b502\b|bad gateway|bad request|upstream/i,
  },
  {
    id: 'index',
    does: 'takes away an index that statements were answered from',
    kind: 'code',
    // PostgreSQL, Examining Index Usage, and MySQL, How MySQL Uses Indexes: without one every row is read.
    in_diff: (diff) =>
      Math.max(
        0.9 *
          fresh(
            diff,
            /\bDROP (?:INDEX|KEY)\b|\b(?:remove|drop)_?index\w*\b|\bRemoveIndex\(|\.dropIndex\(|ALTER INDEX .*INVISIBLE/i,
          ),
        0.8 *
          gone(diff, /\bCREATE (?:UNIQUE )?INDEX\b|\badd_?index\b|@@index\b|@Index\(|\bindex ?[:=] ?true/i),
      ),
    symptom:
      /statement timeout|max_?statement_?time|maximum statement execution time|query (?:execution|timed|timeout|duration|latency)|slow[_ ](?:query|queries|log)|(?:rows|tuples|tup|documents?|docs)[_ ](?:read|examined|scanned|fetched|returned)|(?:seq(?:uential)?|full|table|collection)[_ ]scan|collscan|exceeded time limit|maxtimems/i,
    general: /\bdb\b|database|query|cpu|iops|connections|latency|duration/i,
  },
  {
    id: 'own-work',
    does: 'adds work that runs at times of its own',
    kind: 'config',
    // AWS Builders' Library, "Using load shedding to avoid overload", and PostgreSQL, Explicit Locking: all at once it holds what others need.
    in_diff: (diff) => (diff.lines_new.some((line) => SCHEDULED.test(line)) ? 0.9 : 0),
    symptom:
      /lock (?:wait|timeout|contention)|lock_?wait|waiting for (?:a )?(?:\w+ )?lock|deadlock|statement timeout|too many connections|remaining connection slots|connections?_(?:active|used|in_use)|long[- ]running|slow[_ ](?:query|queries|log)|iops|throttl|throughput ?exceeded|\b429\b|rate.?limit|replication[_ ]lag|oldest[_ ]message|backlog|consumer[_ ]lag|disk[_ ](?:usage|used|io)|bandwidth/i,
    general: /\bcpu\b|memory|\boom|load|latency|duration|queue|time[d ]?[- ]?out/i,
  },
  {
    id: 'batching',
    does: 'stops batching, so that each item costs a request of its own',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        dropped(
          diff,
          /^(batch|batches|batched|batching|bulk|chunk|chunks|chunked|coalesce|pipeline|pipelined|debounce|buffered|dataloader|multiget|mget)$/,
        ),
        0.8 *
          setting(
            diff,
            /\b(batch|bulk|chunk|buffer|flush|linger)\b.*\b(size|count|ms|interval|items|max)\b|\bbatch$/,
            'down',
          ),
      ),
    symptom:
      /batch|bulk|throttl|throughput ?exceeded|provisioned|rate exceeded|too many requests|\b429\b|single[- ]item|per[- ]item|consumed|n\+1|one (by|at a) /i,
    general: /capacity|quota|iops|requests|latency|queries/i,
  },
  {
    id: 'caching',
    does: 'takes a cache away or changes how long and how much it keeps',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        dropped(diff, /^(cache|cached|caching|memo|memoize|lru|ttl|memcached|cacheable|etag)$/),
        0.9 * setting(diff, /\b(cache|ttl|expiry|expire|expires|max age|entries)\b/, 'down'),
        0.4 * setting(diff, /\b(cache|ttl|expiry|expire|expires|max age|entries)\b/, 'up'),
        0.6 * fresh(diff, /cache.?key|key.*(now|uuid|random|timestamp|nonce|session)/i),
        0.9 * fresh(diff, EMPTIES),
      ),
    symptom: /cache|miss(es| rate| ratio)\b|hit[_ ]?(ratio|rate)|stampede|thundering|stale|evict/i,
    general: /origin|database|\bdb\b|connections|heap|latency|duration|backend|load/i,
  },
  {
    id: 'leak',
    does: 'no longer frees or bounds what it allocates',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        dropped(
          diff,
          /^(close|free|release|dispose|evict|eviction|unsubscribe|cleanup|destroy|removelistener|clearinterval|drain|finally|maxentries|maxsize|lru|weakmap|weakref)$/,
        ),
        0.5 * dropped(diff, /^(delete|remove|clear|expire|ttl|cancel|shutdown)$/),
        0.5 *
          fresh(
            diff,
            /\bglobal\b|static .*(Map|List|Dict)|new (Map|Set|WeakMap)\(|var \w+ = (map|make)|setInterval|addListener|addEventListener|\.on\(|lru_cache\(maxsize=None/,
          ),
        0.8 * setting(diff, /\b(cache|buffer|history|retention|entries|items)\b/, 'up'),
        leavesBeforeRelease(diff),
      ),
    symptom:
      /acquir\w* (?:a |the )?(?:\w+ )?(?:conn|client|session|permit)|(?:pool|connections?|conns|sessions|clients)[_ ](?:in[_ ]use|active|used|borrowed|checked[_ ]out)|pool (?:is |was )?(?:\w+ )?(?:full|empty|exhaust)|no (?:free|available|idle) (?:conn|client|session)|connection is not available|remaining connection slots|out ?of ?memory|\boom|heap|\brss\b|working_?set|memory[_ ](usage|used|bytes|leak)|\bgc\b|garbage|leak|too many open files|file descriptors?|emfile|goroutines?|not returned to pool|pool exhaust|too many (connections|clients)/i,
    general: /memory|handles|threads|restart|evicted|acquir|waiting|time[d ]?[- ]?out/i,
  },
  {
    id: 'connection-reuse',
    does: 'opens a new connection where one was kept before',
    kind: 'code',
    // Every closed connection holds its port for a while: tcp(7), and "Improper Instantiation antipattern", learn.microsoft.com.
    in_diff: (diff) =>
      Math.max(
        gone(diff, KEPT) * (1 - fresh(diff, KEPT)),
        fresh(diff, NOT_KEPT),
        0.9 * setting(diff, /\b(max )?(idle|keep ?alive|free) (conns?|connections?|sockets?)\b/, 'down'),
        0.7 * dropped(diff, /^(keepalive|multiplexing|multiplexed)$/i),
      ),
    symptom:
      /eaddrnotavail|cannot assign requested address|(ephemeral|source|local|client|outbound|snat) ports?\b|time_?wait|only one usage of each socket address|address already in use|conntrack|too many open (files|sockets)|emfile/i,
    general: /\bconnect\b|handshake|socket|connection (reset|refused)|econn/i,
  },
  {
    id: 'volume',
    does: 'raises how much is logged, sampled or sent',
    kind: 'config',
    in_diff: (diff) => {
      let best = 0
      for (const change of diff.settings) {
        const { key_words: key } = change
        if (/level|verbos|log/.test(key) && /^["']?(debug|trace|verbose|all)/i.test(change.after)) best = 1
        if (/sampl|\b(rate|ratio|percent|fraction)\b/.test(key) && change.direction === 'up')
          best = Math.max(best, 0.9)
        if (/retention|rotat|max (files|size|backups|age)/.test(key)) best = Math.max(best, 0.6)
      }
      return Math.max(
        best,
        0.7 * dropped(diff, /^(rotate|rotation|logrotate|truncate|sampler|sampling)$/),
        0.5 * fresh(diff, /log\w*\.(debug|trace|info).*(body|payload|request)/i),
      )
    },
    symptom:
      /no space|disk|enospc|read-only file|log.*(throughput|volume|rate|bytes)|ingest(ion)? (limit|quota|rate)|inode|cardinality|storage (full|limit)/i,
    general: /iops|quota|buffer|filesystem|volume/i,
  },
  {
    id: 'address',
    does: 'changes an address, a port, a name or a route',
    kind: 'config',
    in_diff: (diff) => {
      const keys =
        /\b(hosts?|url|uri|endpoints?|address|addr|port|dsn|brokers?|bootstrap|upstream|target|domain|region|bucket|topic|route|selector|ingress|service name|server name|path)\b/
      const changed = diff.settings.some(
        (one) => keys.test(one.key_words) && (quantityOf(one.before) === null || /port/i.test(one.key)),
      )
      return Math.max(
        changed ? 0.9 : 0,
        0.6 *
          (diff.net_removed.length > 0
            ? gone(diff, /https?:\/\/|\.svc\b|:\d{4,5}\b/) * fresh(diff, /https?:\/\/|\.svc\b|:\d{4,5}\b/)
            : 0),
        0.5 * file(diff, /ingress|virtualservice|networkpolic|nginx\.conf|envoy/i),
      )
    },
    symptom:
      /connection refused|econnrefused|no such host|\benotfound|name resolution|unreachable|no route|no (healthy )?(upstream|endpoints)|dial tcp|could not connect|unknown (topic|host|bucket)|nosuchbucket|(?<!\bunknown\b.{0,300})\b404\b|\b301\b|redirect/i,
    // Who says which thing it does not know was found, and asked as ever.
    general: /\b50[23]\b|bad gateway|connect|not found|unavailable|\b404\b/i,
  },
  {
    id: 'redirect',
    does: 'sends whoever asks to another address',
    kind: 'config',
    // A program that asks for data follows no answer of that kind unless it was made to, and cannot read the page that comes with it
    // (RFC 9110, section 15.4).
    in_diff: (diff) => 0.9 * fresh(diff, SENDS_ELSEWHERE),
    symptom:
      /moved permanently|\bredirect|\b30[12378]\b ?(?:found|see other|temporary|permanent|http|status|from)|unexpected token '?<|<!doctype html|not (?:valid )?json/i,
    general: /\b40[45]\b|unexpected (?:token|character|content.type)/i,
  },
  {
    id: 'client-address',
    does: 'changes whom requests are taken to come from',
    kind: 'config',
    // ingress-nginx, ConfigMaps (use-forwarded-headers), and nginx, ngx_http_limit_req_module: who comes by a balancer has its address.
    in_diff: (diff) => 0.9 * Math.max(gone(diff, CLIENT_ADDRESS), fresh(diff, CLIENT_ADDRESS)),
    symptom:
      /limiting (?:requests|connections)|too many requests|\b429\b|rate.?limit|requests? per (?:second|minute)|access forbidden by rule|not in (?:the )?(?:allow|white) ?list|blocked by (?:ip|address)/i,
    general: /\b40[13]\b|\b503\b|denied|forbidden|redirect|login|session/i,
  },
  {
    id: 'network-rule',
    does: 'changes what may be reached over the network',
    kind: 'infra',
    // Kubernetes, Network Policies, and Amazon VPC, Security groups: what no rule allows is dropped without an answer.
    in_diff: (diff) => (isNetworkRule(diff) ? 0.9 : 0),
    symptom:
      /etimedout|ehostunreach|enetunreach|connect(?:ion)?\b.{0,20}\btime[d ]?[- ]?out|i\/o timeout|no route|unreachable|could not connect|rbac: access denied|policy[_ ]den(?:y|ied)|policy[_ ]drop/i,
    general: /time[d ]?[- ]?out|deadline|refused|unavailable/i,
  },
  {
    id: 'credentials',
    does: 'changes credentials, permissions or how they are checked',
    kind: 'config',
    in_diff: (diff) => {
      const words =
        /^(token|tokens|secret|auth|authorization|authorize|authenticate|permission|permissions|policy|role|roles|scope|scopes|bearer|signature|jwt|jwks|oauth|iam|principal|audience|issuer|aud|iss|kid|password|credential|credentials|rbac|leeway|skew)$/
      return Math.max(
        0.9 *
          setting(
            diff,
            /\b(secret|tokens?|password|credentials?|api key|roles?|polic(y|ies)|permissions?|scopes?|audience|issuer|jwt|oauth|signing|principal|leeway|skew)\b/,
            'any',
          ),
        0.8 * dropped(diff, words),
        0.6 * newWord(diff, words),
        0.5 * file(diff, /(^|\/)(auth|iam|rbac)/i),
      )
    },
    symptom:
      /unauthori[sz]ed|forbidden|\b401\b|\b403\b|access ?denied|permission denied|credential|invalid (token|signature|grant|api key|audience|issuer)|signature|authenticat|not authorized|jwt|token (expired|invalid|used before|is not yet)/i,
    general: /token|login|session|rejected|denied/i,
  },
  {
    id: 'tls',
    does: 'changes how encrypted connections are set up',
    kind: 'config',
    in_diff: (diff) => {
      const words = /^(tls|ssl|cipher|ciphers|certificate|certs?|minversion|sni|mtls|truststore|keystore|ca)$/
      return Math.max(
        0.8 * dropped(diff, words),
        0.6 * newWord(diff, words),
        0.8 * setting(diff, /\b(tls|ssl|ciphers?|certs?|min version|verify|insecure)\b/, 'any'),
      )
    },
    symptom:
      /handshake|x509|certificate|\btls\b|\bssl\b|cipher|protocol version|unknown authority|self.signed|pkix/i,
  },
  {
    id: 'resources',
    does: 'changes how much processor, memory, disk or how many replicas it is given',
    kind: 'infra',
    in_diff: (diff) =>
      Math.max(
        setting(
          diff,
          /\b(memory|mem|cpu|limits?|heap|xmx|replicas?|min (replicas|capacity|size)|max (replicas|capacity)|desired|instance (type|class|size)|storage|iops|capacity|shards?|partitions?|provisioned|throughput|quota|rate limit|per second|per minute|rps|qps|burst|rcu|wcu)\b/,
          'down',
        ),
        0.7 *
          setting(diff, /\b(gomaxprocs|heap|xmx|jvm|instance (type|class)|node ?selector|affinity)\b/, 'any'),
      ),
    symptom:
      /\boom|out ?of ?memory|throttl|evict|crash ?loop|pending|unschedul|insufficient|replica|heap|rate.?limit|\b429\b|capacity|exit code 137/i,
    general: /memory|cpu|saturat|restart|quota|exceeded|limit|latency/i,
  },
  {
    id: 'loop',
    does: 'adds work without a bound, or takes the bound away',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        0.8 *
          fresh(
            diff,
            /while ?\(? ?(true|1)\b|for ?\{|for ?\(;;\)|recurs|regex|RegExp|re\.compile|\(\.\*\)|\(\.\+\)|json\.loads|JSON\.(parse|stringify)|deepcopy|cloneDeep|bcrypt|scrypt|pbkdf2|[+*]\)[+*{]|time\.sleep|Thread\.sleep|\w+Sync\(|\(.*\b(?:depth|level|nesting) ?\+ ?1\b/,
          ),
        0.9 * beginsAnew(diff),
        0.7 * gone(diff, /\bbreak\b|sleep\(|rate_?limit|throttle|debounce|max_?depth|visited/i),
        0.7 * setting(diff, /\b(rounds|cost|iterations|depth)\b/, 'up'),
      ),
    symptom:
      /\bcpu\b|stack ?overflow|infinite|recursion|event.?loop|loop.?(?:lag|delay)|starv|spin|backtrack|catastrophic|busy/i,
    general: /loop|hang|hung|unresponsive|latency|duration|p9\d|timeout|\bgc\b/i,
  },
  {
    id: 'frequency',
    does: 'does something more often than before',
    kind: 'config',
    in_diff: (diff) =>
      Math.max(
        setting(diff, /\b(interval|period|poll|polling|debounce|delay|every|refresh)\b/, 'down'),
        0.8 *
          setting(diff, /\b(frequency|concurrency|parallelism|fan ?out|per (second|minute)|rps|qps)\b/, 'up'),
        0.6 * dropped(diff, /^(throttle|throttled|debounce|ratelimit|sleep|jitter)$/),
        0.8 * runsAnew(diff),
      ),
    symptom:
      /overload|saturat|shed|too many requests|\b429\b|queue (is )?full|rate.?limit|requests? rate|requests_per|rps|qps|\bcpu\b|thundering|poll/i,
    general: /\b503\b|timeout|latency|queue|connections|load/i,
  },
  {
    id: 'migration',
    does: 'changes the structure of stored data',
    kind: 'code',
    in_diff: (diff) =>
      Math.max(
        0.9 *
          fresh(
            diff,
            /\b(ALTER|DROP|CREATE|RENAME) (TABLE|COLUMN|INDEX|TYPE|CONSTRAINT|UNIQUE)|NOT NULL|(add|remove|rename|drop)_?column|(create|add|remove|drop)_?index/i,
          ),
        0.4 * file(diff, /migrat/i),
        0.8 * gone(diff, /CREATE INDEX|add_index|create_index|\bINDEX\b/),
      ),
    symptom:
      /column|relation .*(does not exist)|constraint|not[- ]null|violat|lock (wait|timeout)|migration|replication lag|seq(uential)? scan|full scan|unknown column|undefined (column|table)|ddl/i,
    general: /table|query|deadlock|schema|slow|locks?\b/i,
  },
  {
    id: 'ordering',
    does: 'changes how messages are acknowledged, ordered or divided',
    kind: 'code',
    in_diff: (diff) => {
      const words =
        /^(ack|nack|acks|commit|offset|offsets|partition|partitions|consumer|visibility|dedup|idempotency|idempotent|autocommit)$/
      return Math.max(
        0.8 * dropped(diff, words),
        0.5 * newWord(diff, words),
        0.8 *
          setting(
            diff,
            /\b(visibility|prefetch|max poll|session timeout|auto commit|group id|partitions?|heartbeat|acks)\b/,
            'any',
          ),
      )
    },
    symptom:
      /\blag\b|backlog|rebalanc|duplicate|offset|redeliver|dead.?letter|\bdlq\b|oldest ?message|unacked|poison|out of order|idempot|consumer group/i,
    general: /consumer|queue|messages/i,
  },
  {
    id: 'arithmetic',
    does: 'changes a computation, a unit or a boundary',
    kind: 'code',
    in_diff: (diff) => {
      const pattern =
        /[-+*/%]=? |<=?|>=?|round|floor|ceil|parse|int\(|float|Duration|\bms\b|seconds|\b1000\b|utc|timezone|strftime|format/i
      // What only states a value computes nothing.
      const isStated = diff.files.length > 0 && diff.files.every((path) => STATED.test(path))
      return gone(diff, pattern) && fresh(diff, pattern) && diff.size <= 12 && !isStated ? 0.45 : 0
    },
    symptom:
      /divi(de|sion)|\bnan\b|overflow|negative|out of (range|bounds)|off.by|precision|incorrect|wrong|timezone|invalid (date|time|number|amount|interval|range)|too (large|small|long|big)|mismatch|can't compare|offset-naive/i,
    general: /typeerror|valueerror|invalid|unexpected/i,
  },
  {
    id: 'dependency',
    does: 'takes another version of a library',
    kind: 'dependency',
    in_diff: (diff) => (file(diff, MANIFEST) === 0 ? 0 : majorJump(diff) ? 0.9 : 0.2),
    symptom: MISFITS,
    general: /version|protocol|panic|undefined/i,
  },
]

/** Whether a version's first number (or second, below 1) changes. */
function majorJump(diff: DiffReading): boolean {
  const version = /(\d+)\.(\d+)/
  const olds = diff.removed.map((line) => version.exec(line)).filter((match) => match !== null)
  const news = diff.added.map((line) => version.exec(line)).filter((match) => match !== null)
  return olds.some((old, index) => {
    const now = news[index]
    return (
      now !== undefined &&
      isIncompatible([old[1] as string, old[2] as string], [now[1] as string, now[2] as string])
    )
  })
}
