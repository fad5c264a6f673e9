import { beforeAll, describe, expect, it } from 'vitest'
import { askApi, openIncident } from './api-request.ts'
import {
  expectHostileTexts,
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

const openTab = tabsOfFile()
let tab: Tab
beforeAll(async () => {
  tab = await openTab()
  await signIn(tab, 'admin')
})

const LIST = { path: 'incidents', heading: 'Incidents' } as const
/** The incident of the sample outage. */
const SAMPLE = 'Checkout answers 502 for a third of all orders'

const linkTo = (title: string) => tab.page.getByRole('link', { name: title, exact: true })
const openSample = async () => {
  await openPlace(tab, LIST.path, LIST.heading)
  await linkTo(SAMPLE).click()
  await tab.page.getByRole('heading', { level: 1, name: SAMPLE }).waitFor()
}

describe('the list of incidents', () => {
  it('is narrowed by filters that stand in the address, by keyboard too, and by an address alone', async () => {
    const { page } = tab
    const made = await openIncident({ title: 'A small thing', severity: 'low' })
    await openPlace(tab, LIST.path, LIST.heading)
    await linkTo(SAMPLE).waitFor()
    await linkTo('A small thing').waitFor()
    await expectSound(tab, 'the list of incidents')

    await page.getByLabel('Severity').focus()
    await page.keyboard.press('l')
    await linkTo(SAMPLE).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?severity=low')
    // Whoever chooses by keyboard is not thrown out of the field.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT')
    await linkTo('A small thing').waitFor()
    await page.reload()
    await linkTo('A small thing').waitFor()
    expect(await linkTo(SAMPLE).count()).toBe(0)

    await page.getByLabel('Opened before').fill('2020-01-01T00:00')
    await page.getByText('No incident is like that.').waitFor()
    expect(new URL(page.url()).searchParams.get('end_time')).toBe('2019-12-31T23:00:00.000Z')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await linkTo(SAMPLE).waitFor()
    expect(new URL(page.url()).search).toBe('')

    await askApi('PATCH', `/incidents/${made}`, { body: { status: 'resolved' } })
    await page.getByRole('row').filter({ hasText: 'A small thing' }).getByText('resolved').waitFor()
  })

  it('is read a page at a time, each from where the one before ended', async () => {
    const { page } = tab
    await openIncident({ title: 'On the first page', severity: 'low' })
    // As if a page held no more than one.
    const address = /\/v1\/incidents(\?|$)/
    await page.route(address, (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set('limit', '1')
      return route.continue({ url: url.href })
    })
    await openPlace(tab, LIST.path, LIST.heading)
    const titles = page.getByRole('rowheader')
    await linkTo('On the first page').waitFor()
    expect(await titles.count()).toBe(1)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => titles.count()).toBe(2)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => titles.count()).toBe(3)
    const links = await titles.getByRole('link').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    expect(new Set(links).size).toBe(3)
    await page.unroute(address)
  })

  it('says each of its states', () =>
    expectStates(tab, {
      ...LIST,
      reads: '/incidents',
      nothing: { incidents: [], next_cursor: null },
      says: 'There are no incidents yet.',
    }))

  it('shows hostile texts as texts', () =>
    expectHostileTexts(tab, { ...LIST, reads: '/incidents' }, ['analysis']))

  it('loads little', () => expectLightLoad(tab, LIST.path, LIST.heading))
})

