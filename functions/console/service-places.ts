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

const clampTo = (box: Box, towards: { readonly x: number; readonly y: number }) => {
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2]
  const [dx, dy] = [towards.x - cx, towards.y - cy]
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  )
  return Number.isFinite(scale) ? { x: cx + dx * scale, y: cy + dy * scale } : { x: cx, y: cy }
}

/** The straight line of a call, from the edge of one box to the edge of the other. */
export function lineBetween(from: Box, to: Box) {
  const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 })
  return { from: clampTo(from, centre(to)), to: clampTo(to, centre(from)) }
}

/** A name that fits into a width, its end cut where it does not. */
export function fittingName(name: string, width: number): string {
  /** Pixels of a letter at the size that names are drawn in; wide enough for most. */
  const letter = 7.4
  const most = Math.max(3, Math.floor((width - 20) / letter))
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`
}
