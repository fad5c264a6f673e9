import { describe, expect, it } from 'vitest'
import {
  type KnownNames,
  strangerIn,
  subjectReader,
} from '#shared/domain/investigation/questions/read-subject.ts'
import type { Intent } from '#shared/domain/investigation/questions/ways-to-ask.ts'

const SERVICES = ['checkout-service', 'stock', 'stock-cache', 'Web', 'orders-api', 'orders-worker']
const known: KnownNames = { services: SERVICES, aliases: new Map([['co-prod', 'checkout-service']]) }
const service = (plain: string, of: KnownNames = known) => subjectReader(plain, 'how_is')(of).service
const suspect = (plain: string) => subjectReader(plain, 'why')(known)
const unknown = (plain: string, intent: Intent = 'why') => subjectReader(plain, intent)(known).unknown

describe('the service of a question', () => {
  it.each([
    ['why is stock slow?', 'stock'],
    ['why is web slow?', 'Web'],
    ['how is checkout-service?', 'checkout-service'],
    ['how is checkout?', 'checkout-service'],
    ['how is the checkout service?', 'checkout-service'],
    ['how is checkout_service?', 'checkout-service'],
    ['how is checkoutservice?', 'checkout-service'],
    ['how is co-prod?', 'checkout-service'],
    ['is stock-cache slow?', 'stock-cache'],
    ['is stock cache slow?', 'stock-cache'],
    ['web or stock?', 'Web'],
    ['stock or web?', 'stock'],
    ['how is orders-api?', 'orders-api'],
  ])('in “%s” is %s', (plain, name) => {
    expect(service(plain)).toBe(name)
  })

  it.each([
    'how are you?',
    'is it stocked?',
    'the web-app',
    'orders are slow',
    'livestock',
    'stock-exchange',
    '',
  ])('in “%s” is none', (plain) => {
    expect(service(plain)).toBeNull()
  })

  it('is the longer of two that begin at one place, and the first by name of two alike', () => {
    expect(service('a b', { services: ['a', 'a-b'] })).toBe('a-b')
    expect(service('a b', { services: ['a.b', 'a-b'] })).toBe('a-b')
    expect(service('a b', { services: ['a-b', 'a.b'] })).toBe('a-b')
  })

  it('is told by every sign of its name as that sign', () => {
    expect(service('c+d', { services: ['c+d'] })).toBe('c+d')
    expect(service('ccd', { services: ['c+d'] })).toBeNull()
    expect(service('anything', { services: ['', ' '] })).toBeNull()
    expect(service('anything', { services: [] })).toBeNull()
  })
})

describe('what is suspected', () => {
  it.each([
    ['could it be a network problem instead of the deploy?', 'network problem'],
    ['is it the cache rather than the release?', 'cache'],
    ['was it the deploy and not the traffic?', 'deploy'],
    ['is it the cache not evicting?', 'cache'],
  ])('in “%s” is “%s” alone', (plain, words) => {
    expect(suspect(plain).suspect).toBe(words)
  })
})

describe('the name of a change that is suspected', () => {
  it.each([
    ['deploy of warehouse', 'warehouse'],
    ['change in the warehouse', 'warehouse'],
    ['warehouse-api release', 'warehouse-api'],
    ['feature flag new_checkout', 'new_checkout'],
    ['upgrade of redis-main.', 'redis-main'],
  ])('in “%s” is %s', (words, name) => {
    expect(strangerIn(words)).toBe(name)
  })

  it.each([
    'deploy',
    'deploy of last night',
    'deploy on friday',
    'bad release',
    'warehouse',
    'lack of memory',
  ])('in “%s” is none', (words) => {
    expect(strangerIn(words)).toBeNull()
  })
})

describe('what an answer is doubted for', () => {
  const doubted = (plain: string) => subjectReader(plain, 'what_contradicts')(known)

  it.each([
    ['why not dns?', 'dns', null],
    ["why isn't it stock?", 'stock', 'stock'],
    ["are you sure it's not web", 'Web', 'Web'],
    ['you sure its a certificate?', 'certificate', null],
    ['what speaks for the network', 'network', null],
    ['did you rule out a bad deploy?', 'bad deploy', null],
    ["any proof that it wasn't the queue", 'queue', null],
    ['how sure are you?', null, null],
    ['is there evidence against this?', null, null],
    ['what speaks against stock', null, 'stock'],
  ])('in “%s” is %s', (plain, words, name) => {
    expect(doubted(plain)).toMatchObject({ suspect: words, service: name })
  })
})

