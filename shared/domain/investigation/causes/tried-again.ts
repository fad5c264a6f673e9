/**
 * Calls that are tried again until nobody is answered in time: a short failure makes every caller try again, that is more than
 * the callee can do, so it answers too late, and everybody tries again. It lasts when what began it is over.
 *
 * Method: conservation of calls. The place that fails first is asked a multiple of what it was, those who call it are not,
 * and so many calls fail that every further one may follow a failed one. Beside that: callers that count or say that
 * they try again, without which somebody may as well ask for more; the place's own word that nobody waits for its answer any
 * more; and a platform that found its instances down at the onset. A callee that is broken is tried again as well, so a
 * change that can have broken it goes before.
 * Source: Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021; Beyer et al., Site Reliability
 * Engineering, 2016, chapter 22 ("Retries").
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { countsRetries, isDemand } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { comesIn } from '../place/demand-from-outside.ts'
import { isInTime, isSaidAtOnset, type Line, matching, NEAR_MS, type Scene } from '../place/told-lines.ts'
import {
  callsByInterval,
  usualAndSince,
  usualCalls,
  usualFailed,
  usualWait,
} from '../records/calls-by-interval.ts'
import { pairsOfOthersTo } from '../records/calls-by-pair.ts'
import { isOfWorkload } from '../records/hosting.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { chanceOf, shown, sign } from './operational-cause.ts'

/** By what factor the place must be asked more: one retry of each call doubles it. */
const MULTIPLE = 1.8
/** By what factor its callers may be asked more: a busy hour. */
const BUSY = 1.3
/** Share of the further calls that failed ones must account for: counting is cut by intervals. */
const ACCOUNTED = 0.8
/** By what factor an answer, or giving it up, must take longer than usual. */
const SLOWER = 2
/** Share of what fails there that must arise there. */
const OWN = 0.5
/** Intervals on either side that tell anything. */
const LEAST_INTERVALS = 4
/** By what factor a count of repeated requests must have grown: there are always some. */
const CLEARLY_MORE = 10
/** What each sign is worth. */
const ASKED = 0.45
const COUNTED = 0.4
const SAID = 0.35
const GIVEN_UP = 0.3
const WAS_DOWN = 0.35
const MOST = 0.9

/**
 * How clients say that they ask again.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
const TRIES_AGAIN = /\bretr(?:y|ying|ies|ied)\b|\battempt \d{1,3} (?:of|\/) ?\d{1,3}\b/i
/**
 * How servers say that nobody waits for the answer, or that a request waited too long to be begun.
 * @see https://grpc.io/docs/guides/deadlines/
 * @see https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_ignore_client_abort
 */
const NOBODY_WAITS =
  /given up by|client (?:closed|cancell?ed|disconnected|aborted)|context cancell?ed|clientabortexception|\b499\b|waited for an? (?:worker|thread|slot)|waiting for an? (?:worker|thread|slot)|rejectedexecution|queue(?: is)? full/i
/**
 * How an orchestrator says that instances do not answer.
 * @see https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
 */
const DOWN = /(?:liveness|readiness|startup) probe failed|\bunhealthy\b|\bback-?off\b|oom-?kill/i

