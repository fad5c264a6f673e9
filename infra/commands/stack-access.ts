/**
 * Why a stack could not be read, and what to do about it: the words of AWS's own client say what is missing and not
 * where it is to be set.
 * @returns the error as it came where it says enough
 */
export function explainAccess(stack: string, error: unknown): unknown {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (message === 'Region is missing')
    return new Error('no AWS region is set: name the one that the stack is in, such as AWS_REGION=eu-west-1')
  if (name === 'CredentialsProviderError')
    return new Error('no AWS credentials were found: set AWS_PROFILE, or sign in with aws sso login')
  if (name === 'ValidationError' && message.includes('does not exist'))
    return new Error(
      `there is no stack ${stack} in this account and region: are AWS_PROFILE, AWS_REGION and its name right?`,
    )
  if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND' && 'hostname' in error)
    return new Error(`${String(error.hostname)} was not found: is the region right, and is there a network?`)
  return error
}
