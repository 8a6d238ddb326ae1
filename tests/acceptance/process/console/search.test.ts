import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'

const PHONE = { width: 390, height: 844 }

describe('The search of the console', { skip: withoutBrowser }, async () => {
  const { server, operator, open } = await sharedConsole()
  const { id } = await operator.post('/organizations', { name: 'Acme' })
  const at = `/organizations/${id}`
  const van = await operator.post(`${at}/objects`, {
    ...{ name: 'Camión 5', ident: 'tracker-5', plate_number: '1234 ABC' },
  })
  const other = await operator.post(`${at}/objects`, { name: 'Van 6', ident: 'tracker-6' })
  for (const name of ['Lorry 1', 'Lorry 5']) {
    await operator.post(`${at}/objects`, { name, ident: `35${name.length}${name.at(-1)}55` })
  }
  await operator.post(`${at}/sites`, {
    ...{ name: 'Northern depot', latitude: 41.4, longitude: 2.1, radius: 100 },
  })

  it('finds vehicles, places, people and pages with Ctrl-K', async () => {
    const page = await open(`${at}/usage`)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'Search' })
    const finds = async (typed: string, result: string) => {
      await page.keyboard.press('Control+k')
      await dialog.waitFor()
      await page.keyboard.type(typed)
      const found = dialog.getByRole('menuitem', { name: result })
      await found.waitFor()
      return found
    }
    await finds('camion', 'Camión 5')
    assert.equal(await dialog.getByRole('menuitem', { name: 'Van 6' }).count(), 0)
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${at}/objects/${van.id}`)
    await finds('1234', 'Camión 5')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(`**${at}/map?object=${van.id}`)
    await (await finds('depot', 'Northern depot')).click()
    await page.waitForURL(`**${at}/places/sites/1`)
    await (await finds('webh', 'Webhooks')).click()
    await page.waitForURL(`**${at}/webhooks`)
    // Enter does not open what was found for another word.
    await finds('camion', 'Camión 5')
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('van 6')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${at}/objects/${other.id}`)
    // The first result is marked and opened, and the arrow leads to the second.
    await finds('lorry', 'Lorry 1')
    await page.keyboard.press('ArrowDown')
    const second = dialog.locator('.menu-item[data-focused]')
    assert.match(await second.innerText(), /^Lorry 5/)
    await page.keyboard.type(' 5')
    await second.waitFor({ state: 'detached' })
    await dialog.getByRole('menuitem', { name: 'Lorry 1' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Lorry 5' }).waitFor()
  })

  it('keeps the letters that are typed while it is loaded', async () => {
    const page = await open(`${at}/usage`)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    const { promise, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/Palette-*.js', async (route) => {
      await promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('van')
    release()
    const field = page.getByRole('dialog', { name: 'Search' }).getByRole('searchbox')
    await field.waitFor()
    await page.keyboard.type(' 6')
    assert.equal(await field.inputValue(), 'van 6')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${at}/objects/${other.id}`)
  })

  it('focuses the search of a page with /, and lists its keys with ?', async () => {
    const page = await open(`${at}/objects`)
    const field = page.getByRole('searchbox')
    await field.waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
    await page.keyboard.type('?')
    assert.equal(await field.inputValue(), '?', 'keys are letters in a field')
    await page.goto(`${server.admin}${at}/webhooks`)
    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('shows a viewer no people, and is in the header of a phone', async () => {
    const { cookie } = await newPerson(() => server.admin, operator, 'viewer', id)
    const page = await open(`${at}/usage`, PHONE, 'dark', cookie)
    await page.getByRole('button', { name: 'Search' }).click()
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByRole('searchbox').fill('a')
    await dialog.getByText('Vehicles').first().waitFor()
    await dialog.getByRole('menuitem', { name: 'Camión 5' }).waitFor()
    await assertAccessible(page)
    assert.equal(await dialog.getByRole('menuitem', { name: 'People' }).count(), 0)
    assert.equal(await dialog.getByRole('menuitem', { name: 'API keys' }).count(), 0)
    assert.deepEqual(page.faults, [], 'no request was refused')
  })
})
