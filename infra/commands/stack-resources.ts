import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import { explainAccess } from './stack-access.ts'

/** A resource of a deployed stack, whichever of its nested stacks holds it. */
export interface DeployedResource {
  readonly logicalId: string
  readonly type: string
  /** What AWS calls it: a name, an address or an ARN. */
  readonly physicalId: string
}

/**
 * Every resource of a deployed stack and its nested ones, with the operator's own AWS identity.
 * @throws Error naming what is missing to reach AWS, or the stack that is not there
 */
export async function stackResources(stack: string): Promise<readonly DeployedResource[]> {
  const client = new CloudFormationClient()
  const found: DeployedResource[] = []
  const read = async (name: string): Promise<void> => {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: name },
    ))
      for (const {
        LogicalResourceId = '',
        ResourceType = '',
        PhysicalResourceId = '',
      } of StackResourceSummaries) {
        if (ResourceType === 'AWS::CloudFormation::Stack') await read(PhysicalResourceId)
        else found.push({ logicalId: LogicalResourceId, type: ResourceType, physicalId: PhysicalResourceId })
      }
  }
  try {
    await read(stack)
  } catch (error) {
    throw explainAccess(stack, error)
  } finally {
    client.destroy()
  }
  return found
}
