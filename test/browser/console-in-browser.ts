import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { chromiumPath } from './chromium.ts'

/** The widths at which every page is looked at. */
export const WIDTHS = { wide: 1280, narrow: 400 } as const
const HEIGHT = 800
/** Long enough for a page on a busy machine; what never comes fails by it. */
const MOST_WAIT_MS = 15_000

export const service = inject('service')

async function startBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('there is no Chromium')
  return chromium.launch({
    executablePath,
    // Containers give neither the namespaces of its sandbox nor a large /dev/shm; only this console is loaded in it.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** A tab in which nobody is signed in yet, with what went wrong in it. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page and refusals of its policy; must stay empty. */
  readonly wrong: string[]
  /** Durations of long tasks of the present page, ms. */
  longTasks(): Promise<readonly number[]>
}

/**
 * Starts a browser for the tests of a file, and ends it after them.
 * @returns opens a tab in it, as another person would: with cookies and storage of its own
 */
export function tabsOfFile(): () => Promise<Tab> {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  return () => {
    if (browser === undefined) throw new Error('the browser has not started yet')
    return openTab(browser)
  }
}

async function openTab(
  browser: Browser,
  storageState: Awaited<ReturnType<BrowserContext['storageState']>> = { cookies: [], origins: [] },
): Promise<Tab> {
  const context = await browser.newContext({
    storageState,
    viewport: { width: WIDTHS.wide, height: HEIGHT },
    permissions: ['clipboard-read', 'clipboard-write'],
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(MOST_WAIT_MS)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('dialog', (dialog) => {
    wrong.push(`a dialog of the browser: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const text = message.text()
    // Refused requests are what some tests are about; they are told by the page itself.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) wrong.push(text)
  })
  await page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(Math.round(duration))
    }).observe({ type: 'longtask', buffered: true } as PerformanceObserverInit)
  })
  return {
    page,
    context,
    wrong,
    longTasks: () => page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks),
  }
}

/** Signs somebody in, from the console's first page on. */
export async function signIn({ page }: Tab, user: 'admin' | 'viewer'): Promise<void> {
  await page.goto(service.console_url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(service.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Opens a page by its address, as a link from a colleague does: who is signed in stays so. */
export async function openPlace({ page }: Tab, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(`${service.console_url}${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

/** What axe-core finds against WCAG 2.2 AA and its own best practices. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated and not loaded: the page's policy would refuse a script of another origin, as it should.
  await page.evaluate(axe.source)
  const results = await page.evaluate(async () => {
    const { violations: found } = await (window as unknown as { axe: typeof axe }).axe.run()
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  })
  return results
}

/** What is drawn wrongly: a page wider than its window, controls over each other, text that is cut. */
function misdrawn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > window.innerWidth) found.push(`the page is ${scrollWidth} px wide`)
    const within: ParentNode = document.querySelector('dialog[open]') ?? document
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()} ${(element.textContent ?? '').trim().slice(0, 40)}`
    const controls = [...within.querySelectorAll('a, button, input, select, textarea, summary')].filter(
      (element) => element.checkVisibility() && element.closest('.unseen, .skip') === null,
    )
    const boxes = controls.map((element) => element.getBoundingClientRect())
    for (const [index, one] of controls.entries()) {
      for (const [other, two] of controls.entries()) {
        const [a, b] = [boxes[index], boxes[other]]
        if (other <= index || a === undefined || b === undefined) continue
        if (one.contains(two) || two.contains(one)) continue
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (across > 1 && down > 1) found.push(`${nameOf(one)} and ${nameOf(two)} overlap`)
      }
    }
    for (const element of within.querySelectorAll('*')) {
      if (!element.checkVisibility() || element.closest('.unseen, .skip, svg, canvas, noscript') !== null)
        continue
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
      )
      const { overflowX, display } = getComputedStyle(element)
      if (!hasText || display === 'inline' || overflowX === 'auto' || overflowX === 'scroll') continue
      if (element.scrollWidth > element.clientWidth + 1) found.push(`the text of ${nameOf(element)} is cut`)
    }
    return found
  })
}

/** Folder that people look through after a run; nothing is kept without one. */
const { PICTURES } = process.env

/** Keeps how a page looks; a dialog is larger than what lies behind it, so the page is not taken whole then. */
async function takePicture(page: Page, what: string): Promise<void> {
  if (PICTURES === undefined) return
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  const name = what.replaceAll(/[^\w]+/g, '-')
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage, animations: 'disabled' })
}

/** Looks at what the tab shows now at both widths, in light and dark; leaves it wide and light. */
export async function expectSound({ page, wrong }: Tab, what: string): Promise<void> {
  for (const [name, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const where = `${what}, ${name}, ${colorScheme}`
      expect(await violations(page), where).toEqual([])
      expect(await misdrawn(page), where).toEqual([])
      await takePicture(page, where)
    }
  }
  await page.setViewportSize({ width: WIDTHS.wide, height: HEIGHT })
  await page.emulateMedia({ colorScheme: 'light' })
  expect(wrong, what).toEqual([])
}

/** A text that would run, or show, if anything took it for markup. */
export const HOSTILE = `<img src=x onerror="window.ran=1"><b>bold</b>"'\`javascript:window.ran=1//\${7*7}{{7*7}}`

/** The answer with every text in it replaced by a hostile one, but for the names that `keep` gives. */
export function madeHostile(value: unknown, keep: readonly string[] = [], name = ''): unknown {
  if (typeof value === 'string') return keep.includes(name) ? value : HOSTILE
  if (Array.isArray(value)) return value.map((each) => madeHostile(each, keep, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'next_cursor' ? null : madeHostile(each, keep, key),
    ]),
  )
}

/** Nothing of a hostile text became an element, a program or a link that runs. */
export async function expectOnlyText({ page }: Tab): Promise<void> {
  await page.getByText('onerror=').first().waitFor()
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
  expect(await page.locator('main img, main b, main script, main iframe').count()).toBe(0)
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol))
  expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])
}

/** A page that shows a list. */
export interface ReadingPage {
  /** Place of the page, and its heading. */
  readonly path: string
  readonly heading: string
  /** Path below the API that it reads. */
  readonly reads: string
}

/**
 * Gives a page its list with every text in it hostile: it shows them as texts, drawn soundly.
 * @param keep names of what stays as it is
 */
export async function expectHostileTexts(
  tab: Tab,
  { path, heading, reads }: ReadingPage,
  keep: readonly string[] = [],
): Promise<void> {
  const { page } = tab
  const address = new RegExp(`/v1${reads}$`)
  await page.route(address, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: madeHostile(await answer.json(), keep) })
  })
  await openPlace(tab, path, heading)
  await expectOnlyText(tab)
  await expectSound(tab, `hostile texts in ${heading}`)
  await page.unroute(address)
}

