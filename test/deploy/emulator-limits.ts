/** What ministack 1.4.21 cannot do, and the test that holds the same promise without it. */
export interface Limit {
  readonly cannot: string
  /** A file of tests and a part of the title in it. */
  readonly standsIn: readonly [file: string, title: string]
}

type Resource = { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }

/** Resources that its CloudFormation refuses: they are taken out of the templates before they are deployed. */
export const REFUSED: readonly (Limit & { readonly is: (resource: Resource) => boolean })[] = [
  {
    cannot: 'the looks of the sign-in page',
    is: ({ Type }) => Type === 'AWS::Cognito::ManagedLoginBranding',
    standsIn: ['test/infra/users.test.ts', 'has a style, without which its pages would not show'],
  },
  {
    cannot: 'metrics that are made of logs',
    is: ({ Type }) => Type === 'AWS::Logs::MetricFilter',
    standsIn: ['test/infra/alarms-stack.test.ts', 'watch every schedule, queue and busy table, and the API'],
  },
  {
    cannot: 'alarms that compute with several metrics',
    is: ({ Type, Properties }) => Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined,
    standsIn: ['test/infra/alarms-stack.test.ts', 'watch every schedule, queue and busy table, and the API'],
  },
  {
    cannot: 'rules for which requests are traced',
    is: ({ Type }) => Type === 'AWS::XRay::SamplingRule',
    standsIn: ['test/infra/api-stack.test.ts', 'traces one request in twenty'],
  },
]

/** Statements of the conformance suite that fail against it, by a part of their names. */
export const NOT_HELD: readonly (Limit & { readonly statement: string })[] = [
  {
    cannot: 'answers that API Gateway makes itself: its templates for them are ignored',
    statement: '"also … those that API Gateway makes itself"',
    standsIn: ['test/infra/api-stack.test.ts', '%s has the shape and the headers of every other error'],
  },
  {
    cannot: 'two invocations of one function at once',
    statement: '"still in flight is 409"',
    standsIn: ['test/endpoints/repeated-requests.test.ts', 'that is sent several times at once is done once'],
  },
  {
    cannot: 'an address of its own for an API: on one address the path names the API first',
    statement: '"Base address `{host}/v1`"',
    standsIn: ['test/infra/api-stack.test.ts', 'throttles its one stage v1'],
  },
  ...['"Admin: everything."', '"POST /incidents/{id}/investigate: run again on fresh evidence, 202"'].map(
    (statement) => ({
      cannot:
        'a condition on an item that is missing, where the update adds to one of its numbers: it judges the sum first',
      statement,
      standsIn: ['test/endpoints/refusals.ts', '404 for the id'] as const,
    }),
  ),
]

/** What is done by hand after a deployment or in another way, because it cannot. */
export const LEFT_OUT: readonly Limit[] = [
  {
    cannot: 'the redrive policy of a queue',
    standsIn: [
      'test/infra/state-stack.test.ts',
      'hide a message for six times what its worker may take, or shorter than an incident is held back, and put aside what nobody can read',
    ],
  },
  {
    cannot: 'a table with indexes restored to a point in time: it is restored from a backup instead',
    standsIn: [
      'test/adapters/dynamo/restore-items.test.ts',
      'makes empty tables what they were, item by item',
    ],
  },
  {
    cannot: 'the deletion of a stack at the first asking of `cdk destroy`',
    standsIn: ['test/infra/state-stack.test.ts', 'leave nothing behind in dev'],
  },
]