describe('who is left out of what changed', () => {
  const read = (plain: string, intent: 'what_changed' | 'how_is' = 'what_changed') =>
    subjectReader(plain, intent)({ services: ['stock', 'web'] })
  it.each([
    'what else changed besides stock',
    'anything deployed today except for the stock service',
    'which deploys other than stock',
  ])('is who “%s” names, and is not what it is about', (plain) => {
    expect(read(plain)).toMatchObject({ service: null, unknown: null, except: 'stock' })
  })
  it('is nobody where nobody is, and where anything else is asked', () => {
    expect(read('what changed in stock')).not.toHaveProperty('except')
    expect(read('how is everything besides stock', 'how_is')).not.toHaveProperty('except')
    expect(read('what changed in web besides stock')).toMatchObject({ service: 'web', except: 'stock' })
  })
})

describe('an answer that is doubted in another sentence', () => {
  it('is doubted for what that sentence suspects', () => {
    const read = subjectReader('are you sure? could it be the db', 'what_contradicts')
    expect(read({ services: ['stock'] })).toMatchObject({ suspect: 'db' })
    expect(subjectReader('are you sure?', 'what_contradicts')({ services: [] })).toMatchObject({
      suspect: null,
    })
  })
})

describe('the change that something is asked to have begun with', () => {
  const begun = (plain: string) => subjectReader(plain, 'when_started')(known)

  it.each([
    ['did it start with the stock deploy?', 'stock', 'stock'],
    ['did web start failing after the stock release', 'stock', 'Web'],
    ['did it begin before the payments rollout', 'payments', null],
    ['did it start with the deploy', null, null],
    ['did it start after the last deploy', null, null],
    ['since when is stock down', null, 'stock'],
  ])('in “%s” is that of %s', (plain, suspected, name) => {
    expect(begun(plain)).toMatchObject({ suspect: suspected, service: name })
  })
})

describe('a name that stands beside how it does', () => {
  it.each(['mercury slow?', 'the mercury down!', 'and mercury ok?'])(
    'is told where nobody knows it: “%s”',
    (plain) => {
      expect(unknown(plain)).toBe('mercury')
    },
  )

  it.each(['everything down', 'totally broken', 'still failing?', 'never healthy'])(
    'is none in “%s”',
    (plain) => {
      expect(unknown(plain)).toBeNull()
    },
  )
})

describe('a name that nobody knows', () => {
  it.each([
    ['what version of postgres do we run?', 'what_changed', 'postgres'],
    ['which release of the mercury is live', 'what_changed', 'mercury'],
    ['which version of the app is live', 'what_changed', null],
    ['how many incidents were caused by stock?', 'count_incidents', null],
    ['how often was mercury down', 'count_incidents', 'mercury'],
    ['what is the status of inc_01m8f8737xtsnkjn6h6591kjkz?', 'how_is', null],
    ['why is inc_01m8f8737xtsnkjn6h6591kjkz open?', 'why', null],
  ] as const)('is, in “%s” (%s), %s', (plain, intent, name) => {
    expect(unknown(plain, intent)).toBe(name)
  })
})

describe('services that are named together', () => {
  const others = (plain: string) => subjectReader(plain, 'how_is')(known).others

  it.each([
    ['how are stock and web?', ['Web']],
    ['what changed in stock, web and the checkout service?', ['Web', 'checkout-service']],
    ['stock or web?', ['Web']],
    ['is stock/web down?', ['Web']],
    ['is stock up? is web up?', ['Web']],
    ['how is stock doing? and our web?', ['Web']],
    ['stock, our web, co-prod, orders-api, orders-worker', ['Web', 'checkout-service', 'orders-api']],
  ])('in “%s” are %s', (plain, names) => {
    expect(others(plain)).toEqual(names)
  })

  it.each([
    'how is stock?',
    'how is stock since the release of web?',
    'how is stock cache?',
    'how is stock? it was fine before web was released',
    'how are stock and stock?',
    'how are checkout and co-prod?',
  ])('in “%s” are none', (plain) => {
    expect(others(plain)).toEqual([])
  })
})

