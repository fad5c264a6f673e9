import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../local/free-port.ts'
import { GUARD } from '../local/guard.ts'
import type { ToolPaths, ToolProgram } from './tool-programs.ts'

/** A server of ours that runs. */
export interface ToolServer {
  readonly url: string
  readonly port: number
  /** Ends it and resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>
}

interface Launch {
  readonly program: ToolProgram
  readonly file: string
  readonly arguments: readonly string[]
  readonly port: number
  /** Answers 200 once it is ready. */
  readonly ready: string
}

/** They are ready within a second; a machine that is busy takes longer. */
const READY_MS = 30_000
const LOOK_MS = 50

/** Starts a program under a guard: it ends with this process, however that ends. */
async function launch({ program, file, arguments: given, port, ready }: Launch): Promise<ToolServer> {
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', file, ...given], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  let isOver = false
  const keep = (chunk: unknown) => {
    said = `${said}${String(chunk)}`.slice(-1_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      isOver = true
      resolve()
    })
  })
  const stop = async (): Promise<void> => {
    child.stdin?.destroy()
    await ended
  }
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + READY_MS
  while (!isOver && performance.now() < deadline) {
    const status = await request(`${url}${ready}`).then(
      async ({ statusCode, body }) => {
        await body.dump()
        return statusCode
      },
      () => 0,
    )
    if (status === 200) return { url, port, stop }
    await pause(LOOK_MS)
  }
  await stop()
  throw new Error(`${program} did not start: ${said.trim().split('\n').at(-1) ?? 'it gave no reason'}`)
}

/** The file as these programs read it: JSON is YAML. */
const writeConfig = (folder: string, name: string, content: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  return file
}

/** A rule of an alert, as Prometheus reads it. */
export interface AlertingRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface PrometheusOptions {
  readonly folder: string
  /** `scrape_configs` as they stand in its file. */
  readonly scrapes: readonly object[]
  readonly rules: readonly AlertingRule[]
  readonly alertmanagerPort: number
  /** Seconds between two scrapes, and between two evaluations of the rules. */
  readonly everyS: number
}

export async function startPrometheus(paths: ToolPaths, options: PrometheusOptions): Promise<ToolServer> {
  const { folder, scrapes, rules, alertmanagerPort, everyS } = options
  mkdirSync(folder, { recursive: true })
  const every = `${everyS}s`
  const rulesFile = writeConfig(folder, 'rules.yml', { groups: [{ name: 'shop', rules }] })
  const config = writeConfig(folder, 'prometheus.yml', {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: [rulesFile],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
    scrape_configs: scrapes,
  })
  const port = await freePort()
  return launch({
    program: 'prometheus',
    file: paths.prometheus,
    port,
    ready: '/-/ready',
    arguments: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // Firing alerts are told again this often, so that an Alertmanager that comes late or again learns of them.
      '--rules.alert.resend-delay=5s',
    ],
  })
}

export interface AlertmanagerOptions {
  readonly folder: string
  readonly port: number
  /** Where it sends, and the bearer token that it sends along; without it nothing is sent. */
  readonly receiver?: { readonly url: string; readonly token: string }
  /** Seconds after which it tells of the same alert again. */
  readonly repeatS: number
}

export async function startAlertmanager(
  paths: ToolPaths,
  { folder, port, receiver, repeatS }: AlertmanagerOptions,
): Promise<ToolServer> {
  mkdirSync(folder, { recursive: true })
  const config = writeConfig(folder, 'alertmanager.yml', {
    route: {
      receiver: 'investigator',
      group_by: ['alertname', 'service'],
      group_wait: '1s',
      group_interval: '2s',
      repeat_interval: `${repeatS}s`,
    },
    receivers: [
      {
        name: 'investigator',
        ...(receiver === undefined
          ? {}
          : {
              webhook_configs: [
                {
                  url: receiver.url,
                  send_resolved: true,
                  http_config: { authorization: { type: 'Bearer', credentials: receiver.token } },
                },
              ],
            }),
      },
    ],
  })
  return launch({
    program: 'prometheus-alertmanager',
    file: paths['prometheus-alertmanager'],
    port,
    ready: '/-/ready',
    arguments: [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // An empty address: it looks for no peers and opens no port for them.
      '--cluster.listen-address=',
    ],
  })
}

/**
 * node_exporter with the processor, memory and load of this machine, and with the volumes that a folder of text files
 * tells: nobody can be asked to mount and fill a disk.
 */
export async function startNodeExporter(paths: ToolPaths, textFiles: string): Promise<ToolServer> {
  mkdirSync(textFiles, { recursive: true })
  const port = await freePort()
  return launch({
    program: 'prometheus-node-exporter',
    file: paths['prometheus-node-exporter'],
    port,
    ready: '/',
    arguments: [
      `--web.listen-address=127.0.0.1:${port}`,
      '--collector.disable-defaults',
      ...['meminfo', 'loadavg', 'uname', 'textfile'].map((name) => `--collector.${name}`),
      `--collector.textfile.directory=${textFiles}`,
    ],
  })
}

/** blackbox_exporter that reads the end of a certificate whoever signed it. */
export async function startBlackboxExporter(paths: ToolPaths, folder: string): Promise<ToolServer> {
  mkdirSync(folder, { recursive: true })
  const config = writeConfig(folder, 'blackbox.yml', {
    modules: {
      https: { prober: 'http', timeout: '1s', http: { tls_config: { insecure_skip_verify: true } } },
    },
  })
  const port = await freePort()
  return launch({
    program: 'prometheus-blackbox-exporter',
    file: paths['prometheus-blackbox-exporter'],
    port,
    ready: '/-/healthy',
    arguments: [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`],
  })
}
