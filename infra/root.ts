import { fileURLToPath } from 'node:url'

/** Root of the repository: the functions' files are named from there. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
