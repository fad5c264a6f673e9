import { describe, expect, it, vi } from 'vitest'
import { localRules, strictRules } from '#shared/adapters/http/address-rules.ts'
import { checkAddress } from '#shared/adapters/http/check-address.ts'
import type { Lookup } from '#shared/adapters/http/lookup.ts'

const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const notFound: Lookup = async () => {
  throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
}

describe('checkAddress', () => {
  it('refuses a literal that the rules refuse, naming the field, without asking the resolver', async () => {
    const lookup = vi.fn(notFound)
    await expect(checkAddress('https://10.0.0.1/', strictRules(), 'url', lookup)).rejects.toMatchObject({
      name: 'Refusal',
      kind: 'invalid',
      details: { field: 'url', reason: 'leads to a private address' },
    })
    expect(lookup).not.toHaveBeenCalled()
  })

  it('refuses a name with one refused answer among good ones and does not tell the address', async () => {
    const refused = checkAddress(
      'https://mixed.test/',
      strictRules(),
      'config.base_url',
      answering('203.0.114.10', '10.9.8.7'),
    )
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', details: { field: 'config.base_url' } })
    await expect(refused).rejects.not.toThrow('10.9.8.7')
  })

  it('takes a public name, a public literal and a name that does not resolve now', async () => {
    await checkAddress('https://ok.test/', strictRules(), 'url', answering('203.0.114.10'))
    await checkAddress('https://8.8.8.8/', strictRules(), 'url', notFound)
    await checkAddress('https://[2606:4700::1111]/', strictRules(), 'url', notFound)
    await checkAddress('https://later.test/', strictRules(), 'url', notFound)
    await checkAddress('https://empty.test/', strictRules(), 'url', answering())
  })

  it('takes a name whose resolver hangs, after two seconds', async () => {
    vi.useFakeTimers()
    try {
      const checked = checkAddress('https://slow.test/', strictRules(), 'url', () => new Promise(() => {}))
      await vi.advanceTimersByTimeAsync(2000)
      await checked
    } finally {
      vi.useRealTimers()
    }
  })

  it('asks the resolver of this machine unless told otherwise', async () => {
    await checkAddress('http://localhost:9090/', localRules(), 'url')
  })
})
