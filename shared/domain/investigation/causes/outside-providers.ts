/**
 * Outages of outside providers, told by the host that failing calls name or by a status page.
 *
 * Several callers that fail at one host, or its own status, speak for the host; a single caller may be what fails, so that it
 * is possible at most where that is who fails first and is answered so ever since.
 */

import { CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  entitiesOf,
  explaining,
  hasShiftedInTime,
  isInTime,
  isSaidAtOnset,
  type Line,
  matching,
  type Scene,
} from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import { round6 } from '../statistics.ts'
import { CERTIFICATE } from './expired-certificate.ts'
import { RESOLUTION } from './failing-resolution.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'
import { statusSigns } from './provider-status.ts'
import { unmeasuredProviders } from './unmeasured-providers.ts'

const OUTAGE =
  /\b5\d\d\b|deadline|time[d ]?[- ]?out|unavailable|refused|reset|\b429\b|rate.?limit|quota|overloaded|outage|degraded|bad gateway|\b(?:does|did) not (?:answer|respond)|\bno (?:answer|response)\b|not responding/i
/**
 * A host, and not the beginning of what a program calls a class or a package: `java.net.SocketException`; in any zone where it is
 * asked at the port of HTTPS.
 */
const HOST =
  /\b(?:https?:\/\/)?((?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+(?:(?:com|net|org|io|dev|ai|co|app|cloud|eu|de|uk|us|tech)(?![\w-]|\.\w)|[a-z]{2,24}(?=:443\b)))/gi
/**
 * A host of any zone in an address of HTTPS without another port: what is asked otherwise there may be a name within a cluster. Looked
 * for from its beginning on: a look behind each zone would go over what stands before it again and again.
 */
const HTTPS_HOST = /\bhttps:\/\/((?:[a-z\d-]+\.)+[a-z]{2,24})(?![\w-]|\.\w|:(?!443\b))/gi
/** Libraries and packages whose names end as hosts do, and files whose line is told as a port is. */
const LIBRARY =
  /^(?:asp\.net|(?:socket|engine)\.io|(?:java|javax|system)\.(?:net|io))$|\.(?:[cm]?[jt]sx?|py|go|java|kt|rb|php|rs)$/
const INTERNAL_HOST = /\.(svc|local|internal|cluster|lan|corp)(?:\.|$)/i

/** What it is worth that whoever fails first is answered so by one host, again and again since then. */
const MISSED = 0.4

/** Shorter words of a provider's name begin and end other words too often. */
const SHORT_WORD = 4

/** Whether a text in lower case has a word of a provider's name: at the start of a word, and all of it where it is short. */
const holdsWord = (text: string, word: string): boolean =>
  text.split(/[^a-z\d]+/).some((each) => each === word || (word.length > SHORT_WORD && each.startsWith(word)))

/** Needs calls to one outside host that fail there, and a status entry or a second caller that agrees. */
export function outsideProviders(scene: Scene): readonly OperationalCause[] {
  const outside = scene.observed.shifts.filter(
    (shift) =>
      shift.is_bad &&
      /provider|third.?party|external|vendor|partner|gateway_?upstream/i.test(shift.series.name),
  )
  const causes = askedHosts(scene).map((asked) => outageOf(asked, scene, outside))
  if (causes.length > 0) return causes
  const spoken = spokenOutage(scene)
  return spoken === null ? unmeasuredProviders(scene) : [spoken]
}

/** A domain outside, at which calls fail. */
interface AskedHost {
  readonly domain: string
  /** One host of it as it was written. */
  readonly host: string
  /** The lines that say so. */
  readonly lines: readonly Line[]
}

/** The domains outside at which lines of the incident say that calls fail. */
function askedHosts(scene: Scene): readonly AskedHost[] {
  const byDomain = new Map<string, { domain: string; host: string; lines: Line[] }>()
  for (const line of scene.lines) {
    if (!line.failing || line.origin === 'alert' || !isInTime(scene, line.at)) continue
    if (!OUTAGE.test(line.text) || RESOLUTION.test(line.text) || CERTIFICATE.test(line.text)) continue
    for (const match of [...line.text.matchAll(HOST), ...line.text.matchAll(HTTPS_HOST)]) {
      const host = (match[1] as string).toLowerCase()
      if (
        LIBRARY.test(host) ||
        INTERNAL_HOST.test(host) ||
        scene.names.mentionedIn(host.split('.')[0] ?? '').length > 0
      )
        continue
      const domain = domainOf(host)
      const known = byDomain.get(domain)
      if (known === undefined) byDomain.set(domain, { domain, host, lines: [line] })
      else {
        if (!known.lines.includes(line)) known.lines.push(line)
        if (host < known.host) known.host = host
      }
    }
  }
  return [...byDomain.values()]
}

/**
 * The outage of a provider that is asked at one domain.
 *
 * @param outside - what moved the wrong way of what is measured of providers
 */
function outageOf(
  { domain, host, lines }: AskedHost,
  scene: Scene,
  outside: readonly SeriesShift[],
): OperationalCause {
  const known = knownAs(host, domain, scene.names)
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
  // Whoever fails first and says so anew ever since knows best whom it misses, though it is one witness.
  const { first } = scene.observed
  const isFirst = first !== null && callers.size === 1 && callers.has(first.entity)
  const [missed] = isFirst && isSaidAtOnset(scene, answered) ? answered : []
  if (missed !== undefined) signs.push(sign(missed, MISSED))
  const own =
    known === undefined ? [] : scene.observed.shifts.filter((shift) => isOfOutage(scene, shift, known))
  for (const shift of [...outside, ...own].slice(0, 2)) signs.push(...shown(shift, 0.3))
  const statuses = statusSigns(scene, (text) => words.some((word) => holdsWord(text, word)))
  signs.push(...statuses)
  return {
    kind: 'provider',
    entity: known ?? host,
    score: round6(Math.min(0.97, chanceOf(strongest(signs))) * explaining(scene, OUTAGE)),
    what: `an outage of the outside provider ${host}`,
    signs: strongest(signs),
    action: 'failover',
    yields_to_changes: false,
    ...(missed !== undefined && statuses.length + outside.length === 0
      ? { at_most: CONFIDENCE_CAP_UNMAPPED }
      : {}),
  }
}

/**
 * The name of its own by which whoever is asked at a host is known: that of its domain, or one that is made of the words of the host, in
 * whichever order, of which its domain is one (`api.stripe.com` as `stripe-api`).
 */
function knownAs(host: string, domain: string, names: EntityNames): string | undefined {
  const [owner = ''] = domain.split('.')
  const words = new Set(host.split('.').slice(0, -1).flatMap(wordsIn))
  return (
    names.mentionedIn(owner)[0] ??
    names.all
      .filter((name) => {
        const own = wordsIn(name)
        return own.length > 1 && own.includes(owner) && own.every((word) => words.has(word))
      })
      .sort(compareText)[0]
  )
}

/** Whether what is measured of whoever is asked left normal with what fails. */
const isOfOutage = (scene: Scene, shift: SeriesShift, entity: string): boolean =>
  shift.is_bad && shift.series.entity === entity && hasShiftedInTime(scene, shift)

const wordsIn = (name: string): readonly string[] => name.toLowerCase().split(/[^a-z\d]+/)

/** Where no host is named: an outage on a status page that speaks of something which the failing texts name. */
function spokenOutage(scene: Scene): OperationalCause | null {
  const texts = scene.symptoms.map((symptom) => symptom.text.toLowerCase())
  const isResolution = matching(scene, RESOLUTION).length > 0
  for (const status of scene.snapshot.status) {
    // A status page of the cluster's own name resolution is no provider.
    if (isResolution && /dns|resol/i.test(`${status.provider} ${status.component ?? ''}`)) continue
    const words = `${status.provider} ${status.component ?? ''}`
      .toLowerCase()
      .split(/[^a-z\d]+/)
      .filter((word) => word.length > 2)
    const named = words.filter((word) => texts.some((text) => holdsWord(text, word)))
    const told = statusSigns(scene, (_text, provider) => provider === status.provider)
    if (named.length === 0 || told.length === 0) continue
    const spoken = matching(scene, OUTAGE).filter((line) =>
      named.some((word) => holdsWord(line.text.toLowerCase(), word)),
    )
    const signs = [...told, ...spoken.slice(0, 2).map((line) => sign(line, 0.2))]
    return {
      kind: 'provider',
      entity: status.provider,
      score: round6(Math.min(0.9, chanceOf(signs)) * explaining(scene, OUTAGE)),
      what: `an outage of the outside provider ${status.provider}`,
      signs: strongest(signs),
      action: 'failover',
      yields_to_changes: false,
    }
  }
  return null
}

/** The part of a host's name that its owner registered, near enough: two labels, three below a two-letter pair such as co.uk. */
function domainOf(host: string): string {
  const labels = host.split('.')
  const isPair = /^(co|com|net|org|gov|ac)$/.test(labels.at(-2) ?? '') && (labels.at(-1) ?? '').length === 2
  return labels.slice(isPair ? -3 : -2).join('.')
}

/** One line of each of the first three who say so. */
export function distinctCallers(lines: readonly Line[]): readonly Line[] {
  const seen = new Set<string>()
  return lines.filter((line) => {
    if (line.entity === null || seen.has(line.entity)) return false
    seen.add(line.entity)
    return seen.size <= 3
  })
}
