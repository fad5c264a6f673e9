/** What the SDK asks of where a call goes; other members do not change it here. */
export interface EndpointWanted {
  readonly Region?: string | undefined
  /** Where the service is said to be instead, by configuration or environment. */
  readonly Endpoint?: string | undefined
  readonly UseFIPS?: boolean | undefined
  readonly UseDualStack?: boolean | undefined
}

/** Where a call goes, as the SDK takes it. */
export interface Endpoint {
  readonly url: URL
  readonly properties: Record<string, unknown>
  readonly headers: Record<string, string[]>
}

/** Domains of the partitions that have not the usual one, by the beginning of their regions' names. */
const DOMAINS: readonly (readonly [regions: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
]

/** The domain under which AWS has its services in a region. */
export const domainOf = (region: string): string =>
  DOMAINS.find(([regions]) => region.startsWith(regions))?.[1] ?? 'amazonaws.com'

/** The origin of a service in a region. @throws Error for the kinds of endpoints that no function is deployed with */
function originOf(service: string, { Region, Endpoint, UseFIPS, UseDualStack }: EndpointWanted): URL {
  if (UseFIPS === true || UseDualStack === true)
    throw new Error('FIPS and dual-stack endpoints are not bundled')
  if (Endpoint !== undefined) return new URL(Endpoint)
  if (Region === undefined) throw new Error('no region is given')
  return new URL(`https://${service}.${Region}.${domainOf(Region)}`)
}

/**
 * Where a service of AWS is: in its region, or where the environment says. In bundles it stands for the SDK's rules, of
 * which these few lines are what a deployment meets; the others (accounts, accelerated and global endpoints, access
 * points) are 5 to 18 KB of each client. A test compares them.
 */
export const endpointsOf =
  (service: string) =>
  (wanted: EndpointWanted): Endpoint => ({ url: originOf(service, wanted), properties: {}, headers: {} })

/** What the SDK asks besides of where a bucket is. */
export interface BucketEndpointWanted extends EndpointWanted {
  readonly Bucket?: string | undefined
  readonly ForcePathStyle?: boolean | undefined
}

/** A bucket whose name can be part of a host under one certificate: without dots. */
const HOST_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Where a bucket is: before the host of S3, or as its path where the host is an address or the name has dots. */
export function bucketEndpoint(wanted: BucketEndpointWanted): Endpoint {
  const { Bucket = '', ForcePathStyle, Region = '' } = wanted
  const url = originOf('s3', wanted)
  if (ForcePathStyle === true || ADDRESS.test(url.hostname) || !HOST_NAME.test(Bucket))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${Bucket}`
  else url.hostname = `${Bucket}.${url.hostname}`
  const scheme = { name: 'sigv4', signingName: 's3', signingRegion: Region, disableDoubleEncoding: true }
  return { url, properties: { authSchemes: [scheme] }, headers: {} }
}
