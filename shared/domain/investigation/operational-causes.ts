/**
 * Causes that are no change: expired certificates, name resolution, outside providers, nodes, networks,
 * used-up capacity, traffic, data, events of a datastore.
 *
 * Only positive evidence counts; that no change fits is none. Method and thresholds per kind stand with its
 * detector. Signs join by noisy-or and the result is scaled by the share of symptoms that the kind explains.
 */
import { answeredCauses } from './answered-causes.ts'
import type { Flow } from './call-graph.ts'
import { outcomesByCaller } from './caller-outcomes.ts'
import { comingAndGoing, restarting } from './comings-and-goings.ts'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from './confidence.ts'
import { comesIn, demandGrowth, demandingCallers } from './demand-from-outside.ts'
import type { EntityNames } from './entity-names.ts'
import { failingNode, nodeOf, nodeOfLine, OUTCOME_LABELS } from './failing-nodes.ts'
import type { Observed } from './failing-services.ts'
import { filledMemory } from './filled-memory.ts'
import { DISK_FULL, filledStore } from './filled-slowly.ts'
import type { CauseKind, RemediationAction } from './findings.ts'
import { type HeavyStatement, heavyStatements } from './heavy-statements.ts'
import { compareText } from './log-templates.ts'
import { isDemand, isTimeLeft } from './metric-meaning.ts'
import { platformRecords } from './platform-records.ts'
import type { SeriesShift } from './series-shift.ts'
import { shownBy } from './shown-certificates.ts'
import { slowOutside } from './slow-outside.ts'
import type { ProviderStatus, Snapshot } from './snapshot.ts'
import { wordsFor } from './spoken-signs.ts'
import { anyOf, round6 } from './statistics.ts'
import { stuckMessage } from './stuck-messages.ts'
import type { Symptom } from './symptoms.ts'
import { isAnswerOf } from './system-answers.ts'
import {
  BEFORE_MS,
  entitiesOf,
  explaining,
  hasShiftedInTime,
  isInTime,
  isSaidAtOnset,
  type Line,
  linesOf,
  matching,
  NEAR_MS,
  placeSpokenOf,
  placeToldOf,
  type Scene,
  sign,
} from './told-lines.ts'
import { triedAgain } from './tried-again.ts'
import { troubledStores } from './troubled-stores.ts'

/** One fact that speaks for an operational cause. */
export interface Sign {
  readonly strength: number
  readonly fact:
    | ({ readonly of: 'text' } & Omit<Line, 'failing' | 'variants'>)
    | { readonly of: 'shift'; readonly shift: SeriesShift }
    | {
        readonly of: 'status'
        readonly provider: string
        readonly component: string | null
        readonly status: string
        readonly detail: string | null
        readonly at: number
        readonly source: string
      }
    | {
        readonly of: 'expiry'
        readonly entity: string
        readonly at: number
        readonly text: string
        readonly source: string
        readonly origin: 'metric' | 'log' | 'alert'
      }
    | { readonly of: 'statement'; readonly statement: HeavyStatement }
    | { readonly of: 'calls'; readonly flow: Flow }
}

export interface OperationalCause {
  readonly kind: CauseKind
  readonly entity: string | null
  readonly score: number
  /** Completes "The likely cause is …". */
  readonly what: string
  readonly signs: readonly Sign[]
  readonly action: RemediationAction
  /** True where a change may have triggered it; such a cause yields to a change whose mechanism fits. */
  readonly yields_to_changes: boolean
  /** True where it is known what led there, though causes of its kind are half of an answer as a rule. */
  readonly is_whole?: boolean
  /** True where several signs of the very place tell it: then nobody else's failing makes the place less sure. */
  readonly is_placed?: boolean
  /** What may be stated of it at most, where its evidence does not carry more. */
  readonly at_most?: number
}

// What public systems say of themselves is a table; the words beside it are those of any failing.
const CERTIFICATE = wordsFor('certificate')
const RESOLUTION = wordsFor('resolution')
const OUTAGE =
  /\b5\d\d\b|deadline|time[d ]?[- ]?out|unavailable|refused|reset|\b429\b|rate.?limit|quota|overloaded|outage|degraded|bad gateway/i
const NODE = wordsFor('node')
const NETWORK = wordsFor('network')
const CAPACITY = wordsFor('capacity')
const OVERLOAD =
  /overload|time[d ]?[- ]?out|saturat|queue|exhaust|throttl|\b503\b|\b504\b|\b429\b|too many|latency|slow|backlog|reject|shed|deadline|capacity|duration|cpu|memory|pool|lag|rate.?limit/i
const DATA = wordsFor('data')
const CRASH = wordsFor('crash')
const DATASTORE = wordsFor('datastore')
const DATASTORE_HINT =
  /leader.?election|reboot|restart(ed|ing)|recovery|backup|snapshot|vacuum|rebalanc|upgrade|maintenance|checkpoint|compaction/i
/** Says of itself that all went well. */
const ROUTINE = /(completed|finished) (successfully|for)|successfully (completed|finished)|\b(info|notice): /i
/** Says that it ended, or that it is announced. */
const OVER = /\b(finished|completed|ended|done|succeeded)\b/i
const TO_COME =
  /\b(planned|scheduled|available|upcoming) (for|on|at|in)\b|\b(is|are) (planned|scheduled|available)\b|\bwill (be|begin|start)\b/i
