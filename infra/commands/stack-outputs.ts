import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { explainAccess } from './stack-access.ts'

/**
 * Reads an output of a deployed stack, with the operator's own AWS identity.
 * @throws Error naming stack and output when there is none, or what is missing to reach AWS
 */
export async function stackOutput(stack: string, name: string): Promise<string> {
  const described = await new CloudFormationClient()
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: unknown) => Promise.reject(explainAccess(stack, error)))
  const value = described.Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
  if (value === undefined) throw new Error(`stack ${stack} has no output ${name}`)
  return value
}
