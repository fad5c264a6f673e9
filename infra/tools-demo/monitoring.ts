import type { ShopOpened } from './shop/shop-process.ts'
import type { AlertingRule } from './tool-server.ts'

const local = (port: number): string => `127.0.0.1:${port}`

/** Scrapes as three teams write them, each with its own idea of how a service is named. */
export function scrapesOf(
  { ports, standIns }: ShopOpened,
  exporters: { readonly node: number; readonly blackbox: number },
): readonly object[] {
  return [
    { job_name: 'storefront', static_configs: [{ targets: [local(ports.storefront)] }] },
    {
      job_name: 'kubernetes-pods',
      static_configs: [
        {
          targets: [local(ports.checkout)],
          labels: { app: 'checkout', namespace: 'shop', pod: 'checkout-0' },
        },
      ],
    },
    {
      job_name: 'shop/payments',
      static_configs: [
        {
          targets: [local(ports.paymentsMetrics)],
          labels: { service_name: 'payments', service_namespace: 'shop' },
        },
      ],
    },
    {
      job_name: 'kube-state-metrics',
      honor_labels: true,
      static_configs: [{ targets: [local(standIns)], labels: { instance: 'kube-state-metrics-0:8080' } }],
    },
    {
      job_name: 'node',
      static_configs: [{ targets: [local(exporters.node)], labels: { instance: 'node-1:9100' } }],
    },
    {
      job_name: 'blackbox',
      metrics_path: '/probe',
      params: { module: ['https'], target: [`https://${local(ports.payments)}/healthz`] },
      static_configs: [
        {
          targets: [local(exporters.blackbox)],
          labels: { instance: 'https://payments.shop.svc/healthz' },
        },
      ],
    },
  ]
}

const PAGED = { severity: 'page', team: 'storefront' }

/** Only what customers feel is paged, as is good practice: where it comes from is for the investigation to find. */
export const RULES: readonly AlertingRule[] = [
  {
    alert: 'StorefrontErrors',
    expr: 'sum by (job) (rate(http_requests_total{code=~"5..",job="storefront"}[15s])) / sum by (job) (rate(http_requests_total{job="storefront"}[15s])) > 0.05',
    for: '4s',
    labels: PAGED,
    annotations: { summary: 'Customers of the storefront get errors' },
  },
  {
    alert: 'StorefrontSlow',
    expr: 'histogram_quantile(0.95, sum by (job, le) (rate(http_request_duration_seconds_bucket{job="storefront"}[15s]))) > 2.5',
    for: '4s',
    labels: PAGED,
    annotations: { summary: 'Customers of the storefront wait' },
  },
]
