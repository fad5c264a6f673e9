import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { answerLikeLoki } from './log-book.ts'
import {
  answerLikeGithub,
  answerLikeKubernetes,
  answerLikeStatuspage,
  kubeStateMetrics,
  type Story,
} from './recorded-answers.ts'
import { type Certificate, type Fault, openShop, type ShopPorts } from './shop.ts'

// The process that holds the shop and the stand-ins beside it: started by start-shop.ts, ended with its IPC channel.

/** What the process is told. */
export type ShopOrder =
  | { readonly kind: 'open'; readonly certificate: Certificate; readonly volumeFolder: string }
  | { readonly kind: 'break'; readonly fault: Fault }
  | { readonly kind: 'certify'; readonly certificate: Certificate }

/** What it tells: where everything listens. */
export interface ShopOpened {
  readonly ports: ShopPorts
  /** Loki, GitHub, Kubernetes, kube-state-metrics and a status page, each below a path of its own. */
  readonly standIns: number
}

/** Between two looks of the exporter at the volume. */
const VOLUME_EVERY_MS = 1_000

let breakBy: (fault: Fault) => void = () => {}
let certify: (certificate: Certificate) => void = () => {}

async function open({
  certificate,
  volumeFolder,
}: Extract<ShopOrder, { kind: 'open' }>): Promise<ShopOpened> {
  const shop = await openShop(certificate)
  certify = shop.certify
  let story: Story = { beganAt: Date.now(), rolledOutAt: null, providerSlowSince: null }
  breakBy = (fault) => {
    if (fault === 'bad-version') story = { ...story, rolledOutAt: Date.now() }
    if (fault === 'slow-dependency') story = { ...story, providerSlowSince: Date.now() }
    shop.breakBy(fault)
  }
  const tellVolume = (): void => {
    const { size, used } = shop.volume
    const labels = '{device="/dev/vdb",fstype="ext4",mountpoint="/var/lib/checkout"}'
    const text = [
      '# TYPE node_filesystem_size_bytes gauge',
      `node_filesystem_size_bytes${labels} ${size}`,
      '# TYPE node_filesystem_avail_bytes gauge',
      `node_filesystem_avail_bytes${labels} ${size - used}`,
      '',
    ].join('\n')
    // Whole or not at all: the exporter may read at any time.
    writeFileSync(join(volumeFolder, 'volume.new'), text)
    renameSync(join(volumeFolder, 'volume.new'), join(volumeFolder, 'volume.prom'))
  }
  tellVolume()
  setInterval(() => {
    try {
      tellVolume()
    } catch {
      // Its folder goes when the demo is interrupted, just before this process does.
      process.exit(0)
    }
  }, VOLUME_EVERY_MS)

  const standIns = createServer((message, response) => {
    const { pathname, searchParams } = new URL(message.url ?? '/', 'http://localhost')
    const [, tool = '', path = ''] = /^\/(\w+)(\/.*)?$/.exec(pathname) ?? []
    message.resume()
    if (tool === 'metrics') {
      return void response.end(kubeStateMetrics(story))
    }
    const answer =
      tool === 'logs'
        ? answerLikeLoki(shop.log, path, searchParams)
        : tool === 'github'
          ? answerLikeGithub(story, message.method ?? 'GET', path, searchParams)
          : tool === 'provider'
            ? answerLikeStatuspage(story, path, Date.now())
            : answerLikeKubernetes(story, path)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }))
  })
  await new Promise<void>((resolve) => standIns.listen(0, '127.0.0.1', () => resolve()))
  return { ports: shop.ports, standIns: (standIns.address() as AddressInfo).port }
}

process.on('message', (order: ShopOrder) => {
  if (order.kind === 'break') breakBy(order.fault)
  else if (order.kind === 'certify') certify(order.certificate)
  else void open(order).then((opened) => process.send?.(opened))
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole foreground group; the demo decides when the shop closes.
process.on('SIGINT', () => {})
