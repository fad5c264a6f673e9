import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectLightLoad,
  expectOnlyText,
  expectSound,
  madeHostile,
  openPlace,
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

const ASK = { path: 'ask', heading: 'Ask' } as const
const ask = async (question: string, { page } = tab) => {
  await page.getByLabel('Question').fill(question)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: question }).waitFor()
}

describe('the box for questions', () => {
  it('answers with evidence that can be checked again, follows up, and keeps earlier questions', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    await expectSound(tab, 'nothing asked')
    await ask('Why is checkout failing?')
    const answer = page.getByRole('region', { name: 'Why is checkout failing?' })
    const pieces = await answer.locator('ol.evidence > li').count()
    expect(pieces).toBeGreaterThan(0)
    await answer.getByRole('button', { name: 'Check again' }).click()
    await answer.getByRole('status').filter({ hasText: 'Checked' }).waitFor()
    expect(await answer.locator('.checked').count()).toBe(pieces)
    await expectSound(tab, 'an answer')

    await page.getByLabel('Follows up on “Why is checkout failing?”').check()
    await ask('What changed?')
    await page.getByText('carried over').first().waitFor()
    await page.getByRole('heading', { name: 'Earlier questions' }).waitFor()
    await page.locator('summary').filter({ hasText: 'Why is checkout failing?' }).click()
    await expectSound(tab, 'earlier questions')
  })

  it('has them again after a reload, with follow-ups, and forgets them with who asked', async () => {
    const mine = await openTab()
    const { page } = mine
    await signIn(mine, 'viewer')
    await openPlace(mine, ASK.path, ASK.heading)
    await ask('Why is checkout failing?', mine)
    const said = await page.getByRole('region', { name: 'Why is checkout failing?' }).textContent()
    await ask('Which incidents are open?', mine)
    // What is kept leads to the answers; it does not hold them.
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
    expect(kept).toContain('Why is checkout failing?')
    expect(kept).not.toContain('evidence')

    await page.reload()
    await page.getByRole('heading', { level: 2, name: 'Which incidents are open?' }).waitFor()
    await page.locator('summary').filter({ hasText: 'Why is checkout failing?' }).click()
    const again = page.getByRole('region', { name: 'Why is checkout failing?' })
    await again.waitFor()
    expect(await again.textContent()).toBe(said)
    await page.getByLabel('Follows up on “Which incidents are open?”').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('checkout')
    await mine.context.close()
  })

  it('says so where an answer from before is kept no more', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    await ask('What changed in the last hour?')
    await page.route(/\/v1\/query\/query_\w+$/, (route) =>
      route.fulfill({ status: 404, json: { error: { code: 'NOT_FOUND', message: 'Gone.', details: {} } } }),
    )
    await page.reload()
    await page.getByText('This answer is kept no more.').waitFor()
    await expectSound(tab, 'an answer that is kept no more')
    await page.unroute(/\/v1\/query\/query_\w+$/)
  })

  it('is told which field the API refuses, and keeps the question', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    await page.getByLabel('Question').fill('What changed?')
    await page.getByLabel('From (optional)').fill('2026-01-02T00:00')
    await page.getByLabel('Until (optional)').fill('2026-01-01T00:00')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('must be before end', { exact: true }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('What changed?')
    await expectSound(tab, 'a refused question')
  })

  it('says that a pasted text is too long, and cuts nothing of it', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    const pasted = `Why? ${'x'.repeat(100_000)}`
    await page.getByLabel('Question').fill('')
    await page.evaluate((text) => navigator.clipboard.writeText(text), pasted)
    await page.keyboard.press('ControlOrMeta+V')
    await page.getByText('has 100005 characters; at most 4000 are read').waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe(pasted)
    expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Question').fill('')
  })

  it('loses nothing of a question by a reload, and nothing that is typed while it asks', async () => {
    const mine = await openTab()
    const { page } = mine
    await signIn(mine, 'viewer')
    await openPlace(mine, ASK.path, ASK.heading)
    await page.getByLabel('Question').fill('Why is check')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: ASK.heading }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('Why is check')

    let answer = () => {}
    const answering = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/v1\/query$/, async (route) => {
      await answering
      await route.continue()
    })
    await page.getByLabel('Question').fill('Which incidents are open?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByRole('status').getByText('every connected tool is asked').waitFor()
    await page.getByLabel('Question').fill('And the resolved ones?')
    answer()
    await page.getByRole('heading', { level: 2, name: 'Which incidents are open?' }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('And the resolved ones?')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('resolved')
    await mine.context.close()
  })

  it('says that it asks, when the service fails, and when too much was asked', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    let fail = () => {}
    const failing = new Promise<void>((resolve) => {
      fail = resolve
    })
    await page.route(/\/v1\/query$/, async (route) => {
      await failing
      await route.fulfill({
        status: 500,
        json: {
          error: { code: 'INTERNAL_ERROR', message: 'It failed.', details: { request_id: 'request-1' } },
        },
      })
    })
    await page.getByLabel('Question').fill('What changed?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByRole('status').getByText('every connected tool is asked').waitFor()
    await expectSound(tab, 'a question under way')
    fail()
    await page.getByRole('alert').getByText('Request request-1').waitFor()
    await expectSound(tab, 'a question that failed')
    await page.unroute(/\/v1\/query$/)

    await page.route(/\/v1\/query$/, (route) =>
      route.fulfill({
        status: 429,
        contentType: 'application/json',
        headers: { 'Retry-After': '40' },
        body: JSON.stringify({
          error: { code: 'RATE_LIMIT_EXCEEDED', message: 'It is used up.', details: {} },
        }),
      }),
    )
    await page.getByLabel('Question').fill('What changed?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    await page.getByText(/^It can be tried again in \d+ s\.$/).waitFor()
    await expectSound(tab, 'a question too many')
    await page.unroute(/\/v1\/query$/)
  })

  it('shows hostile texts as texts', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    const keep = ['id', 'outcome', 'timestamp', 'start', 'end', 'since']
    await page.route(/\/v1\/query$/, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: madeHostile(await answer.json(), keep) })
    })
    await ask('Why is checkout failing?')
    await expectOnlyText(tab)
    await expectSound(tab, 'a hostile answer')
    await page.unroute(/\/v1\/query$/)
  })

  it('loads little', () => expectLightLoad(tab, ASK.path, ASK.heading))
})