/** The first failing place, where trying again keeps it from answering; null elsewhere. */
export function triedAgain(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  const place = observed.first?.entity ?? null
  if (place === null || onset === null || observed.made !== null) return null
  const asked = askedMore(scene, place, onset)
  if (asked === null) return null
  const counted = observed.shifts.find(
    (shift) =>
      countsRetries(shift.series.name) &&
      observed.graph.callees.get(shift.series.entity)?.has(place) === true &&
      shift.during >= CLEARLY_MORE * shift.before &&
      shift.ended_at === null &&
      isInTime(scene, shift.onset.at),
  )
  const said = saidOf(scene, TRIES_AGAIN, (line) => line.entity !== place && names(scene, line, place))
  if (counted === undefined && said.length === 0) return null
  const givenUp = saidOf(scene, NOBODY_WAITS, ({ entity }) => entity === place)
  // How much it is asked nobody counted: then both sides have to say what happens there.
  const isCounted = asked !== 'uncounted'
  if (!isCounted && (said.length === 0 || givenUp.length === 0)) return null
  const down = downAtOnset(scene, place, onset)
  const signs: readonly Sign[] = [
    ...(isCounted ? [{ strength: ASKED, fact: asked }] : []),
    ...shown(counted, COUNTED),
    ...said.slice(0, 1).map((line) => sign(line, SAID)),
    ...givenUp.slice(0, 1).map((line) => sign(line, GIVEN_UP)),
    ...down.slice(0, 1).map((line) => sign(line, WAS_DOWN)),
  ]
  return {
    ...{ kind: 'capacity', entity: place, signs, action: 'scale', is_placed: true },
    score: round6(Math.min(MOST, chanceOf(signs))),
    what: 'calls that are tried again until nobody is answered in time',
    yields_to_changes: true,
    // What began it is known and over: then what lasts is the trying again.
    ...(isCounted && down.length > 0 ? { is_whole: true } : {}),
    ...(isCounted ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}

/** That the place is asked a multiple which its callers are not and which failed calls account for; null where it is not. */
function askedMore(scene: Scene, place: string, onset: number): Sign['fact'] | 'uncounted' | null {
  const { snapshot, observed } = scene
  const rises = new Map<string, SeriesShift>()
  for (const shift of observed.shifts) {
    const { series, direction, before, during, ended_at: ended } = shift
    if (!isDemand(series.name) || shift.meaning.meaning !== 'throughput') continue
    if (direction !== 'up' || ended !== null || !(before > 0) || during < BUSY * before) continue
    if (Object.keys(series.labels).length === 0 && !rises.has(series.entity)) rises.set(series.entity, shift)
  }
  if (comesIn(snapshot, observed, place, (caller) => rises.has(caller))) return null
  const flow = observed.flows.get(place)
  if (flow !== undefined) {
    // What its own callees fail it passes on.
    const isItsOwn = flow.own_failed >= OWN * flow.excess_failed
    return isItsOwn && isRepeatedEdge(scene, place, onset) ? { of: 'calls', flow } : null
  }
  const isDemandOfAll = ({ name, labels }: Series): boolean =>
    isDemand(name) && Object.keys(labels).length === 0
  if (!seriesOf(snapshot.series, place).some(isDemandOfAll)) return 'uncounted'
  const rise = rises.get(place)
  if (rise === undefined || rise.during < MULTIPLE * rise.before) return null
  const failed = observed.shifts.find(
    ({ series, meaning, ended_at: ended }) =>
      series.entity === place &&
      meaning.meaning === 'errors' &&
      ended === null &&
      (series.unit === '1' || series.unit === '%') &&
      Object.keys(series.labels).length === 0,
  )
  if (failed === undefined) return null
  const share = failed.series.unit === '%' ? failed.during / 100 : failed.during
  return share * rise.during >= ACCOUNTED * (rise.during - rise.before) ? { of: 'shift', shift: rise } : null
}

/** Whether the calls to a place are a multiple of the usual since the onset, by as many as fail, and wait. */
function isRepeatedEdge({ snapshot, observed: { normal } }: Scene, place: string, onset: number): boolean {
  const counted = callsByInterval(pairsOfOthersTo(snapshot.edges, place))
  const { usual, since } = usualAndSince(counted, normal, onset)
  if (usual.length < LEAST_INTERVALS || since.length < LEAST_INTERVALS) return false
  const [before, calls] = [usualCalls(usual), usualCalls(since)]
  return (
    calls >= MULTIPLE * before &&
    usualFailed(since) >= ACCOUNTED * (calls - before) &&
    // Who refuses at once has time for everybody; where waiting was not counted, nothing says so.
    !(usualWait(since) < SLOWER * usualWait(usual))
  )
}

const names = (scene: Scene, { text }: Line, entity: string): boolean =>
  scene.names.mentionedIn(text).includes(entity)

/** What is said so by whom it concerns, again and again from the onset on. */
function saidOf(scene: Scene, words: RegExp, concerns: (line: Line) => boolean): readonly Line[] {
  const lines = matching(scene, words).filter(
    (line) => line.origin === 'log' && isInTime(scene, line.at) && concerns(line),
  )
  return isSaidAtOnset(scene, lines) ? lines : []
}

/** That the platform found instances of the place down when it began, and said nothing of the kind later. */
function downAtOnset(scene: Scene, place: string, onset: number): readonly Line[] {
  const records = scene.lines.filter(
    ({ origin, at, entity, text }) =>
      origin === 'kubernetes' &&
      at !== null &&
      at >= onset - NEAR_MS &&
      isOfWorkload(entity, place, scene.snapshot.entities) &&
      DOWN.test(text),
  )
  return records.every(({ at }) => (at as number) <= onset + NEAR_MS) ? records : []
}
