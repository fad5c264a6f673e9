import { describe, expect, it } from 'vitest'
import { functionPlans } from '#infra/functions.ts'
import { asksTools, NETWORK_ACTIONS } from '#infra/grants.ts'
import { ENV } from '#shared/names.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const network = {
  subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
  securityGroupIds: ['sg-0123456789abcdef0'],
  allowedNetworks: ['10.20.0.0/16', 'fd12:3456::/32'],
}
const asking = functionPlans.filter(({ id }) => asksTools(id)).map(({ purpose }) => purpose)
const functionsOf = (given: ReturnType<typeof synthesise>) =>
  resourcesOf(given, 'AWS::Lambda::Function').filter(({ resource }) => 'Description' in resource.Properties)

describe('a private network of the settings', () => {
  const given = synthesise({ network })

  it('has the functions that ask tools in it, and no others: not those that post to receivers', () => {
    expect(functionPlans.filter(({ id }) => asksTools(id)).map(({ id }) => id)).toEqual([
      'answer-query',
      'verify-query',
      'create-integration',
      'update-integration',
      'check-integration',
      'verify-incident',
      'investigate-incident',
      'check-integrations',
    ])
    const inside = functionsOf(given).filter(({ resource }) => resource.Properties.VpcConfig !== undefined)
    expect(inside.map(({ resource }) => resource.Properties.Description as string).sort()).toEqual(
      [...asking].sort(),
    )
    for (const { resource } of inside)
      expect(resource.Properties.VpcConfig).toEqual({
        SubnetIds: network.subnetIds,
        SecurityGroupIds: network.securityGroupIds,
      })
  })

  it('tells those functions alone which of its addresses may be asked', () => {
    for (const { resource } of functionsOf(given)) {
      const { Description, Environment } = resource.Properties
      expect(Environment?.Variables?.[ENV.allowedNetworks], Description as string).toBe(
        asking.includes(Description as string) ? '10.20.0.0/16,fd12:3456::/32' : undefined,
      )
    }
  })

  it('lets those functions alone have network interfaces', () => {
    const actions = NETWORK_ACTIONS.map((action) => `ec2:${action}`)
    const roles = resourcesOf(given, 'AWS::IAM::Role').filter(({ resource }) =>
      JSON.stringify(resource.Properties).includes('ec2:'),
    )
    expect(roles.map(({ resource }) => resource.Properties.Description as string).sort()).toEqual(
      functionPlans
        .filter(({ id }) => asksTools(id))
        .map(({ id }) => `What ${id} may do`)
        .sort(),
    )
    for (const { resource } of roles) {
      const text = JSON.stringify(resource.Properties)
      expect(text.match(/ec2:\w+/g)?.sort()).toEqual(actions)
    }
  })

  it('opens nothing where it names no addresses', () => {
    for (const { resource } of functionsOf(synthesise({ network: { ...network, allowedNetworks: [] } })))
      expect(resource.Properties.Environment?.Variables ?? {}).not.toHaveProperty(ENV.allowedNetworks)
  })
})

describe('without a private network', () => {
  it('no function is in one, and no role may make interfaces', () => {
    const given = synthesise()
    expect(functionsOf(given).filter(({ resource }) => 'VpcConfig' in resource.Properties)).toEqual([])
    expect(JSON.stringify(resourcesOf(given, 'AWS::IAM::Role'))).not.toContain('ec2:')
  })
})
