import { App } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { buildCodeOf, unbundled } from '#infra/bundling/stack-code.ts'

describe("the code of the stack's functions", () => {
  it('is skipped where the CDK says that no stack needs it', async () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } })
    expect(await buildCodeOf(app)).toBe(unbundled)
  })
})
