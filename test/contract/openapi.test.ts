import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { examples } from '#shared/contract/examples.ts'
import { openapiDocument, otherStatuses, refusalStatuses } from '#shared/contract/openapi.ts'
import { type Operation, operationList, operations } from '#shared/contract/operations.ts'
import { validate } from '#shared/contract/validate.ts'
import { INTEGRATION_TYPES } from '#shared/domain/integration-types.ts'

const file = fileURLToPath(new URL('../../shared/contract/openapi.json', import.meta.url))

describe('the OpenAPI document', () => {
  it('is the one that the table of operations gives (npm run openapi writes it)', async () => {
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(openapiDocument())))
  })

  it('is clean to the linter', async () => {
    const bin = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const { stderr, stdout } = await promisify(execFile)(
      process.execPath,
      [bin, 'lint', '--format', 'json', file],
      { env },
    )
    const report = JSON.parse(stdout || stderr.slice(stderr.indexOf('{'))) as {
      totals: { errors: number; warnings: number }
    }
    expect(report.totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  it('declares every operation with its success, its refusals and the rate headers on each', () => {
    const document = openapiDocument()
    for (const { id, ...operation } of operationList) {
      const path = document.paths?.[operation.path] as Record<
        string,
        { operationId: string; responses: Record<string, { headers: object }> }
      >
      const described = path[operation.method.toLowerCase()]
      expect(described?.operationId).toBe(id)
      const row: Operation = operation
      const statuses = [row.success.status, ...otherStatuses(row), ...refusalStatuses(row)].map(String)
      expect(Object.keys(described?.responses ?? {}).sort()).toEqual(statuses.sort())
      for (const response of Object.values(described?.responses ?? {})) {
        expect(Object.keys(response.headers)).toEqual(
          expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
        )
      }
    }
  })
})

describe('what a generator makes clients of', () => {
  const document = JSON.parse(JSON.stringify(openapiDocument()))

  it('has a number for the size of a page, in every list', () => {
    const limits = Object.values<Record<string, { parameters?: { name: string; schema: object }[] }>>(
      document.paths,
    )
      .flatMap((path) => Object.values(path).flatMap(({ parameters = [] }) => parameters))
      .filter(({ name }) => name === 'limit')
    expect(limits.length).toBeGreaterThan(3)
    for (const { schema } of limits)
      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
  })

  it('has a form for what the details of an error tell, all of it optional', () => {
    const { properties } = document.components.schemas.Error.properties.error
    expect(Object.keys(properties.details.properties)).toEqual([
      ...['field', 'reason', 'errors', 'more_errors', 'request_id'],
    ])
    expect(properties.details.required).toBeUndefined()
  })

  it.each(['Integration', 'IntegrationCreated'])(
    'knows of an %s by its type which settings it shows',
    (name) => {
      const { schemas } = document.components
      const shown = schemas[name].oneOf.map(
        ({ properties: { type, config } }: { properties: Record<string, Record<string, string>> }) => [
          type?.const,
          config?.$ref,
        ],
      )
      expect(shown.map(([type]: [string]) => type)).toEqual(INTEGRATION_TYPES.map(({ type }) => type))
      for (const [, ref] of shown)
        expect(Object.keys(schemas)).toContain(ref.replace('#/components/schemas/', ''))
      expect(shown).toContainEqual(['github', '#/components/schemas/GithubSettings'])
      expect(schemas.GithubSettings.properties.has_private_key).toEqual({ type: 'boolean' })
      expect(schemas.GithubSettings.properties.app_id).toEqual({ type: 'string' })
      expect(schemas.GithubSettings.required).toEqual(['app_id', 'client_id'])
    },
  )
})

describe('the examples', () => {
  it('stand with every operation that takes a body', () => {
    for (const { id, body } of operationList) if (body !== undefined) expect(examples[id], id).toBeDefined()
  })

  it('are valid requests', () => {
    for (const [id, shown] of Object.entries(examples)) {
      const operation: Operation = operations[id as keyof typeof operations]
      for (const { body, query } of shown) {
        if (operation.body !== undefined)
          expect(() => validate(operation.body as never, body, 'body')).not.toThrow()
        if (query !== undefined)
          expect(() => validate(operation.query as never, query, 'query')).not.toThrow()
      }
    }
  })
})
