import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { ConsoleSettings, SignInPlace } from '../contract/console.ts'
import type { Clock } from '../domain/ports.ts'
import { PLAN_LIMITS, rateHeaders, rateState } from '../domain/rate-limit.ts'

/** One asset as it lies there, and its smaller copies. */
interface Asset {
  readonly bytes: Buffer
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
}

/** What serving the console needs from the composition root. */
export interface ConsoleHousing {
  /** The page, with the places in it that a request fills. */
  readonly page: () => string
  /** An asset by its bare name; undefined for any other name, whatever it looks like. */
  readonly asset: (name: string) => Asset | undefined
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

const answered = (headers: Record<string, string>, bytes: Buffer): APIGatewayProxyResult => ({
  statusCode: 200,
  headers: { ...headers, 'X-Content-Type-Options': 'nosniff' },
  body: bytes.toString('base64'),
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

/** A path without the slashes at its end. */
function withoutLastSlash(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/**
 * Path of the console as the browser sees it: the stage or the domain's own mapping stand before it.
 * @returns null where the path is written otherwise than it reads (percent-encoded): no link of ours leads there
 */
function baseOf(event: APIGatewayProxyEvent, file: string): string | null {
  const path = withoutLastSlash(event.requestContext.path)
  const below = withoutLastSlash(file)
  if (below === '') return `${path}/`
  return path.endsWith(`/${below}`) ? path.slice(0, path.length - below.length) : null
}

function pageAnswer(event: APIGatewayProxyEvent, file: string, housing: ConsoleHousing) {
  const base = baseOf(event, file)
  if (base === null) return null
  const signIn = housing.signIn()
  const api = base.slice(0, base.lastIndexOf('/', base.length - 2))
  const settings: ConsoleSettings = { base, api, signIn }
  const path = attributeText(base)
  const told = attributeText(JSON.stringify(settings))
  const page = housing
    .page()
    .replaceAll('{{base}}', () => path)
    .replace('{{settings}}', () => told)
  return answered(
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy(signIn.address),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
    Buffer.from(page),
  )
}

/**
 * Makes the handler that serves the console: its page at every place within it, its assets, and NOT_FOUND for the rest.
 * It asks for no key, and reads nothing but the files that were deployed with it.
 */
export function serveConsole(housing: ConsoleHousing) {
  /** Null for what is not there. */
  const serve = (event: APIGatewayProxyEvent): APIGatewayProxyResult | null => {
    const file = event.pathParameters?.file ?? ''
    if (file === '') return pageAnswer(event, file, housing)
    const [, name = '', ending = ''] = ASSET.exec(file) ?? []
    const type = TYPES[ending]
    const asset = type === undefined ? undefined : housing.asset(name)
    if (type !== undefined && asset !== undefined) return assetAnswer(event, type, asset)
    if (!PLACE.test(file) || file.startsWith('assets/')) return null
    return pageAnswer(event, file, housing)
  }
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const { requestId } = event.requestContext
    // Loading the console costs no request of the limit: every caller has all of it.
    const rate = rateState(PLAN_LIMITS.standard, 0, housing.clock())
    try {
      const answer = serve(event)
      if (answer === null) return (await import('./console-failures.ts')).pageMissing(requestId, rate)
      const headers = { ...answer.headers, ...rateHeaders(rate), 'X-Request-Id': requestId }
      return { ...answer, headers }
    } catch (error) {
      return (await import('./console-failures.ts')).pageFailed(error, requestId, rate)
    }
  }
}