const HOST =
  /\b(?:https?:\/\/)?((?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+(?:com|net|org|io|dev|ai|co|app|cloud|eu|de|uk|us|tech))(?![\w-])/gi
const INTERNAL_HOST = /\.(svc|local|internal|cluster|lan|corp)(\.|$)/i
const QUIET_STATUS = /^(operational|resolved|ok|none|normal|completed|healthy|up)$/i

/** Looks for every kind of operational cause; strongest first. */
export function operationalCauses(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): readonly OperationalCause[] {
  const lines = linesOf(snapshot, observed, names)
  const scene: Scene = { snapshot, observed, symptoms, names, lines, onset: observed.onset?.at ?? null }
  const found = [
    certificate(scene),
    nameResolution(scene),
    ...providers(scene),
    machine(scene) ?? node(scene),
    network(scene),
    capacity(scene),
    traffic(scene),
    data(scene),
  ].filter((cause) => cause !== null)
  const stores = troubledStores(scene)
  const recorded = platformRecords(scene)
  const memory = filledMemory(scene)
  const repeated = triedAgain(scene)
  const platform = [
    datastore(scene),
    absence(scene),
    // Why its platform starts it anew is the cause, that it does is not.
    recorded.length > 0 || memory !== null || repeated !== null ? null : unsteady(scene),
    memory,
    repeated,
    stuckMessage(scene),
    ...stores,
    ...slowOutside(scene),
    ...recorded,
    filledStore(scene),
  ].filter((cause) => cause !== null)
  // The detectors below look for a kind once, so what a system answered is theirs wherever they place it.
  const told = joined(found, answeredCauses(scene), () => true)
  const shows = shownBy(scene)
  const placed = (cause: OperationalCause): OperationalCause =>
    cause.kind === 'certificate' && shows !== null ? { ...cause, entity: shows } : cause
  return joined(told, platform, samePlace)
    .map(placed)
    .map(followingFrom(stores))
    .map(madeBy(repeated))
    .filter((cause) => cause.score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.signs.length - a.signs.length ||
        compareText(a.kind, b.kind) ||
        compareText(a.entity ?? '', b.entity ?? ''),
    )
}

const chance = (signs: readonly Sign[]): number => anyOf(...signs.map((one) => one.strength))
/** The few strongest facts; more of the same kind add nothing. */
const strongest = (signs: readonly Sign[], limit = 6): readonly Sign[] =>
  [...signs].sort((a, b) => b.strength - a.strength).slice(0, limit)

/**
 * Who checks a certificate compares two dates that it has at hand, so its word counts where it is given again and again
 * from the onset on; a word in passing stays weak, an expiry whose own time matches the onset is strong.
 */
function certificate(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, CERTIFICATE)
  const expiries: Sign[] = []
  let entity: string | null = null
  for (const series of scene.snapshot.series) {
    if (!isTimeLeft(series.name)) continue
    const index = series.values.findIndex((value) => value <= 0)
    if (index < 0) continue
    const at = series.times[index] as number
    if (scene.onset === null || Math.abs(at - scene.onset) > NEAR_MS) continue
    entity = series.entity
    expiries.push({
      strength: 0.6,
      fact: {
        of: 'expiry',
        entity: series.entity,
        at,
        text: series.name,
        source: series.source,
        origin: 'metric',
      },
    })
  }
  for (const line of scene.lines) {
    const match = /not[ _]?after[=:"\s]*(?:is )?(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}Z?)/i.exec(line.text)
    const at =
      match?.[1] === undefined ? Number.NaN : Date.parse(`${match[1].replace(' ', 'T').replace(/Z$/, '')}Z`)
    if (!Number.isFinite(at) || scene.onset === null || Math.abs(at - scene.onset) > NEAR_MS) continue
    entity ??= scene.names.mentionedIn(line.text).find((name) => name !== line.entity) ?? line.entity
    expiries.push({
      strength: 0.5,
      fact: {
        of: 'expiry',
        entity: entity ?? line.entity ?? '',
        at,
        text: line.text,
        source: line.source,
        origin: line.origin === 'alert' ? 'alert' : 'log',
      },
    })
  }
  if (spoken.length === 0 && expiries.length === 0) return null
  const words = spoken.slice(0, 3).map((line) => sign(line, 0.2))
  const signs = [...strongest(expiries, 2), ...words]
  const base =
    expiries.length > 0 && spoken.length > 0
      ? 0.95
      : expiries.length > 0
        ? 0.5
        : isSaidAtOnset(scene, spoken)
          ? 0.6
          : 0.3
  entity ??=
    placeSpokenOf(scene, spoken) ??
    spoken.flatMap((line) => scene.names.mentionedIn(line.text).filter((name) => name !== line.entity))[0] ??
    null
  // What ended when it began, at who fails or at who calls it, is what fails there, in whatever words others tell it.
  const share = isOfWhoFails(scene, expiries)
    ? 1
    : explaining(scene, /certificate|x509|tls|ssl|handshake|expired|upstream|502|503|error/i)
  const isCertificate =
    spoken.length > 0 || expiries.some(({ fact }) => /cert|tls|ssl|x509/i.test(textOf(fact)))
  return {
    kind: 'certificate',
    entity,
    score: round6(base * share),
    what: isCertificate ? 'an expired certificate' : 'a credential that has expired',
    signs,
    action: 'rotate',
    yields_to_changes: false,
  }
}

const textOf = (fact: Sign['fact']): string => (fact.of === 'expiry' ? fact.text : '')

/** Whether the remaining time that ran out is of the first failing place, or of one that calls it. */
function isOfWhoFails({ observed: { first, graph } }: Scene, expiries: readonly Sign[]): boolean {
  return expiries.some(
    ({ fact }) =>
      fact.of === 'expiry' &&
      fact.origin === 'metric' &&
      first !== null &&
      (fact.entity === first.entity || graph.callees.get(fact.entity)?.has(first.entity) === true),
  )
}

/** Needs several services or several names that cannot be resolved, or the resolver's own telemetry. */
function nameResolution(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, RESOLUTION).filter(({ at }) => isInTime(scene, at))
  if (spoken.length === 0) return null
  const services = entitiesOf(spoken)
  const hosts = new Set(
    spoken
      .flatMap((line) => [line.text, ...(line.variants ?? [])])
      .flatMap((text) =>
        [...text.matchAll(/\b(?:[a-z\d-]+\.)+[a-z]{2,}\b/gi)].map((match) => match[0].toLowerCase()),
      ),
  )
  const signs: Sign[] = []
  const several = services.size >= 2 || hosts.size >= 2
  spoken.slice(0, 4).forEach((line) => {
    signs.push(sign(line, several ? 0.4 : 0.15))
  })
  for (const shift of scene.observed.shifts)
    if (
      /dns|servfail|nxdomain|resolver/i.test(shift.series.name) &&
      shift.is_bad &&
      hasShiftedInTime(scene, shift)
    )
      signs.push({ strength: 0.5, fact: { of: 'shift', shift } })
  for (const status of statusSigns(scene, (text) => /dns|resol/i.test(text))) signs.push(status)
  const resolver = scene.observed.shifts.find(
    (shift) => /dns|servfail|resolver/i.test(shift.series.name) && hasShiftedInTime(scene, shift),
  )?.series.entity
  return {
    kind: 'dns',
    entity:
      resolver ??
      spoken.find((line) => /servfail|forward/i.test(line.text))?.entity ??
      (several ? null : placeSpokenOf(scene, spoken)),
    score: round6(Math.min(0.97, chance(strongest(signs))) * explaining(scene, RESOLUTION)),
    what: 'failing name resolution',
    signs: strongest(signs),
    action: 'escalate',
    yields_to_changes: !several,
  }
}

