import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const ALERT = alert('web', 'http_5xx_ratio')
const SERIES = [series('web', 'http_5xx_ratio', 0.003, 0.4), series('cart', 'http_5xx_ratio', 0.003, 0.4)]
/** `cart` is refused by `ledger`, which serves `mail` as ever. */
const EDGES = [...calls('web', 'cart', 0.4), ...calls('cart', 'ledger', 0.9), ...calls('mail', 'ledger')]
const placeOf = (said: readonly (readonly [who: string, what: string])[], edges: readonly Edge[] = EDGES) => {
  const snapshot: Snapshot = {
    ...EMPTY,
    ...{ alerts: [ALERT], series: SERIES, edges },
    logs: said.flatMap(([who, what]) => lines(who, 'ERROR', what, ONSET)),
  }
  const { kind, entity } = investigate(snapshot).cause
  return `${kind} of ${entity}`
}
const REFUSING = [
  'http: TLS handshake error from 10.1.2.3:4711: tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  'client SSL certificate verify error: (10:certificate has expired) while reading client request headers',
]

describe('a certificate that is refused', () => {
  it.each([
    'ledger: remote error: tls: expired certificate',
    'error:14094415:SSL routines:ssl3_read_bytes:sslv3 alert certificate expired',
    'javax.net.ssl.SSLHandshakeException: Received fatal alert: certificate_expired',
  ])('is of who was told so by its peer: “%s”', (received) => {
    expect(placeOf([['cart', received]])).toBe('certificate of cart')
    expect(
      placeOf([
        ['cart', received],
        ['ledger', REFUSING[0] as string],
      ]),
    ).toBe('certificate of cart')
  })

  it.each(REFUSING)(
    'is of the one caller that is not served, where only who checks is heard: “%s”',
    (said) => {
      expect(placeOf([['ledger', said]])).toBe('certificate of cart')
    },
  )

  it('is of no caller where all are refused, some are half served, or who checks does not say whom it checked', () => {
    const said = REFUSING[0] as string
    const web = calls('web', 'cart', 0.4)
    for (const mail of [0.9, 0.1])
      expect(
        placeOf(
          [['ledger', said]],
          [...web, ...calls('cart', 'ledger', 0.9), ...calls('mail', 'ledger', mail)],
        ),
      ).not.toBe('certificate of cart')
    const checked = 'x509: certificate has expired or is not yet valid'
    expect(placeOf([['cart', `ledger: ${checked}`]])).toBe('certificate of ledger')
  })

  it('is of whom the measurements blame where two were told so as often', () => {
    const received = 'remote error: tls: expired certificate'
    expect(
      placeOf([
        ['cart', received],
        ['mail', received],
      ]),
    ).not.toBe('certificate of mail')
  })
})
