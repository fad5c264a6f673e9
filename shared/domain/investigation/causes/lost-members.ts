/**
 * A store or a broker of several members of which one is gone: the others take over what it did, and may give way minutes later.
 *
 * Method: what counts its members counts fewer since users are hurt, and stays there, or the others see one of them no more; those that
 * are left use more of what they have; it says so itself, or whoever watches it; those who fail name it, at once or when the others have no room left. Two are
 * asked for: a member that is taken out harms nobody, and whoever cannot reach a cluster may have no way there. Nobody counts
 * calls to most of these, so who says the errors looks like the place. A change may have taken the member out, so this yields.
 * @see https://www.rabbitmq.com/docs/clustering
 * @see https://www.mongodb.com/docs/manual/reference/command/replSetGetStatus/ (members[n].health: 1 up, 0 down)
 */
import { CONFIDENCE_CAP_CONSEQUENCE } from '../confidence.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  holdsOn,
  isInTime,
  isRecorded,
  isSaidAtOnset,
  naming,
  type Scene,
  stepsWith,
} from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { round6 } from '../statistics.ts'
import { saysGone } from './down-part.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'

const GONE = wordsFor('member')
/**
 * How what counts members of a cluster is called: by the word for them and at once one of those in service, whatever it counts
 * of. `http_server_requests_count` counts no servers, and the names of all that a broker measures begin with its own.
 */
const MEMBERS = '(?:members?|brokers?|voters?|peers?|nodes?|servers?)'
const IN_SERVICE = '(?:running|alive|live|up|active|online|healthy|joined|cluster|number|count)'
const COUNTS_MEMBERS = new RegExp(
  `(?:^| )(?:${MEMBERS}(?: in)? ${IN_SERVICE}|${IN_SERVICE}(?: of)?(?: data)? ${MEMBERS})(?: ${IN_SERVICE}| total| current)*$`,
)
/** By how many there must be fewer, on the whole: half a member is a mean over a while that holds both. */
const FEWER = 0.5
/** What each witness is worth. */
const COUNTED = 0.45
const SAID = 0.45
const BEARS = 0.3
const NAMED = 0.3
const MOST = 0.85
/** Lines of those who fail that name it, below which it is a straggler. */
const MANY_LINES = 5

const countsMembers = keptByName((name) => COUNTS_MEMBERS.test(wordsOf(name).join(' ')))

/** Whether a series counts members of which there are fewer since users are hurt. */
const isFewer = ({ series: { name }, direction, before, during }: SeriesShift): boolean =>
  direction === 'down' && before >= 2 - FEWER && before - during >= FEWER && countsMembers(name)

/** Says of a member, which a label names, whether the one that tells it sees it. @see https://github.com/percona/mongodb_exporter */
const SEEN = /(?:^|_)members?_health$/

/** Whom a series tells to be lost: the cluster that has fewer members, or the member that another sees no more. */
const lostOf = (names: EntityNames, shift: SeriesShift): readonly string[] =>
  isFewer(shift)
    ? [shift.series.entity]
    : saysGone(shift, SEEN)
      ? Object.values(shift.series.labels)
          .flatMap((value) => names.mentionedIn(value))
          .filter((name) => name !== shift.series.entity)
      : []

/** The cluster that most surely lost a member when users began to be hurt; none where no two witnesses tell so. */
export function lostMembers(scene: Scene): readonly OperationalCause[] {
  const { observed, snapshot, names, onset, lines } = scene
  if (onset === null) return []
  // Instances of a service that are gone are told by those who run them.
  const services = new Set(snapshot.entities.flatMap(({ name, kind }) => (kind === 'service' ? [name] : [])))
  const counted = Map.groupBy(
    observed.shifts
      .filter((shift) => stepsWith(shift, onset) && holdsOn(observed, shift))
      .flatMap((shift) => lostOf(names, shift).map((of) => ({ of, shift }))),
    ({ of }) => of,
  )
  const saying = lines.filter(
    (line) => (line.origin === 'log' || isRecorded(line)) && isInTime(scene, line.at) && GONE.test(line.text),
  )
  // Whose events and lines speak of a member may be that member.
  const about = Map.groupBy(
    saying.flatMap((line) =>
      [...new Set([line.entity, ...names.mentionedIn(line.text)])].map((of) => ({ of, line })),
    ),
    ({ of }) => of,
  )
  const candidates = [...new Set([...counted.keys(), ...about.keys()])].filter(
    (entity) => entity !== null && !services.has(entity),
  ) as string[]
  return candidates
    .flatMap((entity): readonly OperationalCause[] => {
      const said = (about.get(entity) ?? []).map(({ line }) => line)
      const told = said.some(isRecorded) || isSaidAtOnset(scene, said) ? said.slice(0, 1) : []
      const named = naming(scene, entity).filter(({ at }) => at === null || at >= onset)
      // Who is left bears more of everything.
      const since = counted.get(entity)?.[0]?.shift
      const bears =
        since === undefined
          ? undefined
          : observed.shifts.find(
              ({ series, meaning, is_bad: isBad, direction, onset: left, ended_at }) =>
                series.entity === entity &&
                isBad &&
                meaning.meaning === 'saturation' &&
                direction === 'up' &&
                left.latest >= since.onset.earliest &&
                ended_at === null,
            )
      const isNamed = named.reduce((sum, { count }) => sum + count, 0) >= MANY_LINES
      const own = [...shown(since, COUNTED), ...shown(bears, BEARS), ...told.map((line) => sign(line, SAID))]
      const signs: readonly Sign[] = [
        ...own,
        ...(isNamed ? distinctCallers(named).map((line) => sign(line, NAMED)) : []),
      ]
      return own.length + Number(isNamed) < 2
        ? []
        : [
            {
              ...{ kind: 'infra', entity, signs, action: 'failover', yields_to_changes: true },
              what:
                since === undefined || since.series.entity === entity
                  ? 'a cluster that lost a member'
                  : 'a member of a cluster that the others see no more',
              score: round6(Math.min(MOST, chanceOf(signs))),
              at_most: CONFIDENCE_CAP_CONSEQUENCE,
            },
          ]
    })
    .sort(bySureness)
    .slice(0, 1)
}
