import { describe, expect, it } from 'vitest'
import { allIntegrations, sharesOf } from '#shared/domain/alerts/aws-events.ts'
import type { Integration } from '#shared/domain/integration.ts'

const integration = (id: string, config: object, more: Partial<Integration> = {}): Integration => ({
  id: `cloudwatch_${id}`,
  type: 'cloudwatch',
  status: 'connected',
  status_detail: null,
  config: config as Integration['config'],
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  connected_at: null,
  version: 1,
  ...more,
})
const role = (account: string) => `arn:aws:iam::${account}:role/iis-reader-shop`
const EVENT = {
  source: 'aws.cloudwatch',
  account: '111111111111',
  region: 'eu-central-1',
  time: '2026-01-31T12:00:00Z',
}
const idsOf = (...all: Integration[]) => sharesOf(EVENT, all).map(({ integration_id }) => integration_id)

describe('an event of AWS', () => {
  it('is a message of the integrations that name its region and account', () => {
    expect(
      idsOf(
        integration('own', { region: 'eu-central-1' }),
        integration('by-role', { region: 'eu-central-1', role_arn: role('111111111111') }),
        integration('of-another-account', { region: 'eu-central-1', role_arn: role('222222222222') }),
        integration('of-another-region', { region: 'us-east-1' }),
        integration('disabled', { region: 'eu-central-1' }, { status: 'disabled' }),
        integration('of-another-type', { region: 'eu-central-1' }, { type: 'datadog' }),
      ),
    ).toEqual(['cloudwatch_own', 'cloudwatch_by-role'])
  })

  it('came in when it happened, word for word', () => {
    expect(sharesOf(EVENT, [integration('own', { region: 'eu-central-1' })])).toEqual([
      {
        integration_id: 'cloudwatch_own',
        config: {},
        headers: {},
        received_at: Date.UTC(2026, 0, 31, 12),
        body: EVENT,
      },
    ])
  })

  it('looks at every integration, however many pages they are', async () => {
    const pages = [
      { items: [integration('1', {})], next: 'cloudwatch_1' },
      { items: [integration('2', {})], next: null },
    ]
    const asked: (string | null)[] = []
    const list = async ({ after }: { after: string | null }) => {
      asked.push(after)
      return pages[asked.length - 1] ?? { items: [], next: null }
    }
    expect((await allIntegrations({ list })).map(({ id }) => id)).toEqual(['cloudwatch_1', 'cloudwatch_2'])
    expect(asked).toEqual([null, 'cloudwatch_1'])
  })
})
