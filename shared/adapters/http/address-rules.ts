import { BlockList, isIP } from 'node:net'

/**
 * What an address is, as far as the guard cares:
 * - `public`: reachable over the internet
 * - `loopback`: this machine
 * - `private`: a network behind a router that an operator may open by `allowedNetworks`
 * - `metadata`: hands out credentials or configuration of a machine in a cloud; never opened
 * - `reserved`: everything else that is no public host; never opened
 */
export type AddressClass = 'public' | 'loopback' | 'private' | 'metadata' | 'reserved'

/** Private networks that an operator opened for tools of their own. */
export interface AllowedNetworks {
  /** Lower-case host names without a dot at the end. */
  readonly names: ReadonlySet<string>
  readonly addresses: BlockList
}

/**
 * A host of ours: a webhook or an integration that points at ourselves makes a loop. With a port only that port is shut,
 * and where the host is this machine, on all of its loopback addresses and names.
 */
export interface OwnHost {
  readonly host: string
  /** Null for all ports. */
  readonly port: string | null
}

/** Where requests may go. */
export interface AddressRules {
  /** Plain http is allowed everywhere; otherwise only towards `allowedNetworks`. */
  readonly http: boolean
  /** Addresses of this machine are allowed. */
  readonly loopback: boolean
  readonly ownHosts: readonly OwnHost[]
  readonly allowedNetworks: AllowedNetworks
}

/** Longest address that is taken, in characters; longer ones do not survive proxies and logs. */
export const MAX_URL_LENGTH = 2048

const list = (family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList => {
  const blocks = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix = ''] = subnet.split('/')
    blocks.addSubnet(network, Number(prefix), family)
  }
  return blocks
}

// One list for each family: a BlockList also matches IPv4 addresses against IPv6 rules through their mapped form,
// so that a wide IPv6 rule in the same list would swallow every IPv4 address.

const LOOPBACK_4 = list('ipv4', ['127.0.0.0/8'])
const LOOPBACK_6 = list('ipv6', ['::1/128'])

