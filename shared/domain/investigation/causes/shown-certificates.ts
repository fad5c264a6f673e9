/**
 * Who shows a certificate that is refused: the place of such a fault is there, not at who refuses it.
 *
 * Method: whoever checks a certificate and refuses it tells its peer so by an alert; whoever logs that it received this
 * alert therefore showed the certificate (RFC 8446, section 6.2: `certificate_expired` and its kin are sent by the side
 * that checked). Where only the side that checks is heard, and it says that it checked who called, the one that shows
 * it is the caller whose calls fail there while those of the others are answered.
 */

import { type Line, matching, type Scene } from '../place/told-lines.ts'
import { isNormalTime } from '../records/normal-time.ts'

/**
 * An alert that was received, in the words of Go, OpenSSL and Java.
 * @see https://www.rfc-editor.org/rfc/rfc8446#section-6.2
 * @see https://pkg.go.dev/crypto/tls#AlertError
 */
const RECEIVED =
  /remote error: tls: (expired|bad|revoked|unknown|unsupported) certificate|(sslv3|tlsv1|tls) alert (certificate (expired|unknown|revoked)|bad certificate|unsupported certificate)|received fatal alert: (certificate_\w+|bad_certificate)/i
/**
 * A server says that it checked who called, in the words of Go and nginx.
 * @see https://pkg.go.dev/net/http#Server
 * @see https://nginx.org/en/docs/http/ngx_http_ssl_module.html#ssl_verify_client
 */
const CHECKED = /tls handshake error from\b.*certificate|client (ssl )?certificate\b.*(error|expired|fail)/i
/** Share of a caller's calls that fail beyond the usual from which it is the one; and below which it is served. */
const REFUSED = 0.2
const SERVED = 0.05

/** Who shows the certificate; null where the lines do not tell. */
export function shownBy(scene: Scene): string | null {
  return loudest(matching(scene, RECEIVED)) ?? refusedCaller(scene, loudest(matching(scene, CHECKED)))
}

function loudest(lines: readonly Line[]): string | null {
  const counts = new Map<string, number>()
  for (const { entity, count, origin } of lines)
    if (entity !== null && origin !== 'alert') counts.set(entity, (counts.get(entity) ?? 0) + count)
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a)
  return first === undefined || first[1] === second?.[1] ? null : first[0]
}

/** The only caller whose calls fail at who checks, while others are served. */
function refusedCaller({ snapshot, observed, onset }: Scene, checks: string | null): string | null {
  if (checks === null || onset === null) return null
  type Sum = { before: number; all: number; failed: number; calls: number }
  const callers = new Map<string, Sum>()
  for (const { caller, callee, t0, calls, failed } of snapshot.edges) {
    if (callee !== checks || calls === undefined || failed === undefined) continue
    const sum = callers.get(caller) ?? { before: 0, all: 0, failed: 0, calls: 0 }
    callers.set(caller, sum)
    if (isNormalTime(observed.normal, t0)) {
      sum.before += failed
      sum.all += calls
    } else if (t0 >= onset) {
      sum.failed += failed
      sum.calls += calls
    }
  }
  const share = ({ before, all, failed, calls }: Sum): number =>
    (calls > 0 ? failed / calls : 0) - (all > 0 ? before / all : 0)
  const refused = [...callers].filter(([, sum]) => share(sum) >= REFUSED)
  const isElseServed = [...callers].every(([, sum]) => share(sum) >= REFUSED || share(sum) <= SERVED)
  const [only] = refused
  return refused.length === 1 && isElseServed && only !== undefined ? only[0] : null
}
