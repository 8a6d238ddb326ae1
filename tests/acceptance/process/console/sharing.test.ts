import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, NARROW, picture, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'

/** An organization with two vans, the first of which has sent a position. */
async function newVans(name: string) {
  const { server, operator, open } = await sharedConsole()
  const { id: organization } = await operator.post('/organizations', { name })
  const at = `/organizations/${organization}`
  const create = async (van: string) =>
    (await operator.post(`${at}/objects`, { name: van, ident: `${van} of ${name}` })).id as number
  const vans = [await create('Van 5'), await create('Van 6')]
  const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
  const time_device = new Date(Date.now() - 60_000).toISOString()
  const row = { ident: `Van 5 of ${name}`, latitude: 41.5, longitude: 2, time_device }
  await postRows(server.feed, secret, [row])
  return { server, operator, open, at, vans }
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).last().click()

/** Does an action of the menu of a row. */
async function act(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

const linkIn = (page: Page) => page.getByText(/\/s\/fg_link_\w+$/).innerText()

const isOpen = async (url: string) => (await fetch(`${url}.json`)).status === 200

describe('Sharing in the console', { skip: withoutBrowser }, () => {
  it('makes a link with two clicks, which opens on a phone, and ends it', async () => {
    const { open, at, vans } = await newVans('Two clicks')
    const page = await open(`${at}/objects/${vans[0]}`)
    await press(page, 'Share')
    await page.getByText('Anyone with the link will see').waitFor()
    await assertAccessible(page)
    await picture(page, 'share')
    await press(page, 'Create link')
    const url = await linkIn(page)
    await page.getByRole('img', { name: 'QR code with the link' }).waitFor()
    await assertAccessible(page)
    await picture(page, 'shared-link')
    await press(page, 'I have copied it')
    assert.deepEqual(page.faults, [])

    const { result } = { result: await (await fetch(`${url}.json`)).json() }
    const shown = JSON.stringify(result)
    assert.match(shown, /"Van 5"/)
    assert.match(shown, /41\.5/)
    const phone = await open(at, NARROW)
    await phone.goto(url)
    await phone.getByText('Van 5').first().waitFor()

    await page.goto(page.url().replace(/\/objects.*/, '/shared'))
    const row = page.getByRole('row', { name: /^Van 5/ })
    await row.getByText('1 vehicle from').waitFor()
    await act(page, 'Van 5', 'Rotate link')
    await page.getByLabel('Grace period for the old secret').selectOption('0')
    await press(page, 'Rotate link')
    const next = await linkIn(page)
    await press(page, 'I have copied it')
    assert.deepEqual([await isOpen(url), await isOpen(next)], [false, true])
    await act(page, 'Van 5', 'Revoke link')
    await assertAccessible(page)
    await press(page, 'Revoke link')
    await page.getByText('Van 5 was revoked.').first().waitFor()
    await row.waitFor({ state: 'detached' })
    assert.equal(await isOpen(next), false)
    assert.deepEqual(page.faults, [])
  })

  it('shares several vehicles for a chosen time, found by the search', async () => {
    const { open, at, vans, operator } = await newVans('Chosen')
    const page = await open(`${at}/usage`)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('share van 5')
    await page.getByRole('menuitem', { name: 'Share Van 5' }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Vehicles', { exact: true }).fill('van 6')
    await page.getByRole('option').first().click()
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Start').selectOption('time')
    await dialog.getByLabel('Data from').fill('2026-01-01T08:00')
    await dialog.getByLabel('Expires').selectOption('168')
    await dialog.getByLabel('Show the track').uncheck()
    await dialog.getByText('Name, recipient and purpose').click()
    await dialog.getByLabel('Recipient').fill('Shipper Ltd')
    await dialog.getByText(/^Van 5 and Van 6 from 1 Jan 2026, 08:00 until/).waitFor()
    await press(page, 'Create link')
    await linkIn(page)
    await press(page, 'I have copied it')
    const [link] = (await operator.get(`${at}/links`)).items
    assert.deepEqual(
      [link.name, link.recipient, link.shows_way, link.grants.length],
      ['Van 5 and Van 6', 'Shipper Ltd', false, 1],
    )
    assert.deepEqual(link.grants[0].objects, vans)
    assert.equal(link.grants[0].from, '2026-01-01T07:00:00.000Z')
    assert.deepEqual(page.faults, [])
  })

  it('lists keys, webhooks and people too, and ends each', async () => {
    const { server, open, at, operator } = await newVans('Given away')
    await operator.post(`${at}/keys`, { name: 'Report', recipient: 'Insurer Ltd' })
    const { webhook } = await operator.post(`${at}/webhooks`, { url: 'https://127.0.0.1:1/x' })
    const organization = Number(at.split('/').at(-1))
    const viewer = await newPerson(() => server.admin, operator, 'viewer', organization)
    const page = await open(`${at}/shared`, WIDE, 'dark')
    await page.getByText('API key · Insurer Ltd').waitFor()
    await assertAccessible(page)
    await press(page, 'API key')
    await page.getByRole('button', { name: /^Actions for 127/ }).waitFor({ state: 'detached' })
    await act(page, 'Report', 'Revoke key')
    await press(page, 'Revoke key')
    await page.getByText('Report was revoked.').first().waitFor()
    await press(page, 'All')
    await act(page, '127.0.0.1:1', 'Turn off webhook')
    await press(page, 'Turn off webhook')
    await page.getByText('The webhook is off.').first().waitFor()
    assert.equal((await operator.get(`${at}/webhooks`)).items[0].id, webhook.id)
    assert.equal((await operator.get(`${at}/webhooks`)).items[0].state, 'off')
    const { name } = (await operator.get(`${at}/people`)).items[0]
    await act(page, name, 'End access')
    await press(page, 'End access')
    await page.getByText('Nothing is shared').waitFor()
    const seen = await fetch(`${server.admin}/admin/v1${at}`, {
      headers: { cookie: viewer.cookie },
    })
    assert.equal(seen.status, 404)
    assert.deepEqual(page.faults, [])
  })
})
