/**
 * A router whose neighbours are gone: sessions of its routing protocols left the state in which they exchange routes, with the harm.
 *
 * Method: two routers that hear each other hold a session, and each ends it when it hears nothing of the other for so long (RFC 4271,
 * section 6.5: hold timer expired; RFC 2328, section 10.5: the inactivity timer). So a session that ends is told by one that works and
 * measures it: the way to that neighbour is gone, or the neighbour is. One session ends now and then and another way is taken, so two
 * signs are asked for: sessions of one router that end in the minutes in which users are hurt and are gone for as long, and what the
 * router itself says of it again and again since then. Whether the link or the other end is why is not told by it.
 */
import { CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { isSaidAtOnset, type Line, outlasts, type Scene, stepsWith } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, MOST_JOINED, type OperationalCause, shown, sign } from './operational-cause.ts'

/**
 * Gauges of the state of a session, and the level at which routes are exchanged.
 * @see https://www.rfc-editor.org/rfc/rfc4273 (BGP4-MIB: bgpPeerState, established is 6)
 * @see https://www.rfc-editor.org/rfc/rfc4750 (OSPF-MIB: ospfNbrState, full is 8)
 * @see https://www.rfc-editor.org/rfc/rfc5643 (OSPFV3-MIB: ospfv3NbrState, full is 8)
 * @see https://www.rfc-editor.org/rfc/rfc4444 (ISIS-MIB: isisISAdjState, up is 3)
 * @see https://github.com/czerwonk/bird_exporter (bird_protocol_up)
 * @see https://github.com/tynany/frr_exporter (frr_bgp_peer_state, established is 1)
 */
const SESSIONS: readonly (readonly [RegExp, number])[] = [
  [/^(?:bgpPeerState|cbgpPeer2State)$/, 6],
  [/^ospf(?:v3)?NbrState$/, 8],
  [/^isisISAdjState$/, 3],
  [/^(?:bird_protocol_up|frr_bgp_peer_state)$/, 1],
]
/** How far a level may lie from a state that is counted in whole numbers. */
const SAME_STATE = 0.2

/**
 * How routers say that a session has ended, in small letters.
 * @see https://bird.network.cz/?get_doc&v=20 (Error: Hold timer expired)
 * @see https://www.cisco.com/c/en/us/support/docs/ip/border-gateway-protocol-bgp/13752-24.html (%BGP-5-ADJCHANGE, %OSPF-5-ADJCHG)
 * @see https://www.juniper.net/documentation/us/en/software/junos/bgp/index.html (bgp_hold_timeout)
 */
const ENDED =
  /hold[ _]time(?:r|out)?\b.*expired|bgp_hold_timeout|\badjchg\b.*\bdown\b|\badjchange\b.*\bdown\b|dead timer expired/i

/** What each sign is worth: a session that ended, and that the router says so. */
const SESSION = 0.4
const SAID = 0.35
/** Signs of one router at least, and sessions that are told: more say the same. */
const LEAST = 2

const hasEnded = ({ series, direction, before, during }: SeriesShift): boolean =>
  direction === 'down' &&
  SESSIONS.some(
    ([named, exchanging]) =>
      named.test(series.name) &&
      Math.abs(before - exchanging) <= SAME_STATE &&
      during <= exchanging - 1 + SAME_STATE,
  )

/** Routers that lost neighbours as users began to be hurt, surest first. */
export function lostNeighbours(scene: Scene): readonly OperationalCause[] {
  const { observed, onset, lines } = scene
  if (onset === null) return []
  const ended = observed.shifts.filter(
    (shift) => hasEnded(shift) && stepsWith(shift, onset) && outlasts(observed, shift),
  )
  return [...Map.groupBy(ended, ({ series }) => series.entity)]
    .flatMap(([entity, sessions]) => causeOf(entity, sessions, saidBy(scene, entity, lines)))
    .sort(bySureness)
}

/** What a router says of sessions that ended, where it says so again and again since users are hurt. */
function saidBy(scene: Scene, entity: string, lines: readonly Line[]): readonly Line[] {
  const said = lines.filter(
    (line) => line.origin === 'log' && line.entity === entity && ENDED.test(line.text),
  )
  return isSaidAtOnset(scene, said) ? said : []
}

function causeOf(
  entity: string,
  sessions: readonly SeriesShift[],
  said: readonly Line[],
): readonly OperationalCause[] {
  const signs = [
    ...sessions.slice(0, LEAST).flatMap((shift) => shown(shift, SESSION)),
    ...said.slice(0, 1).map((line) => sign(line, SAID)),
  ]
  if (signs.length < LEAST) return []
  return [
    {
      ...{ kind: 'network', entity, signs, action: 'failover', yields_to_changes: true, is_placed: true },
      score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
      what: 'a router that no longer hears its neighbours',
      // The link, or who is at its other end: nobody says which.
      at_most: CONFIDENCE_CAP_UNMAPPED,
    },
  ]
}
