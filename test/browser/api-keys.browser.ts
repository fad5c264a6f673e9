import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askApi } from './api-request.ts'
import {
  expectHostileTexts,
  expectLightLoad,
  expectSound,
  expectStates,
  openPlace,
  signIn,
  type Tab,
  tabsOfFile,
} from './console-in-browser.ts'

const openTab = tabsOfFile()

const KEYS = { path: 'settings/keys', heading: 'API keys' } as const

const ask = async (key: string) =>
  (await askApi('POST', '/query', { key, body: { query: 'Which incidents are open?' } })).status

/** The row of a key in the list. */
const rowOf = ({ page }: Tab, name: string) => page.getByRole('row').filter({ hasText: name })

describe('an admin', () => {
  let tab: Tab
  beforeAll(async () => {
    tab = await openTab()
    await signIn(tab, 'admin')
    await openPlace(tab, KEYS.path, KEYS.heading)
  })
  afterAll(() => tab?.context.close())

  it('makes an Assistant key, uses it, sees it without its value, rotates and revokes it', async () => {
    const { page } = tab
    await page.getByRole('button', { name: 'Create a key' }).click()
    await expectSound(tab, 'the form of a new key')
    await page.getByLabel('Name').fill('Chat of the team')
    await page.getByLabel('May do').selectOption('assistant')
    await page.getByRole('button', { name: 'Create', exact: true }).click()

    const value = page.getByRole('dialog').locator('code')
    const first = (await value.textContent()) ?? ''
    expect(first).toMatch(/^iis_\w+_ast_[A-Za-z0-9]{36}$/)
    await page.getByRole('button', { name: 'Copy the key' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first)
    await expectSound(tab, 'the value of a new key')
    await page.getByRole('button', { name: 'Done' }).click()

    expect(await ask(first)).toBe(200)
    expect((await askApi('GET', '/incidents', { key: first })).status).toBe(403)

    const row = rowOf(tab, 'Chat of the team')
    await row.waitFor()
    await expectSound(tab, 'the list of keys')
    expect(await page.content()).not.toContain(first)
    expect(await row.textContent()).toContain(first.slice(-4))
    await page.reload()
    await row.waitFor()
    expect(await page.content()).not.toContain(first)

    await page.getByRole('button', { name: 'Rotate Chat of the team' }).click()
    await page.getByLabel('Does the present value still count?').selectOption('0')
    await expectSound(tab, 'the form of a rotation')
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('heading', { name: 'The value of Chat of the team' }).waitFor()
    const second = (await value.textContent()) ?? ''
    expect(second).not.toBe(first)
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await ask(first)).toBe(401)
    expect(await ask(second)).toBe(200)

    await page.getByRole('button', { name: 'Revoke Chat of the team' }).click()
    await expectSound(tab, 'the question before a revocation')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await ask(second)).toBe(200)
    await page.getByRole('button', { name: 'Revoke Chat of the team' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('revoked').waitFor()
    expect(await ask(second)).toBe(401)
  })

  it('is told which field the API refuses, and loses nothing of what was written', async () => {
    const { page } = tab
    await page.getByRole('button', { name: 'Create a key' }).click()
    // A space passes the browser's own check of a required field.
    await page.getByLabel('Name').fill(' ')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('sees each state of the page', () =>
    expectStates(tab, {
      ...KEYS,
      reads: '/keys',
      nothing: { keys: [], next_cursor: null },
      says: 'There are no keys yet.',
    }))

  it('sees hostile texts as texts', () => expectHostileTexts(tab, { ...KEYS, reads: '/keys' }))

  it('loads little', () => expectLightLoad(tab, KEYS.path, KEYS.heading))
})

describe('a viewer', () => {
  it('is offered nothing to change, and what they send all the same is refused', async () => {
    const tab = await openTab()
    const told = tab.page.waitForResponse((response) => response.url().endsWith('/oauth2/token'))
    await signIn(tab, 'viewer')
    const { access_token } = (await (await told).json()) as { access_token: string }
    await openPlace(tab, KEYS.path, KEYS.heading)
    await tab.page.getByText('Administrators manage API keys.').waitFor()
    expect(await tab.page.getByRole('button').allTextContents()).toEqual(['Sign out'])
    await expectSound(tab, 'keys, to a viewer')
    for (const path of ['/keys', '/incidents', '/integrations', '/webhooks', '/signals'])
      expect((await askApi('POST', path, { key: access_token, body: {} })).status, path).toBe(403)
    expect(await ask(access_token)).toBe(200)
    await tab.context.close()
  })
})
