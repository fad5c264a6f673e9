import { lazy } from 'preact-iso'

/**
 * The pages, each loaded when it is first opened. `path` is below the console's own and may have parameters;
 * those with a `title` are in the navigation, in this order. The first one is where the console opens.
 */
export const PAGES = [
  {
    path: 'settings/keys',
    title: 'API keys',
    component: lazy(() => import('./pages/api-keys.tsx').then(({ ApiKeys }) => ApiKeys)),
  },
] as const
