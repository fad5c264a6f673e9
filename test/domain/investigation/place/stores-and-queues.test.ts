import { describe, expect, it } from 'vitest'
import { storesAndQueues } from '#shared/domain/investigation/place/stores-and-queues.ts'
import type { Entity, Series } from '#shared/domain/investigation/records/snapshot.ts'

const listed = (name: string, kind: Entity['kind']): Entity => ({ name, kind, aliases: [] })
const measured = (entity: string, name: string): Series => ({
  ...{ source: 'metrics', entity, name, labels: {}, type: 'gauge', unit: '1', interval_s: 60 },
  ...{ times: Float64Array.of(0), values: Float64Array.of(1) },
})
const found = (entities: readonly Entity[], series: readonly Series[] = []): readonly string[] =>
  [...storesAndQueues({ entities, series })].sort()

describe('a store or a queue', () => {
  it('is what a tool lists as one', () => {
    expect(
      found([
        listed('shelf', 'datastore'),
        listed('post', 'queue'),
        listed('shop', 'service'),
        listed('node-1', 'node'),
      ]),
    ).toEqual(['post', 'shelf'])
  })

  it('is what measures what only stores measure, listed as a machine or nowhere', () => {
    expect(
      found(
        [listed('db-host', 'host')],
        [
          measured('db-host', 'pg_stat_database_numbackends'),
          measured('shelf', 'mysql_global_status_queries'),
        ],
      ),
    ).toEqual(['db-host', 'shelf'])
  })

  it('is no service and nobody outside, whatever is measured there of a store', () => {
    expect(
      found(
        [listed('shop', 'service'), listed('ledger-host', 'external')],
        [measured('shop', 'db_transactions_total'), measured('ledger-host', 'db_transactions_total')],
      ),
    ).toEqual([])
  })

  it('is not who asks one and measures its own connections, or anything else', () => {
    expect(
      found([], [measured('shop', 'db_client_connections_usage'), measured('web', 'cpu_usage')]),
    ).toEqual([])
  })
})