describe('one incident', () => {
  it('shows its card, its charts with data, and its evidence, which can be checked again', async () => {
    const { page } = tab
    await openSample()
    const card = page.getByRole('region', { name: 'At a glance' })
    await card.waitFor()
    const lines = await card.locator('dl > div').count()
    expect(lines).toBeGreaterThan(3)
    expect(lines).toBeLessThanOrEqual(12)

    const series = page.getByRole('region', { name: 'What left its normal level' })
    await series.getByRole('img').first().waitFor()
    // A chart without data is as empty as its canvas.
    const drawn = await series.locator('canvas').evaluateAll((all) =>
      (all as HTMLCanvasElement[]).map((canvas) => {
        const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
          data: [],
        }
        return new Set(Array.from(new Uint32Array((data as Uint8ClampedArray).buffer))).size
      }),
    )
    expect(drawn.length).toBeGreaterThan(0)
    for (const colours of drawn) expect(colours).toBeGreaterThan(3)

    const graph = page.getByRole('region', { name: 'Where' })
    expect(await graph.locator('svg rect').count()).toBeGreaterThan(2)
    expect(await graph.locator('svg path.call').count()).toBeGreaterThan(1)
    await graph.getByText('Who calls whom, as a table').click()
    await graph
      .getByRole('row')
      .filter({ hasText: 'named as the cause' })
      .getByText('pricing')
      .first()
      .waitFor()
    await page.getByText('What happened, as a list').click()
    await page.getByRole('region', { name: 'When' }).getByText('Named change').first().waitFor()

    const evidence = page.getByRole('region', { name: 'Evidence' })
    const pieces = await evidence.locator('ol > li').count()
    expect(pieces).toBeGreaterThan(0)
    await evidence.getByRole('button', { name: 'Check again' }).click()
    await evidence.getByRole('status').filter({ hasText: 'Checked' }).waitFor()
    expect(await evidence.locator('.checked').filter({ hasText: 'the same' }).count()).toBe(pieces)
    await evidence.getByText('what was asked').first().click()
    await expectSound(tab, 'an incident')
  })

  it('is moved on by people, and not over what somebody else did meanwhile', async () => {
    const { page } = tab
    const id = await openIncident({ title: 'Moved by two', severity: 'medium' })
    await openPlace(tab, `incidents/${id}`, 'Moved by two')
    const badge = (text: string) => page.locator('.badges .badge').filter({ hasText: text })
    await badge('✓ analysed').waitFor({ timeout: 60_000 })
    await page.getByRole('button', { name: 'I look into it' }).click()
    await badge('investigating').waitFor()
    // From here on the page does not hear of the other person.
    await page.route(/\/v1\/incidents\/inc_\w+$/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await askApi('PATCH', `/incidents/${id}`, { body: { title: 'Moved by two people' } })
    await page.getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('Somebody changed this incident meanwhile').waitFor()
    await page.unroute(/\/v1\/incidents\/inc_\w+$/)
    expect((await askApi('GET', `/incidents/${id}`)).body.status).toBe('investigating')
  })

  it('shows hostile texts as texts', async () => {
    const { page } = tab
    await openSample()
    const address = page.url().slice(service.console_url.length)
    const keep = [
      ...[
        'at',
        'earliest',
        'latest',
        'start',
        'end',
        'started_at',
        'created_at',
        'updated_at',
        'resolved_at',
      ],
      ...['since', 'onset', 'analysed_at', 'status', 'severity', 'analysis', 'outcome', 'role', 'part'],
      ...['id', 'snapshot_digest', 'withdrawn_at'],
    ]
    const routed = /\/v1\/incidents\/inc_\w+(\/charts|\/verify)?$/
    await page.route(routed, async (route) => {
      const { 'if-none-match': _held, ...headers } = route.request().headers()
      const answer = await route.fetch({ headers })
      await route.fulfill({ response: answer, json: madeHostile(await answer.json(), keep) })
    })
    await openPlace(tab, address, /onerror=/)
    await page.getByRole('heading', { name: 'Where' }).waitFor()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.locator('.checked').first().waitFor()
    await page.getByText('what was asked').first().click()
    await expectOnlyText(tab)
    await expectSound(tab, 'a hostile incident')
    await page.unroute(routed)
  })

  it('says each of its states, and how far its analysis is', async () => {
    const { page } = tab
    await openSample()
    const path = page.url().slice(service.console_url.length)
    await expectStates(tab, { path, heading: 'Incident', reads: `/${path}`, says: 'At a glance' })
    const address = new RegExp(`/v1/${path}$`)
    for (const [analysis, says] of [
      ['running', 'It is being analysed.'],
      ['failed', 'The analysis failed.'],
    ] as const) {
      await page.route(address, async (route) => {
        const { 'if-none-match': _held, ...headers } = route.request().headers()
        const answer = await route.fetch({ headers })
        const file = (await answer.json()) as object
        await route.fulfill({
          response: answer,
          json: { ...file, analysis, root_cause: null, summary_card: null },
        })
      })
      await openPlace(tab, path, SAMPLE)
      await page.getByText(says).waitFor()
      await expectSound(tab, `an incident whose analysis is ${analysis}`)
      await page.unroute(address)
    }
  })

  it('tells times in the zone of who reads, and in UTC under the pointer', async () => {
    const { page } = tab
    await openSample()
    const opened = page.locator('dl.facts').getByRole('time').first()
    const at = new Date((await opened.getAttribute('datetime')) ?? '')
    const inBerlin = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    })
    const [day, clock] = at.toISOString().split(/[T.]/)
    expect(await opened.textContent()).toContain(inBerlin.format(at))
    expect(await opened.getAttribute('title')).toMatch(`${day} ${clock} UTC`)
    // None is written in another way.
    const bare = /\d{4}-\d\d-\d\dT\d\d:\d\d|\d\d:\d\d:\d\d UTC/
    expect(await page.getByRole('main').innerText()).not.toMatch(bare)
    // Nor do the times between which it began stay in another zone than the instant before them.
    const began = page.locator('dl.glance dd').filter({ hasText: '(between ' }).first()
    const clocks = await began
      .getByRole('time')
      .evaluateAll((all) => all.map((each) => each.textContent ?? ''))
    expect(await began.innerText()).toContain(`(between ${clocks[1]} and ${clocks[2]})`)
  })

  it('loads little', async () => {
    await openSample()
    await expectLightLoad(tab, tab.page.url().slice(service.console_url.length), SAMPLE)
  })

  it('says when there is none like that', async () => {
    const { page } = tab
    await page.goto(`${service.console_url}incidents/inc_01M8156H8B6S7BE301SP402KTW`)
    await page.getByRole('alert').getByText('This does not exist').waitFor()
    // What does not exist will not do so at a second try either.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectSound(tab, 'no incident')
  })

  it('offers a viewer nothing to change', async () => {
    const viewer = await openTab()
    await signIn(viewer, 'viewer')
    await openPlace(viewer, LIST.path, LIST.heading)
    await viewer.page.getByRole('link', { name: SAMPLE, exact: true }).click()
    await viewer.page.getByRole('region', { name: 'Evidence' }).waitFor()
    for (const name of ['Check again', 'Resolve', 'Reopen', 'Investigate again'])
      expect(await viewer.page.getByRole('button', { name }).count(), name).toBe(0)
    await viewer.context.close()
  })
})
