import { useMemo, useState } from 'preact/hooks'
import { useAnswer } from '../use-answer.ts'
import type { Charts } from './charts.ts'
import { Section } from './findings.tsx'
import { SeriesChart } from './series-chart.tsx'
import { ServiceGraph } from './service-graph.tsx'
import { Answered } from './states.tsx'
import { TimeLanes } from './time-lanes.tsx'
import './incident-charts.css'

/** The service tells the most telling series first: more of them are for those who ask. */
const MOST_AT_FIRST = 6

function Drawn({ charts }: { readonly charts: Charts }) {
  const { series, services } = charts
  const [isAll, setAll] = useState(false)
  return (
    <>
      <Section title="When">
        <TimeLanes charts={charts} />
      </Section>
      <Section title="What left its normal level">
        {series.length === 0 ? (
          <p class="quiet">No series did.</p>
        ) : (
          <>
            <div class="series">
              {(isAll ? series : series.slice(0, MOST_AT_FIRST)).map((each) => (
                <SeriesChart key={`${each.service} ${each.name}`} series={each} charts={charts} />
              ))}
            </div>
            {!isAll && series.length > MOST_AT_FIRST && (
              <button type="button" class="more" onClick={() => setAll(true)}>
                Show {series.length - MOST_AT_FIRST} more
              </button>
            )}
          </>
        )}
      </Section>
      <Section title="Where">
        {services.length === 0 ? (
          <p class="quiet">Nothing says who calls whom.</p>
        ) : (
          <ServiceGraph charts={charts} />
        )}
      </Section>
    </>
  )
}

/**
 * What the analysis saw, drawn.
 * @param digest of what it rests on: a new analysis is drawn anew
 */
export function IncidentCharts({ id, digest }: { readonly id: string; readonly digest: string }) {
  const given = useMemo(() => ({ path: { id, digest } }), [id, digest])
  const asked = useAnswer('GET /incidents/{id}/charts', given)
  return (
    <Answered asked={asked} what="the charts">
      {({ charts }) =>
        charts === null ? (
          <Section title="When and where">
            <p class="quiet">What this analysis saw is kept no more. Investigate again to see charts.</p>
          </Section>
        ) : (
          <Drawn charts={charts} />
        )
      }
    </Answered>
  )
}
