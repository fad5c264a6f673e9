import { lookup as systemLookup } from 'node:dns/promises'

/** Resolves a host name to every address it has. Rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>

/** The machine's own resolver, hosts file included, as a connection would use it. */
export const resolveName: Lookup = (name) => systemLookup(name, { all: true, verbatim: true })
