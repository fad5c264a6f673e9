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
const ask = async (question: string) => {
  await tab.page.getByLabel('Question').fill(question)
  await tab.page.getByRole('button', { name: 'Ask', exact: true }).click()
  await tab.page.getByRole('heading', { level: 2, name: question }).waitFor()
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

    await page.getByLabel('It goes on from “Why is checkout failing?”').check()
    await ask('What changed?')
    await page.getByText('carried over').first().waitFor()
    await page.getByRole('heading', { name: 'Earlier questions' }).waitFor()
    await page.locator('summary').filter({ hasText: 'Why is checkout failing?' }).click()
    await expectSound(tab, 'earlier questions')
  })

  it('is told which field the API refuses, and keeps the question', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
    await page.getByLabel('Question').fill('What changed?')
    await page.getByLabel('From').fill('2026-01-02T00:00')
    await page.getByLabel('Until').fill('2026-01-01T00:00')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('must be before end', { exact: true }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('What changed?')
    await expectSound(tab, 'a refused question')
  })

  it('says when too much was asked', async () => {
    const { page } = tab
    await openPlace(tab, ASK.path, ASK.heading)
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
