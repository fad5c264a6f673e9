import { describe, expect, it } from 'vitest'
import { explainAccess } from '#infra/commands/stack-access.ts'
import { stackOutput } from '#infra/commands/stack-outputs.ts'
import { stackResources } from '#infra/commands/stack-resources.ts'

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })
const told = (error: Error): string => (explainAccess('a-stack', error) as Error).message

describe('a stack that cannot be read', () => {
  it.each([
    [named('Error', 'Region is missing'), 'AWS_REGION=eu-west-1'],
    [named('CredentialsProviderError', 'Could not load credentials from any providers'), 'AWS_PROFILE'],
    [named('ValidationError', 'Stack with id a-stack does not exist'), 'no stack a-stack in this account'],
    [named('ValidationError', 'Stack with id a-stack does not exist'), 'are AWS_PROFILE, AWS_REGION and its'],
    [
      Object.assign(new Error('getaddrinfo ENOTFOUND cloudformation.eu-wst-1.amazonaws.com'), {
        code: 'ENOTFOUND',
        hostname: 'cloudformation.eu-wst-1.amazonaws.com',
      }),
      'cloudformation.eu-wst-1.amazonaws.com was not found: is the region right',
    ],
  ])('is told with what to do about it (%s)', (error, words) => {
    expect(told(error)).toContain(words)
  })

  it.each([
    named('AccessDenied', 'User x is not authorized to perform: cloudformation:DescribeStacks'),
    named('ValidationError', '1 validation error detected'),
  ])('is told in the words of AWS where these say enough (%s)', (error) => {
    expect(explainAccess('a-stack', error)).toBe(error)
  })

  it.each([
    ['an output', () => stackOutput('a-stack', 'KeysTable')],
    ['its resources', () => stackResources('a-stack')],
  ])('is told so where %s are asked for', async (_what, read) => {
    const given = { ...process.env }
    // Nothing is sent: the client ends before, at what it lacks.
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) delete process.env[name]
    process.env.AWS_CONFIG_FILE = '/nowhere'
    process.env.AWS_SHARED_CREDENTIALS_FILE = '/nowhere'
    try {
      await expect(read()).rejects.toThrow('no AWS region is set')
    } finally {
      process.env = given
    }
  })
})
