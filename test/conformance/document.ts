import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import committed from '#shared/contract/openapi.json' with { type: 'json' }
import { operationList } from '#shared/contract/operations.ts'

/** The committed OpenAPI document. */
export const document: unknown = committed

interface Responses {
  readonly [status: string]: { readonly content?: { readonly 'application/json'?: unknown } }
}
const paths = committed.paths as unknown as Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Responses }>>>
>

// Not strict: the document holds keywords that are OpenAPI's and not JSON Schema's.
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'openapi', ...committed })
const compiled = new Map<string, ValidateFunction>()

function complaints(pointer: string, value: unknown): string | null {
  const check = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
  compiled.set(pointer, check)
  return check(value) ? null : ajv.errorsText(check.errors, { dataVar: 'body' })
}

const step = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

/** The path of the document that a request's path (below the base address, without query) falls under. */
export function documentedPath(path: string): string | undefined {
  const parts = path.split('/')
  return operationList
    .map((row) => row.path)
    .find((known) => {
      const wanted = known.split('/')
      return (
        wanted.length === parts.length &&
        wanted.every((part, at) => part.startsWith('{') || part === parts[at])
      )
    })
}

/**
 * Why an answer is not what the document declares, or null when it is.
 * A route that the document does not have may only be refused; that is for the caller to check.
 */
export function undocumented(method: string, path: string, status: number, body: unknown): string | null {
  const known = documentedPath(path)
  const operation = known === undefined ? undefined : paths[known]?.[method.toLowerCase()]
  if (known === undefined || operation === undefined) return null
  const declared = operation.responses[String(status)]
  if (declared === undefined) return `the document declares no ${status} for ${method} ${known}`
  if (declared.content?.['application/json'] === undefined) {
    return body === undefined ? null : `the document declares no body for ${status} of ${method} ${known}`
  }
  return complaints(
    `/paths/${step(known)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`,
    body,
  )
}

/** Why a body is not in the shape of an error, or null when it is. */
export const notAnError = (body: unknown): string | null => complaints('/components/schemas/Error', body)
