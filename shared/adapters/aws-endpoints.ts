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

/** Domains of the partitions that have not the usual ones, by the beginning of their regions' names. */
const DOMAINS: readonly (readonly [regions: string, domain: string, ofBoth: string])[] = [
  ['cn-', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  ['eusc-', 'amazonaws.eu', 'api.amazonwebservices.eu'],
  ['us-iso-', 'c2s.ic.gov', 'api.aws.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov', 'api.aws.scloud'],
  ['eu-isoe-', 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'],
]
const domainsOf = (region: string) => DOMAINS.find(([regions]) => region.startsWith(regions))

/** The domain under which AWS has its services in a region. */
export const domainOf = (region: string): string => domainsOf(region)?.[1] ?? 'amazonaws.com'

/** Services whose usual host in the regions of the US government is the validated one. */
const VALIDATED_IN_GOV = /^(dynamodb|sqs)$/

/**
 * The origin of a service in a region; validated by FIPS 140 and met by IPv6 too where the environment asks for that
 * (`AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`).
 *
 * @throws Error where nobody says which region, or where both a place and a kind of endpoint are asked for
 */
function originOf(service: string, { Region, Endpoint, UseFIPS, UseDualStack }: EndpointWanted): URL {
  if (Endpoint !== undefined) {
    if (UseFIPS === true || UseDualStack === true)
      throw new Error(
        'an endpoint that is given is neither a FIPS nor a dual-stack one: take away AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, or the endpoint',
      )
    return new URL(Endpoint)
  }
  if (Region === undefined) throw new Error('no region is given')
  const isUsual =
    UseFIPS !== true ||
    (UseDualStack !== true && Region.startsWith('us-gov-') && VALIDATED_IN_GOV.test(service))
  if (!isUsual && service === 's3' && Region.startsWith('cn-'))
    throw new Error('S3 has no FIPS endpoint in China: take away AWS_USE_FIPS_ENDPOINT')
  const host = isUsual ? service : `${service}-fips`
  if (UseDualStack !== true) return new URL(`https://${host}.${Region}.${domainOf(Region)}`)
  return service === 's3'
    ? new URL(`https://${host}.dualstack.${Region}.${domainOf(Region)}`)
    : new URL(`https://${host}.${Region}.${domainsOf(Region)?.[2] ?? 'api.aws'}`)
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
