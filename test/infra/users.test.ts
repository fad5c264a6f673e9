import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readSettingsFile, SETTINGS_FILE } from '#infra/settings.ts'
import { synthesise } from './synthesise.ts'

const only = (template: ReturnType<typeof synthesise>['templates']['state'], type: string) => {
  const found = Object.values(template.findResources(type))
  expect(found).toHaveLength(1)
  return found[0]?.Properties
}

describe('the user pool', () => {
  const { state } = synthesise().templates

  it('has people that an administrator invited, and nobody else', () => {
    const pool = only(state, 'AWS::Cognito::UserPool')
    expect(pool.AdminCreateUserConfig.AllowAdminCreateUserOnly).toBe(true)
    expect(pool.UsernameAttributes).toEqual(['email'])
  })

  it('wants passwords of 12 characters of four kinds, and knows no second factor by text message', () => {
    const pool = only(state, 'AWS::Cognito::UserPool')
    expect(pool.Policies.PasswordPolicy).toEqual({
      MinimumLength: 12,
      RequireLowercase: true,
      RequireUppercase: true,
      RequireNumbers: true,
      RequireSymbols: true,
      TemporaryPasswordValidityDays: 7,
    })
    expect(pool.EnabledMfas).toEqual(['SOFTWARE_TOKEN_MFA'])
  })

  it('makes the second factor a duty, unless the settings leave it to each user', () => {
    expect(only(state, 'AWS::Cognito::UserPool').MfaConfiguration).toBe('ON')
    const free = only(synthesise({ mfa: 'optional' }).templates.state, 'AWS::Cognito::UserPool')
    expect(free.MfaConfiguration).toBe('OPTIONAL')
  })

  it('has one domain, whose pages are those of managed login, and which is where the console sends people', () => {
    const domain = only(state, 'AWS::Cognito::UserPoolDomain')
    expect(domain.ManagedLoginVersion).toBe(2)
    const prefix = JSON.stringify(domain.Domain)
    expect(prefix).toContain('incident-investigator-dev-')
    const functions = Object.values(synthesise().templates.api.findResources('AWS::Lambda::Function'))
    const ofConsole = functions.find(({ Properties }) => Properties.Environment?.Variables?.CONSOLE_FOLDER)
    expect(JSON.stringify(ofConsole?.Properties.Environment.Variables.SIGN_IN_ADDRESS)).toMatch(/auth|Domain/)
  })

  it('has the two groups that the service tells apart', () => {
    const groups = Object.values(state.findResources('AWS::Cognito::UserPoolGroup'))
    expect(groups.map(({ Properties }) => Properties.GroupName)).toEqual(['admin', 'viewer'])
  })

  it('outlives the stack where data does', () => {
    const [kept] = Object.values(
      synthesise({ stage: 'prod' }).templates.state.findResources('AWS::Cognito::UserPool'),
    )
    expect(kept?.DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(kept?.Properties.DeletionProtection).toBe('ACTIVE')
  })
})

describe('the first administrator', () => {
  it('is nobody unless one is named', () => {
    synthesise().templates.state.resourceCountIs('AWS::Cognito::UserPoolUser', 0)
  })

  it('is invited by mail, is an administrator, and stays when the setting goes', () => {
    const { state } = synthesise({ adminEmail: 'first@example.com' }).templates
    const given = { UserPoolId: Match.anyValue(), Username: 'first@example.com' }
    const stays = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }
    state.hasResource('AWS::Cognito::UserPoolUser', {
      ...stays,
      Properties: { ...given, DesiredDeliveryMediums: ['EMAIL'] },
    })
    state.hasResource('AWS::Cognito::UserPoolUserToGroupAttachment', {
      ...stays,
      Properties: { ...given, GroupName: 'admin' },
    })
  })

  it('may be named by a value of the command line, instead of the file', () => {
    const { adminEmail } = readSettingsFile(SETTINGS_FILE, { adminEmail: 'first@example.com' })
    expect(adminEmail).toBe('first@example.com')
    expect(readSettingsFile(SETTINGS_FILE, { adminEmail: undefined }).adminEmail).toBeNull()
    expect(() => readSettingsFile(SETTINGS_FILE, { adminEmail: 'nobody' })).toThrow('adminEmail')
  })
})

describe('the client that users sign in with', () => {
  const given = synthesise()
  const client = only(given.templates.api, 'AWS::Cognito::UserPoolClient')

  it('gives codes and no tokens in addresses, keeps no secret, and leads back to the service alone', () => {
    expect(client.AllowedOAuthFlows).toEqual(['code'])
    expect(client.AllowedOAuthScopes).toEqual(['openid'])
    expect(client.GenerateSecret).toBe(false)
    expect(client.SupportedIdentityProviders).toEqual(['COGNITO'])
    expect(client.CallbackURLs).toHaveLength(1)
    const address = JSON.stringify(client.CallbackURLs[0])
    expect(address).toMatch(/"https:\/\/",\{"Ref":"Api[^"]*"\},"\.execute-api\./)
    expect(address).toContain('/v1/console/')
    expect(client.LogoutURLs).toEqual(client.CallbackURLs)
  })

  it('has access tokens of 15 minutes that can be revoked, and tells strangers nothing of who exists', () => {
    expect(client).toMatchObject({
      AccessTokenValidity: 15,
      IdTokenValidity: 15,
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    })
    expect(client.TokenValidityUnits).toMatchObject({ AccessToken: 'minutes', RefreshToken: 'minutes' })
    // Passwords are typed on the page of the pool and nowhere else.
    expect(client.ExplicitAuthFlows ?? ['ALLOW_REFRESH_TOKEN_AUTH']).toEqual(['ALLOW_REFRESH_TOKEN_AUTH'])
  })

  it('is named to the functions that take tokens and to the console, with the issuer, and to no others', () => {
    for (const part of ['api', 'workers'] as const)
      for (const { Properties } of Object.values(
        given.templates[part].findResources('AWS::Lambda::Function'),
      )) {
        const names = Object.keys(Properties.Environment?.Variables ?? {})
        const named = part === 'api' && (names.includes('KEYS_TABLE') || names.includes('CONSOLE_FOLDER'))
        expect(names.includes('SIGN_IN_CLIENT')).toBe(named)
        expect(names.includes('SIGN_IN_ISSUER')).toBe(named)
      }
  })

  it('has a style, without which its pages would not show', () => {
    given.templates.api.resourceCountIs('AWS::Cognito::ManagedLoginBranding', 1)
  })
})
