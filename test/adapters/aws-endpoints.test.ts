import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KMSClient } from '@aws-sdk/client-kms'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { bucketEndpoint, type Endpoint, endpointsOf } from '#shared/adapters/aws-endpoints.ts'

const REGIONS = [
  'us-east-1',
  'eu-central-1',
  'ap-southeast-7',
  'mx-central-1',
  'il-central-1',
  'cn-northwest-1',
  'us-gov-west-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
]
const ADDRESSES = [
  undefined,
  'http://127.0.0.1:4566',
  'http://localhost:9000/',
  'https://store.example.com/base/',
]
const WHERE = REGIONS.flatMap((Region) =>
  ADDRESSES.map((address) => ({ Region, ...(address === undefined ? {} : { Endpoint: address }) })),
)
const region = 'us-east-1'
const told = ({ url, properties, headers }: Pick<Endpoint, 'url'> & Partial<Endpoint>) => ({
  href: url.href,
  properties,
  headers,
})

/** Without TLS the SDK puts dots before any host, also before an address, which makes no URL of it. */
const isPlain = ({ Endpoint: at = '' }: { readonly Endpoint?: string }) => at.startsWith('http:')

describe('where a service of AWS is', () => {
  it.each([
    ['dynamodb', new DynamoDBClient({ region }).config.endpointProvider],
    ['kms', new KMSClient({ region }).config.endpointProvider],
    ['sqs', new SQSClient({ region }).config.endpointProvider],
  ] as const)("is what the SDK's own rules say: %s", (service, ofSdk) => {
    for (const where of WHERE) {
      const wanted = { ...where, UseFIPS: false, UseDualStack: false }
      expect(told(endpointsOf(service)(wanted)), JSON.stringify(where)).toEqual(told(ofSdk(wanted)))
    }
  })

  it('is for a bucket what they say as well, whatever its name', () => {
    const ofSdk = new S3Client({ region }).config.endpointProvider
    for (const where of WHERE)
      for (const Bucket of ['state-bucket-1a2b3c', 'abc', ...(isPlain(where) ? [] : ['named.with.dots'])])
        for (const ForcePathStyle of [false, true]) {
          const wanted = { ...where, Bucket, ForcePathStyle, UseFIPS: false, UseDualStack: false }
          const rules = { ...wanted, Accelerate: false, UseGlobalEndpoint: false }
          expect(told(bucketEndpoint(wanted)), JSON.stringify(wanted)).toEqual(told(ofSdk(rules)))
        }
  })

  it.each([
    ['FIPS', { UseFIPS: true, UseDualStack: false }],
    ['IPv6', { UseFIPS: false, UseDualStack: true }],
    ['both', { UseFIPS: true, UseDualStack: true }],
  ])("is what the SDK's own rules say where %s is asked for", (_, kind) => {
    const own = {
      dynamodb: new DynamoDBClient({ region }).config.endpointProvider,
      kms: new KMSClient({ region }).config.endpointProvider,
      sqs: new SQSClient({ region }).config.endpointProvider,
    }
    const ofS3 = new S3Client({ region }).config.endpointProvider
    for (const Region of REGIONS) {
      const wanted = { Region, ...kind }
      for (const service of ['dynamodb', 'kms', 'sqs'] as const)
        expect(told(endpointsOf(service)(wanted)), `${service} ${Region}`).toEqual(told(own[service](wanted)))
      const bucket = { ...wanted, Bucket: 'state-bucket-1a2b3c', ForcePathStyle: false }
      const rules = { ...bucket, Accelerate: false, UseGlobalEndpoint: false }
      if (kind.UseFIPS && Region.startsWith('cn-')) {
        expect(() => bucketEndpoint(bucket)).toThrow('take away AWS_USE_FIPS_ENDPOINT')
        expect(() => ofS3(rules)).toThrow('does not support FIPS')
      } else expect(told(bucketEndpoint(bucket)), Region).toEqual(told(ofS3(rules)))
    }
  })

  it('is refused, saying what to take away, where a place and a kind of endpoint are both given', () => {
    const Endpoint = 'http://127.0.0.1:4566'
    for (const kind of [{ UseFIPS: true }, { UseDualStack: true }])
      expect(() => endpointsOf('kms')({ Region: region, Endpoint, ...kind })).toThrow(
        'take away AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, or the endpoint',
      )
  })

  it('is refused without a region', () => {
    expect(() => endpointsOf('kms')({})).toThrow('no region')
  })
})
