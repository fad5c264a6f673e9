import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { domainOf } from '#shared/adapters/aws-endpoints.ts'
import { BoundedMap } from '#shared/adapters/bounded-map.ts'
import { sha256 } from '#shared/adapters/digest.ts'
import { askTool, type Question, type ToolDeps, type ToolReach } from './tool-request.ts'

// AWS asked by signed requests through the guarded client: the SDK's own signer, without its clients, each of which
// weighs as much as all other tools together.

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** What requests to AWS are made with. */
export interface AwsDeps {
  /** Of the function's own role, as they are now. */
  readonly credentials: () => AwsCredentials
  /** Tells this deployment from others: external ids are made from it. */
  readonly issuer: string
  /** Where a service is. */
  readonly endpoint: (service: string, region: string) => string
}

/** A role may be named so alone: the function's own role may assume no other. */
export const READER_ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/iis-reader-[\w+=,.@-]{1,53}$/
/** How long an assumed role lasts, in seconds: the shortest that AWS gives, longer than any pull. */
const ROLE_S = 900
/** A role is assumed anew so long before it ends, in milliseconds. */
const SPARE_MS = 120_000
/** Roles kept in one process. */
const MOST_ROLES = 100
/** Time to assume a role, in milliseconds. */
const ASSUME_MS = 4000

/** The external id that the trust policy of a role must ask for: this deployment's, for this role. */
export const externalIdFor = (issuer: string, roleArn: string): string =>
  `iis-${sha256(`${issuer} ${roleArn}`).slice(0, 32)}`

/** SHA-256 and its HMAC in the form that the signer takes. */
class Sha256 {
  readonly #hash

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : Buffer.from(secret as Uint8Array))
  }

  update(data: Uint8Array): void {
    this.#hash.update(data)
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    throw new Error('a digest is made once')
  }
}

/** The names under which the environment may say where a service is, as for the SDK. */
const ENDPOINT_NAMES: Readonly<Record<string, string>> = { monitoring: 'CLOUDWATCH', logs: 'CLOUDWATCH_LOGS' }

/** Where a service is: as the environment says (`AWS_ENDPOINT_URL_CLOUDWATCH`, …), else as AWS has it in the region. */
export function awsEndpoint(service: string, region: string): string {
  const given = process.env[`AWS_ENDPOINT_URL_${ENDPOINT_NAMES[service] ?? service.toUpperCase()}`]
  if (given !== undefined && given !== '') return given.replace(/\/+$/, '')
  return `https://${service}.${region}.${domainOf(region)}`
}

/** Where a service of AWS is, and what must not come back from it. */
export function awsReach(
  deps: AwsDeps,
  at: { readonly service: string; readonly region: string; readonly title: string; readonly tool: string },
  credentials: AwsCredentials,
): ToolReach {
  return {
    tool: at.tool,
    title: at.title,
    base_url: deps.endpoint(at.service, at.region),
    headers: {},
    secrets: [credentials.secretAccessKey, credentials.sessionToken ?? ''],
    credential: 'config.role_arn',
  }
}

/** A question with the headers that sign it. */
export async function signedQuestion(
  question: Question,
  to: { readonly base_url: string; readonly service: string; readonly region: string },
  credentials: AwsCredentials,
  now: number,
): Promise<Question> {
  const url = new URL(`${to.base_url}${question.path}`)
  const [body, type] =
    question.form === undefined
      ? [JSON.stringify(question.json), 'application/x-amz-json-1.0']
      : [new URLSearchParams(question.form).toString(), 'application/x-www-form-urlencoded']
  const signer = new SignatureV4({
    service: to.service,
    region: to.region,
    credentials: {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken }),
    },
    sha256: Sha256 as never,
  })
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: url.pathname,
      query: {},
      headers: { host: url.host, 'content-type': type, ...question.headers },
      body,
    },
    { signingDate: new Date(now) },
  )
  // The client itself says which host it speaks to.
  const { host: _, ...headers } = signed.headers
  return { ...question, method: 'POST', headers }
}

/** Why a role could not be assumed; the message holds no secret. */
export class RoleDenied extends Error {
  /** True where AWS said no, false where nothing was said. */
  readonly refused: boolean

  constructor(message: string, refused: boolean) {
    super(message)
    this.name = 'RoleDenied'
    this.refused = refused
  }
}

/** Reads one member of what STS answers, in JSON or in XML. */
const memberOf = (text: string, name: string): string | undefined =>
  new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(text)?.[1] ??
  new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1]

/** Gives credentials of a role, assumed for a quarter of an hour and kept that long. */
export function roleKeeper(deps: ToolDeps, aws: AwsDeps) {
  const kept = new BoundedMap<Promise<AwsCredentials & { readonly until: number }>>(MOST_ROLES)

  async function assume(roleArn: string, region: string, signal: AbortSignal) {
    const reach = awsReach(
      aws,
      { service: 'sts', region, title: 'AWS STS', tool: 'cloudwatch' },
      aws.credentials(),
    )
    const question = await signedQuestion(
      {
        path: '/',
        form: {
          Action: 'AssumeRole',
          Version: '2011-06-15',
          RoleArn: roleArn,
          RoleSessionName: 'incident-investigator',
          ExternalId: externalIdFor(aws.issuer, roleArn),
          DurationSeconds: String(ROLE_S),
        },
        // It holds credentials: nothing of it may be repeated.
        as: 'text',
      },
      { base_url: reach.base_url, service: 'sts', region },
      aws.credentials(),
      deps.now(),
    )
    const answer = await askTool(deps, reach, question, ASSUME_MS, signal)
    if (!answer.ok) {
      const refused = answer.kind === 'refused' || answer.kind === 'rejected'
      throw new RoleDenied(answer.why, refused)
    }
    const text = String(answer.body)
    const [accessKeyId, secretAccessKey, sessionToken] = [
      'AccessKeyId',
      'SecretAccessKey',
      'SessionToken',
    ].map((name) => memberOf(text, name))
    if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) {
      throw new RoleDenied('What AWS STS answers are no credentials.', false)
    }
    return { accessKeyId, secretAccessKey, sessionToken, until: deps.now() + ROLE_S * 1000 - SPARE_MS }
  }

  return async (roleArn: string, region: string, signal: AbortSignal): Promise<AwsCredentials> => {
    const before = await kept.get(roleArn)?.catch(() => undefined)
    if (before !== undefined && before.until > deps.now()) return before
    const assumed = assume(roleArn, region, signal)
    kept.set(roleArn, assumed)
    assumed.catch(() => kept.delete(roleArn))
    return assumed
  }
}
