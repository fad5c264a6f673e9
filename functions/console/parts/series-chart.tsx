import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { farthest, valueText } from '../number-text.ts'
import type { Charts } from './charts.ts'
import { InstantText } from './instant-text.tsx'
import { useWidth } from './use-width.ts'

type Series = Charts['series'][number]

/** Pixels. */
const HEIGHT = 150
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** A colour of the style sheet as the canvas takes it: light and dark are decided by then. */
function colourOf(box: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Counts up whenever light turns dark or back. */
function useScheme(): number {
  const [turns, setTurns] = useState(0)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const turn = () => setTurns((now) => now + 1)
    dark.addEventListener('change', turn)
    return () => dark.removeEventListener('change', turn)
  }, [])
  return turns
}

/** Draws beneath the series: the band of the onset, its likeliest instant, and the level of normal time. */
function grounds(box: HTMLElement, { onset }: Charts, normal: number) {
  return (plot: uPlot) => {
    const { ctx, bbox } = plot
    const x = (at: string) => plot.valToPos(Date.parse(at) / 1_000, 'x', true)
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    if (onset !== null) {
      ctx.fillStyle = colourOf(box, '--onset-band')
      ctx.fillRect(x(onset.earliest), bbox.top, Math.max(2, x(onset.latest) - x(onset.earliest)), bbox.height)
      ctx.fillStyle = colourOf(box, '--cause')
      ctx.fillRect(x(onset.at) - 1, bbox.top, 2, bbox.height)
    }
    ctx.strokeStyle = colourOf(box, '--quiet')
    ctx.setLineDash([4, 4])
    ctx.beginPath()
    const y = plot.valToPos(normal, 'y', true)
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.restore()
  }
}

/** A series that left its normal level; what it shows is told in words above it. */
export function SeriesChart({ series, charts }: { readonly series: Series; readonly charts: Charts }) {
  const { service, name, unit, before, onset, start, after_ms, values } = series
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const turns = useScheme()
  const [pointed, setPointed] = useState<number | null>(null)
  const data = useMemo((): uPlot.AlignedData => {
    const from = Date.parse(start)
    return [after_ms.map((after) => (from + after) / 1_000), values]
  }, [start, after_ms, values])
  // `turns` has the colours read anew.
  useEffect(() => {
    const { current } = box
    if (current === null || width === 0) return
    const axis = {
      stroke: colourOf(current, '--quiet'),
      grid: { stroke: colourOf(current, '--line'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui',
    }
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { setScale: false, x: false, y: false }, y: false },
        axes: [
          {
            ...axis,
            space: 70,
            size: 28,
            values: (_, splits) => splits.map((split) => clock.format(split * 1_000)),
          },
          {
            ...axis,
            size: 64,
            space: 28,
            // Without the unit, which is told above and may be long.
            values: (_, splits) => splits.map((split) => valueText(split, '')),
          },
        ],
        scales: {
          // The level of normal time is always in view.
          y: {
            range: (_, low, high) => uPlot.rangeNum(Math.min(low, before), Math.max(high, before), 0.1, true),
          },
        },
        series: [{}, { stroke: colourOf(current, '--accent'), width: 2, points: { show: false } }],
        hooks: {
          drawClear: [grounds(current, charts, before)],
          setCursor: [(shown) => setPointed(shown.cursor.idx ?? null)],
        },
      },
      data,
      current,
    )
    return () => plot.destroy()
  }, [data, width, charts, before, unit, turns])
  const at = pointed === null ? undefined : data[0][pointed]
  const from = Date.parse(onset) - Date.parse(start)
  const since = values.filter((_, index) => (after_ms[index] ?? 0) >= from)
  const extreme = farthest(since.length === 0 ? values : since, before)
  const went = `normally ${valueText(before, unit)}, then ${extreme !== null && extreme < before ? 'down' : 'up'} to ${valueText(extreme, unit)}`
  return (
    <figure>
      <figcaption>
        <strong>{service}</strong> {name}
        <div class="quiet">
          {went}; left it at <InstantText at={onset} near={charts.window.end} />
        </div>
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${name} of ${service}: ${went}`} />
      <p class="pointed quiet" aria-hidden="true">
        {at === undefined
          ? ' '
          : `${instant.format(at * 1_000)}: ${valueText(values[pointed as number] ?? null, unit)}`}
      </p>
    </figure>
  )
}
