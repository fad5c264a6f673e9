import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { expectSound, openPlace, service, signIn, type Tab, tabsOfFile } from './console-in-browser.ts'

const openTab = tabsOfFile()

/** Everything that the tab keeps beyond the page itself. */
const kept = ({ page }: Tab): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name, location.href]),
  )

describe('signing in', () => {
  it('begins at a page of its own, which is soundly drawn', async () => {
    const tab = await openTab()
    await tab.page.goto(service.console_url)
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expectSound(tab, 'signed out')
    await tab.context.close()
  })

  it('leads back to the place that was asked for', async () => {
    const tab = await openTab()
    const { page } = tab
    const asked = `${service.console_url}settings/keys?from=a-link`
    await page.goto(asked)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('User').waitFor()
    await expectSound(tab, 'the form of the sign-in service')
    await page.getByLabel('User').fill('admin')
    await page.getByLabel('Password').fill(service.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(page.url()).toBe(asked)
    await tab.context.close()
  })

  it('keeps no token anywhere, signs a reload in without a word, and ends for good', async () => {
    const tab = await openTab()
    const { page } = tab
    const tokens: string[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/oauth2/token'))
        void response.json().then((body: Record<string, unknown>) => {
          for (const name of ['access_token', 'refresh_token', 'id_token'])
            if (typeof body[name] === 'string') tokens.push(body[name])
        })
    })
    await signIn(tab, 'admin')
    expect(tokens.length).toBeGreaterThanOrEqual(2)
    const found = await kept(tab)
    for (const token of tokens) expect(found).not.toContain(token)
    expect(found).not.toMatch(/code=|verifier/)

    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await openPlace(tab, 'settings/keys', 'API keys')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).click()
    // The provider has forgotten the session too: it asks for the password.
    await page.getByLabel('Password').waitFor()
    expect(tab.wrong).toEqual([])
    await tab.context.close()
  })

  it('takes no answer that it did not ask for', async () => {
    const tab = await openTab()
    await tab.page.goto(`${service.console_url}?code=stolen&state=foreign`)
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(tab.page.url()).toBe(service.console_url)
    await tab.context.close()
  })
})

describe('the page', () => {
  it('may be framed by nobody, and runs nothing that it did not bring', async () => {
    const tab = await openTab()
    const { page } = tab
    await page.goto(service.console_url)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.ran = 1'
      document.body.append(script)
    })
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
    expect(tab.wrong.join()).toContain('Content Security Policy')

    const framing = await openTab()
    await framing.page.route('http://other.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${service.console_url}"></iframe>` }),
    )
    await framing.page.goto('http://other.example/')
    await expect
      .poll(() => framing.page.frames().map((frame) => frame.url()))
      .toContain('chrome-error://chromewebdata/')
    await tab.context.close()
    await framing.context.close()
  })

  it('gives another site nothing to read or to change, also while somebody is signed in', async () => {
    const tab = await openTab()
    await signIn(tab, 'admin')
    const other = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>another site</title>'),
    )
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const page = await tab.context.newPage()
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`)
    const title = 'Opened by another site'
    const became = await page.evaluate(
      async ([api, body]) => {
        const withCookies = { credentials: 'include' } as const
        const blind = { ...withCookies, mode: 'no-cors', method: 'POST', body } as const
        const json = { 'content-type': 'application/json' }
        const outcome = async (path: string, given: RequestInit) =>
          fetch(`${api}${path}`, given).then(
            ({ type }) => type,
            () => 'refused',
          )
        return {
          // It reaches the service: what it is refused is refused by the service.
          reach: await outcome('/health', { mode: 'no-cors' }),
          read: await outcome('/incidents', withCookies),
          change: await outcome('/incidents', { ...withCookies, method: 'POST', headers: json, body }),
          blindly: await outcome('/incidents', blind),
        }
      },
      [service.base_url, JSON.stringify({ title, severity: 'low' })] as const,
    )
    expect(became).toEqual({ reach: 'opaque', read: 'refused', change: 'refused', blindly: 'opaque' })
    other.closeAllConnections()
    other.close()
    await openPlace(tab, 'incidents', 'Incidents')
    await tab.page.getByRole('table').waitFor()
    expect(await tab.page.getByText(title).count()).toBe(0)
    await tab.context.close()
  })

  it('says so where nothing is at an address of it', async () => {
    const tab = await openTab()
    await signIn(tab, 'viewer')
    await openPlace(tab, 'nowhere/at-all', 'No such page')
    await expectSound(tab, 'no such page')
    await tab.context.close()
  })

  it('stays where the sign-in service gives no answer while a token is renewed, and ends where it refuses', async () => {
    const tab = await openTab()
    const { page } = tab
    await page.clock.install()
    await signIn(tab, 'admin')
    await openPlace(tab, 'ask', 'Ask')
    await page.getByLabel('Question').fill('Which incidents are open?')
    await page.route(/\/oauth2\/token$/, (route) => route.abort('internetdisconnected'))
    await page.clock.fastForward('24:00:00')
    const ask = page.getByRole('button', { name: 'Ask', exact: true })
    await ask.click()
    await page.getByRole('alert').getByText('The sign-in service cannot be reached.').waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('Which incidents are open?')

    await page.unroute(/\/oauth2\/token$/)
    await page.route(/\/oauth2\/token$/, (route) =>
      route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
    )
    await ask.click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await tab.context.close()
  })

  it('says so, and asks to sign in, when the API takes the token no more', async () => {
    const tab = await openTab()
    await signIn(tab, 'admin')
    await tab.page.route(/\/v1\/keys/, (route) =>
      route.fulfill({
        status: 401,
        json: { error: { code: 'UNAUTHORIZED', message: 'No.', details: {} } },
      }),
    )
    await tab.page.goto(`${service.console_url}settings/keys`)
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor()
    await tab.context.close()
  })
})
