import type { ConsoleSettings } from '#shared/contract/console.ts'

const given = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]')?.content

/** What the page that was served says about itself. */
export const settings = JSON.parse(given ?? '') as ConsoleSettings

/** The address of a place within the console: `place('incidents')`. */
export const place = (path: string): string => `${settings.base}${path}`
