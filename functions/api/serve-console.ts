import { serveConsole } from '#shared/edge/serve-console.ts'
import { consoleHousing } from '#shared/runtime.ts'

export const handler = serveConsole(consoleHousing)
