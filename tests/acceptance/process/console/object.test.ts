import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'

/** An organization with a van, whose tracker sends. */
async function newVan(name: string) {
  const { server, operator, open } = await sharedConsole()
  const { id: organization } = await operator.post('/organizations', { name })
  const at = `/organizations/${organization}`
  const ident = `van of ${name}`
  const { id } = await operator.post(`${at}/objects`, { name: 'Van', ident, plate_number: '12 AB' })
  const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
  const send = (...rows: { ago: number; [field: string]: unknown }[]) =>
    postRows(
      server.feed,
      secret,
      rows.map(({ ago, ...more }) => ({
        ...{ ident, latitude: 41, longitude: 2 },
        time_device: new Date(Date.now() - ago * 1_000).toISOString(),
        ...more,
      })),
    )
  return { server, operator, open, organization, at, id, page: `${at}/objects/${id}`, send }
}

const PHONE_DARK = [NARROW, 'dark'] as const
const LOOKS = [[WIDE, 'light'] as const, PHONE_DARK]

async function assertFits(page: Page): Promise<void> {
  const [needed, there] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
}

describe('The page of a vehicle', { skip: withoutBrowser }, () => {
  it('shows where it is, its day, its attributes, its ids and who has read its data', async () => {
    const van = await newVan('Seen')
    const drive = [600, 540, 480, 420, 360].map((ago, at) => {
      return { ago, latitude: 41 + at / 200, speed: at === 4 ? 0 : 40, attributes: { oil: at } }
    })
    await van.send(...drive, { ago: 5, latitude: 41.02, speed: 0, attributes: { oil: 7 } })
    const disclosee = { recipient: 'Acme Insurance', purpose: 'Tariff' }
    const { secret } = await van.operator.post(`${van.at}/keys`, { name: 'Report', ...disclosee })
    const read = `${van.server.api}/public/v1/objects/${van.id}`
    assert.equal((await fetch(read, { headers: { 'x-api-key': secret } })).status, 200)

    for (const [viewport, theme] of LOOKS) {
      const page = await van.open(van.page, viewport, theme)
      const card = (name: string) => page.getByRole('region', { name })
      await card('Location').getByText('41.02, 2').waitFor()
      await card('Location')
        .getByText(/ago|just now/)
        .waitFor()
      await page.getByText(/^Stopped for \d+ min$/).waitFor()
      await page.getByText(/^Updated (just now|.* ago)$/).waitFor()
      const today = card('Today')
      await today.getByText('2.2 km').first().waitFor()
      const trip = today.getByRole('link', { name: /^Trip.*2\.2\d? km/ })
      // The day of the browser, in its order of year, month and day.
      const day = await page.evaluate("new Date().toLocaleDateString('sv')")
      assert.match(
        (await trip.getAttribute('href'))!,
        new RegExp(`^${van.at}/map\\?object=${van.id}&day=${day}&record=trip-\\d+$`),
      )
      await today.getByRole('link', { name: 'Yesterday' }).waitFor()
      await card('Attributes').getByText(/^7/).waitFor()
      await card('Data access').getByText('Acme Insurance').waitFor()
      await card('Details').getByRole('button', { name: 'Copy API ID' }).waitFor()
      await card('Details').getByText(String(van.id), { exact: true }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      assert.deepEqual(page.faults, [])
    }
  })

  it('follows its packets', async () => {
    const van = await newVan('Followed')
    const page = await van.open(van.page)
    await page.getByText('Waiting for the first packet').waitFor()
    await van.send({ ago: 20, speed: 51 }, { ago: 1, latitude: 41.005, speed: 52 })
    await page.getByText('52 km/h').waitFor()
    await page.getByText('41.005, 2').waitFor()
    await page.getByRole('link', { name: 'Show on map' }).click()
    assert.ok(page.url().endsWith(`${van.at}/map?object=${van.id}`))
  })

  it('says why it does not move, and has a tab of refusals', async () => {
    const van = await newVan('Jumps')
    const ahead = await van.open(van.page)
    await ahead.getByRole('link', { name: 'Settings' }).last().waitFor()
    assert.equal(await ahead.getByRole('link', { name: /^Rejected packets/ }).count(), 0)
    await van.send({ ago: 40 }, { ago: 30, hdop: 50 }, { ago: 20, latitude: 0, longitude: 0 })
    for (const [viewport, theme] of LOOKS) {
      const page = await van.open(van.page, viewport, theme)
      await page.getByText(/was rejected: latitude and longitude are 0/).waitFor()
      await page.getByRole('link', { name: 'Rejected packets (2)' }).click()
      const card = page.getByRole('region', { name: 'Rejected packets' })
      const inaccurate = card.getByRole('row').filter({ hasText: 'the HDOP of 50 is above' })
      await inaccurate.getByText('41, 2').waitFor()
      await inaccurate.locator('time').first().waitFor()
      await card.getByText(/^No GPS fix/).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      assert.deepEqual(page.faults, [])
    }
  })

  it('shows a viewer neither the diagnosis nor who has read its data nor settings', async () => {
    const van = await newVan('Looked at')
    await van.send({ ago: 60, speed: 0 })
    const { cookie } = await newPerson(
      () => van.server.admin,
      van.operator,
      'viewer',
      van.organization,
    )
    const page = await van.open(van.page, ...PHONE_DARK, cookie)
    await page.getByRole('region', { name: 'Details' }).waitFor()
    await page.getByRole('region', { name: 'Today' }).getByText(/^Stop/).first().waitFor()
    assert.equal(await page.getByText('Why is this vehicle not moving?').count(), 0)
    assert.equal(await page.getByRole('region', { name: 'Data access' }).count(), 0)
    await page.goto(`${van.server.admin}${van.page}/settings`)
    await page.getByText('This page does not exist').waitFor()
    assert.deepEqual(page.faults, [])
  })
})

describe('A vehicle', { skip: withoutBrowser }, () => {
  it('is opened by a click anywhere in its row, and by its line in the audit log', async () => {
    const van = await newVan('Listed')
    await van.send({ ago: 60, latitude: 41.5, speed: 0 })
    await van.operator.patch(van.page, { vin: 'WF0XXXTTGXJR12345' })
    for (const [viewport, theme] of LOOKS) {
      const page = await van.open(`${van.at}/objects`, viewport, theme)
      await page.getByText('41.5, 2').click()
      await page.getByRole('region', { name: 'Details' }).waitFor()
      assert.ok(page.url().endsWith(van.page))
      await page.goto(`${van.server.admin}${van.at}/audit`)
      const changed = page.getByRole('row').filter({ hasText: 'WF0XXXTTGXJR12345' })
      await changed.getByRole('link', { name: 'Van' }).click()
      await page.getByRole('region', { name: 'Details' }).waitFor()
      assert.deepEqual(page.faults, [])
    }
  })

  it('has a menu in the list that leads to the map and deletes it', async () => {
    const van = await newVan('Deleted')
    const page = await van.open(`${van.at}/objects`)
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Van' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Show on map')
    await page.waitForURL(`**${van.at}/map?object=${van.id}`)
    await page.goBack()
    await choose('Delete…')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete vehicle' }).click()
    await page.getByText('No vehicles yet').waitFor()
    assert.deepEqual((await van.operator.get(`${van.at}/objects`)).items, [])
    assert.deepEqual(page.faults, [])
  })
})
