import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'

const ADMIN_API = '**/admin/v1/**'

describe('An error in the console', { skip: withoutBrowser }, async () => {
  const console = await sharedConsole()
  const { post } = console.operator
  const at = `/organizations/${(await post('/organizations', { name: 'Acme' })).id}`
  await post(`${at}/objects`, { ident: 'a', name: 'Van a' })
  const { id: van } = await post(`${at}/objects`, { ident: 'b', name: 'Van b' })

  const isGone = (page: Page, text: string) =>
    page.getByText(text).first().waitFor({ state: 'detached' })

  it('on a page disappears when the server answers again', async () => {
    const page = await console.open(`${at}/settings`)
    await page.getByRole('button', { name: 'Save settings' }).waitFor()
    await page.route(ADMIN_API, (route) => route.abort())
    await page.getByRole('link', { name: 'Places' }).click()
    await page.getByText('The server does not respond').waitFor()
    await page.unroute(ADMIN_API)
    await page.getByText('No geofences yet').waitFor()
    await isGone(page, 'The server does not respond')
  })

  it('on a saved form disappears when the refused value is changed', async () => {
    const page = await console.open(`${at}/objects/${van}/settings`)
    await page.getByLabel('Ident', { exact: true }).fill('a')
    await page.getByRole('button', { name: 'Save vehicle data' }).click()
    const fault = page.locator('.field-error')
    await fault.waitFor()
    await page.getByLabel('Plate number').fill('1234 ABC')
    assert.equal(await fault.count(), 1, 'the ident is still refused')
    await page.getByLabel('Ident', { exact: true }).fill('b-2')
    await fault.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save vehicle data' }).click()
    await page.getByText('Van b was saved.').first().waitFor()
  })

  it('leaves the page and what was typed if a part cannot be loaded, as after an update', async () => {
    const page = await console.open(`${at}/settings`)
    await page.getByLabel('Daily quota per object').fill('12')
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.keyboard.press('Control+K')
    await page.getByText('This part could not be loaded.').first().waitFor()
    assert.equal(await page.getByLabel('Daily quota per object').inputValue(), '12')
    await page.unroute('**/assets/*.js')
  })

  it('ends with a page that cannot be loaded', async () => {
    const page = await console.open(`${at}/settings`)
    await page.getByRole('button', { name: 'Save settings' }).waitFor()
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('This page could not be loaded').waitFor()
    await page.unroute('**/assets/*.js')
    await page.getByRole('link', { name: 'Places' }).click()
    await page.getByText('No geofences yet').waitFor()
  })

  it('after a request without an answer disappears when the operator continues, or it succeeds', async () => {
    const page = await console.open(`${at}/settings`)
    const card = 'The server does not respond, so the change may or may not have been saved.'
    const fail = async () => {
      await page.route(ADMIN_API, (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      )
      await page.getByRole('button', { name: 'Save settings' }).click()
      await page.getByText(card).waitFor()
      await page.unroute(ADMIN_API)
    }
    await page.getByLabel('Daily quota per object').fill('12')
    await fail()
    await page.getByLabel('Daily quota per object').fill('13')
    await isGone(page, card)

    await fail()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await isGone(page, card)

    await page.getByLabel('Daily quota per object').fill('14')
    await fail()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('The settings were saved.').first().waitFor()
    await isGone(page, card)
  })
})
