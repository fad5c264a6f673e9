import { useId, useRef } from 'preact/hooks'
import { percent } from '../number-text.ts'
import { fittingName, fittingText, placeServices, wayBetween } from '../service-places.ts'
import type { Charts } from './charts.ts'
import { useWidth } from './use-width.ts'

type Role = Charts['services'][number]['role']

/** What a part means, with a sign, so that nobody needs to see colours. */
const ROLES: Readonly<Record<Role, readonly [sign: string, word: string, says: string]>> = {
  cause: ['◆', 'cause', 'named as the cause'],
  suspect: ['▲', 'suspect', 'suspected'],
  failing: ['✕', 'fails', 'fails'],
  affected: ['●', 'affected', 'affected'],
  calm: ['○', 'calm', 'calm'],
}

/** Who calls whom, coloured by the part that each plays; the same as a table below. */
export function ServiceGraph({ charts: { services, calls } }: { readonly charts: Charts }) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const arrow = useId()
  const { height, boxes } = placeServices(services, width)
  const calledBy = (name: string) =>
    calls
      .filter(({ caller }) => caller === name)
      .map(({ callee }) => callee)
      .join(', ')
  return (
    <>
      <div ref={box} class="graph">
        {width > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            <defs>
              <marker
                id={arrow}
                viewBox="0 0 8 8"
                refX="8"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8z" class="arrow" />
              </marker>
            </defs>
            {calls.map(({ caller, callee }) => {
              const [from, to] = [boxes.get(caller), boxes.get(callee)]
              if (from === undefined || to === undefined || from === to) return null
              const others = [...boxes.values()].filter((box) => box !== from && box !== to)
              const way = wayBetween(from, to, others, width)
              return (
                <path
                  key={`${caller} ${callee}`}
                  class="call"
                  d={`M${way.map(({ x, y }) => `${x} ${y}`).join('L')}`}
                  marker-end={`url(#${arrow})`}
                />
              )
            })}
            {services.map(({ name, role, blame }) => {
              const at = boxes.get(name)
              if (at === undefined) return null
              const [sign, word] = ROLES[role]
              const texts = [`${sign} ${word}`] as const
              const blamed = [`${sign} ${word}, ${percent(blame)}`, `${sign} ${percent(blame)}`] as const
              return (
                <g key={name} class={`service service-${role}`}>
                  <title>{name}</title>
                  <rect x={at.x} y={at.y} width={at.width} height={at.height} rx={8} />
                  <text x={at.x + at.width / 2} y={at.y + 19} text-anchor="middle">
                    {fittingName(name, at.width)}
                  </text>
                  <text class="role" x={at.x + at.width / 2} y={at.y + 36} text-anchor="middle">
                    {fittingText(blame > 0 ? blamed : texts, at.width + 16)}
                  </text>
                </g>
              )
            })}
          </svg>
        )}
      </div>
      <details>
        <summary>Who calls whom, as a table</summary>
        <table class="data">
          <caption class="unseen">Services, the part each plays, and what each calls</caption>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col">Part</th>
              <th scope="col">Calls</th>
            </tr>
          </thead>
          <tbody>
            {services.map(({ name, role, blame }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td data-title="Part">
                  {ROLES[role][2]}
                  {blame > 0 && `, ${percent(blame)}`}
                </td>
                <td data-title="Calls">{calledBy(name)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
