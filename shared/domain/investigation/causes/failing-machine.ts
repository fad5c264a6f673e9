/**
 * A machine on which, or a zone in which, instances of several services fail, as a cause: the contrast of `failing-nodes.ts` with what is measured
 * and said of the machine itself.
 */
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import { matching, type Scene } from '../place/told-lines.ts'
import { nodeOf } from '../records/hosting.ts'
import { holdsName } from '../records/whole-name.ts'
import { round6 } from '../statistics.ts'
import { failingNode, failingZone, zoneOf } from './failing-nodes.ts'
import { isPlanned, NODE } from './node-words.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

/** What is said of a zone stands among the words of networks. */
const NETWORK = wordsFor('network')
/** What one service tells that fails on one machine and not elsewhere: as likely its own bad instance as the machine. */
const FAILS_THERE = 0.5

/** Most that is shown of services that fail on one machine. */
const MOST_SHOWN = 4

/** Instances of several services that fail on one machine, while those elsewhere do not. */
export function failingMachine(scene: Scene): OperationalCause | null {
  const { snapshot, observed, onset } = scene
  if (onset === null) return null
  const node = failingNode(snapshot, observed.normal, onset)
  const zone = failingZone(snapshot, observed.normal, onset)
  // A machine fails those that run on it, a zone those of all its machines.
  const isZone = zone !== null && zone.services.length > (node?.services.length ?? 0)
  const found = isZone ? zone : node
  if (found === null) return null
  const groundOf = isZone ? zoneOf : nodeOf
  const there = found.services.flatMap((service): readonly Sign[] => {
    const shift = observed.shifts.find(
      ({ series }) => series.entity === service && groundOf(series.labels) === found.node,
    )
    if (shift !== undefined) return shown(shift, FAILS_THERE)
    return scene.lines
      .filter(({ entity, origin, failing }) => failing && origin === 'log' && entity === service)
      .slice(0, 1)
      .map((line) => sign(line, FAILS_THERE))
  })
  const own = observed.shifts
    .filter(({ series, is_bad }) => is_bad && series.entity === found.node)
    .slice(0, 2)
    .flatMap((shift) => shown(shift, 0.45))
  const spoken = matching(scene, isZone ? NETWORK : NODE)
    .filter((line) => line.origin !== 'alert' && !isPlanned(line) && holdsName(line.text, found.node))
    .slice(0, 2)
    .map((line) => sign(line, 0.45))
  const signs = [...own, ...spoken, ...there.slice(0, MOST_SHOWN)]
  // Most of the services that can be compared must agree: else it is where these happen to run.
  const share = found.services.length / found.compared
  const isSure = share >= MOST_AGREE && (found.services.length > 2 || own.length + spoken.length > 0)
  return {
    kind: isZone ? 'infra' : 'node',
    entity: found.node,
    ...(isSure ? { falls_on: found.services } : {}),
    // What is shown of one service alone may be that service's own.
    ...(isSure ? {} : { at_most: signs.length < 2 ? CONFIDENCE_CAP_UNLINKED : CONFIDENCE_CAP_UNMAPPED }),
    score: round6(Math.min(0.95, chanceOf(signs)) * Math.min(1, share / MOST_AGREE)),
    what: `a ${isZone ? 'zone in' : 'machine on'} which instances of several services fail, while those elsewhere do not`,
    signs,
    action: isZone ? 'failover' : 'reschedule',
    yields_to_changes: false,
  }
}

/** Share of the services with instances there that must fail there: more than by chance, while some need not meet it. */
const MOST_AGREE = 0.5
