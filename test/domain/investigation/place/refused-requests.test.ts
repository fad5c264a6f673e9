import { describe, expect, it } from 'vitest'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { REFUSED, refusedAt } from '#shared/domain/investigation/place/refused-requests.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'

/** `till` and `shop` ask `rates`, which fails first from 0 on; `shop` asks `mail`. */
const OBSERVED = {
  first: { entity: 'rates' },
  onset: { at: 0 },
  normal: { incident: { from: -60_000, to: 600_000 } },
  graph: {
    callees: new Map([
      ['till', new Set(['rates'])],
      ['shop', new Set(['rates', 'mail'])],
    ]),
  },
} as unknown as Observed
const said = (plain: string, entity = 'rates', weight = 1, origin: Symptom['origin'] = 'log'): Symptom =>
  ({ plain, entity, weight, origin }) as Symptom
const calls = (caller: string, failed: number): Edge => ({
  ...{ source: 'calls', caller, callee: 'rates', t0: 60_000, interval_s: 60, calls: 100, failed },
})
const REFUSAL = '401: token of form 3'
const at = (symptoms: readonly Symptom[], edges: readonly Edge[] = []) => [
  ...refusedAt(OBSERVED, symptoms, edges),
]

describe('a refused request', () => {
  it.each([
    ...['401: token of form 3', '403 from rates: not yours', '422 for till', 'HTTP 400', 'HTTP/1.1 415'],
    ...['status=404', 'status code: 409', '"status": 403', 'code 401', '(404 Not Found)', '400 Bad Request'],
    ...['HTTP: 400', 'HTTP/2 401', 'statuscode 404', 'status_code: 404', 'code: 401', 'got 404 Not Found'],
    ...['401 Unauthorized', 'Unauthorized', 'invalid_grant', 'Unsupported Media Type', 'precondition failed'],
    ...['400 POST /v1/carts: bad', '"404 GET /carts', 'ClientErrorException: 400 stock', 'HttpError: 422'],
  ])('is heard in %s', (words) => {
    expect(REFUSED.test(words)).toBe(true)
  })

  it.each([
    ...['503 from rates', 'HTTP 500', '429: too many', 'status 408', 'took 401 ms', '404 rows', 'port 4031'],
    ...['14030: x', 'connection refused', 'status 418', '418 from till', 'status 423', '423 from till'],
    ...['425 from till', '451 from till', '404 posts', '500 POST /v1/carts', 'TimeoutException: 4000 ms'],
  ])('is not heard in %s', (words) => {
    expect(REFUSED.test(words)).toBe(false)
  })
})

describe('who is refused', () => {
  it('is who asks the failing service, where that one or they say so', () => {
    expect(at([said(REFUSAL)])).toEqual(['till', 'shop'])
    expect(at([said('401 from rates', 'till')])).toEqual(['till', 'shop'])
  })

  it('is, where calls are counted, who fails there since the onset', () => {
    expect(at([said(REFUSAL)], [calls('till', 40), calls('shop', 0)])).toEqual(['till'])
    expect(at([said(REFUSAL)], [calls('till', 0), calls('shop', 0)])).toEqual([])
  })

  it('is nobody where a fifth of what is said is not of it, or where others, an alert or a metric say so', () => {
    expect(at([said(REFUSAL, 'rates', 2), said('no heap', 'rates', 8)])).toEqual(['till', 'shop'])
    for (const symptoms of [
      [],
      [said(REFUSAL, 'rates', 1.9), said('no heap', 'rates', 8.1)],
      [said(REFUSAL, 'mail')],
      [said(REFUSAL, 'rates', 1, 'alert'), said(REFUSAL, 'rates', 1, 'metric')],
    ])
      expect(at(symptoms)).toEqual([])
  })

  it('is nobody where nothing fails', () => {
    expect([...refusedAt({ ...OBSERVED, first: null }, [said(REFUSAL)], [])]).toEqual([])
    expect([...refusedAt({ ...OBSERVED, onset: null }, [said(REFUSAL)], [])]).toEqual([])
  })
})
