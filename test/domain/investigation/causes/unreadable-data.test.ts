import { describe, expect, it } from 'vitest'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { found, said, UNEXPLAINED, warned } from '../scene-by-hand.ts'

describe('data that cannot be processed', () => {
  it('is weak, whoever says so, and no alert', () => {
    const templates = ['a', 'b', 'c', 'd'].map((part) => said(`${part} malformed payload`))
    expect(found('data', { templates: templates.slice(0, 1) })).toMatchObject({
      ...{ entity: 'stock', score: round6(0.2 * UNEXPLAINED), action: 'clean_data', yields_to_changes: true },
      what: 'data that cannot be processed',
    })
    expect(found('data', { templates, symptoms: ['malformed payload'] })).toMatchObject({ score: 0.45 })
    expect(found('data', { templates })?.signs).toHaveLength(3)
    expect(found('data', { snapshot: { alerts: warned('malformed payload') } })).toBeUndefined()
  })
})
