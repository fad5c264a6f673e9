import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import { askApi, openIncident } from './api-request.ts'
import { openPlace, service, signIn, type Tab, tabsOfFile } from './console-in-browser.ts'

const openTab = tabsOfFile()
let tab: Tab
let receiver: TestReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  tab = await openTab()
  await signIn(tab, 'admin')
})
afterAll(() => receiver?.close())

/** More stops than any page has before what is looked for. */
const MOST_STOPS = 120

/** What has the focus: its name, and whether anybody can see that it has it. */
const focused = () =>
  tab.page.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement)) return { name: '', isSeen: false }
    const { labels } = element as HTMLInputElement
    if (element === document.body) return { name: 'nothing', isSeen: false }
    const name = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent ?? ''
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
    return {
      name: name.trim(),
      isSeen:
        outlineStyle !== 'none' &&
        Number.parseFloat(outlineWidth) >= 2 &&
        width > 0 &&
        height > 0 &&
        bottom > 0 &&
        right > 0 &&
        top < window.innerHeight &&
        left < window.innerWidth,
    }
  })

/** Goes on with the key for that until what is looked for has the focus; each stop on the way is seen. */
async function tabTo(name: string | RegExp): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await tab.page.keyboard.press('Tab')
    const now = await focused()
    // Between the last stop and the first lies the browser itself.
    if (now.name === 'nothing' || now.name === '') continue
    expect(now.isSeen, `the focus on ${now.name}`).toBe(true)
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) return
  }
  throw new Error(`no stop is ${String(name)}`)
}
const press = (key: string) => tab.page.keyboard.press(key)
const dialog = () => tab.page.getByRole('dialog')

describe('without a mouse', () => {
  it('a key is made, and the focus is where it was after the dialogs', async () => {
    const { page } = tab
    await openPlace(tab, 'settings/keys', 'API keys')
    await tabTo('Create a key')
    await press('Enter')
    await dialog().waitFor()
    // The first field waits for the name.
    expect((await focused()).name).toBe('Name')
    await page.keyboard.type('By keyboard')
    await tabTo('Plan')
    await press('ArrowDown')
    await tabTo('Create')
    await press('Enter')
    await page.getByText('it is shown this once').waitFor()
    await tabTo('Copy the key')
    await press('Enter')
    await page.getByText('Copied').waitFor()
    await tabTo('Done')
    await press('Enter')
    await dialog().waitFor({ state: 'detached' })
    expect(await focused()).toEqual({ name: 'Create a key', isSeen: true })
    const row = page.getByRole('row').filter({ hasText: 'By keyboard' })
    await row.getByText('enterprise').waitFor()

    await tabTo('Revoke By keyboard')
    await press('Enter')
    await dialog().waitFor()
    await press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(await focused()).toEqual({ name: 'Revoke By keyboard', isSeen: true })
  })

  it('an incident is opened and its evidence checked again', async () => {
    const { page } = tab
    const sample = 'Checkout answers 502 for a third of all orders'
    await openPlace(tab, 'incidents', 'Incidents')
    await page.getByRole('link', { name: sample, exact: true }).waitFor()
    await tabTo(sample)
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: sample }).waitFor()
    await page.getByRole('region', { name: 'Evidence' }).waitFor()
    // The charts come last, and move what is below them.
    await page.getByRole('region', { name: 'Where' }).waitFor()
    // Whoever does not see the page change is led to the beginning of the new one.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    await tabTo('Check again')
    await press('Space')
    await page.getByRole('status').filter({ hasText: 'Checked' }).waitFor()
    expect(await focused()).toEqual({ name: 'Check again', isSeen: true })
  })

  it('a delivery is found and sent again', async () => {
    const { page } = tab
    const made = await askApi('POST', '/webhooks', {
      body: { url: receiver.url, events: ['incident.created'], secret: 'a secret of a test' },
    })
    expect(made.status).toBe(201)
    await openIncident({ title: 'Told by keyboard', severity: 'low' })
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1)
    await openPlace(tab, 'webhooks', 'Webhooks')
    await page.getByRole('link', { name: receiver.url }).waitFor()
    await tabTo(receiver.url)
    await press('Enter')
    await page.getByText('delivered').first().waitFor()
    await tabTo(/^Redeliver incident\.created/)
    await press('Enter')
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2)
    expect(await focused()).toMatchObject({ name: expect.stringMatching(/^Redeliver/), isSeen: true })
    expect((await askApi('DELETE', `/webhooks/${made.body.id}`)).status).toBe(204)
  })
})

describe('to a screen reader', () => {
  it.each([
    ['incidents', 'Incidents'],
    ['ask', 'Ask'],
    ['integrations', 'Integrations'],
    ['webhooks', 'Webhooks'],
    ['settings/keys', 'API keys'],
  ])(
    '%s has its landmarks, one heading that names it, and says in the navigation where it is',
    async (path, heading) => {
      const { page } = tab
      await openPlace(tab, path, heading)
      for (const role of ['banner', 'main', 'navigation'] as const)
        expect(await page.getByRole(role).count(), role).toBe(1)
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading])
      const here = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: heading })
      expect(await here.getAttribute('aria-current')).toBe('page')
      expect(await page.title()).toBe(`${heading} · Incident investigator`)
    },
  )
})

describe('motion', () => {
  it('is there where nobody minds it, and nowhere for those who asked for none', async () => {
    const { page } = tab
    await page.route(/\/v1\/incidents$/, () => {})
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto(`${service.console_url}incidents`)
    await page.getByRole('status').getByText('Loading incidents').waitFor()
    const moving = () => page.evaluate(() => document.getAnimations().length)
    expect(await moving()).toBe(1)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(moving).toBe(0)
    await page.unroute(/\/v1\/incidents$/)
  })
})
