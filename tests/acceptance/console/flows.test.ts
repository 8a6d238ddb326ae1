import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Locator, Page, Request } from 'playwright-core'
import { assertAccessible, picture, withoutBrowser } from '../harness/browser.ts'
import { type Console, startConsole } from '../harness/console.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { drivenDay } from '../harness/driven-day.ts'
import { mapFitted } from '../harness/map.ts'
import { postRows } from '../harness/sender.ts'

const skip = withoutBrowser || (isEmbedded ? false : 'the demo has a data folder')
const ORGANIZATION = '/organizations/1'

/** Each task of the operator with clicks, checked through the API. */
describe('An operator of the console', { skip }, () => {
  let fleet: Console

  before(async () => {
    if (skip !== false) return
    fleet = await startConsole(['--demo'])
  })

  const ask = (key: string, path = 'ping') =>
    fetch(`${fleet.server.api}/public/v1/${path}`, { headers: { 'x-api-key': key } })

  const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

  /** Does an action of the menu of a row. */
  const act = async (page: Page, name: string, action: string) => {
    await page
      .getByRole('button', { name: `Actions for ${name}` })
      .first()
      .click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  it('creates, finds, sets up and deletes an organization', async () => {
    const page = await fleet.open('/organizations')
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('button', { name: 'Create organization' }).click()
    await shows(page, 'Enter a name.')
    await page.getByLabel('Name').fill('Acme Logistics')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create organization' }).click()
    await shows(page, 'Acme Logistics was created.')
    await page.waitForURL('**/keys/feed-tokens')
    // The page behind the dialog has fields of the same names.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Distance unit').selectOption('mi')
    await page.getByLabel('Daily quota per object').fill('500')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save settings' }).click()
    assert.equal((await saved).status(), 200)
    const { items } = await fleet.operator.get('/organizations?search=acme')
    assert.deepEqual([items[0].distance_unit, items[0].daily_quota], ['mi', 500])

    await page.getByRole('link', { name: 'Organizations' }).click()
    await page
      .getByRole('searchbox')
      .or(page.getByLabel('Search organizations'))
      .first()
      .fill('acme')
    await page.getByRole('link', { name: /demo/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Acme Logistics' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('button', { name: /^Delete/ }).click()
    await shows(page, 'This does not match the name exactly.')
    await dialog.getByRole('textbox').fill('Acme Logistics')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: /^Delete/ }).click()
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    assert.deepEqual((await fleet.operator.get('/organizations?search=acme')).items, [])
    assert.deepEqual(page.faults, [])
  })

  it('issues a key that is shown once, rotates it with an overlap, and revokes it', async () => {
    const page = await fleet.open(`${ORGANIZATION}/keys`)
    await page.getByRole('button', { name: 'Issue key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Dashboard')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    const key = await page.getByText(/^fg_live_\w{36}$/).innerText()
    const curl = await page.getByText(/^curl -H 'x-api-key: fg_live_/).innerText()
    assert.ok(curl.includes(key) && curl.includes(fleet.server.api))
    await page.keyboard.press('Escape')
    await assertAccessible(page)
    await picture(page, 'key-issued')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal(await page.getByText(key).count(), 0)
    assert.equal((await ask(key, 'objects/1')).status, 200)

    await act(page, 'Dashboard', 'Rotate')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Rotate/ })
      .click()
    const next = await page.getByText(/^fg_live_\w{36}$/).innerText()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.deepEqual(
      [(await ask(key, 'objects/1')).status, (await ask(next, 'objects/1')).status],
      [200, 200],
    )
    await shows(page, 'Expires soon')

    await act(page, 'Dashboard', 'Revoke')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click()
    await shows(page, 'Dashboard was revoked.')
    const statuses = [(await ask(key, 'objects/1')).status, (await ask(next, 'objects/1')).status]
    assert.deepEqual(statuses.sort(), [200, 401])
    assert.deepEqual(page.faults, [])
  })

  it('issues a test key, which opens the simulated fleet in a scenario', async () => {
    const page = await fleet.open(`${ORGANIZATION}/keys`)
    await page.getByRole('button', { name: 'Issue key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('CI')
    await dialog.getByLabel('Access').selectOption('test')
    await dialog.getByLabel('Scenario').selectOption('limited')
    assert.equal(await dialog.getByLabel('Operations').count(), 0)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    const key = await page.getByText(/^fg_test_\w{36}$/).innerText()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal((await ask(key, 'objects')).status, 429)
    await shows(page, 'Simulated fleet: always 429')
    await page.getByRole('button', { name: 'Actions for CI' }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Change access' }).count(), 0)
  })

  it('limits a key, changes the limit, and sees what the key was shown', async () => {
    const page = await fleet.open(`${ORGANIZATION}/keys`)
    await page.getByRole('button', { name: 'Issue key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Broker')
    await dialog.getByLabel('Recipient').fill('Insurer Ltd')
    await dialog.getByLabel('Purpose').fill('Claims')
    await dialog.getByLabel('Access').selectOption('limited')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    assert.equal(await page.getByText(/^fg_live_\w{36}$/).count(), 0, 'no vehicle is chosen')
    const vehicles = dialog.getByLabel('Selected vehicles', { exact: true })
    for (const name of ['tramuntana', 'gregal']) {
      await pickVehicle(page, vehicles, name)
    }
    await dialog.getByLabel('Operations').selectOption('some')
    await dialog.getByLabel('Positions', { exact: true }).check()
    await assertAccessible(page)
    await picture(page, 'key-limits')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    const key = await page.getByText(/^fg_live_\w{36}$/).innerText()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal((await ask(key, 'positions/latest?ids=1')).status, 200)
    assert.equal((await ask(key, 'objects')).status, 403)

    await act(page, 'Broker', 'Change access')
    await dialog.getByLabel('Object list').check()
    await dialog.getByRole('button', { name: 'Save access' }).click()
    await shows(page, 'Access for Broker was changed.')
    await shows(page, 'Object list · Positions')
    assert.equal((await ask(key, 'objects')).status, 200)

    await act(page, 'Broker', 'Change recipient')
    await dialog.getByLabel('Recipient').fill('Port Authority')
    await dialog.getByRole('button', { name: 'Save recipient' }).click()
    await shows(page, 'Port Authority')
    assert.equal((await ask(key, 'positions/latest?ids=2')).status, 200)

    await page.getByRole('link', { name: 'Data access' }).click()
    await page.getByRole('heading', { name: 'Data access' }).waitFor()
    const totals = page.getByRole('table', { name: 'By recipient' })
    const rowTo = (recipient: string) =>
      totals.getByRole('row', { name: `${recipient} Claims API key Positions 1 1 1` })
    await rowTo('Insurer Ltd').waitFor()
    await rowTo('Port Authority').waitFor()
    await page.getByRole('combobox', { name: 'Access by' }).selectOption('Link')
    await shows(page, 'No data access')
    await page.getByRole('combobox', { name: 'Access by' }).selectOption('API key')
    await page.getByLabel('Recipient', { exact: true }).selectOption('Insurer Ltd')
    await rowTo('Port Authority').waitFor({ state: 'detached' })
    const href = await page.getByRole('link', { name: 'Export JSON' }).getAttribute('href')
    assert.match(href!, /disclosures\.json\?.*recipient=Insurer\+Ltd/)
    await assertAccessible(page)
    await picture(page, 'disclosures')
    assert.deepEqual(page.faults, [])
  })

  it('issues a key with two grants, which says what each opens', async () => {
    const page = await fleet.open(`${ORGANIZATION}/keys`)
    await page.getByRole('button', { name: 'Issue key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Carriers')
    await dialog.getByLabel('Access').selectOption('limited')
    await dialog.getByRole('button', { name: 'Add another grant' }).click()
    for (const [number, van] of [
      ['1', 'tramuntana'],
      ['2', 'gregal'],
    ] as const) {
      const grant = dialog.getByRole('group', { name: `Grant ${number}` })
      const vehicles = grant.getByLabel('Selected vehicles', { exact: true })
      await pickVehicle(page, vehicles, van)
    }
    const second = dialog.getByRole('group', { name: 'Grant 2' })
    await second.getByLabel('Data from').fill('2026-11-20T08:00')
    await second.getByLabel('Data until').fill('2026-11-19T18:00')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    await shows(page, 'Must be after the start.')
    await second.getByLabel('Data until').fill('2026-11-21T18:00')
    const opened = 'Van 2 Gregal from 20 Nov 2026, 08:00 until 21 Nov 2026, 18:00'
    await dialog.getByText(opened).waitFor()
    await assertAccessible(page)
    await picture(page, 'key-grants')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    const key = await page.getByText(/^fg_live_\w{36}$/).innerText()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal((await ask(key, 'positions/latest?ids=1')).status, 200)
    assert.equal((await ask(key, 'objects/3')).status, 404)

    await page.getByText('2 grants').click()
    await page.getByText(opened).waitFor()
    await act(page, 'Carriers', 'Change access')
    await dialog.getByRole('button', { name: 'Remove grant 1' }).click()
    await dialog.getByRole('button', { name: 'Save access' }).click()
    await shows(page, 'Access for Carriers was changed.')
    const { items } = await fleet.operator.get(`${ORGANIZATION}/keys`)
    const { scope } = items.find(({ name }: { name: string }) => name === 'Carriers')
    assert.deepEqual(
      [scope.objects, scope.data_from, scope.data_until],
      [[2], '2026-11-20T07:00:00.000Z', '2026-11-21T17:00:59.999Z'],
    )
    assert.deepEqual(page.faults, [])
  })

  it('requires a recipient and a purpose of keys, and sees which lack them', async () => {
    const { id } = await fleet.operator.post('/organizations', { name: 'Careful' })
    await fleet.operator.post(`/organizations/${id}/keys`, { name: 'Old' })
    const page = await fleet.open(`/organizations/${id}/settings`)
    await page.getByLabel('Require a recipient and a purpose for API keys').check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await shows(page, 'The settings were saved.')
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByText('No purpose given').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Actions for Old' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Rotate' }).count(), 0)
    await page.keyboard.press('Escape')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Issue key' }).click()
    await dialog.getByLabel('Name').fill('New')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    await dialog.getByText('Enter the recipient.').waitFor()
    await dialog.getByText('Enter the purpose.').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Access').selectOption('test')
    await dialog.getByRole('button', { name: 'Issue key' }).click()
    await page.getByText(/^fg_test_\w{36}$/).waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await act(page, 'Old', 'Change recipient')
    await dialog.getByLabel('Recipient').fill('Insurer Ltd')
    await dialog.getByLabel('Purpose').fill('Claims')
    await dialog.getByRole('button', { name: 'Save recipient' }).click()
    await page.getByText('No purpose given').waitFor({ state: 'detached' })
    await act(page, 'Old', 'Rotate')
    assert.deepEqual(page.faults, [])
  })

  it('sees requests, refusals, and objects with little quota left', async () => {
    const { secret } = await fleet.operator.post('/organizations/1/keys', { name: 'Report' })
    // The requests of other tests take at most 10 of them, so this object is read more often than any other.
    await fleet.operator.patch('/organizations/1', { window_requests: 30 })
    const latest = () => ask(secret, 'positions/latest?ids=3')
    const answers = await Promise.all(Array.from({ length: 31 }, latest))
    const refused = answers.filter(({ status }) => status === 429).length
    assert.ok(refused > 0)
    const page = await fleet.open(`${ORGANIZATION}/usage`)
    await page.getByRole('heading', { name: 'Requests by day' }).waitFor()
    await page.getByRole('row', { name: /^Van 3/ }).waitFor()
    await page.getByRole('button', { name: 'Show table' }).first().click()
    await assertAccessible(page)
    const { days } = await fleet.operator.get('/organizations/1/usage?days=1')
    await shows(page, new RegExp(`^${days[0].requests}$`))
  })

  it('finds a tracker without an object, and creates the object', async () => {
    const { id } = await fleet.operator.post('/organizations', { name: 'Strangers' })
    const at = `/organizations/${id}`
    const { secret } = await fleet.operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const packet = { time_device: new Date().toISOString(), latitude: 41.5, longitude: 2.25 }
    const send = async () => {
      const row = { ident: 'tracker-7', ...packet }
      return (await postRows(fleet.server.feed, secret, [row])).stored as number
    }
    assert.equal(await send(), 0)
    const refused = `${at}/refused-idents`
    while ((await fleet.operator.get(refused)).items.length === 0) await wait(50)

    const page = await fleet.open(`${at}/objects`)
    const card = page.getByRole('region', { name: 'Trackers without a vehicle' })
    await card.getByText('Objects are not created automatically.').waitFor()
    await card.getByText('41.5, 2.25').waitFor()
    await assertAccessible(page)
    await card.getByRole('button', { name: 'Create vehicle for tracker-7' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Ident').inputValue(), 'tracker-7')
    await dialog.getByLabel('Name').fill('Tram 7')
    await dialog.getByRole('button', { name: 'Create vehicle' }).click()
    await shows(page, 'Tram 7 was created.')
    assert.equal(await send(), 1)
    await page.getByRole('link', { name: 'Vehicles' }).first().click()
    await page.getByRole('link', { name: 'Tram 7' }).first().waitFor()
    await card.waitFor({ state: 'detached' })
    assert.deepEqual(page.faults, [])
  })

  it('sees that a silent vehicle has no signal, on the open map, in the list and on its page', async () => {
    const { id } = await fleet.operator.post('/organizations', { name: 'Quiet' })
    const at = `/organizations/${id}`
    const van = await fleet.operator.post(`${at}/objects`, { name: 'Van', ident: 'van' })
    const { secret } = await fleet.operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const recordedAt = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const row = { ident: 'van', time_device: recordedAt, latitude: 41, longitude: 2, speed: 50 }
    await postRows(fleet.server.feed, secret, [row])
    const map = await fleet.open(`${at}/map`)
    const counted = (motion: string, count: number) =>
      map.getByRole('button', { name: `${count} ${motion}`, exact: true }).waitFor()
    await counted('Moving', 1)
    await map.getByRole('option', { name: /^Van 50 km.h/ }).click()
    const card = map.getByRole('region', { name: 'Van' })
    await card.getByText('Moving').waitFor()

    const page = await fleet.open(`${at}/settings`)
    await page.getByLabel('No signal after (hours)').fill('2')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await shows(page, 'The settings were saved.')
    await counted('No signal', 1)
    await counted('Moving', 0)
    // The card has how long it has been once it has read the vehicle again.
    await card.getByText(/^(No signal|Signal lost for .*)$/).waitFor()
    await assertAccessible(map)

    await page.getByRole('link', { name: 'Vehicles' }).click()
    await page.getByRole('button', { name: 'No signal', exact: true }).click()
    const listed = page.getByRole('row', {
      name: /^Van No signal 41, 2 3 h.* ago .*van/,
    })
    await assertAccessible(page)
    await listed.getByRole('link', { name: 'Van' }).click()
    await page.waitForURL(`**/objects/${van.id}`)
    await shows(page, 'Signal lost for 3 h')
    const audit = await fleet.open(`${at}/audit`)
    await shows(audit, /signal.timeout.hours/i)
    assert.deepEqual([...map.faults, ...page.faults], [])
  })

  it('changes the accuracy of an object after a preview of its effect on a day', async () => {
    const page = await fleet.open(`${ORGANIZATION}/objects`)
    await page.getByLabel('Search vehicles').fill('tramuntana')
    await page.getByRole('link', { name: 'Van 1 Tramuntana' }).click()
    await page.getByRole('navigation', { name: 'Vehicle' }).getByText('Settings').click()
    await page.getByLabel('Plate number').fill('1234 XYZ')
    await page
      .getByRole('button', { name: 'Save vehicle data' })
      .or(page.getByRole('button', { name: /^Save/ }).first())
      .first()
      .click()
    await page.getByLabel('Minimum distance between positions').fill('300')
    const effect = page.getByRole('region', { name: 'Effect of the change' })
    const day = await drivenDay(fleet.operator)
    const computed = page.waitForResponse((response) => isPreviewOf(response.request(), day))
    await effect.getByLabel('Day', { exact: true }).fill(day)
    await computed
    await effect.getByRole('table', { name: 'Before and after' }).waitFor()
    await effect.scrollIntoViewIfNeeded()
    // The result of another day is faint.
    await effect.locator('.stack:not(.waits) [aria-busy=false] .maplibregl-canvas').waitFor()
    await assertAccessible(page)
    await picture(page, 'accuracy-preview')
    const before = await fleet.operator.get('/organizations/1/objects/1')
    assert.equal(before.accuracy.minimum_difference_point, 0, 'nothing is saved yet')
    await page.getByRole('button', { name: 'Save accuracy' }).click()
    await page.getByRole('button', { name: 'Recompute stored positions' }).click()
    await shows(page, /^Recomputing motion/)
    const after = await fleet.operator.get('/organizations/1/objects/1')
    assert.equal(after.accuracy.minimum_difference_point, 300)
    assert.equal(after.plate_number, '1234 XYZ')
    assert.deepEqual(page.faults, [])
  })

  it('imports objects and sees the result for every row', async () => {
    const page = await fleet.open(`${ORGANIZATION}/objects`)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'fleet.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('ident,name\nnew-1,Trailer 1\nnew-2,Trailer 2\n,Nameless\n'),
    })
    await shows(page, /1 of the first 3 rows would be rejected/)
    await page.getByRole('button', { name: 'Import objects' }).click()
    await shows(page, 'Only part of the file was imported: 1 of 3 rows is missing.')
    await shows(page, /ident is missing/)
    await assertAccessible(page)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /done|close/i })
      .last()
      .click()
    await page.getByLabel('Search vehicles').fill('Trailer')
    await page.getByRole('link', { name: 'Trailer 2' }).waitFor()
  })

  it('draws, edits, exports and imports a geofence', async () => {
    const page = await fleet.open(`${ORGANIZATION}/places/geofences/new`)
    await page.getByLabel('Name').fill('Harbour')
    await mapFitted(page)
    const canvas = page.locator('.maplibregl-canvas')
    const draw = page.getByRole('button', { name: /^draw/i })
    if ((await draw.count()) > 0) await draw.first().click()
    const box = (await canvas.boundingBox())!
    const corners = [
      [0.3, 0.3],
      [0.6, 0.3],
      [0.6, 0.6],
      [0.3, 0.3],
    ] as const
    for (const [x, y] of corners) {
      await page.mouse.click(box.x + x * box.width, box.y + y * box.height)
    }
    await page.getByRole('button', { name: 'Save geofence' }).click()
    await shows(page, 'Harbour was saved.')
    const { items } = await fleet.operator.get('/organizations/1/geofences')
    const drawn = items.find((each: { name: string }) => each.name === 'Harbour')
    assert.ok(new Set(drawn.coordinates.map(String)).size === 3, JSON.stringify(drawn))

    const list = await fleet.open(`${ORGANIZATION}/places/geofences`)
    const downloading = list.waitForEvent('download')
    await list.getByRole('link', { name: 'Export GeoJSON' }).click()
    const file = readFileSync((await (await downloading).path())!)
    await list.getByRole('button', { name: 'Import' }).click()
    await list
      .locator('input[type=file]')
      .setInputFiles({ name: 'again.geojson', mimeType: 'application/geo+json', buffer: file })
    await list.getByRole('button', { name: 'Import geofences' }).click()
    await shows(list, 'All rows of the file were imported.')
    await shows(list, /^Already stored: \d+ rows$/)
    assert.equal(
      (await fleet.operator.get('/organizations/1/geofences')).items.length,
      items.length,
    )
    await assertAccessible(list)
    assert.deepEqual([...page.faults, ...list.faults], [])
  })

  it('sees changes in the audit log, without secrets', async () => {
    const page = await fleet.open(`${ORGANIZATION}/audit`)
    await shows(page, /1234 XYZ/)
    const text = await page.locator('main').innerText()
    assert.match(text, /Dashboard/)
    assert.doesNotMatch(text, /fg_live_\w{30,}/)
    await assertAccessible(page)
  })

  it('is warned of a lost server, and continues when the server is back', async () => {
    const page = await fleet.open(`${ORGANIZATION}/keys`)
    await page.getByRole('button', { name: 'Issue key' }).waitFor()
    await page.route('**/admin/v1/**', (route) => route.abort())
    await page.getByRole('link', { name: 'Usage' }).click()
    await shows(page, /The server does not respond/)
    await page.unroute('**/admin/v1/**')
    await page.getByRole('button', { name: /again/i }).first().click()
    await page.getByRole('heading', { name: 'Requests by day' }).waitFor()
  })
})

async function pickVehicle(page: Page, field: Locator, name: string): Promise<void> {
  // A list that is open closes when the dialog scrolls.
  await field.click()
  await field.pressSequentially(name)
  const list = page.locator('.pick-list')
  await list.getByRole('option', { name: new RegExp(name, 'i') }).click()
  // Escape closes the dialog if the list has closed already.
  if (await list.isVisible()) await page.keyboard.press('Escape')
}

/** Whether a request asks for the preview of a day. */
function isPreviewOf(request: Request, day: string): boolean {
  if (!request.url().endsWith('/preview')) return false
  const { from, to } = request.postDataJSON() as { from: string; to: string }
  return from <= `${day}T12` && `${day}T12` < to
}
