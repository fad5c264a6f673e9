import type { BundleFiles } from '#shared/adapters/bundle/bundle-files.ts'

/** A bundle whose files are given as text or bytes; `reads` notes which were opened. */
export function bundleOf(
  contents: Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string, Uint8Array>,
): BundleFiles & { readonly reads: string[] } {
  const files = new Map(
    [...(contents instanceof Map ? contents : Object.entries(contents))].map(
      ([name, data]): [string, Buffer] => [name, Buffer.from(data as string)],
    ),
  )
  const reads: string[] = []
  return {
    reads,
    list: async () => [...files].map(([name, data]) => ({ name, bytes: data.length })),
    read: async (name) => {
      reads.push(name)
      const data = files.get(name)
      if (data === undefined) throw new Error(`no file ${name}`)
      return data
    },
  }
}

/** A `bundle.json` of one hour with an hour before it. */
export const HEAD = JSON.stringify({
  format: 'incident-bundle/1',
  window: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
  baselines: [{ name: 'b1', from: '2026-03-01T11:00:00Z', to: '2026-03-01T12:00:00Z' }],
})