describe('a name however it is written', () => {
  it('has any one sign or none between its words, however many stand there in its own', () => {
    for (const name of ['x-y', 'x--y', 'x-_y', 'x . y'])
      for (const plain of ['how is x-y?', 'how is x y?', 'how is x_y?', 'how is x.y?', 'how is xy?'])
        expect([plain, service(plain, { services: [name] })]).toEqual([plain, name])
    expect(service('how is x--y?', { services: ['x-y'] })).toBeNull()
  })

  it('has no shorter form where nothing of it only says what it is', () => {
    expect(service('how is null?', { services: ['stock', 'web'] })).toBeNull()
  })

  it('is the first in the question, whatever their lengths', () => {
    expect(service('is web slower than stock-cache?')).toBe('Web')
    expect(service('is stock-cache slower than web?')).toBe('stock-cache')
  })
})

describe('what a question takes for the cause', () => {
  it.each([
    ['did the deploy of orders-api cause it?', 'orders-api'],
    ['is it true that the database caused the outage?', 'database'],
    ["isn't it likely that stock broke checkout?", 'stock'],
    ['is it untrue that stock broke checkout?', 'stock'],
    ['is it not the case that stock broke checkout?', 'stock'],
    ['could the database cause this?', 'database'],
    ['is stock slow because of the new index?', 'new index'],
    ['is stock slow due to web?', 'Web'],
    ['errors caused by stock-cache, right', 'stock-cache'],
    ["is it web's fault?", 'Web'],
    ['is it the cache that breaks stock?', 'cache'],
    ['did web break stock?', 'Web'],
    ['surely a bad deploy is to blame', 'bad deploy'],
    ['is it the database?', 'database'],
    ['was it dns?', 'dns'],
    ['could it be our cache?', 'cache'],
    ['is it traffic, or something else?', 'traffic'],
    ['was it dns', 'dns'],
    ['could it be the cache ?', 'cache'],
    ['would the theme cause it?', 'theme'],
    ['could another cause it?', 'another'],
    ['did what-if cause it?', 'what-if'],
    ['did whatnot cause it?', 'whatnot'],
    ['did somewhat cause it?', 'somewhat'],
  ])('in “%s” is %s', (plain, name) => {
    expect(suspect(plain).suspect).toBe(name)
  })

  it.each([
    'why is stock slow?',
    'did it cause this?',
    'was that because of this?',
    'is it the thing?'.replace('the thing', 'it'),
    '',
  ])('in “%s” is nothing', (plain) => {
    expect(suspect(plain).suspect).toBeNull()
  })

  it('is no service that the question is about, and only a why has one', () => {
    expect(suspect('did web break stock?')).toEqual({
      service: 'stock',
      others: [],
      suspect: 'Web',
      unknown: null,
      slip: null,
    })
    expect(subjectReader('did web break stock?', 'how_is')(known)).toMatchObject({
      service: 'Web',
      suspect: null,
    })
  })
})

describe('a name that nobody knows', () => {
  it.each([
    ['why is warehouse slow?', 'warehouse'],
    ['why are the warehouses slow?', 'warehouses'],
    ["why can't warehouse connect?", 'warehouse'],
    ["what is wrong with warehouse's queue?", 'warehouse'],
    ['what changed in our warehouse.', 'warehouse'],
    ['latency of warehouse', 'warehouse'],
    ['what did warehouse deploy?', 'warehouse'],
    ['how is the warehouse?', 'warehouse'],
    ['and how are warehouse today?', 'warehouse'],
    ['is warehouse still down?', 'warehouse'],
    ['is warehouse down?', 'warehouse'],
    ['does the warehouse work?', 'warehouse'],
    ['the warehouse keeps failing', 'warehouse'],
    ['show me everything of ware-service', 'ware-service'],
    ['anything about ware_gateway please', 'ware_gateway'],
  ])('in “%s” is %s', (plain, name) => {
    expect(unknown(plain)).toBe(name)
  })

  it.each([
    'why is it slow?',
    'why is everything slow?',
    'what changed in production?',
    'how are things?',
    'is the site down?',
    'which is slow?',
    'sev1 is open',
    'how many incidents in october?',
    'incidents of q3',
    'what changed on monday?',
    'what is the impact in percent?',
    'why is x slow?',
    '',
  ])('in “%s” is none', (plain) => {
    expect(unknown(plain)).toBeNull()
  })

  it('is none beside a service that is known', () => {
    expect(unknown('why is stock slower than warehouse is?')).toBeNull()
  })

  it('is looked for in more places where incidents are counted', () => {
    for (const intent of ['count_incidents', 'seen_before'] as const) {
      expect(unknown('how often did warehouse fail?', intent)).toBe('warehouse')
      expect(unknown('the first time that warehouse failed?', intent)).toBe('warehouse')
    }
    expect(unknown('how often did warehouse fail?', 'why')).toBeNull()
    expect(unknown('how often did it fail?', 'count_incidents')).toBeNull()
  })
})

