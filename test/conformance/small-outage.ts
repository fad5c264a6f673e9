import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MINUTE_MS = 60_000
const FROM = Date.UTC(2026, 2, 1, 11)
/** Minutes of calm before the window of the outage, and minutes of the window. */
const MINUTES = 120
const WINDOW_AT = 60
/** Minute at which the deploy takes effect and errors begin. */
const ONSET = 79

const at = (minute: number) => new Date(FROM + minute * MINUTE_MS).toISOString()

/** When the outage begins, for an incident that is about it. */
export const OUTAGE_STARTED_AT = at(ONSET)

/**
 * Writes an incident bundle: a checkout that fails one request in five from the minute of its deploy on, beside a
 * catalogue that is well.
 */
export async function writeSmallOutage(folder: string): Promise<void> {
  const minutes = Array.from({ length: MINUTES }, (_, minute) => minute)
  const series = (entity: string, name: string, unit: string, value: (minute: number) => number) =>
    JSON.stringify({
      entity,
      name,
      type: 'gauge',
      unit,
      interval_s: 60,
      t0: at(0),
      values: minutes.map(value),
    })
  const calm = (minute: number) => ((minute * 7) % 5) / 1_000
  const files: Readonly<Record<string, string>> = {
    'bundle.json': JSON.stringify({
      format: 'incident-bundle/1',
      window: { from: at(WINDOW_AT), to: at(MINUTES) },
      baselines: [{ name: 'b1', from: at(0), to: at(WINDOW_AT) }],
      entities: [
        { name: 'checkout', kind: 'service', aliases: [] },
        { name: 'catalogue', kind: 'service', aliases: [] },
      ],
    }),
    'series.ndjson': [
      series('checkout', 'http_server_errors_ratio', '1', (minute) =>
        minute < ONSET ? calm(minute) : 0.2 + calm(minute),
      ),
      series('checkout', 'http_server_requests_rate', '1/s', (minute) => 40 + ((minute * 3) % 7)),
      series('catalogue', 'http_server_errors_ratio', '1', calm),
      series('catalogue', 'http_server_requests_rate', '1/s', (minute) => 90 + ((minute * 5) % 11)),
    ].join('\n'),
    'changes.ndjson': JSON.stringify({
      id: 'deploy-118',
      recorded_at: at(ONSET - 1),
      effective_at: { from: at(ONSET - 1), to: at(ONSET) },
      kind: 'deploy',
      entity: 'checkout',
      before: 'v117',
      after: 'v118',
      certainty: 'recorded',
    }),
    'logs.ndjson': minutes
      .filter((minute) => minute >= ONSET)
      .map((minute) =>
        JSON.stringify({
          timestamp: at(minute),
          service: 'checkout',
          severity: 'ERROR',
          message: `cannot price basket ${minute}: currency is empty`,
        }),
      )
      .join('\n'),
  }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), `${text}\n`)
}
