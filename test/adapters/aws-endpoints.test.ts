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

  it('is refused rather than guessed for endpoints of another kind, and without a region', () => {
    expect(() => endpointsOf('dynamodb')({ Region: region, UseFIPS: true })).toThrow('FIPS')
    expect(() => bucketEndpoint({ Region: region, Bucket: 'one', UseDualStack: true })).toThrow('dual-stack')
    expect(() => endpointsOf('kms')({})).toThrow('no region')
  })
})
