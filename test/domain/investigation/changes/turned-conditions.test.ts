import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { turnedConditions } from '#shared/domain/investigation/changes/turned-conditions.ts'

const turned = (before: string, after: string): readonly string[] =>
  turnedConditions(readDiff(`-  ${before}\n+  ${after}`))

describe('a condition that is turned', () => {
  it.each([
    [
      'if (berth !== undefined && berth.full) turnAway()',
      'if (berth === undefined || berth.full) turnAway()',
    ],
    ['if (isOpen(berth)) {', 'if (!isOpen(berth)) {'],
    ['if berth and tide:', 'if berth or tide:'],
    ['if berth:', 'if not berth:'],
    ['if tide > low {', 'if tide >= low {'],
    ['while (tide < low) wait()', 'while (tide > low) wait()'],
    ['return berth unless tide', 'return berth if tide'],
    ['return berths.filter(b => b.free)', 'return berths.filter(b => !b.free)'],
    ['return open == true', 'return open == false'],
  ])('asks of the same and otherwise: %s becomes %s', (before, after) => {
    expect(turned(before, after)).toEqual([after])
    expect(turned(after, before)).toEqual([before])
  })

  it.each([
    ['types are compared as well', 'if (tide == low) wait()', 'if (tide === low) wait()'],
    ['types are compared as well, and no more', 'if (tide != low) wait()', 'if (tide !== low) wait()'],
    ['something else is asked', 'if (tide > low) wait()', 'if (tide < high) wait()'],
    ['the same is asked in other words', 'if (!tide) wait()', 'if (tide === undefined) wait()'],
    ['it is moved', 'if (tide > low) wait()', '    if (tide > low) wait()'],
    ['it is written with other brackets', 'if (tide > low) wait()', 'if ((tide > low)) { wait() }'],
    ['nothing is asked', 'open(tide, !low)', 'open(tide, low)'],
    ['types stand in brackets', 'return new Map<Tide, Berth>()', 'return new Map<Tide, Berth[]>()'],
    ['arrows say what is done', 'return berths.map(b => b.name)', 'return berths.map((b) => b.name)'],
    ['an arrow of another language', 'if (berth->name) wait()', 'if (berth.name) wait()'],
    ['nothing but signs is there', 'if (', 'if (!('],
  ])('is none where %s', (_, before, after) => {
    expect(turned(before, after)).toEqual([])
  })

  it('is told also where several lines asked of the same before', () => {
    const both = '-  if (tide && berth) wait()\n-  if (tide || berth) wait()\n+  if (tide && !berth) wait()'
    expect(turnedConditions(readDiff(both))).toEqual(['if (tide && !berth) wait()'])
  })

  it('is none where a line only comes, or only goes', () => {
    expect(turnedConditions(readDiff('-  if (tide) wait()'))).toEqual([])
    expect(turnedConditions(readDiff('+  if (!tide) wait()'))).toEqual([])
    expect(turnedConditions(readDiff(null))).toEqual([])
  })

  it('is the same whichever other lines change with it, in whichever order', () => {
    const other = fc.array(fc.stringMatching(/^[-+] {2}[g-z]{3,8}\(\)$/), { maxLength: 6 })
    fc.assert(
      fc.property(other, other, (before, after) => {
        const lines = [...before, '-  if (cab && dab) abed()', '+  if (cab || dab) abed()', ...after]
        expect(turnedConditions(readDiff(lines.join('\n')))).toEqual(['if (cab || dab) abed()'])
        expect(turnedConditions(readDiff(lines.toReversed().join('\n')))).toEqual(['if (cab || dab) abed()'])
      }),
    )
  })
})