describe('a name that nobody knows', () => {
  it.each([
    ['is it safe to roll back payments?', 'payments'],
    ['should we roll back payments to version 1?', 'payments'],
    ['roll back the payments service', 'payments'],
    ['would rolling back payments help?', 'payments'],
    ['can i roll payments back?', 'payments'],
    ['revert payments?', 'payments'],
  ])('stands in “%s”, which is asked of it and of nothing else', (plain, name) => {
    expect(unknown(plain, 'should_roll_back')).toBe(name)
  })

  it.each([
    'should i roll back?',
    'should we roll back to v41?',
    'roll back now or wait?',
    'should we roll back the deploy?',
    'should we roll back immediately?',
    'is rolling back safe?',
    'is rolling back worth it?',
    'is a roll back needed?',
    'should i roll back everything?',
    'would a rollback help?',
    'can we roll it back?',
    'should we roll this back',
    'roll back stock?',
    'should i roll back because of this?',
  ])('is none in “%s”', (plain) => {
    expect(unknown(plain, 'should_roll_back')).toBeNull()
  })

  it.each([
    ['is payments affected?', 'payments'],
    ['did it affect payments', 'payments'],
    ['has the outage reached payments too?', 'payments'],
    ['does it affect users', null],
    ['did it hit the db', null],
    ['and is our billing impacted by this?', 'billing'],
    ['who depends on payments?', 'payments'],
    ['is anyone affected?', null],
    ['are customers affected?', null],
    ['is stock affected?', null],
    ['who depends on it?', null],
  ])('in “%s”, which asks what is affected, is %s', (plain, name) => {
    expect(unknown(plain, 'what_is_affected')).toBe(name)
  })
})

describe('somebody unknown of whose calls is asked', () => {
  it.each([
    'who calls payments?',
    'who calls the payments service?',
    'what does payments depend on?',
    'what talks to payments',
  ])('is named: “%s”', (plain) => {
    expect(unknown(plain, 'what_is_affected')).toBe('payments')
  })

  it.each(['who calls for help', 'what depends on it?', 'who do i call?'])('is nobody in “%s”', (plain) => {
    expect(unknown(plain, 'what_is_affected')).toBeNull()
  })
})

describe('what somebody claims and wants a yes to', () => {
  const suspect = (plain: string) =>
    subjectReader(plain, 'why')({ services: ['stock', 'pricing', 'card-network'] }).suspect
  it.each([
    ["it's the card network again isn't it", 'card-network'],
    ["it's pricing, right?", 'pricing'],
    ["so it's dns then", 'dns'],
    ['everything was fine until the flag, no?', 'flag'],
    ['since stock v77 it fails, correct?', 'stock'],
    ["tell me dana didn't break it", 'dana'],
    ["was it really dana's commit", "dana's commit"],
    ['network issue between stock and pricing?', 'network'],
  ])('is what it suspects: “%s”', (plain, meant) => {
    expect(suspect(plain)).toBe(meant)
  })

  it.each([
    "it's over, right?",
    "it's getting worse, no?",
    "it's slow again, right?",
    'it was fine until 14:30',
  ])('is no suspicion where it tells how things are: “%s”', (plain) => {
    expect(suspect(plain)).toBeNull()
  })
})
