import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, WIDE, withoutBrowser } from '../../harness/browser.ts'
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

describe('Sharing in the console', { skip: withoutBrowser }, () => {
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
    await page.getByText('Report was revoked.').waitFor()
    await press(page, 'All')
    await act(page, '127.0.0.1:1', 'Turn off webhook')
    await press(page, 'Turn off webhook')
    await page.getByText('The webhook is off.').waitFor()
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