/** Needs calls to one outside host that fail there, and a status entry or a second caller that agrees. */
function providers(scene: Scene): readonly OperationalCause[] {
  const byHost = new Map<string, Line[]>()
  /** One host of each domain as it was written. */
  const hosts = new Map<string, string>()
  for (const line of scene.lines) {
    if (!line.failing || line.origin === 'alert' || !isInTime(scene, line.at)) continue
    if (!OUTAGE.test(line.text) || RESOLUTION.test(line.text) || CERTIFICATE.test(line.text)) continue
    for (const match of line.text.matchAll(HOST)) {
      const host = (match[1] as string).toLowerCase()
      if (INTERNAL_HOST.test(host) || scene.names.mentionedIn(host.split('.')[0] ?? '').length > 0) continue
      const domain = domainOf(host)
      const list = byHost.get(domain)
      if (list === undefined) byHost.set(domain, [line])
      else if (!list.includes(line)) list.push(line)
      const known = hosts.get(domain)
      if (known === undefined || host < known) hosts.set(domain, host)
    }
  }
  const outside = scene.observed.shifts.filter(
    (shift) =>
      shift.is_bad &&
      /provider|third.?party|external|vendor|partner|gateway_?upstream/i.test(shift.series.name),
  )
  const causes: OperationalCause[] = []
  for (const [domain, lines] of byHost) {
    const host = hosts.get(domain) as string
    const words = host
      .split('.')
      .filter((word) => word.length > 3 && !/^(api|www|com|net|org|cloud)$/.test(word))
    const signs: Sign[] = []
    const callers = entitiesOf(lines)
    const answered = lines.filter((line) =>
      /\b50[0-9]\b|\b429\b|bad gateway|unavailable|overloaded/i.test(line.text.replace(/\d+ ?ms/g, '')),
    )
    for (const line of lines.slice(0, 3)) signs.push(sign(line, answered.includes(line) ? 0.25 : 0.1))
    if (callers.size >= 2) for (const line of distinctCallers(lines)) signs.push(sign(line, 0.45))
    for (const shift of outside.slice(0, 2)) signs.push({ strength: 0.3, fact: { of: 'shift', shift } })
    for (const status of statusSigns(scene, (text) => words.some((word) => text.includes(word))))
      signs.push(status)
    causes.push({
      kind: 'provider',
      // Who is asked at this host may be known by a name of its own.
      entity: scene.names.mentionedIn(domain.split('.')[0] ?? '')[0] ?? host,
      score: round6(Math.min(0.97, chance(strongest(signs))) * explaining(scene, OUTAGE)),
      what: `an outage of the outside provider ${host}`,
      signs: strongest(signs),
      action: 'failover',
      yields_to_changes: false,
    })
  }
  if (causes.length === 0) {
    // No host is named, but a status page speaks of something that the failing texts name.
    const texts = scene.symptoms.map((symptom) => symptom.text.toLowerCase())
    const isResolution = matching(scene, RESOLUTION).length > 0
    for (const status of scene.snapshot.status) {
      // A status page of the cluster's own name resolution is no provider.
      if (isResolution && /dns|resol/i.test(`${status.provider} ${status.component ?? ''}`)) continue
      const words = `${status.provider} ${status.component ?? ''}`
        .toLowerCase()
        .split(/[^a-z\d]+/)
        .filter((word) => word.length > 2)
      const named = words.filter((word) => texts.some((text) => text.includes(word)))
      const signs = statusSigns(scene, (_text, provider) => provider === status.provider)
      if (named.length === 0 || signs.length === 0) continue
      const spoken = matching(scene, OUTAGE).filter((line) =>
        named.some((word) => line.text.toLowerCase().includes(word)),
      )
      causes.push({
        kind: 'provider',
        entity: status.provider,
        score: round6(
          Math.min(0.9, chance([...signs, ...spoken.slice(0, 2).map((line) => sign(line, 0.2))])) *
            explaining(scene, OUTAGE),
        ),
        what: `an outage of the outside provider ${status.provider}`,
        signs: strongest([...signs, ...spoken.slice(0, 2).map((line) => sign(line, 0.2))]),
        action: 'failover',
        yields_to_changes: false,
      })
      break
    }
  }
  return causes.length === 0 ? unmeasured(scene) : causes
}

/** What a caller's own broken calls say of whom it calls: alone a guess, since its credentials or its network would look the same. */
const FAILING_EDGE = 0.45

/**
 * Needs failing calls to something that tells nothing of itself, as what is outside does not, and a status entry about
 * it or a second caller that agrees.
 */
