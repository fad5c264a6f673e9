import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { able, fused, mechanism, PLAIN, record } from '../verdict-by-hand.ts'

describe('what a named change is', () => {
  const causeOf = (more: Partial<RankedChange>) => fused({ ranked: [able(more)] }).cause
  const touching = (...files: readonly string[]) => ({ diff: { ...PLAIN.diff, files } })

  it.each([
    ['a flag', { change: record({ kind: 'flag' }) }, 'flag', 'disable_flag'],
    ['configuration', { change: record({ kind: 'config' }) }, 'config', 'revert_config'],
    ['infrastructure', { change: record({ kind: 'infra' }) }, 'infra', 'rollback'],
    ['a number of instances', { change: record({ kind: 'scale' }) }, 'infra', 'rollback'],
    ['a dependency', { mechanism: mechanism(0.6, { kind: 'dependency' }) }, 'dependency', 'rollback'],
    ['settings in files', touching('stock/app.yaml', 'stock/config/limits.ts'), 'config', 'revert_config'],
    ['code beside settings', touching('stock/app.yaml', 'stock/page.ts'), 'code', 'rollback'],
    ['settings that are named so alone', touching('a.yml', 'config/run.ts'), 'config', 'revert_config'],
    ['code whose name only begins so', touching('stock/app.json.ts', 'stock/app.yaml'), 'code', 'rollback'],
    ['code whose name only holds so', touching('stock/app.tfx', 'stock/app.ts'), 'code', 'rollback'],
    ['one chart', touching('chart/stock/run.tpl', 'stock/page.ts'), 'infra', 'rollback'],
    ['Terraform', touching('live/main.tf', 'stock/page.ts'), 'infra', 'rollback'],
    ['a chart', touching('charts/stock/run.tpl', 'stock/page.ts'), 'infra', 'rollback'],
    ['code', touching('stock/page.ts'), 'code', 'rollback'],
    ['of a diff that nobody gave: code', touching(), 'code', 'rollback'],
    [
      'stored data that were moved',
      { mechanism: mechanism(0.6, { id: 'migration' }) },
      'code',
      'roll_forward',
    ],
  ] as const)('%s', (_, more, kind, action) => {
    expect(causeOf(more).kind).toBe(kind)
    expect(fused({ ranked: [able(more)] }).remediation).toMatchObject({
      action,
      target: more === undefined ? '' : 'c1',
    })
  })
})
