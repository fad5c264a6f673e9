import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import * as z from 'zod/mini'
import { validate } from '#shared/contract/validate.ts'
import { type FieldError, Refusal } from '#shared/domain/errors.ts'

/** Retentions that CloudWatch Logs knows, in days. */
const LOG_RETENTIONS = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
) as number[]

const whole = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most))

/** What a private network may lie within: RFC 1918, RFC 6598 and RFC 4193. Nothing else can be opened. */
const PRIVATE_NETWORKS = [
  { network: '10.0.0.0', bits: 8, family: 'ipv4' },
  { network: '172.16.0.0', bits: 12, family: 'ipv4' },
  { network: '192.168.0.0', bits: 16, family: 'ipv4' },
  { network: '100.64.0.0', bits: 10, family: 'ipv4' },
  { network: 'fc00::', bits: 7, family: 'ipv6' },
] as const

/** Whether a text is a CIDR that lies whole within one of the private networks. */
function isPrivateNetwork(text: string): boolean {
  const [network = '', length = '', ...more] = text.split('/')
  const version = isIP(network)
  const most = version === 4 ? 32 : 128
  if (version === 0 || network.includes('%') || more.length > 0) return false
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) return false
  return PRIVATE_NETWORKS.some((range) => {
    if ((range.family === 'ipv4') !== (version === 4) || Number(length) < range.bits) return false
    const block = new BlockList()
    block.addSubnet(range.network, range.bits, range.family)
    return block.check(network, range.family)
  })
}

const privateNetwork = z
  .string()
  .check(
    z.refine(
      isPrivateNetwork,
      `must be a CIDR within ${PRIVATE_NETWORKS.map(({ network, bits }) => `${network}/${bits}`).join(', ')}`,
    ),
  )
/** Somebody's mail address, or nobody's. */
const mailAddress = z.nullable(z.email({ error: 'must be a mail address or null' }))

/** A text of one form. */
const formed = (pattern: RegExp, what: string) =>
  z.string().check(z.regex(pattern, { error: `must be ${what}` }))

/** Lambda takes as many of either. */
const MOST_SUBNETS = 16
const MOST_SECURITY_GROUPS = 5

const settings = z.strictObject({
  /** `prod` keeps the data when the stack goes, and guards tables against deletion; `dev` leaves nothing behind. */
  stage: z.enum(['dev', 'prod']),
  /** Days that incidents, answers and their snapshots are kept. */
  retentionDays: whole(1, 3650),
  /** Days that logs are kept; CloudWatch knows certain numbers only. */
  logRetentionDays: z
    .int()
    .check(z.refine((days) => LOG_RETENTIONS.includes(days), `must be one of ${LOG_RETENTIONS.join(', ')}`)),
  /** Who is written to when an alarm rings; they confirm once by mail. */
  alarmEmail: mailAddress,
  /**
   * Who is invited as first administrator; they get a mail with a password for the first sign-in. Once invited, they
   * stay, whatever is set here later.
   */
  adminEmail: mailAddress,
  /** Whether users must have a second factor (an authenticator app) to sign in, or may have one. */
  mfa: z.enum(['optional', 'required']),
  /** Requests a second that the whole API takes, and how many at once; beyond it answers 429. */
  throttleRatePerSecond: whole(1, 10_000),
  throttleBurst: whole(1, 5_000),
  /** Traces of one request in twenty and of what it caused; a million requests leave about $0.25 of them. */
  xray: z.boolean(),
  /** A web firewall before the API: address reputation and a ceiling per address; costs about $7 a month. */
  waf: z.boolean(),
  /**
   * The API's access log, and the log of executions that failed. API Gateway writes logs only with a role that is set once for the whole account and region:
   * `with-existing-account-role` relies on it, `with-new-account-role` sets it. A first deployment to a fresh account
   * would fail with the former and change the account with the latter, so the log is off unless asked for.
   */
  accessLog: z.enum(['off', 'with-existing-account-role', 'with-new-account-role']),
  /**
   * Whether tables refuse to be deleted; default: in `prod`. Switch it off for the very first deployment only, so that
   * a first deployment that fails can be taken back whole.
   */
  deletionProtection: z.optional(z.boolean()),
  /**
   * A private network whose tools are asked. The functions that ask tools are put into it, and no others; they also need
   * a way out of it, by a NAT gateway or by endpoints of the services of AWS. See docs/private-networks.md.
   */
  network: z.optional(
    z.strictObject({
      subnetIds: z
        .array(formed(/^subnet-[0-9a-f]{8,17}$/, 'the id of a subnet (subnet-…)'))
        .check(z.minLength(1), z.maxLength(MOST_SUBNETS)),
      securityGroupIds: z
        .array(formed(/^sg-[0-9a-f]{8,17}$/, 'the id of a security group (sg-…)'))
        .check(z.minLength(1), z.maxLength(MOST_SECURITY_GROUPS)),
      /** CIDRs of the tools there: without them private addresses stay refused. */
      allowedNetworks: z.array(privateNetwork),
    }),
  ),
  /**
   * The API's own name, with a certificate for it in this account and region; the name is led to what the output
   * `DomainTarget` says. Without it the API has the name that AWS gave it.
   */
  domain: z.optional(
    z.strictObject({
      name: formed(
        /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
        'a host name such as incidents.example.com',
      ),
      certificateArn: formed(
        /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
        'the ARN of a certificate (arn:aws:acm:…)',
      ),
    }),
  ),
  /**
   * Encrypts tables and bucket with a key of this account, rotated every year, instead of one of AWS; $1 a month and
   * $0.03 for 10,000 requests to it. Choose before the first deployment: the bucket's objects stay under the key that
   * they were written with. Default: false.
   */
  customerKey: z.optional(z.boolean()),
  /** How long things are waited for when alerts make incidents, in seconds; each has a default. */
  alerts: z.optional(
    z.strictObject({
      /** After the last alert is over, before the incident is resolved. Default: 60. */
      quietSeconds: z.optional(whole(0, 86_400)),
      /** After an incident is resolved, in which the same trouble opens it again. Default: 600. */
      reopenSeconds: z.optional(whole(0, 86_400)),
      /** Silence after which an alert counts as over whose sender repeats what fires. Default: 43,200. */
      repeatsStaleSeconds: z.optional(whole(60, 30 * 86_400)),
      /** The same of a sender that never tells the end. Default: 14,400. */
      silentStaleSeconds: z.optional(whole(60, 30 * 86_400)),
    }),
  ),
})

