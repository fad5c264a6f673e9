import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fittingName, lineBetween, type Placed, placeServices } from '#functions/console/service-places.ts'

/** A graph as the API places it: at most 40 services, each with a place of its own. */
const graph = fc
  .array(fc.integer({ min: 0, max: 7 }), { minLength: 0, maxLength: 40 })
  .map((depths): Placed[] => {
    const rows = new Map<number, number>()
    return depths.map((depth, index) => {
      const row = rows.get(depth) ?? 0
      rows.set(depth, row + 1)
      return { name: `s${index}`, depth, row }
    })
  })
const width = fc.integer({ min: 240, max: 1_600 })

describe('the drawing of a service graph', () => {
  it('has every service once, inside of it, and no two on top of each other', () => {
    fc.assert(
      fc.property(graph, width, (services, wide) => {
        const { boxes, height } = placeServices(services, wide)
        expect(boxes.size).toBe(services.length)
        const all = [...boxes.values()]
        for (const { x, y, width: w, height: h } of all) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(x + w).toBeLessThanOrEqual(wide)
          expect(y + h).toBeLessThanOrEqual(height)
        }
        for (const [index, a] of all.entries())
          for (const b of all.slice(index + 1))
            expect(
              a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
            ).toBe(true)
      }),
    )
  })

  it('stands callers left of what they call, or above it where it is narrow', () => {
    const services = [0, 1, 2].map((depth) => ({ name: `s${depth}`, depth, row: 0 }))
    const of = (wide: number) =>
      ['s0', 's1', 's2'].map((name) => placeServices(services, wide).boxes.get(name))
    const [a, b, c] = of(1_000)
    expect([a?.x, b?.x, c?.x]).toEqual([a?.x, b?.x, c?.x].sort((x, y) => Number(x) - Number(y)))
    expect(new Set([a?.y, b?.y, c?.y]).size).toBe(1)
    const narrow = of(320)
    expect(narrow.map((box) => box?.y)).toEqual(
      [...narrow.map((box) => box?.y)].sort((x, y) => Number(x) - Number(y)),
    )
    expect(new Set(narrow.map((box) => box?.x)).size).toBe(1)
  })

  it('leads calls from edge to edge', () => {
    const at = (x: number, y: number) => ({ x, y, width: 100, height: 40 })
    expect(lineBetween(at(0, 0), at(200, 0))).toEqual({ from: { x: 100, y: 20 }, to: { x: 200, y: 20 } })
    expect(lineBetween(at(0, 0), at(0, 100))).toEqual({ from: { x: 50, y: 40 }, to: { x: 50, y: 100 } })
    expect(lineBetween(at(0, 0), at(0, 0)).from).toEqual({ x: 50, y: 20 })
  })

  it('cuts the end of names that do not fit, and says so', () => {
    expect(fittingName('checkout', 190)).toBe('checkout')
    expect(fittingName('a-very-long-name-of-a-service', 96)).toMatch(/^a-very.*…$/)
  })
})
