import type { SampleHours } from './sample-hours.ts'
import { newVersionShare, noise } from './tea-shop.ts'

interface Trace {
  readonly spans: readonly object[]
  readonly logs: readonly object[]
}

/** One sampled checkout: its spans and the lines that it logged. */
function tracedCheckout({ at }: SampleHours, minute: number, number: number): Trace {
  const id = `${(minute * 8 + number + 1).toString(16).padStart(4, '0')}${'7ea5'.repeat(7)}`
  const begin = 2_000 + number * 13_000 + Math.round(500 * noise(minute, 100 + number))
  const guest = number % 3 === 0
  const failsAt = (attempt: number): boolean =>
    guest && noise(minute, 200 + number * 2 + attempt) < 2 * newVersionShare(minute) - 1
  const spans: object[] = []
  const logs: object[] = []
  let spanNumber = 0
  const span = (
    service: string,
    name: string,
    parent: string | null,
    offset_ms: number,
    duration_ms: number,
    status: string,
    attributes: object = {},
  ): string => {
    const span_id = `${id.slice(0, 4)}${(++spanNumber).toString(16).padStart(12, '0')}`
    spans.push({
      trace_id: id,
      span_id,
      parent_id: parent,
      service,
      name,
      start: at(minute, begin + offset_ms),
      duration_us: Math.round(duration_ms * 1000 * (1 + 0.08 * noise(minute * 8 + number, 300 + spanNumber))),
      status,
      attributes,
    })
    return span_id
  }
  const log = (service: string, severity: string, offset_ms: number, message: string, span_id: string) =>
    logs.push({
      timestamp: at(minute, begin + offset_ms),
      service,
      severity,
      message,
      trace_id: id,
      span_id,
    })

  const attempts = failsAt(0) ? 2 : 1
  const fails = attempts === 2 && failsAt(1)
  const status = fails ? 'ERROR' : 'OK'
  const basket = 4100 + minute * 8 + number
  const root = span('storefront', 'POST /checkout', null, 0, fails ? 70 : 165, status, {
    'http.status_code': fails ? 502 : 200,
    'shop.guest': guest,
  })
  const checkout = span('checkout', 'PlaceOrder', root, 6, fails ? 60 : 150, status)
  span('basket', 'GET /baskets/{id}', checkout, 9, 9, 'OK')
  for (let attempt = 0; attempt < attempts; attempt++) {
    const failed = failsAt(attempt)
    const version = failed || newVersionShare(minute) === 1 ? 'v42' : 'v41'
    const pricing = span(
      'pricing',
      'POST /prices',
      checkout,
      20 + attempt * 17,
      14,
      failed ? 'ERROR' : 'OK',
      {
        'service.version': version,
      },
    )
    if (failed) {
      log(
        'pricing',
        'ERROR',
        24 + attempt * 17,
        `cannot price basket ${basket}: TypeError: Cannot read properties of undefined (reading 'perEuro') at convert (pricing/src/rates.ts:21)`,
        pricing,
      )
      if (attempt === 0)
        log('checkout', 'WARN', 35, `pricing answered 500 for basket ${basket}, asking once more`, checkout)
    }
  }
  if (fails) {
    log('checkout', 'ERROR', 58, `order for basket ${basket} not placed: pricing answered 500`, checkout)
    log('storefront', 'ERROR', 66, 'POST /checkout answered 502: upstream checkout', root)
    return { spans, logs }
  }
  span('card-network', 'POST /charges', checkout, 42, 61, 'OK')
  const orders = span('orders', 'POST /orders', checkout, 108, 38, 'OK')
  span('orders-db', 'INSERT orders', orders, 112, 6, 'OK')
  span('mailer', 'POST /mails', orders, 121, 22, 'OK')
  log('pricing', 'INFO', 30, `priced basket ${basket} with ${2 + (basket % 5)} lines`, root)
  log('checkout', 'INFO', 155, `order for basket ${basket} placed`, checkout)
  log('orders', 'INFO', 140, `order ${90_000 + basket} stored`, orders)
  return { spans, logs }
}

/** One checkout in a hundred or so is traced. */
export const sampleTraces = (hours: SampleHours): readonly Trace[] =>
  hours.minutes.flatMap((_, minute) => [0, 1, 2, 3].map((number) => tracedCheckout(hours, minute, number)))