function unmeasured(scene: Scene): readonly OperationalCause[] {
  const { snapshot, observed, names } = scene
  if (!observed.failing.some(({ flow }) => flow !== null && flow.own_failed >= 1)) return []
  const measured = new Set<string>()
  for (const { entity } of snapshot.series) measured.add(names.canonical(entity))
  for (const { service } of snapshot.logs) measured.add(names.canonical(service))
  for (const { service } of snapshot.spans) measured.add(names.canonical(service))
  const causes: OperationalCause[] = []
  for (const { entity, flow } of observed.failing) {
    if (flow === null || flow.own_failed < 1 || measured.has(entity)) continue
    if ((observed.graph.callees.get(entity)?.size ?? 0) > 0) continue
    const callers = [...observed.graph.callees].filter(([, callees]) => callees.has(entity))
    const statuses = statusSigns(scene, (_text, provider) => names.canonical(provider) === entity)
    const told = [...statuses, ...ownFailures(scene, entity)]
    if (told.length === 0 && callers.length < 2) continue
    const { fail, served } = outcomesByCaller(
      snapshot.edges,
      entity,
      scene.onset ?? observed.normal.incident.from,
      observed.normal.incident.to,
    )
    // Who serves others as ever, or says that it does not accept a credential, is up.
    const isUp =
      (fail.length === 1 && served.length > 0) || isRefusedBy(scene, new Set(callers.map(([name]) => name)))
    if (statuses.length === 0 && isUp) continue
    const signs: readonly Sign[] = [{ strength: FAILING_EDGE, fact: { of: 'calls', flow } }, ...told]
    causes.push({
      kind: 'provider',
      entity,
      // What its callers counted is the symptom itself, so nothing is left that it would have to explain.
      score: round6(Math.min(0.9, chance(signs))),
      what: `an outage of the outside provider ${entity}`,
      signs,
      action: 'failover',
      yields_to_changes: told.length === 0,
      // What one caller counts and what it says are one witness; its own way there may be what fails.
      ...(statuses.length === 0 && callers.length < 2 ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
    })
  }
  return causes
}

/** Whether callers say again and again, from the onset on, that a credential was not accepted. */
function isRefusedBy(scene: Scene, callers: ReadonlySet<string>): boolean {
  const refused = scene.lines.filter(
    ({ failing, origin, entity, text }) =>
      failing &&
      origin === 'log' &&
      callers.has(entity ?? '') &&
      (isAnswerOf('certificate', text) || isAnswerOf('config', text)),
  )
  return isSaidAtOnset(scene, refused)
}

/** A server's own word that it fails, RFC 9110, section 15.6: neither credentials nor a network on the way give it. */
const SERVER_FAILED = /\b50[023]\b|internal server error|bad gateway|service unavailable/i

/** What callers quote of a server that says of itself, from the onset on, that it fails. */
function ownFailures(scene: Scene, entity: string): readonly Sign[] {
  const lines = matching(scene, SERVER_FAILED).filter(
    ({ text, origin, entity: speaker }) =>
      origin !== 'alert' &&
      scene.observed.graph.callees.get(speaker ?? '')?.has(entity) === true &&
      scene.names.mentionedIn(text).includes(entity),
  )
  return isSaidAtOnset(scene, lines) ? lines.slice(0, 1).map((line) => sign(line, FAILING_EDGE)) : []
}

/** The part of a host's name that its owner registered, near enough: two labels, three below a two-letter pair such as co.uk. */
function domainOf(host: string): string {
  const labels = host.split('.')
  const isPair = /^(co|com|net|org|gov|ac)$/.test(labels.at(-2) ?? '') && (labels.at(-1) ?? '').length === 2
  return labels.slice(isPair ? -3 : -2).join('.')
}

function distinctCallers(lines: readonly Line[]): readonly Line[] {
  const seen = new Set<string>()
  return lines.filter((line) => {
    if (line.entity === null || seen.has(line.entity)) return false
    seen.add(line.entity)
    return seen.size <= 3
  })
}

/** What a provider says was over before anybody failed had another effect or none. */
const isResolvedBefore = (
  onset: number | null,
  { timestamp }: ProviderStatus['events'][number],
  events: ProviderStatus['events'],
): boolean =>
  onset !== null &&
  events.some(
    (later) =>
      later.timestamp > timestamp && later.timestamp <= onset - NEAR_MS && QUIET_STATUS.test(later.status),
  )

/** Status entries near the incident that report trouble and that the test recognises. */
function statusSigns(scene: Scene, isAbout: (text: string, provider: string) => boolean): readonly Sign[] {
  const from = (scene.onset ?? scene.observed.normal.incident.from) - BEFORE_MS
  const { to } = scene.observed.normal.incident
  const signs: Sign[] = []
  for (const status of scene.snapshot.status)
    for (const event of status.events) {
      if (event.timestamp < from || event.timestamp >= to || QUIET_STATUS.test(event.status)) continue
      if (isResolvedBefore(scene.onset, event, status.events)) continue
      const text = `${status.provider} ${status.component ?? ''} ${event.detail ?? ''}`.toLowerCase()
      if (!isAbout(text, status.provider)) continue
      signs.push({
        strength: 0.6,
        fact: {
          of: 'status',
          provider: status.provider,
          component: status.component ?? null,
          status: event.status,
          detail: event.detail ?? null,
          at: event.timestamp,
          source: status.source,
        },
      })
    }
  return signs
    .sort((a, b) =>
      a.fact.of === 'status' && b.fact.of === 'status'
        ? a.fact.at - b.fact.at || compareText(a.fact.status, b.fact.status)
        : 0,
    )
    .slice(0, 2)
}

/** What a platform's own record of the failing workload's node is worth: as much as a provider's status entry. */
const RECORDED_OF_PLACE = 0.6

/**
 * A node that is emptied on purpose: cordoned, drained, its pods marked for deletion. That is work on the infrastructure,
 * and says nothing against the node.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/
 */
const EMPTIED = /notschedulable|cordon|\bdrain|taintmanager|marking for deletion/i
/** Says that a node is not well, also where it was emptied for that. */
const UNWELL =
  /not ?ready|pressure|unreachable|preempt|lost|unhealthy|reboot|hardware|kernel|fail|contend|steal|spot|retire/i

const isPlanned = ({ text }: Line): boolean => EMPTIED.test(text) && !UNWELL.test(text)

/** What one service tells that fails on one machine and not elsewhere: as likely its own bad instance as the machine. */
const FAILS_THERE = 0.5

/** Most that is shown of services that fail on one machine. */
const MOST_SHOWN = 4

/** Instances of several services that fail on one machine, while those elsewhere do not. */
function machine(scene: Scene): OperationalCause | null {
  const { snapshot, observed, onset } = scene
  const found = onset === null ? null : failingNode(snapshot, observed.normal, onset)
  if (found === null) return null
  const there = found.services.flatMap((service): readonly Sign[] => {
    const shift = observed.shifts.find(
      ({ series }) => series.entity === service && nodeOf(series.labels) === found.node,
    )
    if (shift !== undefined) return [{ strength: FAILS_THERE, fact: { of: 'shift', shift } }]
    return scene.lines
      .filter(({ entity, origin, failing }) => failing && origin === 'log' && entity === service)
      .slice(0, 1)
      .map((line) => sign(line, FAILS_THERE))
  })
  const own = observed.shifts
    .filter(({ series, is_bad }) => is_bad && series.entity === found.node)
    .slice(0, 2)
    .map((shift): Sign => ({ strength: 0.45, fact: { of: 'shift', shift } }))
  const spoken = matching(scene, NODE)
    .filter((line) => line.origin !== 'alert' && !isPlanned(line) && line.text.includes(found.node))
    .slice(0, 2)
    .map((line) => sign(line, 0.45))
  const signs = [...own, ...spoken, ...there.slice(0, MOST_SHOWN)]
  // Most of the services that can be compared must agree: else it is where these happen to run.
  const share = found.services.length / found.compared
  const isSure = share >= MOST_AGREE && (found.services.length > 2 || own.length + spoken.length > 0)
  return {
    kind: 'node',
    entity: found.node,
    // What is shown of one service alone may be that service's own.
    ...(isSure ? {} : { at_most: signs.length < 2 ? CONFIDENCE_CAP_UNLINKED : CONFIDENCE_CAP_UNMAPPED }),
    score: round6(Math.min(0.95, chance(signs)) * Math.min(1, share / MOST_AGREE)),
    what: 'a machine on which instances of several services fail, while those elsewhere do not',
    signs,
    action: 'reschedule',
    yields_to_changes: false,
  }
}

/** Share of the services with instances there that must fail there: more than by chance, while some need not meet it. */
const MOST_AGREE = 0.5

/** What a machine's trouble is worth on which nothing of what fails first was seen to run: instances may have moved. */
const ELSEWHERE = 0.3

/** Whether it is known where the first failing place runs, and none of these texts names a machine of it. */
function runsElsewhere({ snapshot, names, observed: { first } }: Scene, texts: readonly string[]): boolean {
  if (first === null) return false
  const own = new Set(
    [
      ...snapshot.series.flatMap(({ entity, labels }) => (entity === first.entity ? [nodeOf(labels)] : [])),
      ...snapshot.logs.flatMap((line) =>
        names.canonical(line.service) === first.entity ? [nodeOfLine(line)] : [],
      ),
    ].filter((name) => name !== undefined),
  )
  return own.size > 0 && ![...own].some((name) => texts.some((text) => text.includes(name)))
}

/** Needs the node's own telemetry or its events; a throttled container alone may be its own doing. */
function node(scene: Scene): OperationalCause | null {
  const nodes = new Set(
    scene.snapshot.entities
      .filter((entity) => entity.kind === 'node' || entity.kind === 'host')
      .map((entity) => entity.name),
  )
  for (const line of scene.snapshot.logs) {
    if (line.node !== undefined) nodes.add(line.node)
    const attribute =
      line.attributes?.['k8s.node'] ?? line.attributes?.['k8s.node.name'] ?? line.attributes?.['host.name']
    if (typeof attribute === 'string') nodes.add(attribute)
  }
  const spoken = matching(scene, NODE).filter((line) => line.origin !== 'alert' && !isPlanned(line))
  const diskFull = isDiskFull(scene)
  const shifts = scene.observed.shifts.filter(
    (shift) =>
      (nodes.has(shift.series.entity) || /^(node|host|machine|vm)_|steal/i.test(shift.series.name)) &&
      shift.meaning.resource !== null &&
      // A full volume is used up by those who write to it; the node is well.
      !(shift.meaning.resource === 'disk' && diskFull) &&
      shift.is_bad &&
      (scene.onset === null || shift.onset.earliest <= scene.onset + NEAR_MS),
  )
  // A platform that records trouble of the node of the very workload that fails says where and why at once.
  const isOfPlace = ({ origin, entity, at }: Line): boolean =>
    (origin === 'kubernetes' || origin === 'event') &&
    entity === scene.observed.first?.entity &&
    (at === null || scene.onset === null || at <= scene.onset + NEAR_MS)
  const ofPlace = spoken.filter(isOfPlace)
  const signs: Sign[] = [
    ...shifts.slice(0, 3).map((shift): Sign => ({ strength: 0.45, fact: { of: 'shift', shift } })),
    ...spoken
      .slice(0, 4)
      .map((line) =>
        sign(line, isOfPlace(line) ? RECORDED_OF_PLACE : line.origin === 'kubernetes' ? 0.4 : 0.3),
      ),
  ]
  const throttled = scene.observed.shifts.find(
    (shift) => /throttl/i.test(shift.series.name) && shift.meaning.resource === 'cpu' && shift.is_bad,
  )
  const demand = scene.observed.shifts.some(
    (shift) => isDemand(shift.series.name) && shift.direction === 'up',
  )
  if (shifts.length + spoken.length > 0 && throttled !== undefined && !demand)
    signs.push({ strength: 0.3, fact: { of: 'shift', shift: throttled } })
  if (signs.length === 0) return null
  const named =
    shifts[0]?.series.entity ??
    [...nodes].filter((name) => spoken.some((line) => line.text.includes(name)))[0] ??
    ofPlace[0]?.entity ??
    null
  const isElsewhere =
    ofPlace.length === 0 &&
    runsElsewhere(scene, [
      ...shifts.map(({ series }) => series.entity),
      ...spoken.flatMap(({ entity, text }) => [entity ?? '', text]),
    ])
  return {
    kind: 'node',
    entity: named,
    // A node that nobody names is none that anybody could look at.
    ...(named === null ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
    score: round6(
      Math.min(0.95, chance(strongest(signs))) *
        (isElsewhere ? ELSEWHERE : 1) *
        ((shifts.length > 0 && spoken.length > 0) || ofPlace.length > 0
          ? 1
          : spoken.some((line) => line.origin === 'kubernetes')
            ? 0.8
            : 0.6),
    ),
    what: 'a node that cannot give its workloads what they need',
    signs: strongest(signs),
    action: 'reschedule',
    yields_to_changes: false,
  }
}

/** Needs the same kind of broken connection at several services at once. */
function network(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, NETWORK).filter(
    (line) => !RESOLUTION.test(line.text) && isInTime(scene, line.at),
  )
  const services = entitiesOf(spoken)
  const shifts = scene.observed.shifts.filter(
    (shift) => shift.is_bad && shift.meaning.resource === 'network' && hasShiftedInTime(scene, shift),
  )
  if (services.size < 2 && shifts.length === 0) return null
  const signs: Sign[] = [
    ...distinctCallers(spoken).map((line) => sign(line, 0.25)),
    ...shifts.slice(0, 2).map((shift): Sign => ({ strength: 0.3, fact: { of: 'shift', shift } })),
    ...statusSigns(scene, (text) => /network|connectivity|zone|packet/i.test(text)),
  ]
  return {
    kind: 'network',
    entity: null,
    score: round6(Math.min(0.9, chance(strongest(signs))) * explaining(scene, NETWORK)),
    what: 'a broken network between services',
    signs: strongest(signs),
    action: 'failover',
    yields_to_changes: services.size < 3,
  }
}

/** Share of its normal level at which what was free counts as used up, and share at which a use counts as full. */
const USED_UP = 0.1
const FULL = 0.9
/** By what factor collections of garbage must have grown to free nothing any more: a busy hour makes less. */
const FRUITLESS = 10
const isCollecting = (name: string): boolean => /(^|_)gc(_|$)|garbage/i.test(name)
/** Whether somebody says that a disk is full: a volume is measured where it is mounted, which is a node. */
const isDiskFull = (scene: Scene): boolean =>
  matching(scene, DISK_FULL).some(({ origin }) => origin !== 'alert')

/** The used share of a resource; NaN where the series tells none. */
const shareUsed = ({ series, during }: SeriesShift): number =>
  series.unit === '%' ? during / 100 : series.unit === '1' ? during : Number.NaN

/**
 * Whether what moved lasted as long as the failing. A resource that has room again, or demand that is what it was, is not why
 * anybody fails still; how long one takes to recover from it, a few minutes are left for.
 */
function holdsOn({ observed: { first } }: Scene, { ended_at }: SeriesShift): boolean {
  if (ended_at === null || first === null) return true
  return first.ended_at !== null && ended_at >= first.ended_at - NEAR_MS
}

/** A resource at its end; what used it up may be a change, so this yields to one whose mechanism fits. */
function capacity(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, CAPACITY).filter((line) => line.origin !== 'alert')
  const told = spoken.filter((line) => line.origin === 'event')
  const isAtEnd = (shift: SeriesShift): boolean =>
    shift.meaning.bad === 'down'
      ? shift.before > 0 && shift.extreme <= USED_UP * shift.before
      : shareUsed(shift) >= FULL ||
        (isCollecting(shift.series.name) && shift.during >= FRUITLESS * shift.before)
  const diskFull = isDiskFull(scene)
  const shifts = scene.observed.shifts.filter(
    (shift) =>
      shift.is_bad &&
      shift.meaning.meaning === 'saturation' &&
      holdsOn(scene, shift) &&
      (shift.series.entity === scene.observed.first?.entity ||
        told.some((line) => line.entity === shift.series.entity) ||
        (diskFull && shift.meaning.resource === 'disk' && isAtEnd(shift))),
  )
  const heavy = heavyStatements(scene.snapshot.statements)
  const signs: Sign[] = [
    ...shifts
      .slice(0, 3)
      .map((shift): Sign => ({ strength: isAtEnd(shift) ? 0.45 : 0.3, fact: { of: 'shift', shift } })),
    ...spoken.slice(0, 3).map((line) => sign(line, line.origin === 'event' ? 0.35 : 0.2)),
    ...heavy.slice(0, 2).map(
      (statement): Sign => ({
        strength: statement.is_stuck ? 0.45 : 0.3,
        fact: { of: 'statement', statement },
      }),
    ),
  ]
  if (signs.length === 0) return null
  // A load that one statement makes is only a cause where something else is off as well.
  if (heavy.length > 0 && shifts.length + spoken.length === 0 && !heavy.some((one) => one.is_stuck))
    return null
  const isReached = told.length > 0 || shifts.some(isAtEnd) || heavy.some((one) => one.is_stuck)
  const share = isReached ? Math.max(0.8, explaining(scene, CAPACITY)) : explaining(scene, CAPACITY)
  return {
    kind: 'capacity',
    entity:
      // What a resource's own event says and its own series show is about it, though others wait for it the longest.
      shifts.find(({ series }) => told.some(({ entity }) => entity === series.entity))?.series.entity ??
      shifts.find(({ series }) => series.entity === scene.observed.first?.entity)?.series.entity ??
      placeToldOf(
        scene,
        spoken.filter(({ text }) => isAnswerOf('capacity', text)),
      ) ??
      spoken[0]?.entity ??
      scene.observed.symptom_service,
    score: round6(Math.min(isReached ? 0.75 : 0.55, chance(strongest(signs))) * share),
    what: 'a resource that is used up',
    signs: strongest(signs),
    action: 'scale',
    yields_to_changes: true,
  }
}

