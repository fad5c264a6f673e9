import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import { openIncident } from './api-request.ts'
import {
  expectLightLoad,
  expectOnlyText,
  expectSound,
  expectStates,
  madeHostile,
  openPlace,
  service,
  signIn,
  type Tab,
  tabsOfFile,
} from './console-in-browser.ts'

const PLACE = { path: 'webhooks', heading: 'Webhooks' } as const

const openTab = tabsOfFile()
let receiver: TestReceiver
beforeAll(async () => {
  receiver = await startReceiver('<b>taken</b>')
})
afterAll(() => receiver?.close())

describe('an admin', () => {
  let tab: Tab
  beforeAll(async () => {
    tab = await openTab()
    await signIn(tab, 'admin')
    await openPlace(tab, PLACE.path, PLACE.heading)
  })
  afterAll(() => tab?.context.close())

  it('sees each state of the page', () =>
    expectStates(tab, {
      ...PLACE,
      reads: '/webhooks',
      nothing: { webhooks: [], next_cursor: null },
      says: 'Nobody is subscribed yet.',
    }))

  it('subscribes a receiver, sees its delivery with the attempt, redelivers, pings, rotates and ends it', async () => {
    const { page } = tab
    const { url, received } = receiver
    await openPlace(tab, PLACE.path, PLACE.heading)
    await page.getByRole('button', { name: 'Subscribe a receiver' }).click()
    await page.getByLabel('Address').fill(url)
    const secret = await page.getByLabel('Secret').inputValue()
    await expectSound(tab, 'the form of a subscription')
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await page.getByRole('link', { name: url }).waitFor()
    await expectSound(tab, 'webhooks')
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('link', { name: url }).click()
    await page.getByText('Nothing was sent yet.').waitFor()
    await expectSound(tab, 'a webhook without deliveries')
    const path = page.url().slice(service.console_url.length)
    await expectStates(tab, { path, heading: 'Webhook', reads: `/${path}`, says: url })
    await expectStates(tab, {
      path,
      heading: 'Webhook',
      reads: `/${path}/deliveries`,
      nothing: { deliveries: [], next_cursor: null },
      says: 'Nothing was sent yet.',
    })
    await openPlace(tab, path, 'Webhook')

    await openIncident({ title: 'Checkout fails', severity: 'high' })
    const delivery = page.getByRole('listitem').filter({ hasText: 'incident.created' }).first()
    await expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Refresh' }).click()
          return delivery.getByText('delivered').count()
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBeGreaterThan(0)
    const [sent] = received
    if (sent === undefined) throw new Error('nothing was received')
    // The secret that the page proposed is the one that signs.
    expect(() => new Verifier(secret).verify(sent.body, sent.headers as Record<string, string>)).not.toThrow()
    await delivery.getByText('1 attempt, the last: status 200').click()
    await delivery.getByText('<b>taken</b>').waitFor()
    await expectSound(tab, 'a webhook with a delivery')

    await delivery.getByRole('button', { name: /^Redeliver/ }).click()
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(2)

    await page.getByRole('button', { name: 'Ping' }).click()
    await page.getByText('The receiver took the ping').waitFor()
    expect(received.length).toBe(3)

    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Send again what failed' }).click()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Somebody disabled it.').waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()

    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await page.getByText('Nobody is subscribed yet.').waitFor()
  })

  it('sees hostile texts as texts', async () => {
    const { page } = tab
    const id = 'wh_01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const at = new Date(0).toISOString()
    const webhook = {
      id,
      url: '',
      events: [''],
      status: '',
      disabled_reason: '',
      created_at: at,
      updated_at: at,
    }
    const attempt = { number: 1, at, status: 200, error: '', duration_ms: 1, response: '' }
    const delivery = {
      id: '',
      event: '',
      incident_id: '',
      status: '',
      reason: '',
      trigger: '',
      next_attempt_at: at,
    }
    const answers: readonly (readonly [RegExp, unknown])[] = [
      [/\/v1\/webhooks$/, { webhooks: [webhook], next_cursor: null }],
      [new RegExp(`/v1/webhooks/${id}$`), webhook],
      [
        /\/deliveries$/,
        { deliveries: [{ ...delivery, created_at: at, attempts: [attempt] }], next_cursor: null },
      ],
    ]
    for (const [address, answer] of answers)
      await page.route(address, (route) => route.fulfill({ json: madeHostile(answer, ['id']) }))
    await openPlace(tab, PLACE.path, PLACE.heading)
    await expectOnlyText(tab)
    await expectSound(tab, 'hostile webhooks')
    await openPlace(tab, `webhooks/${id}`, 'Webhook')
    await page.getByText('1 attempt').click()
    await expectOnlyText(tab)
    await expectSound(tab, 'a hostile webhook')
    for (const [address] of answers) await page.unroute(address)
  })

  it('is told that a webhook does not exist', async () => {
    await openPlace(tab, 'webhooks/wh_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'Webhook')
    await tab.page.getByRole('alert').getByText('This does not exist').waitFor()
    await expectSound(tab, 'no such webhook')
  })

  it('loads little', () => expectLightLoad(tab, PLACE.path, PLACE.heading))
})

describe('a viewer', () => {
  it('sees the subscriptions and nothing to change them with', async () => {
    const tab = await openTab()
    await signIn(tab, 'viewer')
    await openPlace(tab, PLACE.path, PLACE.heading)
    await tab.page.getByText('Nobody is subscribed yet.').waitFor()
    expect(await tab.page.getByRole('button').allTextContents()).toEqual(['Sign out'])
    await tab.context.close()
  })
})
