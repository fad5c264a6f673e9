import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNetworkRule } from '#shared/domain/investigation/changes/mechanisms.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { onlyWidens } from '#shared/domain/investigation/changes/widened-ranges.ts'

const accept = (range: string): string => `-A INPUT -s ${range} -p tcp --dport 8080 -j ACCEPT`
const isWider = (before: string, after: string): boolean => onlyWidens([before], [after])

describe('a rule that only lets more in', () => {
  it.each([
    ['10.40.0.0/21', '10.40.0.0/20'],
    ['10.40.8.0/24', '10.40.0.0/16'],
    ['192.168.7.7/32', '0.0.0.0/0'],
    ['10.40.0.0/21', '10.40.0.0/21'],
  ])('lets in %s and then %s', (before, after) => {
    expect(isWider(accept(before), accept(after))).toBe(true)
  })

  it.each([
    ['10.40.0.0/20', '10.40.0.0/21'],
    ['10.40.0.0/21', '10.44.0.0/20'],
    ['10.40.0.0/21', '10.44.0.0/21'],
  ])('is none where %s becomes %s: somebody is let in no more', (before, after) => {
    expect(isWider(accept(before), accept(after))).toBe(false)
  })

  it('differs in nothing else', () => {
    expect(isWider(accept('10.0.0.0/16'), accept('10.0.0.0/8').replace('8080', '8443'))).toBe(false)
    expect(isWider(accept('10.0.0.0/16'), `${accept('10.0.0.0/8')} # 10.1.0.0/16`)).toBe(false)
    expect(isWider('port = 8080', 'port = 8080')).toBe(false)
  })

  it('turns nobody away: a wider range of who is refused keeps more out', () => {
    for (const how of ['-j DROP', '-j REJECT', 'deny all', '! -s', 'except: [10.0.0.0/8]'])
      expect(isWider(`-A INPUT -s 10.0.0.0/16 ${how}`, `-A INPUT -s 10.0.0.0/8 ${how}`)).toBe(false)
  })

  it('takes no rule away and adds none', () => {
    const [narrow, wide] = [accept('10.0.0.0/16'), accept('10.0.0.0/8')]
    expect(onlyWidens([], [])).toBe(false)
    expect(onlyWidens([narrow, accept('10.9.0.0/16')], [wide])).toBe(false)
    expect(onlyWidens([narrow], [wide, accept('10.9.0.0/16')])).toBe(false)
    expect(onlyWidens([narrow, accept('11.9.0.0/16')], [wide, accept('11.0.0.0/8')])).toBe(true)
    expect(onlyWidens([narrow, accept('11.0.0.0/8')], [wide, accept('11.9.0.0/16')])).toBe(false)
  })

  it('lets in every address that it let in before, whatever the ranges', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const range = fc.tuple(octet, octet, octet, octet, fc.integer({ min: 0, max: 32 }))
    const write = ([a, b, c, d, prefix]: readonly number[]): string => `${a}.${b}.${c}.${d}/${prefix}`
    const bitsOf = ([a = 0, b = 0, c = 0, d = 0, prefix = 0]: readonly number[]): string =>
      [a, b, c, d]
        .map((each) => each.toString(2).padStart(8, '0'))
        .join('')
        .slice(0, prefix)
    fc.assert(
      fc.property(range, range, (before, after) => {
        expect(isWider(accept(write(before)), accept(write(after)))).toBe(
          bitsOf(before).startsWith(bitsOf(after)),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a change of the rules of a network', () => {
  const diff = (before: string, after: string) =>
    readDiff(
      `+++ b/hosts/web/iptables.rules\n@@ -1,2 +1,2 @@\n-${accept(before)}\n+${accept(after)}\n -A INPUT -p icmp -j ACCEPT`,
    )

  it('can keep somebody out, unless it only lets more in', () => {
    expect(isNetworkRule(diff('10.40.0.0/20', '10.40.0.0/21'))).toBe(true)
    expect(isNetworkRule(diff('10.40.0.0/21', '10.44.0.0/21'))).toBe(true)
    expect(isNetworkRule(diff('10.40.0.0/21', '10.40.0.0/20'))).toBe(false)
  })
})