export type Settings = z.infer<typeof settings>

/** The settings a deployment without arguments uses. */
export const SETTINGS_FILE = 'infra/settings.json'

/**
 * Checks settings.
 * @param given the parsed file
 * @param source what to name in the error
 * @throws Error naming the source and each setting that is unknown, missing or wrong
 */
export function readSettings(given: unknown, source: string): Settings {
  try {
    return validate(settings, given, 'the file')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const errors = error.details.errors as readonly FieldError[]
    throw new Error(`${source}: ${errors.map(({ field, reason }) => `${field}: ${reason}`).join('; ')}`)
  }
}

/** What the command line of the CDK may set (`-c adminEmail=…`); every other setting stands in the file. */
const BY_COMMAND_LINE: readonly string[] = ['adminEmail']

/**
 * Settings that somebody gave on the command line of the CDK, which takes any name without a word: `-c stage=prod` would
 * deploy the stage of the file, unprotected.
 * @param context all of it; names with a sign in them, such as `aws:cdk:…`, are the CDK's own
 * @throws Error naming each setting that only the file may hold, and each name that nobody reads
 */
export function settingsOfContext(context: Readonly<Record<string, unknown>>): {
  readonly adminEmail: unknown
} {
  const given = Object.keys(context).filter(
    (name) => /^\w+$/.test(name) && name !== 'settings' && !BY_COMMAND_LINE.includes(name),
  )
  const misplaced = Object.keys(settings.shape).filter((name) => given.includes(name))
  if (misplaced.length > 0)
    throw new Error(
      `-c ${misplaced.join(', -c ')}: is not read from the command line; set it in ${SETTINGS_FILE}, or name another file by -c settings=FILE`,
    )
  if (given.length > 0)
    throw new Error(
      `-c ${given.join(', -c ')}: is not known; the command line takes -c settings=FILE and -c adminEmail=ADDRESS`,
    )
  return { adminEmail: context.adminEmail }
}

/**
 * Reads the file of settings.
 * @param context values of the command line that stand in for those of the file
 * @throws Error naming the file when it is missing, no JSON, or holds a setting that is unknown or wrong
 */
export function readSettingsFile(file: string, context: { readonly adminEmail?: unknown } = {}): Settings {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new Error(`${file}: is no JSON: ${(error as Error).message}`, { cause: error })
  }
  const given = Object.entries(context).filter(([, value]) => value !== undefined)
  return readSettings(
    typeof parsed === 'object' && given.length > 0 ? { ...parsed, ...Object.fromEntries(given) } : parsed,
    file,
  )
}

/** The windows of alerts as functions read them: seconds, parted by commas. */
export const alertWindows = ({ alerts = {} }: Pick<Settings, 'alerts'>): string =>
  [
    alerts.quietSeconds ?? 60,
    alerts.reopenSeconds ?? 600,
    alerts.repeatsStaleSeconds ?? 43_200,
    alerts.silentStaleSeconds ?? 14_400,
  ].join()

/** Whether the data outlives the stack. */
export const keepsData = ({ stage }: Settings): boolean => stage !== 'dev'

/** Whether tables refuse to be deleted. */
export const protectsTables = (given: Settings): boolean => given.deletionProtection ?? keepsData(given)
