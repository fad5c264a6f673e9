import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { namedBlock } from '#shared/domain/investigation/changes/named-blocks.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { first, merged, says } from '../ranking-by-hand.ts'

const BLOCK = ' feed:\n   name: TILL4\n-  ways: both\n+  ways: in\n   beatSeconds: 30'
const SAYS = 'POST /sales answered 403: feed TILL4 may not write'

const edits = (diff = BLOCK, owner = 'stock-api', reaches = owner): Arrival =>
  ({
    diff: readDiff(diff, ['prod/stock/feed.yaml']),
    place: { score: 1, reaches, owners: new Set([owner]), is_named: false },
  }) as unknown as Arrival

const found = (said = SAYS, diff = BLOCK): string | null =>
  namedBlock(edits(diff), [says(said)])?.name ?? null

describe('settings of the very thing that a new error names', () => {
  it('are acted on by the change that edits the block of that name', () => {
    const symptom = says(SAYS)
    expect(namedBlock(edits(), [says('another'), symptom])).toEqual({
      name: 'TILL4',
      symptom,
      how: 'configures',
    })
    const entry = first([merged('a', 60, BLOCK)], [symptom])
    expect(entry.quoted).toEqual({ name: 'TILL4', symptom, how: 'configures' })
    expect(quotedSentence(entry)).toBe(
      'stock-api reports “POST /sales answered 403: feed TILL4 may not write”, and commit a changes settings of “TILL4”.',
    )
  })

  it('are read as YAML, TOML, JSON and Terraform name a block', () => {
    const name = (line: string, said: string): string | null =>
      found(`queue ${said} is gone`, ` ${line}\n-a = 5\n+a = 7`)
    expect(name('id = "orders-2"', 'orders-2')).toBe('orders-2')
    expect(name('  "name": "orders-2",', 'orders-2')).toBe('orders-2')
    expect(name('- key: ordersDue', 'ordersDue')).toBe('ordersDue')
    expect(name('resource "queue" "orders_due" {', 'orders_due')).toBe('orders_due')
    expect(name('[queues.orders-2]', 'orders-2')).toBe('orders-2')
    expect(name('alias: ORDERS', 'ORDERS')).toBe('ORDERS')
    expect(name('owner: orders-2', 'orders-2')).toBeNull()
    expect(name('name: orders-2 and more', 'orders-2')).toBeNull()
  })

  it('are none where anybody could have the name, or it stands there in part', () => {
    expect(found('feed tills may not', BLOCK.replace('TILL4', 'tills'))).toBeNull()
    expect(found('feed TL4 may not', BLOCK.replace('TILL4', 'TL4'))).toBeNull()
    for (const said of ['feed TILL44', 'feed XTILL4', 'feed TILL4-b', 'feed a-TILL4'])
      expect(found(said)).toBeNull()
    expect(found('feed till4 is shut')).toBe('TILL4')
    expect(found('nobody may write to TILL4.')).toBe('TILL4')
  })

  it('are said by the part that they are of, as it fails', () => {
    const by = (owner: string, entity: string | null, reaches = owner): boolean =>
      namedBlock(edits(BLOCK, owner, reaches), [says(SAYS, { entity })]) !== null
    expect(by('stock-api', 'web')).toBe(false)
    expect(by('stock-api', null)).toBe(false)
    expect(by('settings', 'stock-api', 'stock-api')).toBe(true)
    expect(by('stock-api', 'stock-api', 'web')).toBe(true)
    expect(namedBlock(edits(), [says(SAYS, { weight: 0.1 })])).toBeNull()
    expect(namedBlock(edits(), [says(SAYS, { origin: 'alert' })])).toBeNull()
  })

  it('are none where nothing is edited', () => {
    expect(namedBlock(edits(' feed:\n   name: TILL4'), [says(SAYS)])).toBeNull()
  })
})
