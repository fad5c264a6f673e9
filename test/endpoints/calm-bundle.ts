import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes the smallest bundle that can be read whole: a window in which nothing was recorded. */
export async function writeCalmBundle(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const head = {
    format: 'incident-bundle/1',
    window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
  }
  await writeFile(join(folder, 'bundle.json'), JSON.stringify(head))
}