/** Share of normal below which an activity counts as gone, and series that must go together. */
const GONE = 0.05
const LEAST_GONE = 2

/** An instance that was away for a while: several of its activities stop at once and come back (restart, failover). */
function absence(scene: Scene): OperationalCause | null {
  const gone = scene.observed.shifts.filter(
    (shift) =>
      shift.direction === 'down' &&
      shift.ended_at !== null &&
      shift.before > 0 &&
      shift.extreme <= GONE * shift.before &&
      (scene.observed.symptom_service === null || shift.series.entity === scene.observed.symptom_service),
  )
  const [lead] = gone
  if (lead === undefined) return null
  const together = gone.filter(
    (shift) =>
      shift.series.entity === lead.series.entity && Math.abs(shift.onset.at - lead.onset.at) <= NEAR_MS,
  )
  if (new Set(together.map((shift) => shift.series.name)).size < LEAST_GONE) return null
  const signs = together.slice(0, 3).map((shift): Sign => ({ strength: 0.3, fact: { of: 'shift', shift } }))
  return {
    kind: 'infra',
    entity: lead.series.entity,
    score: round6(Math.min(0.7, chance(signs))),
    what: 'an instance that was away for a while, as in a restart or a failover',
    signs,
    action: 'escalate',
    yields_to_changes: true,
  }
}

