import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  type AddressRules,
  addressRefusal,
  allowedNetworks,
  classOf,
  localRules,
  strictRules,
  urlRefusal,
} from '#shared/adapters/http/address-rules.ts'
import { outsideFile } from '#test/outside-data.ts'

interface HostileUrls {
  readonly literal: readonly string[]
  readonly malformed: readonly string[]
  readonly names: Readonly<Record<string, readonly string[]>>
}
const hostile = JSON.parse(
  readFileSync(new URL('../data/hostile-urls.json', import.meta.url), 'utf8'),
) as HostileUrls

const OWN = ['own.test', 'api.own.test:8443']
const strict = strictRules(OWN)
/** http is allowed, so that only the address can be the reason of a refusal. */
const publicOnly: AddressRules = { ...strict, http: true }

describe('the corpus of hostile addresses', () => {
  it('holds at least 100 addresses, each once', () => {
    const all = [...hostile.literal, ...hostile.malformed, ...Object.keys(hostile.names)]
    expect(all.length).toBeGreaterThanOrEqual(100)
    expect(new Set(all).size).toBe(all.length)
  })

  it.each(hostile.literal)('refuses %s for its address, with http and with https', (template) => {
    const url = template.replace('PORT', '8080')
    expect(urlRefusal(url, publicOnly)).toMatch(/^leads to a (loopback|private|metadata|reserved) address$/)
    expect(urlRefusal(url.replace('http:', 'https:'), strict)).toMatch(/^leads to a/)
    expect(urlRefusal(url, strict)).toBe('must be an https address')
  })

  it.each(hostile.malformed)('refuses the malformed or looping %j', (template) => {
    const url = template.replace('PORT', '8080')
    expect(urlRefusal(url, publicOnly)).toBeTypeOf('string')
    expect(urlRefusal(url, strict)).toBeTypeOf('string')
  })

  it.each(Object.entries(hostile.names))('refuses the name %s for its answers %j', (name, answers) => {
    expect(urlRefusal(`https://${name}/`, strict)).toBeUndefined()
    expect(urlRefusal(`https://${name}/`, strict, answers)).toMatch(/^leads to a/)
  })
})

describe('outside vectors', () => {
  const vectors = outsideFile('ssrf', 'ip-vectors.json')
  test.skipIf(vectors === undefined)(
    'gives every outside address its verdict (not run without INCIDENT_DATA: 43 addresses)',
    () => {
      const { vectors: all } = JSON.parse(vectors ?? '') as {
        vectors: { ip: string; allowed: boolean }[]
      }
      expect(all.length).toBeGreaterThanOrEqual(43)
      expect(all.filter(({ ip, allowed }) => (classOf(ip) === 'public') !== allowed)).toEqual([])
    },
  )

  const urls = outsideFile('ssrf', 'hostile-urls.json')
  test.skipIf(urls === undefined)(
    'refuses every outside URL and name (not run without INCIDENT_DATA: 51 URLs, 5 names)',
    () => {
      const data = JSON.parse(urls ?? '') as { urls: string[]; dns: Record<string, string[]> }
      expect(data.urls.length).toBeGreaterThanOrEqual(51)
      for (const url of data.urls) {
        expect([url, urlRefusal(`${url}:8080`, publicOnly)]).toEqual([url, expect.any(String)])
        const secure = `${url.replace('http:', 'https:')}:8080`
        expect([url, urlRefusal(secure, strict)]).toEqual([url, expect.any(String)])
      }
      const resolved = Object.entries(data.dns).filter(([, answers]) =>
        answers.every((answer) => !answer.includes(' ')),
      )
      expect(resolved.length).toBeGreaterThanOrEqual(5)
      for (const [name, answers] of resolved) {
        expect([name, urlRefusal(`https://${name}/`, strict, answers)]).toEqual([name, expect.any(String)])
      }
    },
  )
})

describe('classOf', () => {
  it.each([
    ['1.1.1.1', 'public'],
    ['126.255.255.255', 'public'],
    ['128.0.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['223.255.255.255', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['2001:4860:4860::8888', 'public'],
    ['2001:200::1', 'public'],
    ['2606:4700::1111', 'public'],
    ['2600:1f00::1', 'public'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.9.9.9', 'loopback'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['169.254.169.254', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['::', 'reserved'],
    ['1fff::1', 'reserved'],
    ['4000::', 'reserved'],
    ['fe80::1%lo', 'reserved'],
    ['127.1', 'reserved'],
    ['', 'reserved'],
  ])('calls %s %s', (address, kind) => {
    expect(classOf(address)).toBe(kind)
  })

  it('gives an IPv4 address and its mapped spellings one class', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        expect(classOf(`::ffff:${address}`)).toBe(classOf(address))
        expect(classOf(`::ffff:${hex}`)).toBe(classOf(address))
        expect(classOf(`0:0:0:0:0:FFFF:${hex}`)).toBe(classOf(address))
      }),
    )
  })

  it('agrees with the class of the same number written as decimal, octal or hexadecimal in a URL', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(10, 8, 16), (address, base) => {
        const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
        const written = { 10: String(number), 8: `0${number.toString(8)}`, 16: `0x${number.toString(16)}` }[
          base
        ]
        const refusal = urlRefusal(`https://${written}/`, strictRules())
        expect(refusal === undefined).toBe(classOf(address) === 'public')
      }),
    )
  })

  it('never calls an address outside of 2000::/3 public', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
        const first = Number.parseInt(host.startsWith(':') ? '0' : (host.split(':')[0] ?? '0'), 16)
        if (classOf(address) === 'public' && !host.startsWith('::ffff:')) {
          expect(first & 0xe000).toBe(0x2000)
        }
      }),
    )
  })
})

