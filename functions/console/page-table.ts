import type { AnyComponent } from 'preact'
import { lazy } from 'preact-iso'

interface PageRow {
  readonly path: string
  readonly title?: string
  readonly component: AnyComponent
}

/**
 * The pages, each loaded when it is first opened. `path` is below the console's own and may have parameters;
 * those with a `title` are in the navigation, in this order.
 */
export const PAGES: readonly PageRow[] = [
  {
    path: 'incidents',
    title: 'Incidents',
    component: lazy(() => import('./pages/incidents.tsx').then(({ Incidents }) => Incidents)),
  },
  {
    path: 'incidents/:id',
    component: lazy(() => import('./pages/incident.tsx').then(({ IncidentPage }) => IncidentPage)),
  },
  {
    path: 'ask',
    title: 'Ask',
    component: lazy(() => import('./pages/ask.tsx').then(({ Ask }) => Ask)),
  },
  {
    path: 'integrations',
    title: 'Integrations',
    component: lazy(() => import('./pages/integrations.tsx').then(({ Integrations }) => Integrations)),
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    component: lazy(() => import('./pages/webhooks.tsx').then(({ Webhooks }) => Webhooks)),
  },
  {
    path: 'webhooks/:id',
    component: lazy(() => import('./pages/webhook.tsx').then(({ Webhook }) => Webhook)),
  },
  {
    path: 'settings/keys',
    title: 'API keys',
    component: lazy(() => import('./pages/api-keys.tsx').then(({ ApiKeys }) => ApiKeys)),
  },
]
