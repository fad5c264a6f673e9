import { Duration } from 'aws-cdk-lib'
import {
  CfnManagedLoginBranding,
  OAuthScope,
  UserPoolClient,
  UserPoolClientIdentityProvider,
} from 'aws-cdk-lib/aws-cognito'
import { Construct } from 'constructs'
import { CONSOLE_PATHS } from '#shared/contract/console.ts'
import type { SignInNames } from './grants.ts'
import type { Users } from './users.ts'

/** What a user did with a token that was taken away from them is over after this. */
const TOKEN_MINUTES = 15
/** A working day: after it people sign in again. */
const SESSION_HOURS = 12

/** The path below the base address at which a browser comes back from signing in. */
const RETURN_PATH = `${CONSOLE_PATHS[0]}/`

/**
 * The one client that users sign in with: a page in a browser, so it has no secret, gets a code and never a token in an
 * address, and proves that it is the page that asked for the code (PKCE).
 */
export class SignInClient extends Construct {
  readonly client: UserPoolClient
  readonly names: SignInNames

  constructor(scope: Construct, id: string, users: Users, baseAddress: string) {
    super(scope, id)
    const address = `${baseAddress}${RETURN_PATH}`
    // In the stack of the API, whose address it names; the pool's stack must not wait for that.
    this.client = new UserPoolClient(this, 'Client', {
      userPool: users.pool,
      generateSecret: false,
      authFlows: {},
      oAuth: {
        flows: { authorizationCodeGrant: true, implicitCodeGrant: false, clientCredentials: false },
        scopes: [OAuthScope.OPENID],
        callbackUrls: [address],
        logoutUrls: [address],
      },
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      accessTokenValidity: Duration.minutes(TOKEN_MINUTES),
      idTokenValidity: Duration.minutes(TOKEN_MINUTES),
      refreshTokenValidity: Duration.hours(SESSION_HOURS),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    })
    // Without a style the pages of managed login do not show.
    new CfnManagedLoginBranding(this, 'Style', {
      userPoolId: users.pool.userPoolId,
      clientId: this.client.userPoolClientId,
      useCognitoProvidedValues: true,
    })
    this.names = {
      issuer: users.issuer,
      clientId: this.client.userPoolClientId,
      address: users.signInAddress,
    }
  }
}
