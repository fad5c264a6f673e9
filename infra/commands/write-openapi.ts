import { writeFile } from 'node:fs/promises'
import { openapiDocument } from '#shared/contract/openapi.ts'

const target = new URL('../../shared/contract/openapi.json', import.meta.url)
await writeFile(target, `${JSON.stringify(openapiDocument(), null, 2)}\n`)
process.stderr.write('wrote shared/contract/openapi.json\n')