describe('the rules', () => {
  it('let public https addresses on any port through', () => {
    for (const url of ['https://receiver.test/a?b=c', 'https://receiver.test:8443/', 'https://8.8.8.8/']) {
      expect(urlRefusal(url, strict, ['203.0.114.10', '2606:4700::1111'])).toBeUndefined()
    }
  })

  it('refuse an address longer than 2048 characters', () => {
    const url = `https://receiver.test/${'a'.repeat(2027)}`
    expect(urlRefusal(url.slice(0, 2048), strict)).toBeUndefined()
    expect(urlRefusal(url, strict)).toBe('must not be longer than 2048 characters')
  })

  it('of the local runner allow http and this machine, and nothing private', () => {
    const local = localRules(['127.0.0.1:3000'])
    expect(urlRefusal('http://127.0.0.1:9090/', local)).toBeUndefined()
    expect(urlRefusal('http://localhost:9090/', local, ['127.0.0.1', '::1'])).toBeUndefined()
    expect(urlRefusal('http://[::1]:9090/', local)).toBeUndefined()
    expect(urlRefusal('http://receiver.test/', local, ['203.0.114.10'])).toBeUndefined()
    expect(urlRefusal('http://10.0.0.1/', local)).toBe('leads to a private address')
    expect(urlRefusal('http://169.254.169.254/', local)).toBe('leads to a metadata address')
    expect(urlRefusal('http://0.0.0.0:9090/', local)).toBe('leads to a reserved address')
    expect(urlRefusal('ftp://receiver.test/', local)).toBe('must be an http or https address')
  })

  it('refuse our own port under every name of this machine', () => {
    const local = localRules(['127.0.0.1:3000'])
    const self = 'leads to this service itself'
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', 'x.localhost']) {
      expect(urlRefusal(`http://${host}:3000/v1`, local)).toBe(self)
    }
    expect(urlRefusal('http://alias.test:3000/', local, ['127.0.0.1'])).toBe(self)
    expect(urlRefusal('http://alias.test:3001/', local, ['127.0.0.1'])).toBeUndefined()
  })

  it('refuse our own host on the default port when that port is the one named', () => {
    const rules = strictRules(['own.test:443'])
    expect(urlRefusal('https://own.test/', rules)).toBe('leads to this service itself')
    expect(urlRefusal('https://own.test:8443/', rules)).toBeUndefined()
  })

  it.each(['', 'https://own.test', 'own.test/v1', 'user@own.test', 'own.test:99999', '::1'])(
    'cannot be made with %j as an own host',
    (entry) => {
      expect(() => strictRules([entry])).toThrow(RangeError)
    },
  )
})

describe('allowedNetworks', () => {
  const rules = strictRules(
    [],
    allowedNetworks(['10.20.0.0/16', 'fd12::/16', '192.168.1.5', 'prometheus.corp.test', '0.0.0.0/0']),
  )
  const narrow = strictRules([], allowedNetworks(['10.20.0.0/16', 'fd12::/16', 'prometheus.corp.test.']))

  it('opens private addresses, also for http', () => {
    expect(urlRefusal('https://10.20.1.1:9090/', narrow)).toBeUndefined()
    expect(urlRefusal('http://10.20.1.1:9090/', narrow)).toBeUndefined()
    expect(urlRefusal('http://[::ffff:10.20.1.1]:9090/', narrow)).toBeUndefined()
    expect(urlRefusal('http://[fd12::5]/', narrow)).toBeUndefined()
    expect(urlRefusal('http://prometheus.corp.test/', narrow, ['10.9.9.9'])).toBeUndefined()
    expect(urlRefusal('http://Prometheus.corp.test./', narrow, ['10.9.9.9'])).toBeUndefined()
  })

  it('opens nothing beside what is named', () => {
    expect(urlRefusal('https://10.21.1.1/', narrow)).toBe('leads to a private address')
    expect(urlRefusal('https://other.corp.test/', narrow, ['10.9.9.9'])).toBe('leads to a private address')
    expect(urlRefusal('http://receiver.test/', narrow, ['203.0.114.10'])).toBe('must be an https address')
    expect(urlRefusal('https://mixed.test/', narrow, ['10.20.0.1', '10.99.0.1'])).toBe(
      'leads to a private address',
    )
  })

  it('never opens metadata, this machine or reserved ranges, however wide the entry or whatever the name', () => {
    for (const host of ['169.254.169.254', '127.0.0.1', '100.100.100.200', '0.0.0.0', '168.63.129.16']) {
      expect(urlRefusal(`https://${host}/`, rules)).toMatch(/^leads to a/)
      expect(urlRefusal('https://prometheus.corp.test/', rules, [host])).toMatch(/^leads to a/)
    }
    const everything = strictRules([], allowedNetworks(['::/0', '0.0.0.0/0']))
    for (const host of ['[::1]', '[fd00:ec2::254]', '[64:ff9b::a00:1]', '[fe80::1]', '[2002:a00:1::]']) {
      expect(urlRefusal(`https://${host}/`, everything)).toMatch(/^leads to a/)
    }
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0.0/8/8',
    'fd00::/129',
    'fe80::1%eth0',
    'a b',
    '',
    'x/8',
    '-/',
  ])('refuses the entry %j by name', (entry) => {
    expect(() => allowedNetworks([entry])).toThrow(JSON.stringify(entry))
  })
})

describe('addressRefusal', () => {
  it('refuses what is no address: a peer that is already gone reports none', () => {
    expect(addressRefusal(new URL('https://receiver.test/'), '', strict)).toBe('leads to a reserved address')
  })
})
