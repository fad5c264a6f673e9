import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Box,
  fittingName,
  fittingText,
  type Placed,
  placeServices,
  wayBetween,
} from '#functions/console/service-places.ts'

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

  const at = (x: number, y: number) => ({ x, y, width: 100, height: 40 })

  it('leads calls straight from edge to edge where nothing is between', () => {
    const way = (from: Box, to: Box) => wayBetween(from, to, [], 1_000)
    expect(way(at(0, 0), at(200, 0))).toEqual([
      { x: 100, y: 20 },
      { x: 200, y: 20 },
    ])
    expect(way(at(0, 0), at(0, 100))).toEqual([
      { x: 50, y: 40 },
      { x: 50, y: 100 },
    ])
    expect(way(at(0, 0), at(0, 0))[0]).toEqual({ x: 50, y: 20 })
  })

  /** Whether any point of a way lies in a box. */
  const isBehind = (way: readonly { x: number; y: number }[], { x, y, width: w, height: h }: Box) =>
    way.slice(1).some((end, index) => {
      const begin = way[index] ?? end
      return Array.from({ length: 201 }, (_, step) => step / 200).some((share) => {
        const on = { x: begin.x + (end.x - begin.x) * share, y: begin.y + (end.y - begin.y) * share }
        return on.x > x && on.x < x + w && on.y > y && on.y < y + h
      })
    })

  it('leads a call around a service that stands between its ends, through the gap beside it', () => {
    const [caller, between, beside, called] = [at(20, 0), at(20, 100), at(136, 100), at(80, 162)]
    const way = wayBetween(caller, called, [between, beside], 320)
    expect(way.length).toBe(4)
    for (const box of [between, beside]) expect(isBehind(way, box)).toBe(false)
  })

  it('leads no call behind a service where it leads around one, and none out of the drawing', () => {
    fc.assert(
      fc.property(graph, width, fc.nat(), fc.nat(), (services, wide, one, two) => {
        const boxes = [...placeServices(services, wide).boxes.values()]
        const [from, to] = [boxes[one % boxes.length], boxes[two % boxes.length]]
        if (from === undefined || to === undefined || from === to) return
        const others = boxes.filter((box) => box !== from && box !== to)
        const way = wayBetween(from, to, others, wide)
        for (const { x, y } of way) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(wide)
          expect(y).toBeGreaterThanOrEqual(0)
        }
        if (way.length > 2) expect(others.some((box) => isBehind(way, box))).toBe(false)
      }),
    )
  })

  it('leads it straight where no way leads around', () => {
    const wall = { x: 0, y: 100, width: 320, height: 40 }
    expect(wayBetween(at(40, 0), at(40, 200), [wall], 320)).toHaveLength(2)
  })

  it('says as much of a part as fits', () => {
    expect(fittingText(['cause, 95 %', '95 %'], 190)).toBe('cause, 95 %')
    expect(fittingText(['cause, 95 %', '95 %'], 80)).toBe('95 %')
    expect(fittingText(['cause, 95 %', 'cause'], 10)).toBe('cause')
  })

  it('cuts the end of names that do not fit, and says so', () => {
    expect(fittingName('checkout', 190)).toBe('checkout')
    expect(fittingName('a-very-long-name-of-a-service', 96)).toMatch(/^a-very.*…$/)
  })
})
