import { readdirSync, readFileSync } from 'node:fs'

/** Other processes whose command line names a text, as that of the emulator names its data. */
export const processesNaming = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
