import { createPrivateKey, createSign, generateKeyPair, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { fileProblem, writeWhole } from './data-folder.ts'
import {
  LOCAL_CLIENT,
  LOCAL_USERS,
  type LocalUser,
  type SignInSecrets,
  TOKEN_SECONDS,
  userClaims,
} from './local-users.ts'

/** Who may sign in on this machine, and where. */
export interface SignIn {
  readonly issuer: string
  readonly clientId: string
  /** The password of the local users. */
  readonly password: string
  /** Page to which browsers come back; nobody can sign in before it is known. */
  returnTo(address: string): void
  /** An access token such as the sign-in page gives one. @param change claims that are to differ */
  token(name: LocalUser, change?: Readonly<Record<string, unknown>>): string
  /** A token signed with this issuer's key, whatever it claims. */
  sign(header: Readonly<Record<string, unknown>>, claims: Readonly<Record<string, unknown>>): string
  stop(): Promise<void>
}

const KEY_BITS = 2048
/** 16 characters of a 64 character alphabet. */
const PASSWORD_BYTES = 12

async function newSecrets(): Promise<SignInSecrets> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS })
  const kid = randomBytes(8).toString('hex')
  const key = { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
  return { key, password: randomBytes(PASSWORD_BYTES).toString('base64url') }
}

/** The secrets of a data folder: made on first use, kept in a file of mode 0600. @throws Error that names the file */
async function keptSecrets(file: string): Promise<SignInSecrets> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Error(`${file} cannot be read: ${fileProblem(error)}.`, { cause: error })
    const made = await newSecrets()
    writeWhole(file, `${JSON.stringify(made)}\n`)
    return made
  }
  try {
    const kept = JSON.parse(text) as SignInSecrets
    createPrivateKey({ key: kept.key, format: 'jwk' })
    if (typeof kept.password === 'string') return kept
  } catch {
    // Told below.
  }
  throw new Error(`${file} holds no key and password: delete it to get new ones.`)
}

const publicPart = ({ kty, n, e, kid }: SignInSecrets['key']) => ({
  kty,
  n,
  e,
  kid,
  alg: 'RS256',
  use: 'sig',
})
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Listens on the port, or on a free one where somebody else does. */
async function listen(server: Server, port: number): Promise<number> {
  const attempt = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  await attempt(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    return attempt(0)
  })
  return (server.address() as AddressInfo).port
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Starts the sign-in service of this machine: the public keys at once, the pages with the first browser that asks.
 * @param file where its key and the password are kept
 * @param port taken if it is free; 0 or a taken one: any
 */
export async function startSignIn({
  file,
  port = 0,
}: {
  readonly file: string
  readonly port?: number
}): Promise<SignIn> {
  const secrets = await keptSecrets(file)
  const privateKey = createPrivateKey({ key: secrets.key, format: 'jwk' })
  let consoleAddress: string | undefined
  let pages: Promise<Serve> | undefined
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/jwks.json') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys: [publicPart(secrets.key)] }))
      return
    }
    if (consoleAddress === undefined) {
      response.writeHead(503).end('The service is starting.')
      return
    }
    const at = consoleAddress
    // Loaded with the first page: whoever uses keys alone does not wait for it.
    pages ??= import('./sign-in-pages.ts').then(({ signInPages }) => signInPages({ issuer, secrets, at }))
    pages.then(
      (serve) => serve(request, response),
      (error: unknown) => response.writeHead(500).end((error as Error).message),
    )
  })
  const issuer = `http://127.0.0.1:${await listen(server, port)}`
  const sign: SignIn['sign'] = (header, claims) => {
    const input = `${base64url({ alg: 'RS256', kid: secrets.key.kid, ...header })}.${base64url(claims)}`
    return `${input}.${createSign('RSA-SHA256').update(input).sign(privateKey, 'base64url')}`
  }
  return {
    issuer,
    clientId: LOCAL_CLIENT,
    password: secrets.password,
    returnTo: (address) => {
      consoleAddress = address
    },
    sign,
    token: (name, change = {}) => {
      const iat = Math.floor(Date.now() / 1_000)
      const { sub } = LOCAL_USERS[name]
      const claims = { iss: issuer, sub, client_id: LOCAL_CLIENT, iat, exp: iat + TOKEN_SECONDS }
      return sign({}, { ...claims, ...userClaims(name), ...change })
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
