import { writeFile } from 'node:fs/promises'
import { bundleJsonSchema } from '#shared/adapters/bundle/record-shapes.ts'

/** Writes the JSON Schema of the bundle format from the shapes that the reader uses. */
await writeFile(
  new URL('../../docs/incident-bundle.schema.json', import.meta.url),
  `${JSON.stringify(bundleJsonSchema(), null, 2)}\n`,
)
