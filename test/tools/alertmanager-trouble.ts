import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { analyse } from '#infra/tools-demo/play-outage.ts'
import { type Json, until } from '#infra/tools-demo/service-client.ts'
import type { World } from '#infra/tools-demo/world.ts'

/** One thing that has to hold, and what was seen. */
export interface Check {
  readonly name: string
  readonly held: boolean
  readonly seen: string
}

/** An Alertmanager that is slow takes longer than a tool may. */
const SLOW_MS = 30_000
/** Two more of its repetitions. */
const MOST_REPEAT_MS = 60_000

/** How often it has told the service something, by its own count. */
async function notifications({ alertmanagerPort }: World): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${alertmanagerPort}/metrics`)).text()
  return Number(/^alertmanager_notifications_total\{integration="webhook"\} (\d+)/m.exec(text)?.[1] ?? 0)
}

const created = ({ arrivals }: World): number =>
  new Set(arrivals.filter(({ event }) => event?.type === 'incident.created').map(({ id }) => id)).size

const gapsOf = (incident: Json): readonly { readonly what: string; readonly why: string }[] =>
  ((incident.root_cause as Json | null)?.gaps ?? []) as readonly { what: string; why: string }[]

async function oneIncident(world: World, name: string): Promise<Check> {
  const { incidents } = await world.service.get('/incidents')
  const count = (incidents as readonly Json[]).length
  return {
    name,
    held: count === 1 && created(world) === 1,
    seen: `${count} incidents, ${created(world)} incident.created`,
  }
}

/** It tells again and again of the same alert. */
export async function repeats(world: World): Promise<readonly Check[]> {
  const before = await notifications(world)
  const told = await until('two more messages of Alertmanager', MOST_REPEAT_MS, async () => {
    const now = await notifications(world)
    return now >= before + 2 ? now : undefined
  })
  const one = await oneIncident(world, 'Alertmanager repeats: still one incident')
  return [{ ...one, seen: `${told} messages, ${one.seen}` }]
}

/** It is started again, and tells of everything once more. */
export async function restarts(world: World): Promise<readonly Check[]> {
  await world.stopAlertmanager()
  await world.startAlertmanager()
  await until('a message after the restart', MOST_REPEAT_MS, async () =>
    (await notifications(world)) >= 1 ? true : undefined,
  )
  return [await oneIncident(world, 'Alertmanager restarts: still one incident')]
}

/** Nothing listens where it was. */
export async function isUnreachable(world: World, id: string): Promise<readonly Check[]> {
  await world.stopAlertmanager()
  const gaps = gapsOf(await analyse(world, id))
  const named = gaps.filter(({ what }) => /alertmanager/i.test(what))
  return [
    {
      name: 'Alertmanager unreachable: analysed all the same, and the gap is named',
      held: named.length > 0,
      seen: named.map(({ what, why }) => `${what}: ${why}`).join('; ') || 'no such gap',
    },
  ]
}

/** It takes longer to answer than a tool may. */
export async function answersLate(world: World, id: string): Promise<readonly Check[]> {
  const slow = createServer((_, response) => void setTimeout(() => response.end('[]'), SLOW_MS).unref())
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', () => resolve()))
  try {
    await world.service.patch(`/integrations/${world.integrations.alertmanager}`, {
      config: { base_url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` },
    })
    const began = performance.now()
    const gaps = gapsOf(await analyse(world, id))
    const took = Math.round((performance.now() - began) / 1000)
    const named = gaps.filter(({ what }) => /alertmanager/i.test(what))
    return [
      {
        name: 'Alertmanager answers late: analysed within its deadline, and the gap is named',
        held: named.length > 0 && took < SLOW_MS / 1000,
        seen: `${took} s; ${named.map(({ what, why }) => `${what}: ${why}`).join('; ') || 'no such gap'}`,
      },
    ]
  } finally {
    slow.closeAllConnections()
    await new Promise<void>((resolve) => slow.close(() => resolve()))
  }
}