/** What a place that comes and goes by itself is worth: half, since a job that runs now and then looks the same. */
const UNSTEADY = 0.5

/** The first failing place, where it fails and is well again by itself, or restarts. */
function unsteady(scene: Scene): OperationalCause | null {
  const { snapshot, observed } = scene
  const pulses = comingAndGoing(snapshot, observed)?.shift ?? null
  // Who says that it died of an exception of its own met code or input that it cannot bear: no trouble of the platform.
  const isOwnFault = matching(scene, CRASH).some(
    ({ entity, origin }) => origin === 'log' && entity === observed.first?.entity,
  )
  if (isOwnFault) return null
  const restarts = restarting(observed)
  const seen = [pulses, restarts].filter((shift) => shift !== null)
  const [shift] = seen
  if (shift === undefined) return null
  return {
    kind: 'infra',
    entity: shift.series.entity,
    score: round6(Math.min(MOST_JOINED, anyOf(...seen.map(() => UNSTEADY)))),
    what:
      restarts === null
        ? 'an instance that fails and is well again by itself, time after time'
        : 'an instance that restarts again and again',
    signs: seen.map((one): Sign => ({ strength: UNSTEADY, fact: { of: 'shift', shift: one } })),
    action: 'failover',
    yields_to_changes: true,
    // How a place fails, however many series show it, is half of an answer where records were read that do not say why.
    ...(snapshot.changes.length > 0 ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
  }
}

/** More requests of one outcome are no more requests: they end in another way. */
const isRisingDemand = (shift: SeriesShift): boolean =>
  isDemand(shift.series.name) &&
  shift.meaning.meaning === 'throughput' &&
  shift.direction === 'up' &&
  !OUTCOME_LABELS.some((label) => label in shift.series.labels)

/**
 * Where no calls were counted, who passes demand on is not known. What comes from outside comes in where users are
 * served: where the alerted service's demand was measured and did not rise, callers that try again made the rise.
 */
function servesMore({ snapshot, observed }: Scene, rises: (entity: string) => boolean): boolean {
  const { symptom_service: served } = observed
  return (
    served === null ||
    isCounted(snapshot) ||
    rises(served) ||
    !snapshot.series.some((series) => series.entity === served && isDemand(series.name))
  )
}

const isCounted = ({ edges, spans }: Snapshot): boolean => edges.length + spans.length > 0

/**
 * Work per request is what it was (the utilisation law, Denning and Buzen, 1978): where a processor or a memory grew by
 * more than its own service's demand, the surplus has another cause. This is the share of the growth that demand
 * explains, 1 where demand explains all of it or nothing of the kind was measured.
 */
function proportion(scene: Scene, rises: readonly SeriesShift[], most: number): number {
  const first = scene.observed.first?.entity
  const own = rises.find((shift) => shift.series.entity === first)
  const demand = own === undefined ? most : own.during / own.before
  const growth = scene.observed.shifts.reduce(
    (largest, shift) =>
      shift.series.entity === first &&
      shift.is_bad &&
      shift.meaning.meaning === 'saturation' &&
      (shift.meaning.resource === 'cpu' || shift.meaning.resource === 'memory') &&
      shift.before > 0
        ? Math.max(largest, shift.during / shift.before)
        : largest,
    0,
  )
  // Twice: collections of garbage and context switches grow faster than what is asked.
  return growth <= 2 * demand ? 1 : (2 * demand) / growth
}

/** Whether what an entity is asked for more was seen to be made by one of those who call, below whom it lies. */
const isMadeInside = ({ observed: { made, graph } }: Scene, entity: string): boolean =>
  made !== null && (entity === made.callee || graph.reachableFrom(made.callee).has(entity))

/**
 * Share of the growth of a demand that those who pass it on must show of their own, up to where users are served: some of it
 * is tried again on the way, and the more the more fails.
 */
const LEAST_PASSED = 0.5

/** By what factor demand must have grown: what grows by less is within what a system is made for. */
const MUCH_MORE = 1.5

/** Demand that rose by half or more before the symptoms, which must be those of overload. */
function traffic(scene: Scene): OperationalCause | null {
  const { symptom_service: served } = scene.observed
  const callersOf = ({ series }: SeriesShift): readonly string[] =>
    demandingCallers(scene.snapshot, scene.observed, series.entity)
  const risen = scene.observed.shifts.filter((shift) => isRisingDemand(shift) && shift.before > 0)
  const growthOf = demandGrowth(scene.snapshot, risen)
  const isPassedOn = ({ series: { entity }, before, during }: SeriesShift): boolean => {
    const rises = (one: string): boolean => growthOf(one) >= LEAST_PASSED * (during / before - 1)
    return comesIn(scene.snapshot, scene.observed, entity, rises) && servesMore(scene, rises)
  }
  const rises = risen
    .filter(
      (shift) =>
        shift.during / shift.before >= MUCH_MORE &&
        growthOf(shift.series.entity) >= MUCH_MORE - 1 &&
        !isMadeInside(scene, shift.series.entity) &&
        isPassedOn(shift) &&
        holdsOn(scene, shift) &&
        (scene.onset === null || shift.onset.earliest <= scene.onset),
    )
    .sort(
      (a, b) =>
        // Demand is named where it comes in, not where callers pass it on to: without counted calls where users are served.
        (isCounted(scene.snapshot)
          ? 0
          : Number(b.series.entity === served) - Number(a.series.entity === served)) ||
        callersOf(a).length - callersOf(b).length ||
        b.during / b.before - a.during / a.before ||
        a.onset.at - b.onset.at ||
        compareText(a.series.entity, b.series.entity),
    )
  const [rise] = rises
  if (rise === undefined) return null
  const ratio = rise.during / rise.before
  return {
    kind: 'traffic',
    entity: rise.series.entity,
    score: round6(
      Math.min(0.7, 0.35 + 0.15 * Math.log2(ratio)) *
        explaining(scene, OVERLOAD) *
        proportion(scene, rises, ratio),
    ),
    what: 'more traffic than usual',
    signs: rises.slice(0, 3).map((shift): Sign => ({ strength: 0.4, fact: { of: 'shift', shift } })),
    action: 'scale',
    yields_to_changes: true,
  }
}

/** Input that cannot be processed; weak, because a change of the code that reads it looks the same. */
function data(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, DATA).filter((line) => line.origin !== 'alert')
  if (spoken.length === 0) return null
  const signs = spoken.slice(0, 3).map((line) => sign(line, 0.2))
  return {
    kind: 'data',
    entity: spoken[0]?.entity ?? null,
    score: round6(Math.min(0.45, chance(signs)) * explaining(scene, DATA)),
    what: 'data that cannot be processed',
    signs,
    action: 'clean_data',
    yields_to_changes: true,
  }
}

