import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  AccountRecovery,
  CfnUserPoolGroup,
  CfnUserPoolUser,
  CfnUserPoolUserToGroupAttachment,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  UserPool,
  type UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito'
import { Construct } from 'constructs'
import { keepsData, protectsTables, type Settings } from './settings.ts'

/** Groups of users, as access tokens name them; the service reads the same two. */
export const GROUPS = {
  admin: 'May read and change everything, and make API keys',
  viewer: 'May read everything and ask questions',
} as const

/** An invitation that nobody has used by then is void; an administrator can send another. */
const INVITATION_DAYS = 7
const LEAST_PASSWORD = 12

/** Who may sign in: people that an administrator invited, in two groups, and the page where they do. */
export class Users extends Construct {
  readonly pool: UserPool
  readonly domain: UserPoolDomain

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    this.pool = new UserPool(this, 'Pool', {
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      passwordPolicy: {
        minLength: LEAST_PASSWORD,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(INVITATION_DAYS),
      },
      mfa: settings.mfa === 'required' ? Mfa.REQUIRED : Mfa.OPTIONAL,
      // Text messages can be redirected, and cost.
      mfaSecondFactor: { otp: true, sms: false },
      featurePlan: FeaturePlan.ESSENTIALS,
      userInvitation: {
        emailSubject: 'Your invitation to the incident investigator',
        emailBody: 'Sign in as {username} with the password {####} and choose one of your own.',
      },
      deletionProtection: protectsTables(settings),
      removalPolicy: keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    })
    // Domains are unique in a region: the account's number makes this one so.
    this.domain = this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: `incident-investigator-${settings.stage}-${Stack.of(this).account}` },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    })
    const { userPoolId } = this.pool
    const groups = Object.entries(GROUPS).map(
      ([groupName, description]) =>
        new CfnUserPoolGroup(this, `Group-${groupName}`, { userPoolId, groupName, description }),
    )
    if (settings.adminEmail !== null) this.invite(settings.adminEmail, groups)
  }

  /** The first administrator. A deployment without the setting leaves them as they are. */
  private invite(email: string, groups: readonly CfnUserPoolGroup[]): void {
    const { userPoolId } = this.pool
    const user = new CfnUserPoolUser(this, 'FirstAdmin', {
      userPoolId,
      username: email,
      desiredDeliveryMediums: ['EMAIL'],
      userAttributes: [
        { name: 'email', value: email },
        { name: 'email_verified', value: 'true' },
      ],
    })
    const member = new CfnUserPoolUserToGroupAttachment(this, 'FirstAdminIsAdmin', {
      userPoolId,
      username: email,
      groupName: 'admin',
    })
    member.addDependency(user)
    for (const group of groups) member.addDependency(group)
    for (const each of [user, member]) each.applyRemovalPolicy(RemovalPolicy.RETAIN)
  }

  /** Who issues the tokens, as they name it. */
  get issuer(): string {
    return this.pool.userPoolProviderUrl
  }

  /** The page where users sign in. */
  get signInAddress(): string {
    return this.domain.baseUrl()
  }
}
