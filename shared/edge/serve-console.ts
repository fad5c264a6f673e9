import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { ConsoleSettings, SignInPlace } from '../contract/console.ts'
import { notFound, Refusal } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'
import { rateHeaders } from '../domain/rate-limit.ts'
import { Allowance } from './allowance.ts'
import { log } from './log.ts'
import { renderError } from './render.ts'

/** One asset as it lies there, and its smaller copies. */
interface Asset {
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array | null
  readonly gzip: Uint8Array | null
}

/** What serving the console needs from the composition root. */
export interface ConsoleHousing {
  readonly files: () => { readonly page: string; asset(name: string): Asset | undefined }
  readonly signIn: () => SignInPlace
  readonly clock: Clock
}

/** The types of what the console consists of; nothing else is served. */
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** A year: a changed asset has another name. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** The places within the console: names and ids, nothing with a dot. */
const PLACE = /^[\w-]+(?:\/[\w-]+)*\/?$/
const ASSET = /^assets\/([\w-]+(?:\.[\w-]+)*\.(\w+))$/

/** Browsers run, load and connect to nothing but this origin, and the one that tokens come from. */
const policy = (signInOrigin: string): string =>
  [
    "default-src 'self'",
    `connect-src 'self' ${signInOrigin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ')

const attributeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Whether a header that lists codings (RFC 9110) takes one of them. */
function accepts(event: APIGatewayProxyEvent, coding: string): boolean {
  const given = Object.entries(event.multiValueHeaders ?? {}).flatMap(([name, values]) =>
    name.toLowerCase() === 'accept-encoding' ? (values ?? []) : [],
  )
  return given
    .join(',')
    .split(',')
    .some((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}

const answered = (
  headers: Record<string, string>,
  bytes: Uint8Array,
  status = 200,
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers, 'X-Content-Type-Options': 'nosniff' },
  body: Buffer.from(bytes).toString('base64'),
  isBase64Encoded: true,
})

function assetAnswer(event: APIGatewayProxyEvent, type: string, asset: Asset): APIGatewayProxyResult {
  const headers = { 'Content-Type': type, 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding' }
  if (asset.brotli !== null && accepts(event, 'br'))
    return answered({ ...headers, 'Content-Encoding': 'br' }, asset.brotli)
  if (asset.gzip !== null && accepts(event, 'gzip'))
    return answered({ ...headers, 'Content-Encoding': 'gzip' }, asset.gzip)
  return answered(headers, asset.bytes)
}

/** Path of the console as the browser sees it: the stage or the domain's own mapping stand before it. */
function baseOf(event: APIGatewayProxyEvent, file: string): string {
  const path = event.requestContext.path.replace(/\/+$/, '')
  const below = file.replace(/\/+$/, '')
  if (below === '') return `${path}/`
  // Written otherwise than it reads (percent-encoded), it is no place that a link of ours leads to.
  if (!path.endsWith(`/${below}`)) throw notFound('This page')
  return path.slice(0, path.length - below.length)
}

function pageAnswer(event: APIGatewayProxyEvent, file: string, housing: ConsoleHousing) {
  const base = baseOf(event, file)
  const signIn = housing.signIn()
  const settings: ConsoleSettings = { base, api: base.replace(/\/[^/]+\/$/, ''), signIn }
  const page = housing
    .files()
    .page.replaceAll('{{base}}', () => attributeText(base))
    .replace('{{settings}}', () => attributeText(JSON.stringify(settings)))
  return answered(
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy(new URL(signIn.address).origin),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
    Buffer.from(page),
  )
}

/** Where callers stand who are counted elsewhere: loading the console costs no request of the limit. */
const allowance = new Allowance()

/**
 * Makes the handler that serves the console: its page at every place within it, its assets, and NOT_FOUND for the rest.
 * It asks for no key, and reads nothing but the files that were deployed with it.
 */
export function serveConsole(housing: ConsoleHousing) {
  const serve = (event: APIGatewayProxyEvent): APIGatewayProxyResult => {
    const file = event.pathParameters?.file ?? ''
    const [, name = '', ending = ''] = ASSET.exec(file) ?? []
    const type = TYPES[ending]
    const asset = type === undefined ? undefined : housing.files().asset(name)
    if (type !== undefined && asset !== undefined) return assetAnswer(event, type, asset)
    if (file !== '' && (!PLACE.test(file) || file.startsWith('assets/'))) throw notFound('This page')
    return pageAnswer(event, file, housing)
  }
  return (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const { requestId, identity } = event.requestContext
    const rate = allowance.state(identity.sourceIp, housing.clock())
    try {
      const answer = serve(event)
      const headers = { ...answer.headers, ...rateHeaders(rate), 'X-Request-Id': requestId }
      return Promise.resolve({ ...answer, headers })
    } catch (error) {
      if (!(error instanceof Refusal))
        log('error', 'request_failed', { operation: 'serve-console', request_id: requestId }, error)
      return Promise.resolve(renderError(error, requestId, rate))
    }
  }
}