/** Most that several signs of one cause are worth together. */
const MOST_JOINED = 0.85

/** Who does not know where it was does not contradict who does. */
const samePlace = (one: OperationalCause, other: OperationalCause): boolean =>
  one.entity === null || other.entity === null || one.entity === other.entity

/** Share of its certainty by which trouble of what others lean on explains the load that it leaves to them. */
const LEAVES = 0.75

/**
 * A cache that is empty leaves its load to what stands behind it: connections, processors and demand there are used up by
 * what the cache did not answer, and that is the consequence.
 */
const followingFrom =
  (stores: readonly OperationalCause[]) =>
  (cause: OperationalCause): OperationalCause => {
    const sure = stores.reduce(
      (most, { entity, score, signs }) =>
        entity !== cause.entity && signs.length > 1 ? Math.max(most, score) : most,
      0,
    )
    const isLoad = cause.kind === 'capacity' || cause.kind === 'traffic'
    return isLoad && sure > 0 ? { ...cause, score: round6(cause.score * (1 - LEAVES * sure)) } : cause
  }

/** Who tries again asks for more: that traffic is the consequence. */
const madeBy =
  (repeated: OperationalCause | null) =>
  (cause: OperationalCause): OperationalCause =>
    repeated !== null && cause.kind === 'traffic'
      ? { ...cause, score: round6(cause.score * (1 - LEAVES * repeated.score)) }
      : cause

