import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { CAUGHT_ERRORS } from '#infra/bundling/aws-sdk.ts'

describe('the classes of errors that are bundled', () => {
  it('are those that the adapters tell errors apart by', () => {
    const classes = new Set(
      ['dynamodb', 'kms', 's3', 'sqs']
        .map((name) => readFileSync(`node_modules/@aws-sdk/client-${name}/dist-es/models/errors.js`, 'utf8'))
        .flatMap((text) => Array.from(text.matchAll(/^export class (\w+)/gm), ([, name = '']) => name)),
    )
    const told = readdirSync('shared', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join('shared', file), 'utf8'))
      .flatMap((text) => Array.from(text.matchAll(/instanceof (\w+)/g), ([, name = '']) => name))
      .filter((name) => classes.has(name))
    expect([...new Set(told)].sort()).toEqual([...CAUGHT_ERRORS].sort())
  })
})
