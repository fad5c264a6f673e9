import { fileURLToPath } from 'node:url'
import { startFunctionHost } from '#infra/local/function-host.ts'

// A runner that a test kills: it starts the process of the functions and tells its id.
const host = startFunctionHost({
  functions: { probe: { file: 'probe.ts', timeoutMs: 10_000, memoryMb: 512 } },
  root: fileURLToPath(new URL('.', import.meta.url)),
  environment: {},
})
await host.invoke('probe', { act: 'nothing' })
process.send?.(host.pid())