/** RFC 1918, and RFC 6598 (shared address space: carriers, but also container networks and overlay VPNs). */
const PRIVATE_4 = list('ipv4', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'])
/** RFC 4193, unique local addresses. */
const PRIVATE_6 = list('ipv6', ['fc00::/7'])

/**
 * Metadata and wire services of clouds that lie outside of the link-local range: Azure 168.63.129.16, Alibaba
 * 100.100.100.200, Oracle 192.0.0.192, AWS fd00:ec2::/32, Google fd20:ce::254. Some lie inside a range that an
 * operator may open, or among the public addresses, so they are looked at first.
 */
const METADATA_4 = list('ipv4', [
  '169.254.169.254/32',
  '169.254.170.0/24',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
])
const METADATA_6 = list('ipv6', ['fd00:ec2::/32', 'fd20:ce::254/128'])

/** IANA's special-purpose registry for IPv4: what is not globally reachable, and the retired 6to4 relays. */
const RESERVED_4 = list('ipv4', [
  '0.0.0.0/8', // this network
  '169.254.0.0/16', // link-local; the runtime API of Lambda may live here too
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved and broadcast
])

/**
 * The only part of IPv6 that is given out to hosts. Outside of it lie unspecified, loopback, IPv4-compatible
 * (`::7f00:1`), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard, segment routing (5f00::/16), unique local, link-local,
 * site-local and multicast.
 */
const GLOBAL_UNICAST_6 = list('ipv6', ['2000::/3'])
/** What inside of it is no public host: Teredo, ORCHID and other protocol assignments, documentation, 6to4. */
const RESERVED_6 = list('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

const MAPPED_6 = list('ipv6', ['::ffff:0:0/96'])

/**
 * What an IP address is. An IPv4-mapped one counts as the IPv4 address that it holds; one with a zone, and anything
 * that is no address, is `reserved`.
 */
export function classOf(address: string): AddressClass {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return 'reserved'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  // Node matches a mapped address against IPv4 rules, so it can be looked up there as it is.
  if (version === 4 || MAPPED_6.check(address, 'ipv6')) {
    if (METADATA_4.check(address, family)) return 'metadata'
    if (LOOPBACK_4.check(address, family)) return 'loopback'
    if (PRIVATE_4.check(address, family)) return 'private'
    return RESERVED_4.check(address, family) ? 'reserved' : 'public'
  }
  if (METADATA_6.check(address, 'ipv6')) return 'metadata'
  if (LOOPBACK_6.check(address, 'ipv6')) return 'loopback'
  if (PRIVATE_6.check(address, 'ipv6')) return 'private'
  return GLOBAL_UNICAST_6.check(address, 'ipv6') && !RESERVED_6.check(address, 'ipv6') ? 'public' : 'reserved'
}

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** The host of a URL without the brackets of IPv6 and the dot that ends an absolute name. */
const hostOf = (url: URL): string => withoutDot(url.hostname.replace(/^\[|\]$/g, ''))

/** RFC 6761: `localhost` and what lies below it is this machine, whatever a resolver says. */
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

const portOf = (url: URL): string => url.port || (url.protocol === 'http:' ? '80' : '443')

const isThisMachine = (host: string): boolean => isLocalhost(host) || classOf(host) === 'loopback'

/**
 * Reads the private networks that an operator opens: CIDRs (`10.1.0.0/16`), single addresses and host names. A CIDR
 * may be wider than what can be opened; only private addresses in it are.
 * @throws RangeError naming the entry that is neither.
 */
export function allowedNetworks(entries: readonly string[]): AllowedNetworks {
  const names = new Set<string>()
  const addresses = new BlockList()
  for (const entry of entries) {
    const [network = '', prefix, ...more] = entry.trim().split('/')
    const version = isIP(network)
    const bits = version === 4 ? 32 : 128
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    if (version !== 0 && !network.includes('%') && more.length === 0 && length <= bits) {
      addresses.addSubnet(network, length, version === 4 ? 'ipv4' : 'ipv6')
    } else if (version === 0 && prefix === undefined && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(network)) {
      names.add(withoutDot(network))
    } else {
      throw new RangeError(`${JSON.stringify(entry)} is neither a CIDR, an IP address nor a host name.`)
    }
  }
  return { names, addresses }
}

const NO_NETWORKS = allowedNetworks([])

function ownHost(entry: string): OwnHost {
  const url = `https://${entry}/`
  if (!URL.canParse(url) || new URL(url).pathname !== '/' || /[@?#\\]/.test(entry)) {
    throw new RangeError(`${JSON.stringify(entry)} is neither \`host\` nor \`host:port\`.`)
  }
  return { host: hostOf(new URL(url)), port: /:(\d+)$/.exec(entry)?.[1] ?? null }
}

/**
 * Rules of a deployed stack: https and public addresses only.
 * @param ownHosts hosts of ours, each as `host` (all its ports) or `host:port`
 * @throws RangeError for an own host that is neither
 */
export const strictRules = (
  ownHosts: readonly string[] = [],
  networks: AllowedNetworks = NO_NETWORKS,
): AddressRules => ({
  http: false,
  loopback: false,
  ownHosts: ownHosts.map(ownHost),
  allowedNetworks: networks,
})

/**
 * Rules of the local runner: http and loopback too, so that a receiver or a tool on this machine can be used.
 * @param ownHosts hosts of ours, each as `host` (all its ports) or `host:port`
 * @throws RangeError for an own host that is neither
 */
export const localRules = (
  ownHosts: readonly string[] = [],
  networks: AllowedNetworks = NO_NETWORKS,
): AddressRules => ({
  http: true,
  loopback: true,
  ownHosts: ownHosts.map(ownHost),
  allowedNetworks: networks,
})

/** Whether a URL with this host leads to ourselves; `thisMachine` when the host is known to be loopback. */
const isOwn = (url: URL, host: string, thisMachine: boolean, rules: AddressRules): boolean =>
  rules.ownHosts.some(
    (own) =>
      (own.port === null || own.port === portOf(url)) &&
      (own.host === host || (own.port !== null && thisMachine && isThisMachine(own.host))),
  )

/**
 * Why one address may not be dialled for a URL, as the end of a sentence; undefined when it may be.
 * @param address as resolved, or as the peer of an open connection reports it
 */
export function addressRefusal(url: URL, address: string, rules: AddressRules): string | undefined {
  const kind = classOf(address)
  const opened =
    kind === 'private' &&
    (rules.allowedNetworks.names.has(hostOf(url)) ||
      rules.allowedNetworks.addresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'))
  if (opened) return undefined
  if (kind === 'loopback' && rules.loopback) {
    return isOwn(url, hostOf(url), true, rules) ? 'leads to this service itself' : undefined
  }
  if (kind !== 'public') return `leads to a ${kind} address`
  return url.protocol === 'http:' && !rules.http ? 'must be an https address' : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const AMBIGUOUS = /[\s\\\u0000-\u001f\u007f-\u009f]/

/** True where plain http may be right for some host, so that only the resolved address can decide. */
const mayOpenHttp = (rules: AddressRules): boolean =>
  rules.http || rules.allowedNetworks.names.size > 0 || rules.allowedNetworks.addresses.rules.length > 0

/**
 * Why a URL may not be requested, as the end of a sentence (`leads to a loopback address`); undefined when it may be.
 * Pure: what a name resolves to is passed in.
 * @param addresses what the host resolves to, every answer; leave it out to judge the URL as written
 */
export function urlRefusal(
  text: string,
  rules: AddressRules,
  addresses: readonly string[] = [],
): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must not be longer than ${MAX_URL_LENGTH} characters`
  // Parsers disagree about these: they drop white space at the ends and line breaks anywhere, and read a backslash as a
  // slash or as part of the host. What is stored shall be what is dialled.
  if (AMBIGUOUS.test(text)) return 'must not hold white space, control characters or backslashes'
  if (!URL.canParse(text)) return 'must be an absolute https address'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayOpenHttp(rules))) {
    return rules.http ? 'must be an http or https address' : 'must be an https address'
  }
  // `https://@host` parses to no user at all, but nobody writes it in good faith.
  if (url.username !== '' || url.password !== '' || /^[a-z]+:[\\/]*[^\\/?#]*@/i.test(text)) {
    return 'must not hold a user name or password'
  }
  const host = hostOf(url)
  if (host === '') return 'must name a host'
  if (isOwn(url, host, isThisMachine(host), rules)) return 'leads to this service itself'
  const literal = isLocalhost(host) ? ['127.0.0.1'] : isIP(host) !== 0 ? [host] : []
  for (const address of [...literal, ...addresses]) {
    const refusal = addressRefusal(url, address, rules)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
