/** The engine of another checkout of the project: an older one has not seen the families that were written after it. */
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { ENGINE_VERSION, investigate, statedOf } from '#shared/domain/investigation/investigate.ts'

export interface Engine {
  readonly investigate: typeof investigate
  readonly ENGINE_VERSION: typeof ENGINE_VERSION
  /** Absent in engines before 1.2. */
  readonly statedOf: typeof statedOf
}

/** @throws RangeError where a folder holds no engine */
export async function engineOf(checkout: string): Promise<Engine> {
  const file = `${checkout}/shared/domain/investigation/investigate.ts`
  if (!existsSync(file)) throw new RangeError(`there is no engine in "${checkout}"`)
  return (await import(pathToFileURL(file).href)) as Engine
}
