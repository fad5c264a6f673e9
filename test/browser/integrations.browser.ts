import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

const PLACE = { path: 'integrations', heading: 'Integrations' } as const
const card = ({ page }: Tab, text: string) => page.getByRole('listitem').filter({ hasText: text })

describe('an admin', () => {
  let tab: Tab
  beforeAll(async () => {
    tab = await openTab()
    await signIn(tab, 'admin')
    await openPlace(tab, PLACE.path, PLACE.heading)
  })
  afterAll(() => tab?.context.close())

  it('connects a bundle, checks it, disables it, changes it and disconnects it', async () => {
    const { page } = tab
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    await page.getByLabel('Tool', { exact: true }).selectOption('bundle')
    await expectSound(tab, 'the form of a bundle')
    await page.getByLabel('Path').fill('no-such-folder')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()

    // Settings are checked before anything is kept; what was written stays for another try.
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Path').inputValue()).toBe('no-such-folder')
    await expectSound(tab, 'a refused connection')
    await page.getByLabel('Path').fill('sample-outage')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The sample outage is connected already: both cards name it now.
    await expect.poll(() => card(tab, 'sample-outage').count()).toBe(2)
    const newest = card(tab, 'sample-outage').first()
    await newest.getByText('connected', { exact: true }).first().waitFor()

    await expectSound(tab, 'integrations')

    await newest.getByRole('button', { name: /^Settings/ }).click()
    expect(await page.getByLabel('Path').inputValue()).toBe('sample-outage')
    await page.getByLabel('Path').fill('./sample-outage')
    await page.getByRole('button', { name: 'Save and check' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()

    await newest.getByRole('button', { name: /^Check now/ }).click()
    await newest.getByRole('button', { name: /^Check now/ }).waitFor()
    await newest.getByRole('button', { name: /^Disable/ }).click()
    await newest.getByText('disabled').waitFor()
    await newest.getByRole('button', { name: /^Enable/ }).click()
    await newest.getByRole('button', { name: /^Disable/ }).waitFor()

    await newest.getByRole('button', { name: /^Disconnect/ }).click()
    await expectSound(tab, 'the question before a tool is disconnected')
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(() => card(tab, 'sample-outage').count()).toBe(1)
  })

  it('has a form for every type, and is told which field the API refuses', async () => {
    const { page } = tab
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    const types = await page
      .getByLabel('Tool', { exact: true })
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
    expect(types.length).toBeGreaterThan(10)
    for (const type of types) {
      await page.getByLabel('Tool', { exact: true }).selectOption(type)
      expect(await page.getByRole('dialog').getByRole('textbox').count(), type).toBeGreaterThan(0)
    }
    await page.getByLabel('Tool', { exact: true }).selectOption('grafana')
    await expectSound(tab, 'the longest form')
    await page.getByLabel('Base url').fill('https://user:secret@grafana.example.com')
    await page.getByLabel('Token').fill('token')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('must be an http or https address without user').first().waitFor()
    expect(await page.getByLabel('Base url').getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('is told once where a tool that alerts is to send them, and what by', async () => {
    const { page } = tab
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    await page.getByLabel('Tool', { exact: true }).selectOption('alertmanager')
    // Nothing listens there: it is connected all the same, and its card says that it cannot be asked.
    await page.getByLabel('Base url').fill('http://127.0.0.1:9')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const values = page.getByRole('dialog').locator('code')
    await page.getByText('What it proves itself by').waitFor()
    const [address = '', token = ''] = await values.allTextContents()
    await expectSound(tab, 'an ingest address')
    await page.getByRole('button', { name: 'Done' }).click()
    const answer = await request(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ version: '4', groupKey: 'x', status: 'firing', receiver: 'x', alerts: [] }),
    })
    await answer.body.dump()
    expect(answer.statusCode).toBe(202)
    await card(tab, address).waitFor()
    expect(await page.content()).not.toContain(token)
  })

  it('sees each state of the page', () =>
    expectStates(tab, {
      ...PLACE,
      reads: '/integrations',
      nothing: { integrations: [], next_cursor: null },
      says: 'No tool is connected yet.',
    }))

  it('sees hostile texts as texts', () => expectHostileTexts(tab, { ...PLACE, reads: '/integrations' }))

  it('loads little', () => expectLightLoad(tab, PLACE.path, PLACE.heading))
})

describe('a viewer', () => {
  it('sees the tools and nothing to change them with', async () => {
    const tab = await openTab()
    await signIn(tab, 'viewer')
    await openPlace(tab, PLACE.path, PLACE.heading)
    await card(tab, 'sample-outage').waitFor()
    expect(await tab.page.getByRole('button').allTextContents()).toEqual(['Sign out'])
    await expectSound(tab, 'integrations, to a viewer')
    await tab.context.close()
  })
})
