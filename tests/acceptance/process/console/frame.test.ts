import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'

const PHONE = { width: 390, height: 844 }

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Menu' })
const toggle = (page: Page) => page.getByRole('button', { name: 'Menu', exact: true })

describe('The frame of the console', { skip: withoutBrowser }, async () => {
  const { server, operator, open } = await sharedConsole()
  const { id } = await operator.post('/organizations', { name: 'Acme' })
  await operator.post('/organizations', { name: 'Beta' })
  const at = `/organizations/${id}`

  it('is one line above the page, and a menu that can be closed and stays so', async () => {
    const page = await open(`${at}/usage`)
    const current = menuOf(page).locator('[aria-current=page]')
    await current.waitFor()
    assert.equal(await current.innerText(), 'Usage')
    const head = await page.getByRole('banner').boundingBox()
    assert.equal(head?.height, 48)
    assert.equal(await toggle(page).getAttribute('aria-expanded'), 'true')
    await toggle(page).click()
    await menuOf(page).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    assert.equal(await menuOf(page).count(), 0)
    await toggle(page).click()
    await menuOf(page).waitFor()
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  it('has its menu over the page on a phone, with the focus inside', async () => {
    const page = await open(`${at}/objects`, PHONE, 'dark')
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await menuOf(page).count(), 0)
    await toggle(page).click()
    await menuOf(page).waitFor()
    await assertAccessible(page)
    assert.equal(
      await page.evaluate('document.activeElement.closest("[role=dialog]") !== null'),
      true,
    )
    await page.keyboard.press('Escape')
    await menuOf(page).waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Menu')
    await toggle(page).click()
    await menuOf(page).getByRole('link', { name: 'Places' }).click()
    await page.getByText('No geofences yet').waitFor()
    assert.equal(await menuOf(page).count(), 0)
    await toggle(page).click()
    await menuOf(page).waitFor()
    await page.goBack()
    await menuOf(page).waitFor({ state: 'detached' })
    assert.deepEqual(page.faults, [])
  })

  it('leads to another organization', async () => {
    const page = await open(`${at}/usage`)
    await page.getByRole('button', { name: 'Acme' }).click()
    await page.getByRole('menuitemradio', { name: 'Beta' }).click()
    await page.getByRole('button', { name: 'Beta' }).waitFor()
    await page.getByRole('button', { name: 'Beta' }).click()
    await page.getByRole('menuitemradio', { name: 'All organizations' }).click()
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('lists no organizations for a person with one', async () => {
    const { cookie } = await newPerson(() => server.admin, operator, 'viewer', id)
    const page = await open('/', WIDE, 'light', cookie)
    await page.waitForURL(`**${at}/overview`)
    await page.getByRole('link', { name: 'Acme' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Acme' }).count(), 0)
    assert.equal(await menuOf(page).getByRole('link', { name: 'Organizations' }).count(), 0)
    assert.deepEqual(page.faults, [])
  })

  it('fills all room below its line with the map', async () => {
    const page = await open(`${at}/map`)
    const map = page.getByRole('region', { name: 'Live map' })
    await map.waitFor()
    const box = await map.boundingBox()
    assert.equal(box?.y, 48)
    assert.equal(box?.height, WIDE.height - 48)
  })
})
