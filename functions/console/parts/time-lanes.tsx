import type { Charts } from './charts.ts'
import { InstantText } from './instant-text.tsx'
import { TextWithTimes } from './text-with-times.tsx'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
/** Instants below the lanes, the ends included. */
const TICKS = 5
/** Entries of the list below the lanes: more of them nobody reads. */
const MOST_LISTED = 30

interface Listed {
  readonly at: string
  readonly kind: string
  readonly text: string
}

const before = (a: Listed, b: Listed): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)

/** Where a mark stands in its lane, whole also at the ends. */
const within = (percentage: number): string => `clamp(0.5rem, ${percentage}%, 100% - 0.5rem)`

/** Everything that happened, in the order in which it did. */
function listOf({ alerts, changes, events, failing, onset }: Charts): readonly Listed[] {
  const kinds = { cause: 'Named change', rollout: 'Its rollout', other: 'Change' } as const
  return [
    ...(onset === null ? [] : [{ at: onset.at, kind: 'Onset', text: '' }]),
    ...alerts.map(({ at, text }) => ({ at, kind: 'Alert', text })),
    ...changes.map(({ at, text, part }) => ({ at, kind: kinds[part], text })),
    ...events.map(({ at, text }) => ({ at, kind: 'Event', text })),
    ...failing.map(({ service, start }) => ({ at: start, kind: 'Begins to fail', text: service })),
  ].sort(before)
}

/** Alerts, changes and failing services over time, with the band in which the onset lies; the same as a list below. */
export function TimeLanes({ charts }: { readonly charts: Charts }) {
  const { window, onset, alerts, changes, events, failing } = charts
  const end = Date.parse(window.end)
  const instants = [window.start, onset?.earliest ?? window.start, ...changes.map(({ at }) => at)]
  // A change may lie well before the window: it is drawn as long as it leaves the window half of the room.
  const length = end - Date.parse(window.start)
  const start = Math.max(end - 2 * length, Math.min(...instants.map((at) => Date.parse(at))))
  const share = (at: string): number =>
    Math.min(100, Math.max(0, ((Date.parse(at) - start) / (end - start)) * 100))
  const isShown = ({ at }: { readonly at: string }) => Date.parse(at) >= start
  const marks = (items: readonly { readonly at: string; readonly text: string }[], look: string) =>
    items
      .filter(isShown)
      .map(({ at, text }) => (
        <span key={`${at} ${text}`} class={`mark ${look}`} style={{ left: within(share(at)) }} title={text} />
      ))
  const lanes = [
    { name: 'Alerts', content: marks(alerts, 'mark-alert') },
    {
      name: 'Changes',
      content: [
        ...marks(
          changes.filter(({ part }) => part === 'other'),
          'mark-other',
        ),
        ...marks(
          changes.filter(({ part }) => part !== 'other'),
          'mark-cause',
        ),
      ],
    },
    { name: 'Events', content: marks(events, 'mark-other') },
    ...failing.map(({ service, start: from, end: to }) => ({
      name: service,
      content: (
        <span
          class="span-failing"
          style={{ left: `${share(from)}%`, width: `${share(to) - share(from)}%` }}
        />
      ),
    })),
  ]
  const ticks = Array.from({ length: TICKS }, (_, index) => start + ((end - start) * index) / (TICKS - 1))
  const listed = listOf(charts)
  return (
    <>
      {onset !== null && (
        <p>
          It began at <InstantText at={onset.at} isExact />, between{' '}
          <InstantText at={onset.earliest} near={onset.at} isExact /> and{' '}
          <InstantText at={onset.latest} near={onset.at} isExact />.
        </p>
      )}
      <div class="lanes" aria-hidden="true">
        {lanes.map(({ name, content }, index) => (
          <div key={`${index} ${name}`} class="lane">
            <span class="lane-name" title={name}>
              {name}
            </span>
            <div class="lane-track">
              {onset !== null && (
                <>
                  <span
                    class="onset-band"
                    style={{
                      left: `${share(onset.earliest)}%`,
                      width: `${share(onset.latest) - share(onset.earliest)}%`,
                    }}
                  />
                  <span class="onset-line" style={{ left: `${share(onset.at)}%` }} />
                </>
              )}
              {content}
            </div>
          </div>
        ))}
        <div class="lane lane-ticks">
          <span class="lane-name" />
          <div class="lane-track">
            {ticks.map((at, index) => (
              <span key={at} class={`tick tick-${index}`} style={{ left: `${(index * 100) / (TICKS - 1)}%` }}>
                {clock.format(at)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <ul class="legend" aria-hidden="true">
        <li>
          <span class="mark mark-alert" /> alert
        </li>
        <li>
          <span class="mark mark-cause" /> named change
        </li>
        <li>
          <span class="mark mark-other" /> other
        </li>
        <li>
          <span class="swatch onset-swatch" /> onset
        </li>
        <li>
          <span class="swatch failing-swatch" /> fails
        </li>
      </ul>
      <details>
        <summary>What happened, as a list</summary>
        <ol class="history">
          {listed.slice(0, MOST_LISTED).map(({ at, kind, text }, index) => (
            <li key={`${at} ${kind} ${text}`}>
              <InstantText at={at} near={listed[index - 1]?.at} isExact /> <strong>{kind}</strong>{' '}
              <TextWithTimes text={text} />
            </li>
          ))}
        </ol>
        {listed.length > MOST_LISTED && <p class="quiet">And {listed.length - MOST_LISTED} more.</p>}
      </details>
    </>
  )
}
