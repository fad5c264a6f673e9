/**
 * A certificate or another credential whose time ran out when the symptoms began.
 *
 * Method: the end of its validity lies at the onset, by a series of the time left or by a date that is quoted
 * (`notAfter`: RFC 5280, section 4.1.2.5); or who checks it says so again and again from the onset on.
 */
import { isTimeLeft } from '../deviations/metric-meaning.ts'
import {
  explaining,
  isSaidAtOnset,
  type Line,
  matching,
  NEAR_MS,
  placeSpokenOf,
  type Scene,
} from '../place/told-lines.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import { round6 } from '../statistics.ts'
import { type FactOf, type OperationalCause, type Sign, sign, strongest } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

// What public systems say of themselves is a table; the words beside it are those of any failing.
/** What is said where a certificate is not accepted. */
export const CERTIFICATE = wordsFor('certificate')

const isNothing = (left: number): boolean => left <= 0

/** A sign that the validity of a credential ended. */
interface Expiry extends Sign {
  readonly fact: FactOf<'expiry'>
}

/**
 * Who checks a certificate compares two dates that it has at hand, so its word counts where it is given again and again
 * from the onset on; a word in passing stays weak, an expiry whose own time matches the onset is strong.
 */
export function expiredCertificate(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, CERTIFICATE)
  const expiries: Expiry[] = []
  let entity: string | null = null
  for (const series of seriesNamed(scene.snapshot.series, isTimeLeft)) {
    const index = series.values.findIndex(isNothing)
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
    checkedBy(scene, spoken) ??
    placeSpokenOf(scene, spoken) ??
    spoken.flatMap((line) => scene.names.mentionedIn(line.text).filter((name) => name !== line.entity))[0] ??
    null
  // What ended when it began, at who fails or at who calls it, is what fails there, in whatever words others tell it.
  const share = isOfWhoFails(scene, expiries)
    ? 1
    : explaining(scene, /certificate|x509|tls|ssl|handshake|expired|upstream|502|503|error/i)
  const isCertificate = spoken.length > 0 || expiries.some(({ fact }) => /cert|tls|ssl|x509/i.test(fact.text))
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

/** Whether the remaining time that ran out is of the first failing place, or of one that calls it. */
function isOfWhoFails({ observed: { first, graph } }: Scene, expiries: readonly Expiry[]): boolean {
  return expiries.some(
    ({ fact }) =>
      fact.origin === 'metric' &&
      first !== null &&
      (fact.entity === first.entity || graph.callees.get(fact.entity)?.has(first.entity) === true),
  )
}

/** Whom the first failing place says to have checked: one that it calls, and whose certificate that then is. */
function checkedBy({ names, observed: { first, graph } }: Scene, spoken: readonly Line[]): string | null {
  const callees = graph.callees.get(first?.entity ?? '')
  const named = spoken
    .filter(({ entity }) => entity === first?.entity)
    .flatMap(({ text }) => names.mentionedIn(text).filter((name) => callees?.has(name) === true))
  return named[0] ?? null
}