/** What a page says in each of its states. */
export interface StatefulPage extends ReadingPage {
  /** What is answered once nothing fails, such as a list without anything in it; without it, what the service answers. */
  readonly nothing?: unknown
  /** What the page says then. */
  readonly says: string
}

const error = (code: string, message: string) =>
  JSON.stringify({ error: { code, message, details: { request_id: 'request-1' } } })

/** Goes through the states of a page: loading, there (or empty), failed, limited; each drawn soundly. */
export async function expectStates(
  tab: Tab,
  { path, heading, reads, nothing, says }: StatefulPage,
): Promise<void> {
  const { page } = tab
  const address = new RegExp(`/v1${reads}(\\?|$)`)
  const json = { contentType: 'application/json' }
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, async (route) => {
    await released
    await (nothing === undefined
      ? route.continue()
      : route.fulfill({ ...json, body: JSON.stringify(nothing) }))
  })
  await openPlace(tab, path, heading)
  await page.getByRole('status').getByText('Loading').waitFor()
  await expectSound(tab, `${heading}, loading`)
  release()
  await page.getByText(says).first().waitFor()
  await expectSound(tab, `${heading}, ${nothing === undefined ? 'there' : 'empty'}`)

  await page.unroute(address)
  await page.route(address, (route) =>
    route.fulfill({ ...json, status: 500, body: error('INTERNAL_ERROR', 'The service failed to answer.') }),
  )
  await openPlace(tab, path, heading)
  await page.getByRole('alert').getByText('Request request-1').waitFor()
  await expectSound(tab, `${heading}, failed`)

  await page.unroute(address)
  await page.route(address, (route) =>
    route.fulfill({
      ...json,
      status: 429,
      headers: { 'Retry-After': '40' },
      body: error('RATE_LIMIT_EXCEEDED', 'The limit of this minute is used up.'),
    }),
  )
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').getByText('Too many requests').waitFor()
  expect(await page.getByRole('button', { name: /^Try again in \d+ s$/ }).isDisabled()).toBe(true)
  await expectSound(tab, `${heading}, limited`)
  await page.unroute(address)
}

/** The most that a first load may weigh (compressed, with headers) and ask for. */
const MOST_BYTES = 250 * 1024
const MOST_REQUESTS = 12

/** Loads a page in a browser that has never seen the console, and holds it to the limits of a first load. */
export async function expectLightLoad({ context }: Tab, path: string, heading: string): Promise<void> {
  const browser = context.browser()
  if (browser === null) throw new Error('the tab is of no browser')
  // Who is signed in comes along, and nothing else; a page that a test intercepts requests of would keep nothing.
  const { page, context: empty, longTasks } = await openTab(browser, await context.storageState())
  const session = await empty.newCDPSession(page)
  await session.send('Network.enable')
  const asked = new Map<string, string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ requestId, request }) => asked.set(requestId, request.url))
  session.on('Network.requestServedFromCache', ({ requestId }) => asked.delete(requestId))
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache === true) asked.delete(requestId)
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`${service.console_url}${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.waitForLoadState('networkidle')
  const own = [...asked.values()].filter((url) => url.startsWith(service.base_url))
  const tasks = await longTasks()
  await empty.close()
  console.log(
    `${path}: ${(bytes / 1024).toFixed(1)} KB in ${own.length} requests; long tasks: ${tasks.length === 0 ? 'none' : `${tasks.join(', ')} ms`}`,
  )
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(MOST_REQUESTS)
}
