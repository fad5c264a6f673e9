import { describe, expect, it } from 'vitest'
import { latenessNotes } from '#shared/domain/queue-lateness.ts'

/** Notes of one process, and what it wrote. */
function noting() {
  const written: [at: number, lateness: number][] = []
  const failing = { next: false }
  let now = 1_000_000
  const note = latenessNotes(
    {
      noteLateness: async (at, lateness) => {
        const fails = failing.next
        failing.next = false
        if (fails) throw new Error('throttled')
        written.push([at, lateness])
      },
    },
    () => now,
  )
  return {
    written,
    failing,
    passing: async (ms: number, lateness: number) => {
      now += ms
      await note(lateness)
    },
  }
}

describe('how late messages are', () => {
  it('is noted at once for the first of a process', async () => {
    const { written, passing } = noting()
    await passing(0, 700)
    expect(written).toEqual([[1_000_000, 700]])
  })

  it('is noted every 20 s at most, as the greatest since the last note', async () => {
    const { written, passing } = noting()
    await passing(0, 100)
    await passing(1, 900)
    await passing(1, 300)
    await passing(19_997, 200)
    expect(written).toHaveLength(1)
    await passing(1, 50)
    expect(written.slice(1)).toEqual([[1_020_000, 900]])
    await passing(20_000, 40)
    expect(written.slice(2)).toEqual([[1_040_000, 40]])
  })

  it('is told by the next note where one could not be written', async () => {
    const { written, passing, failing } = noting()
    failing.next = true
    await expect(passing(0, 900)).rejects.toThrow('throttled')
    // Not at once: a store that is throttled is left alone.
    await passing(19_999, 100)
    expect(written).toEqual([])
    await passing(1, 50)
    expect(written).toEqual([[1_020_000, 900]])
  })

  it('is noted also after the clock of the process was set back', async () => {
    const { written, passing } = noting()
    await passing(0, 100)
    await passing(-600_000, 300)
    expect(written).toEqual([
      [1_000_000, 100],
      [400_000, 300],
    ])
  })

  it('is nothing, not less, for a message that comes early', async () => {
    const { written, passing } = noting()
    await passing(0, -5_000)
    expect(written).toEqual([[1_000_000, 0]])
  })
})
