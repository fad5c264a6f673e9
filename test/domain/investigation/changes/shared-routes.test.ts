import { describe, expect, it } from 'vitest'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { at } from '../incident-scenarios.ts'
import { first, judge, merged, says } from '../ranking-by-hand.ts'

const RULES =
  '     rules\n-      .matchers("/shelves/**").allow("read")\n+      .matchers("/shelves/**").allow("read", "lend")'
const SAYS = 'Access Denied (GET /shelves/today)'
const found = (said: string, diff = RULES, more: Partial<Symptom> = {}) =>
  first([merged('a', 60, diff)], [says(said, more)]).quoted

describe('a path of requests that fail, which a change alone touches', () => {
  it('links that change', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, RULES)], [symptom])
    expect(entry.quoted).toEqual({ name: '/shelves', symptom, how: 'routes' })
    expect(entry.is_linked).toBe(true)
    expect(quotedSentence(entry)).toContain('changes what is done at “/shelves”')
  })

  it.each([
    ["+app.get('/shelves/:id', show)"],
    ['+@GetMapping("/shelves/{id}")'],
    ["-router.use('/shelves', limits)"],
    ['+location /shelves/ {'],
    ['+location ~ /shelves/(.*) {'],
    ['+    path: /shelves'],
    ['-  "pathPrefix": "/shelves"'],
    ['+  fetch(`/shelves/today`)'],
  ])('stands in %j', (diff) => {
    expect(found(SAYS, diff)).toMatchObject({ name: expect.stringMatching(/^\/shelves/), how: 'routes' })
  })

  it('is asked for with what stands before the first variable part, and the whole of it', () => {
    expect(found('404 GET /shelves', '+app.get("/shelves/:id", show)')).not.toBeNull()
    expect(
      found('POST /api/v2/shelves/7 answered 500', '+app.post("/api/v2/shelves/:id", put)'),
    ).not.toBeNull()
    expect(found('GET /shelves2/7 failed')).toBeNull()
    expect(found('GET /other/shelves failed')).toBeNull()
    expect(found('GET /shelves failed', '+app.get("/shelves/free", show)')).toBeNull()
    expect(found('no shelves today')).toBeNull()
    expect(found('at /shelves/today')).toBeNull()
  })

  it('tells something: paths of all services, of files and of nothing but variable parts do not', () => {
    for (const path of ['/api/v1', '/health', '/metrics', '/:id', '/{name}/x', '/'])
      expect(found(`GET ${path}/today failed`, `+app.get("${path}", show)`)).toBeNull()
    expect(found('GET /srv/shelves failed', '+open("/srv/shelves")')).toBeNull()
  })

  it('is in lines that the change touches, and not around them', () => {
    expect(found(SAYS, '   .matchers("/shelves/**")\n-  .allow("read")\n+  .allow("lend")')).toBeNull()
  })

  it('is named by a line of the failing place itself', () => {
    expect(found(SAYS, RULES, { weight: 0.49 })).toBeNull()
    for (const origin of ['alert', 'metric', 'trace'] as const)
      expect(found(SAYS, RULES, { origin })).toBeNull()
  })

  it('is touched next to who fails: elsewhere the same path is of another service', () => {
    const elsewhere = merged('a', 60, RULES, { entity: 'billing', files: ['services/billing/a.go'] })
    const edges = [
      { source: 'calls', caller: 'web', callee: 'stock-api', t0: at(60), t1: at(61), interval_s: 60 },
    ]
    expect(first([elsewhere], [says(SAYS)], { snapshot: { edges } }).quoted).toBeNull()
  })

  it('tells nothing where unlike changes touch it', () => {
    const other = '-  timeout("/shelves/**", 5)\n+  timeout("/shelves/**", 7)'
    const quoted = (...diffs: readonly string[]) =>
      judge(
        diffs.map((diff, index) =>
          merged('ab'[index] as string, 60 + index, diff, { title: diff.slice(0, 20) }),
        ),
        [says(SAYS)],
      ).ranked.map(({ quoted: one }) => one?.how)
    expect(quoted(RULES, other)).toEqual([undefined, undefined])
    expect(quoted(RULES, '-a: b\n+a: c')).toContain('routes')
  })
})