/** What is told of an event, the gap that it leaves and the answers that it brings are one cause. */
function joined(
  known: readonly OperationalCause[],
  more: readonly OperationalCause[],
  isOnePlace: (one: OperationalCause, other: OperationalCause) => boolean,
): readonly OperationalCause[] {
  const kept = [...known]
  for (const cause of more) {
    const index = kept.findIndex((one) => one.kind === cause.kind && isOnePlace(one, cause))
    const other = kept[index]
    if (other === undefined) kept.push(cause)
    else kept[index] = asOne(other, cause)
  }
  return kept
}

/** Words that both found count once: then the surer score stands, and only further facts are added. */
function asOne(one: OperationalCause, other: OperationalCause): OperationalCause {
  const [surer, weaker] = other.score > one.score ? [other, one] : [one, other]
  const told = new Set(surer.signs.map(({ fact }) => (fact.of === 'text' ? fact.text : '')))
  const further = weaker.signs.filter(({ fact }) => fact.of !== 'text' || !told.has(fact.text))
  const isNew = further.length === weaker.signs.length
  const { at_most: _, ...cause } = surer
  const isShown = ({ at_most, signs }: OperationalCause): boolean =>
    at_most === undefined && signs.some(({ fact }) => fact.of !== 'text')
  const limits =
    isNew || isShown(one) || isShown(other)
      ? []
      : [one.at_most, other.at_most].filter((limit) => limit !== undefined)
  return {
    ...cause,
    ...(limits.length > 0 ? { at_most: Math.min(...limits) } : {}),
    entity: surer.entity ?? weaker.entity,
    score: isNew
      ? Math.max(surer.score, round6(Math.min(MOST_JOINED, anyOf(surer.score, weaker.score))))
      : surer.score,
    signs: strongest([...surer.signs, ...further]),
    yields_to_changes: surer.yields_to_changes && weaker.yields_to_changes,
  }
}

/** An event of a datastore or a platform shortly before or at the onset, or several services that tell of one. */
function datastore(scene: Scene): OperationalCause | null {
  const isEvent = (line: Line): boolean => line.origin === 'event' || line.origin === 'kubernetes'
  // What services complain of since long before has not failed them; what a platform records acts for half an hour.
  const isTimely = (line: Line): boolean =>
    line.origin !== 'alert' &&
    (isEvent(line)
      ? line.at === null || scene.onset === null || line.at <= scene.onset + NEAR_MS
      : isInTime(scene, line.at))
  const told = scene.lines.filter(isTimely)
  const clear = told.filter((line) => DATASTORE.test(line.text))
  const failing = new Set(scene.observed.failing.map(({ entity }) => entity))
  // What was over before anybody failed, is still to come, or happened where nothing fails explains nothing.
  const isOver = ({ text, at }: Line): boolean =>
    OVER.test(text) && at !== null && scene.onset !== null && at < scene.onset - NEAR_MS
  const isElsewhere = (line: Line): boolean =>
    isEvent(line) && line.entity !== null && failing.size > 0 && !failing.has(line.entity)
  const hints = told.filter(
    (line) =>
      DATASTORE_HINT.test(line.text) &&
      !clear.includes(line) &&
      !ROUTINE.test(line.text) &&
      !TO_COME.test(line.text) &&
      !isOver(line) &&
      !isElsewhere(line),
  )
  if (clear.length + hints.length === 0) return null
  const signs = [
    ...clear.slice(0, 4).map((line) => sign(line, isEvent(line) ? 0.4 : 0.28)),
    ...hints.slice(0, 2).map((line) => sign(line, isEvent(line) ? 0.25 : 0.1)),
  ]
  // What a platform records happened, and so did what is quoted again and again from the onset on.
  const isCertain = clear.some(isEvent) || isSaidAtOnset(scene, clear)
  const speaker = clear.find(isEvent) ?? clear[0] ?? hints[0]
  return {
    kind: 'infra',
    entity:
      // What a platform records stands at its place; anybody else tells of what failed for him.
      (speaker === undefined || isEvent(speaker) ? null : placeToldOf(scene, [speaker])) ??
      speaker?.entity ??
      null,
    score: round6(
      Math.min(0.8, chance(strongest(signs))) *
        explaining(
          scene,
          /fail.?over|primary|leader|replica|read.only|broker|partition|connection|unavailable|refused|reset|timeout|lag|writ/i,
        ),
    ),
    what: 'an event of the platform or a datastore',
    signs: strongest(signs),
    action: 'escalate',
    yields_to_changes: !isCertain,
    // A line in passing may be anybody's complaint of every day.
    ...(isCertain || scene.snapshot.changes.length === 0 ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}
