/** Runs in the reader's browser: draws the charts of a report from the data in the page. */
import { GraphChart, LineChart, ScatterChart } from 'echarts/charts'
import {
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components'
import { type EChartsType, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { IncidentCharts, Role } from '#shared/domain/investigation/screen/incident-charts.ts'

use([
  GraphChart,
  GridComponent,
  LegendComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  ScatterChart,
  SVGRenderer,
  TooltipComponent,
])

/** What is used of the browser: the project's types know of none. */
interface Box {
  readonly textContent: string
  readonly clientWidth: number
  readonly clientHeight: number
}
interface Query {
  readonly matches: boolean
  addEventListener(kind: 'change', listener: () => void): void
}
interface Browser {
  readonly document: { getElementById(id: string): Box | null; readonly documentElement: Box }
  getComputedStyle(box: Box): { getPropertyValue(name: string): string }
  matchMedia(query: string): Query
  addEventListener(kind: 'resize', listener: () => void): void
}
const browser = globalThis as unknown as Browser

const data = JSON.parse(browser.document.getElementById('data')?.textContent ?? '{}') as IncidentCharts
const dark = browser.matchMedia('(prefers-color-scheme: dark)')
/** Below this width (pixels) callers stand above what they call instead of left of it, and labels are shorter. */
const NARROW_PX = 640

/** Okabe and Ito's colours, which people with any kind of colour vision can tell apart; shapes tell the same. */
const LOOKS: Readonly<Record<Role, { colour: string; shape: string; says: string; size: number }>> = {
  cause: { colour: '#d55e00', shape: 'diamond', says: 'named as the cause', size: 30 },
  suspect: { colour: '#e69f00', shape: 'triangle', says: 'another hypothesis', size: 24 },
  failing: { colour: '#cc79a7', shape: 'rect', says: 'fails', size: 18 },
  affected: { colour: '#56b4e9', shape: 'roundRect', says: 'affected', size: 16 },
  calm: { colour: '#8a94a0', shape: 'circle', says: 'nothing seen', size: 14 },
}
const BAND = 'rgba(213, 94, 0, 0.22)'

const colour = (name: string): string =>
  browser.getComputedStyle(browser.document.documentElement).getPropertyValue(name).trim()
const clock = (at: number): string => new Date(at).toISOString().slice(11, 16)
const instant = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const short = (value: number): string =>
  Math.abs(value) >= 1e5 ? value.toExponential(1) : String(Number(value.toPrecision(3)))

const drawn = new Map<string, EChartsType>()

/** Tooltips are drawn as text, never as HTML: what they show comes from the monitored system. */
const tooltip = () => ({
  renderMode: 'richText' as const,
  confine: true,
  backgroundColor: colour('--sheet'),
  borderColor: colour('--line'),
  textStyle: { color: colour('--ink'), width: 300, overflow: 'break' as const },
})
const lines = () => ({
  axisLine: { lineStyle: { color: colour('--line') } },
  axisLabel: { color: colour('--faint') },
  splitLine: { lineStyle: { color: colour('--line'), opacity: 0.5 } },
})
const timeAxis = (from: number, to: number) => ({
  type: 'time' as const,
  min: from,
  max: to,
  ...lines(),
  axisLabel: { color: colour('--faint'), hideOverlap: true, formatter: (at: number) => clock(at) },
})

/** The band in which the onset lies, and its most likely instant. */
function onsetMarks() {
  if (data.onset === null) return {}
  const { at, earliest, latest } = data.onset
  return {
    markArea: {
      silent: true,
      itemStyle: { color: BAND },
      data: [[{ xAxis: earliest }, { xAxis: latest }]] as never,
    },
    markLine: {
      silent: true,
      symbol: 'none',
      // The lanes run downwards, so their start is above.
      label: { formatter: `onset ${clock(at)}`, position: 'start' as const, color: colour('--ink') },
      lineStyle: { color: LOOKS.cause.colour, type: 'solid' as const },
      data: [{ xAxis: at }],
    },
  }
}

function show(id: string, option: Parameters<EChartsType['setOption']>[0]): void {
  const box = browser.document.getElementById(id)
  if (box === null) return
  let one = drawn.get(id)
  if (one === undefined) {
    one = init(box as never, undefined, { renderer: 'svg' })
    drawn.set(id, one)
  }
  one.setOption({ animation: false, ...option }, true)
}

function timeline(width: number): void {
  const entities = data.failing.map(({ entity }) => entity)
  const lanes = ['alerts', 'changes', 'events', ...entities]
  const first = Math.min(data.window.from, data.onset?.earliest ?? data.window.from)
  const scatter = (lane: string, marks: readonly { at: number; text: string }[], look: object) => ({
    type: 'scatter' as const,
    data: marks.filter(({ at }) => at >= first).map(({ at, text }) => ({ value: [at, lane], name: text })),
    tooltip: { formatter: (point: { value: unknown; name: string }) => describe(point) },
    ...look,
  })
  const describe = ({ value, name }: { value: unknown; name: string }): string =>
    `${instant((value as [number])[0])}\n${name}`
  const causes = data.changes.filter(({ part }) => part !== 'other')
  const others = data.changes.filter(({ part }) => part === 'other')
  show('timeline', {
    tooltip: tooltip(),
    grid: { left: width < NARROW_PX ? 96 : 170, right: 26, top: 30, bottom: 30 },
    xAxis: timeAxis(first, data.window.to),
    yAxis: {
      type: 'category',
      data: lanes,
      inverse: true,
      ...lines(),
      axisTick: { show: false },
      axisLabel: { color: colour('--ink'), width: width < NARROW_PX ? 86 : 158, overflow: 'truncate' },
    },
    series: [
      {
        ...scatter('alerts', data.alerts, { symbol: 'triangle', symbolSize: 14, color: '#d55e00' }),
        ...onsetMarks(),
      },
      scatter('changes', others, { symbol: 'circle', symbolSize: 10, color: '#0072b2' }),
      scatter('changes', causes, { symbol: 'diamond', symbolSize: 18, color: LOOKS.cause.colour }),
      scatter('events', data.events, { symbol: 'rect', symbolSize: 9, color: '#8a94a0' }),
      ...data.failing.map(({ entity, from, to }) => ({
        type: 'line' as const,
        symbol: 'none',
        lineStyle: { width: 9, color: LOOKS.failing.colour },
        silent: true,
        data: [
          [Math.max(from, first), entity],
          [to, entity],
        ],
      })),
    ],
  })
}

function smallCharts(): void {
  const rollouts = data.changes.filter(({ part }) => part === 'rollout')
  const causes = rollouts.length > 0 ? rollouts : data.changes.filter(({ part }) => part === 'cause')
  data.series.forEach(({ points, before, unit }, index) => {
    const marks = onsetMarks()
    show(`series-${index}`, {
      tooltip: {
        ...tooltip(),
        trigger: 'axis',
        valueFormatter: (value: unknown) => `${short(Number(value))} ${unit}`,
      },
      grid: { left: 54, right: 14, top: 26, bottom: 26 },
      xAxis: timeAxis(
        Math.min(points[0]?.[0] ?? data.window.from, data.window.from),
        Math.max(points.at(-1)?.[0] ?? data.window.to, data.window.from),
      ),
      yAxis: {
        type: 'value',
        name: unit === '1' ? '' : unit,
        scale: true,
        nameTextStyle: { color: colour('--faint') },
        ...lines(),
        axisLabel: { color: colour('--faint'), formatter: short },
      },
      series: [
        {
          type: 'line',
          showSymbol: false,
          color: '#0072b2',
          lineStyle: { width: 1.6, color: dark.matches ? '#56b4e9' : '#0072b2' },
          data: points.map(([at, value]) => [at, value]),
          ...marks,
          markLine: {
            silent: true,
            symbol: 'none',
            data: [
              {
                yAxis: before,
                lineStyle: { type: 'dashed', color: colour('--faint') },
                label: {
                  formatter: `normal ${short(before)}`,
                  position: 'insideStartTop',
                  color: colour('--faint'),
                },
              },
              ...causes.map(({ at }) => ({
                xAxis: at,
                lineStyle: { type: 'solid' as const, color: LOOKS.cause.colour },
                label: { formatter: 'change', color: colour('--ink') },
              })),
            ],
          },
        },
      ],
    })
  })
}

function graph(width: number): void {
  const isNarrow = width < NARROW_PX
  const roles = (Object.keys(LOOKS) as Role[]).filter((role) => data.nodes.some((node) => node.role === role))
  const margin = isNarrow
    ? { left: 50, right: 50, top: 80, bottom: 40 }
    : { left: 90, right: 110, top: 50, bottom: 40 }
  const box = browser.document.getElementById('graph')
  // In pixels, so that what is drawn is not stretched.
  const inner = {
    width: (box?.clientWidth ?? 0) - margin.left - margin.right,
    height: (box?.clientHeight ?? 0) - margin.top - margin.bottom,
  }
  const deepest = Math.max(1, ...data.nodes.map(({ depth }) => depth))
  const rowsOf = (depth: number): number => data.nodes.filter((node) => node.depth === depth).length
  const place = (depth: number, row: number) => {
    const along = depth / deepest
    const across = (row + 1) / (rowsOf(depth) + 1)
    return isNarrow
      ? { x: across * inner.width, y: along * inner.height }
      : { x: along * inner.width, y: across * inner.height }
  }
  show('graph', {
    tooltip: tooltip(),
    legend: {
      data: roles.map((role) => ({ name: LOOKS[role].says, icon: LOOKS[role].shape })),
      textStyle: { color: colour('--ink') },
      top: 0,
      type: 'plain',
    },
    series: [
      {
        type: 'graph',
        layout: 'none',
        ...margin,
        width: inner.width,
        height: inner.height,
        preserveAspect: true,
        categories: roles.map((role) => ({
          name: LOOKS[role].says,
          symbol: LOOKS[role].shape,
          itemStyle: { color: LOOKS[role].colour },
        })),
        edgeSymbol: ['none', 'arrow'],
        edgeSymbolSize: 7,
        lineStyle: { color: colour('--faint'), curveness: 0.08, opacity: 0.6 },
        label: {
          show: true,
          position: 'bottom',
          color: colour('--ink'),
          fontSize: isNarrow ? 10 : 12,
          width: isNarrow ? 92 : 150,
          overflow: 'truncate',
        },
        data: data.nodes.map(({ name, role, blame, depth, row }, index) => ({
          id: String(index),
          name: blame > 0 ? `${name} ${blame}` : name,
          category: roles.indexOf(role),
          symbolSize: LOOKS[role].size,
          ...place(depth, row),
        })),
        links: data.calls.map(([caller, callee]) => ({ source: String(caller), target: String(callee) })),
      },
    ],
  })
}

function draw(): void {
  const width = browser.document.documentElement.clientWidth
  for (const one of drawn.values()) one.resize()
  timeline(width)
  smallCharts()
  graph(width)
}

draw()
browser.addEventListener('resize', draw)
dark.addEventListener('change', draw)
