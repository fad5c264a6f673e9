/** A service as the API places it: how many calls below the outermost callers, and where among those. */
export interface Placed {
  readonly name: string
  readonly depth: number
  readonly row: number
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyMap<string, Box>
}

/** Pixels: a box holds a name and what the service is; less width than that cuts most names. */
const BOX = { height: 46, mostWidth: 190, leastWidth: 96 } as const
const GAP = { between: 16, along: 56, around: 8 } as const

/**
 * Lays out a graph of calls in a width: callers left of what they call, or above it where columns would become too
 * narrow for names. A depth with more services than fit into a line goes on in the next line.
 */
export function placeServices(services: readonly Placed[], width: number): Drawing {
  const depths = [...new Set(services.map(({ depth }) => depth))].sort((a, b) => a - b)
  const layers = depths.map((depth) =>
    services.filter((service) => service.depth === depth).sort((a, b) => a.row - b.row),
  )
  const room = Math.max(BOX.leastWidth, width - 2 * GAP.around)
  const column = (room - GAP.along * (layers.length - 1)) / Math.max(1, layers.length)
  return column >= BOX.leastWidth ? sideBySide(layers, width, column) : oneBelowOther(layers, width, room)
}

function sideBySide(layers: readonly (readonly Placed[])[], width: number, column: number): Drawing {
  const boxWidth = Math.min(BOX.mostWidth, column)
  const step = BOX.height + GAP.between
  const most = Math.max(0, ...layers.map(({ length }) => length))
  const height = Math.max(0, most * step - GAP.between) + 2 * GAP.around
  const boxes = new Map<string, Box>()
  for (const [index, layer] of layers.entries()) {
    const x = GAP.around + index * (column + GAP.along) + (column - boxWidth) / 2
    const top = (height - (layer.length * step - GAP.between)) / 2
    for (const [place, { name }] of layer.entries())
      boxes.set(name, { x, y: top + place * step, width: boxWidth, height: BOX.height })
  }
  return { width, height, boxes }
}

function oneBelowOther(layers: readonly (readonly Placed[])[], width: number, room: number): Drawing {
  const boxes = new Map<string, Box>()
  const perLine = Math.max(1, Math.floor((room + GAP.between) / (BOX.leastWidth + GAP.between)))
  let y: number = GAP.around
  for (const layer of layers) {
    for (let start = 0; start < layer.length; start += perLine) {
      const line = layer.slice(start, start + perLine)
      const boxWidth = Math.min(
        BOX.mostWidth,
        (room - GAP.between * (line.length - 1)) / Math.max(1, line.length),
      )
      const used = line.length * boxWidth + GAP.between * (line.length - 1)
      for (const [place, { name }] of line.entries()) {
        const x = GAP.around + (room - used) / 2 + place * (boxWidth + GAP.between)
        boxes.set(name, { x, y, width: boxWidth, height: BOX.height })
      }
      y += BOX.height + GAP.between
    }
    y += GAP.along - GAP.between
  }
  const height = boxes.size === 0 ? 2 * GAP.around : y - GAP.along + GAP.around
  return { width, height, boxes }
}

export interface Point {
  readonly x: number
  readonly y: number
}

const centreOf = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 })

/** Where the line from the centre of a box towards a point leaves the box. */
function edgeTowards(box: Box, towards: Point): Point {
  const { x, y } = centreOf(box)
  const [dx, dy] = [towards.x - x, towards.y - y]
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  )
  return Number.isFinite(scale) ? { x: x + dx * scale, y: y + dy * scale } : { x, y }
}

/** Pixels between a way and a box that it passes: half of the gap between two boxes. */
const BESIDE = GAP.between / 2
/** Pixels that a way keeps from a box at the least. */
const CLEAR = 3
/** Pixels between two points of a way that are looked at; every box is far larger. */
const LOOK = 4

const lengthOf = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y)

/** The first box that the line between two points passes behind, or would. */
function boxOn(a: Point, b: Point, boxes: readonly Box[]): Box | undefined {
  const looks = Math.ceil(lengthOf(a, b) / LOOK)
  for (let look = 0; look <= looks; look += 1) {
    const share = look / Math.max(1, looks)
    const [x, y] = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share]
    const hit = boxes.find(
      (box) =>
        x > box.x - CLEAR &&
        x < box.x + box.width + CLEAR &&
        y > box.y - CLEAR &&
        y < box.y + box.height + CLEAR,
    )
    if (hit !== undefined) return hit
  }
  return undefined
}

/** Past the four sides of a box, a little before it and a little behind it. */
function passages({ x, y, width, height }: Box): readonly (readonly [Point, Point])[] {
  const [left, right, top, bottom] = [x - BESIDE, x + width + BESIDE, y - BESIDE, y + height + BESIDE]
  return [
    [
      { x: left, y: top },
      { x: left, y: bottom },
    ],
    [
      { x: right, y: top },
      { x: right, y: bottom },
    ],
    [
      { x: left, y: top },
      { x: right, y: top },
    ],
    [
      { x: left, y: bottom },
      { x: right, y: bottom },
    ],
  ]
}

/**
 * The way of a call from the edge of one box to the edge of another, as the points of a line: straight, or around the
 * box that stands between them, since a line behind a box reads as if it began there. It is straight as well where no
 * way leads around.
 */
export function wayBetween(
  from: Box,
  to: Box,
  others: readonly Box[],
  width: number,
): readonly [Point, ...Point[]] {
  const wayOver = (over: readonly Point[]): readonly [Point, ...Point[]] => [
    edgeTowards(from, over[0] ?? centreOf(to)),
    ...over,
    edgeTowards(to, over.at(-1) ?? centreOf(from)),
  ]
  const straight = wayOver([])
  const between = boxOn(centreOf(from), centreOf(to), others)
  if (between === undefined) return straight
  const pairs = (way: readonly Point[]) =>
    way.slice(1).map((point, index) => [way[index] as Point, point] as const)
  const isFree = (way: readonly Point[]): boolean =>
    way.every(({ x, y }) => x >= 0 && x <= width && y >= 0) &&
    pairs(way).every(([a, b]) => boxOn(a, b, others) === undefined)
  const length = (way: readonly Point[]): number =>
    pairs(way).reduce((sum, [a, b]) => sum + lengthOf(a, b), 0)
  const free = passages(between)
    .flatMap(([one, two]) => [wayOver([one, two]), wayOver([two, one])])
    .filter(isFree)
    .sort((a, b) => length(a) - length(b))
  return free[0] ?? straight
}

/** Pixels of a letter at the size that names are drawn in; wide enough for most. */
const LETTER = 7.4
/** Letters that fit into a box of a width. */
const lettersIn = (width: number): number => Math.max(3, Math.floor((width - 20) / LETTER))

/** The first of some texts that fits into a width, else the last of them. */
export const fittingText = (texts: readonly [string, ...string[]], width: number): string =>
  texts.find(({ length }) => length <= lettersIn(width)) ?? (texts.at(-1) as string)

/** A name that fits into a width, its end cut where it does not. */
export function fittingName(name: string, width: number): string {
  const most = lettersIn(width)
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`
}
