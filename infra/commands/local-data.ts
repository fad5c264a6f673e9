import { existsSync } from 'node:fs'
import { folderPaths } from '#infra/local/data-folder.ts'

/**
 * That a folder holds a service's data: one that is named by mistake would get a service's data of its own, with keys that
 * nothing takes.
 * @throws Error with what makes such data, or leads elsewhere
 */
export function requireLocalData(data: string): void {
  if (!existsSync(folderPaths(data).database))
    throw new Error(
      `there is no local service's data in ${data}: npm start makes it, --stack names a deployed one`,
    )
}
