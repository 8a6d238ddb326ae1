import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'

const DAY_MS = 86_400_000

describe('The start page of an organization', { skip: withoutBrowser }, async () => {
  const { server, operator, open } = await sharedConsole()

  const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  it('says that there is nothing to do', async () => {
    const { id } = await operator.post('/organizations', { name: 'Calm' })
    const page = await open(`/organizations/${id}`)
    await page.getByText('Nothing needs your attention.').waitFor()
    assert.equal(new URL(page.url()).pathname, `/organizations/${id}/overview`)
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  it('has what needs attention, and leads to where it is solved', async () => {
    const { id } = await operator.post('/organizations', { name: 'Busy', create_objects: false })
    const at = `/organizations/${id}`
    await operator.patch(at, { signal_timeout_hours: 1 })
    for (const name of ['Van', 'Truck', 'New']) {
      await operator.post(`${at}/objects`, { name, ident: name.toLowerCase() })
    }
    const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString()
    await operator.post(`${at}/keys`, { name: 'Short', expires_at })
    await operator.post(`${at}/keys`, {
      name: 'Long',
      expires_at: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    })
    const { webhook } = await operator.post(`${at}/webhooks`, { url: 'https://example.com/in' })
    await operator.patch(`${at}/webhooks/${webhook.id}`, { on: false })
    await operator.patch(`${at}/attributes`, { name: 'fuel', label: 'Fuel', maximum: 100 })
    await operator.patch(`${at}/attributes`, { name: 'cargo', label: 'Cargo', maximum: 100 })
    const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const place = { latitude: 41.4, longitude: 2.1, speed: 0 }
    await postRows(server.feed, secret, [
      { ident: 'van', time_device: hoursAgo(5), ...place },
      {
        ...{ ident: 'truck', time_device: hoursAgo(0), ...place },
        attributes: { fuel: 6_553.5, cargo: 20 },
      },
      { ident: 'stranger', time_device: hoursAgo(0), ...place },
    ])
    while ((await operator.get(`${at}/refused-idents`)).items.length === 0) await wait(50)

    const page = await open(`${at}/overview`)
    await cardOf(page, 'No signal').getByText('5 hr ago').waitFor()
    await cardOf(page, 'Never sent data').getByRole('link', { name: 'New' }).waitFor()
    await cardOf(page, 'Trackers without a vehicle')
      .getByRole('link', { name: 'stranger' })
      .waitFor()
    await cardOf(page, 'Webhooks off or failing').getByText('example.com').waitFor()
    assert.equal(await cardOf(page, 'Devices with incorrect clocks').count(), 0)
    const keys = cardOf(page, 'Expiring keys and tokens')
    assert.equal(await keys.count(), 0)
    const values = cardOf(page, 'Values out of range')
    await values.getByText('6,553.5').waitFor()
    assert.equal(await values.getByRole('listitem').count(), 1, 'that of the fuel')
    await assertAccessible(page)
    await cardOf(page, 'No signal').getByRole('link', { name: 'Van' }).click()
    await page.waitForURL(`**${at}/objects/*`)
    assert.deepEqual(page.faults, [])

    // A key for three days is no concern. A long one that has three days left is.
    await page.route(`**/admin/v1${at}/keys`, async (route) => {
      const response = await route.fetch()
      const { items } = await response.json()
      const created_at = new Date(Date.now() - 60 * DAY_MS).toISOString()
      await route.fulfill({
        response,
        json: { items: items.map((key: object) => ({ ...key, created_at })) },
      })
    })
    await page.goto(`${server.admin}${at}/overview`)
    await keys.getByRole('link', { name: 'Short' }).waitFor()
    assert.equal(await keys.getByRole('link', { name: 'Long' }).count(), 0)
    await keys.getByRole('link', { name: 'Short' }).click()
    await page.waitForURL(`**${at}/keys/**`)

    const { cookie } = await newPerson(() => server.admin, operator, 'viewer', id)
    const seen = await open(`${at}/overview`, NARROW, 'dark', cookie)
    await cardOf(seen, 'No signal').waitFor()
    await cardOf(seen, 'Trackers without a vehicle').waitFor()
    assert.equal(await cardOf(seen, 'Expiring keys and tokens').count(), 0)
    await assertAccessible(seen)
    assert.deepEqual(seen.faults, [], 'no request was refused')
  })

  it('asks the server once for each list', async () => {
    const { id } = await operator.post('/organizations', { name: 'Asked once' })
    const page = await open('/organizations', WIDE)
    await page.getByRole('link', { name: 'Asked once' }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('link', { name: 'Asked once' }).click()
    await page.getByText('Nothing needs your attention.').waitFor()
    const lists = asked.filter((path) => path.startsWith(`/admin/v1/organizations/${id}/`))
    assert.equal(new Set(lists).size, lists.length, lists.join(' '))
    assert.equal(lists.length, 8)
  })
})
