import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changedSettings,
  newSettings,
  type Written,
  writtenSettings,
} from '#functions/console/integration-form.ts'
import { INTEGRATION_TYPES, type IntegrationField } from '#shared/domain/integration-types.ts'

const fieldsOf = (type: string): readonly IntegrationField[] =>
  INTEGRATION_TYPES.find((row) => row.type === type)?.fields ?? []

describe('the settings of a new integration', () => {
  it('are what was written, read as the kinds of the fields, without what was left empty', () => {
    const written: Written = {
      base_url: ' https://grafana.example.com ',
      token: 'secret ',
      org_id: '7',
      datasource_uids: 'one\n\n two \n',
      headers: 'X-Scope-OrgID = shop\nX-More = a = b',
      selector: '',
    }
    expect(newSettings(fieldsOf('grafana'), written)).toEqual({
      base_url: 'https://grafana.example.com',
      // What a secret begins and ends with is its own.
      token: 'secret ',
      org_id: 7,
      datasource_uids: ['one', 'two'],
      headers: { 'X-Scope-OrgID': 'shop', 'X-More': 'a = b' },
    })
  })

  it('name repositories by themselves, or by service', () => {
    const read = (repositories: string) => newSettings(fieldsOf('github'), { repositories }).repositories
    expect(read('shop/checkout\nshop/cart')).toEqual(['shop/checkout', 'shop/cart'])
    expect(read('checkout = shop/checkout')).toEqual({ checkout: 'shop/checkout' })
  })

  it('pass on what cannot be read, so that the API says what is wrong', () => {
    expect(newSettings(fieldsOf('grafana'), { org_id: 'many', headers: 'no pair' })).toEqual({
      org_id: 'many',
      headers: ['no pair'],
    })
  })
})

describe('the change of an integration', () => {
  const fields = fieldsOf('github')
  const config = { app_id: '1', client_id: 'one', installation_id: '9', has_client_secret: true }

  it('is nothing where nothing was written otherwise', () => {
    const before = writtenSettings(fields, config)
    expect(before.client_secret).toBe('')
    expect(changedSettings(fields, before, before)).toEqual({})
  })

  it('takes an optional setting away that was emptied, and keeps a secret that was left empty', () => {
    const before = writtenSettings(fields, config)
    const written = { ...before, installation_id: ' ', client_secret: '', app_id: '2' }
    expect(changedSettings(fields, before, written)).toEqual({ installation_id: null, app_id: '2' })
  })

  it('gives back every list and map that the API answers, whatever stands in them', () => {
    const line = fc.stringMatching(/^[\w./:-]{1,20}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 1, maxLength: 5 }),
        fc.dictionary(line, line, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
        (projects, service_map) => {
          const [sentry, cloudwatch] = [fieldsOf('sentry'), fieldsOf('cloudwatch')]
          expect(newSettings(sentry, writtenSettings(sentry, { projects }))).toEqual({ projects })
          expect(newSettings(cloudwatch, writtenSettings(cloudwatch, { service_map }))).toEqual({
            service_map,
          })
        },
      ),
    )
  })
})
