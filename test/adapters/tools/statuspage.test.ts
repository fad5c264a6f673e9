import { describe, expect, it } from 'vitest'
import { type Canned, closeAfterTest, loopbackTool, pullRequest, serveTool } from './tool-server.ts'

const TO = Date.parse('2026-03-10T13:00:00Z')
const never = new AbortController().signal

const page = { id: 'p', name: 'Card Processor' }
const incident = (id: string, change: object = {}) => ({
  id,
  name: 'Elevated errors',
  status: 'investigating',
  impact: 'major',
  created_at: '2026-03-10T12:10:00.000Z',
  started_at: '2026-03-10T05:05:00.000-07:00',
  resolved_at: null,
  components: [{ name: 'Payments API' }],
  incident_updates: [
    { status: 'identified', body: 'A bad node.', created_at: '2026-03-10T12:30:00Z', display_at: null },
  ],
  ...change,
})

async function statuspage(routes: Readonly<Record<string, Canned>>) {
  const server = await serveTool(({ path }) => routes[path])
  const tool = loopbackTool('statuspage')
  closeAfterTest(server, tool)
  return { tool, config: { base_url: server.url } }
}
const pulled = async (list: readonly object[], open: readonly object[] = []) => {
  const { tool, config } = await statuspage({
    '/api/v2/incidents.json': { body: { page, incidents: list } },
    '/api/v2/incidents/unresolved.json': { body: { page, incidents: open } },
  })
  return tool.pull(config, pullRequest(TO))
}

describe('a pull', () => {
  it('takes a postmortem for what it is: of an incident that is over', async () => {
    const updates = [
      { status: 'resolved', body: null, created_at: '2026-03-10T12:20:00Z' },
      { status: 'postmortem', body: 'A bad node.', created_at: '2026-03-10T12:50:00Z' },
    ]
    const over = { status: 'postmortem', resolved_at: '2026-03-10T12:20:00Z', incident_updates: updates }
    const { status } = await pulled([incident('a', over)])
    expect(status[0]?.events.map((event) => event.status)).toEqual([
      'investigating',
      'resolved',
      'resolved',
      'resolved',
    ])
  })

  it('brings what a provider says of itself, by component, in the order of time', async () => {
    const { status, gaps, sources } = await pulled([incident('a')], [incident('a')])
    expect(status).toEqual([
      {
        source: sources.find(({ query }) => query === 'GET /api/v2/incidents.json')?.id,
        provider: 'Card Processor',
        component: 'Payments API',
        events: [
          {
            timestamp: Date.parse('2026-03-10T12:05:00Z'),
            status: 'investigating',
            detail: 'Elevated errors (major)',
          },
          {
            timestamp: Date.parse('2026-03-10T12:30:00Z'),
            status: 'identified',
            detail: 'Elevated errors (major): A bad node.',
          },
        ],
      },
    ])
    expect(gaps).toEqual([])
  })

  it('leaves out what was over before, and what began long after', async () => {
    const over = incident('a', { resolved_at: '2026-03-10T11:00:00Z' })
    const later = incident('b', { started_at: '2026-03-10T15:00:00Z' })
    expect((await pulled([over, later])).status).toEqual([])
  })

  it('knows an open incident that no longer stands among the newest, and one that is over', async () => {
    const open = incident('old', { components: [], impact: 'none', incident_updates: null, started_at: null })
    const ended = incident('ended', { resolved_at: '2026-03-10T12:50:00Z' })
    const { status } = await pulled([ended], [open])
    expect(status.map(({ component, events }) => [component, events.at(-1)?.status])).toEqual([
      ['Payments API', 'resolved'],
      [undefined, 'investigating'],
    ])
  })

  it('counts what it cannot read and keeps the rest', async () => {
    const { status, gaps } = await pulled([incident('a'), { id: 7 }])
    expect(status).toHaveLength(1)
    expect(gaps).toMatchObject([{ why: '1 of 2 items could not be read.' }])
  })
})

describe('a check', () => {
  const status = { body: { page, status: { description: 'All Systems Operational' } } }

  it('says whose page answers', async () => {
    const { tool, config } = await statuspage({
      '/api/v2/status.json': status,
      '/api/v2/incidents.json': { body: { page, incidents: [] } },
    })
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'page of Card Processor' })
  })

  it('is degraded where incidents cannot be read', async () => {
    const { tool, config } = await statuspage({ '/api/v2/status.json': status })
    expect(await tool.check(config, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('incidents cannot be read'),
    })
  })
})
