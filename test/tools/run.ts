import { parseArgs } from 'node:util'
import { deploymentInOwnProcess } from '#infra/local/deployment-process.ts'
import { cardOf } from '#infra/tools-demo/card-of.ts'
import { OUTAGES, type Outage } from '#infra/tools-demo/outages.ts'
import { type Played, playOutage } from '#infra/tools-demo/play-outage.ts'
import { findTools } from '#infra/tools-demo/tool-programs.ts'
import type { World } from '#infra/tools-demo/world.ts'
import { answersLate, type Check, isUnreachable, repeats, restarts } from './alertmanager-trouble.ts'
import { judge, missingSeries, SURE } from './judge-outage.ts'

const HELP = `Usage: npm run test:tools

Plays the outages of tools:demo against real Prometheus, Alertmanager, node_exporter and blackbox_exporter and holds the
service to what it has to find: the service in 4 of 4, the change or the kind of cause in 3 at least, none wrong at
${SURE} or more; rate, errors, p95 and the alert's own expression with no query configured; one incident and one event
whatever Alertmanager does. Takes about five minutes.

Exit status: 0 all held, or a line that says which tool is missing; 1 something did not hold, or under CI=true a tool
is missing and cannot be installed.
`

/** How late Alertmanager is started in one of the worlds, ms. */
const LATE_MS = 15_000
/** Of four. */
const LEAST_CAUSES = 3

/** What Alertmanager does in each world once the outage there is explained. */
const TROUBLE: Readonly<
  Record<Outage['name'], (world: World, incident: string) => Promise<readonly Check[]>>
> = {
  'bad-version': repeats,
  'slow-dependency': restarts,
  'full-disk': isUnreachable,
  'expired-certificate': answersLate,
}
const isLate = ({ name }: Outage): boolean => name === 'expired-certificate'

function checksOf(played: readonly Played[]): readonly Check[] {
  const judged = played.map((one) => ({ name: one.outage.name, ...judge(one) }))
  const list = (of: (one: (typeof judged)[number]) => string): string =>
    judged.map((one) => `${one.name}: ${of(one)}`).join('; ')
  return [
    {
      name: `right service in ${OUTAGES.length} of ${OUTAGES.length}`,
      held: judged.filter(({ rightService }) => rightService).length === OUTAGES.length,
      seen: list(({ service, rightService }) => `${service ?? 'none'}${rightService ? '' : ' (wrong)'}`),
    },
    {
      name: `right change or kind in at least ${LEAST_CAUSES}`,
      held: judged.filter(({ rightCause }) => rightCause).length >= LEAST_CAUSES,
      seen: list(({ rightCause }) => (rightCause ? 'right' : 'wrong')),
    },
    {
      name: `none wrong at ${SURE} or more`,
      held: played.length === OUTAGES.length && judged.every(({ wrongAndSure }) => !wrongAndSure),
      seen: list(({ confidence }) => String(confidence)),
    },
    ...played.flatMap((one): Check[] => {
      const missing = missingSeries(one, 'checkout')
      const { events, unverified, incident, broken_at } = one
      const name = one.outage.name
      const since = (Date.parse(String(incident.started_at)) - broken_at) / 1000
      return [
        {
          name: `${name}: rate, errors, p95 and the alert's own expression with no query configured`,
          held: missing.length === 0,
          seen: missing.length === 0 ? 'all there' : `missing: ${missing.join(', ')}`,
        },
        {
          name: `${name}: the receiver hears of the incident and of its root cause, signed`,
          held:
            events.filter((kind) => kind === 'incident.created').length === 1 &&
            events.includes('incident.analyzed') &&
            unverified === 0,
          seen: events.join(', '),
        },
        ...(isLate(one.outage)
          ? [
              {
                name: `${name}: an alert that is told late still began when it began`,
                held: since < LATE_MS / 1000,
                seen: `${since.toFixed(1)} s after it broke, told ${LATE_MS / 1000} s late`,
              },
            ]
          : []),
      ]
    }),
  ]
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  const paths = await findTools(process.env.CI === 'true', (line) => void process.stdout.write(`${line}\n`))
  if (paths === null) return 0
  const deployment = deploymentInOwnProcess()
  const checks: Check[] = []
  const played: Played[] = []
  await Promise.all(
    OUTAGES.map(async (outage) => {
      try {
        const one = await playOutage(outage, {
          paths,
          deployment,
          tell: (line) => tell(`[${outage.name}] ${line}`),
          log: (line) => tell(`[${outage.name}] ${line}`),
          alertmanagerLateMs: (each) => (isLate(each) ? LATE_MS : 0),
          afterwards: async (each, world, incident) => {
            checks.push(...(await TROUBLE[each.name](world, incident)))
          },
        })
        played.push(one)
      } catch (error) {
        checks.push({
          name: `${outage.name}: is played to its end`,
          held: false,
          seen: (error as Error).message,
        })
      }
    }),
  )
  for (const one of played) process.stdout.write(cardOf(one))
  checks.push(...checksOf(played))
  for (const { name, held, seen } of checks)
    process.stdout.write(`${held ? 'held' : 'DID NOT HOLD'}: ${name} (${seen})\n`)
  const failed = checks.filter(({ held }) => !held).length
  process.stdout.write(`${checks.length - failed} held, ${failed} did not\n`)
  return failed === 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  },
)
