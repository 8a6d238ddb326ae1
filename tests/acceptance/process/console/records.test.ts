import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { mapFitted } from '../../harness/map.ts'
import { postRows } from '../../harness/sender.ts'
import { filledAndDrained } from '../../levels/tank.ts'
import { DAY, drive, RANGE, SITE } from '../../trips/records-fleet.ts'

const DATE = new Date(DAY).toISOString().slice(0, 10)

describe('Trips, stops and visits in the console', { skip: withoutBrowser }, async () => {
  const console = await sharedConsole()
  const { operator, server } = console
  const { id } = await operator.post('/organizations', { name: 'Acme' })
  const at = `/organizations/${id}`
  /** The id of the van, which drove 2 km. */
  const van = (await operator.post(`${at}/objects`, { ident: 'van', name: 'Van' })).id
  await operator.post(`${at}/objects`, { ident: 'truck', name: 'Truck' })
  const depot = (await operator.post(`${at}/sites`, SITE)).id
  const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
  await postRows(server.feed, secret, [...drive('van', DAY), ...drive('truck', DAY, 4_000)])

  it('are a list beside the map of a day, whose clicks zoom the map to them', async () => {
    const page = await console.open(`${at}/map?object=${van}&day=${DATE}`)
    const list = page.getByRole('region', { name: 'Van' })
    // The server derives them when the page asks for them.
    const trip = list.getByRole('button', { name: /^Trip/ })
    await trip.waitFor()
    await list.getByRole('button', { name: /^Stop/ }).nth(1).waitFor()
    // The visit is in the stop in which it happened.
    const visit = list
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: /^Stop 1/ }) })
    await visit.getByRole('button', { name: /^In Depot/ }).waitFor()
    const { items } = await console.operator.get(`${at}/trips?${RANGE}&ids=${van}`)
    const { id, distance } = items[0] as Json
    await trip.getByText(`${distance} km · up to 36 km/h`).waitFor()
    await trip.getByText('Depot → At 2000 m').waitFor()
    const far = list.getByText('Distance', { exact: true }).locator('xpath=..')
    await far.getByText(new RegExp(`^${distance.toFixed(0)} km`)).waitFor()
    await mapFitted(page)
    // The day begins at the first stop.
    const { x, y, width, height } = (await page.locator('.fleetmap-marker').boundingBox())!
    await page.mouse.click(x + width / 2, y + height / 2)
    await list.getByRole('button', { name: /^Stop/, pressed: true }).waitFor()
    await mapFitted(page)
    const scale = page.locator('.maplibregl-ctrl-scale')
    const whole = await scale.textContent()
    await trip.click()
    await page.waitForFunction(
      `document.querySelector('.maplibregl-ctrl-scale').textContent !== ${JSON.stringify(whole)}`,
    )
    assert.equal(new URL(page.url()).searchParams.get('record'), `trip-${id}`)
    // The trip alone is played, from its start to its end.
    const track = page.getByRole('region', { name: 'Day’s track' })
    const slider = track.getByRole('slider')
    const [from, to] = await Promise.all(['min', 'max'].map((end) => slider.getAttribute(end)))
    const { start_time, end_time } = items[0] as Json
    assert.deepEqual([from, to].map(Number), [start_time, end_time].map(Date.parse))
    await assertAccessible(page)
    await page.reload()
    await list.getByRole('button', { name: /^Trip/, pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Previous day' }).click()
    await list.getByText('No trips, stops or visits on this day.').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('record'), null)
    assert.deepEqual(page.faults, [])
  })

  it('are below the map on a phone', async () => {
    const page = await console.open(`${at}/map?object=${van}&day=${DATE}`, NARROW)
    const trip = page.getByRole('region', { name: 'Van' }).getByRole('button', { name: /^Trip/ })
    const { y } = (await trip.boundingBox())!
    const map = (await page.locator('.fleetmap-canvas').boundingBox())!
    assert.ok(y >= map.y + map.height, `${y} is below ${map.y + map.height}`)
    await trip.click()
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  it('are tables with filters, an order and a file', async () => {
    const page = await console.open(`${at}/records`)
    await page.getByLabel('From', { exact: true }).fill(DATE)
    await page.getByLabel('To', { exact: true }).fill(DATE)
    const names = (label: string) =>
      page.getByRole('table', { name: label }).getByRole('rowheader').allInnerTexts()
    await page.getByText('2 trips').waitFor()
    await page.getByRole('button', { name: 'Distance' }).click()
    assert.deepEqual(await names('Trips'), ['Van', 'Truck'])
    await page.getByRole('button', { name: 'Distance' }).click()
    assert.deepEqual(await names('Trips'), ['Truck', 'Van'])
    await page.getByLabel('Vehicles', { exact: true }).fill('van')
    await page.getByRole('option', { name: 'Van van' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('1 trip', { exact: true }).waitFor()
    const { search } = new URL(page.url())
    assert.equal(search, `?from=${DATE}&to=${DATE}&sort=-distance&objects=${van}`)
    await assertAccessible(page)

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const file = readFileSync(await (await downloading).path(), 'utf8')
      .trimEnd()
      .split('\n')
    assert.deepEqual([file.length, file[1]!.split(',')[2]], [2, 'van'])

    await page.getByRole('link', { name: 'Stops', exact: true }).click()
    await page.getByText('2 stops').waitFor()
    await page.getByLabel('Minimum duration (minutes)').fill('60')
    await page.getByRole('heading', { name: 'No results' }).waitFor()
    await page.getByLabel('Minimum duration (minutes)').fill('')
    await page.getByRole('link', { name: 'Visits' }).click()
    await page.getByRole('button', { name: 'Remove Van' }).click()
    await page.getByText('2 visits').waitFor()
    await page.getByLabel('Places', { exact: true }).fill('Depot')
    await page.getByRole('option', { name: 'Depot' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove Depot' }).waitFor()
    const truck = page.getByRole('row').filter({ hasText: 'Truck' })
    const toVehicle = await truck.getByRole('link', { name: 'Truck' }).getAttribute('href')
    assert.match(toVehicle!, /objects\/\d+$/)
    await truck.getByRole('cell', { name: / min$/ }).click()
    const list = page.getByRole('region', { name: 'Truck' })
    await list.getByRole('button', { name: /^In Depot/, pressed: true }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('have rows that lead to the day, with the keys of a link', async () => {
    const page = await console.open(`${at}/records/trips?from=${DATE}&to=${DATE}&objects=${van}`)
    const { items } = await operator.get(`${at}/trips?${RANGE}&ids=${van}`)
    const day = `${at}/map?object=${van}&day=${DATE}&record=trip-${(items[0] as Json).id}`
    const distance = page.getByRole('cell', { name: / km$/ })
    const opened = page.context().waitForEvent('page')
    await distance.click({ modifiers: ['Control'] })
    const tab = await opened
    await tab.waitForURL((url) => url.href.endsWith(day))
    await tab.close()
    // A selected text is for copying.
    const { x, y, width, height } = (await page.getByText('At 0 m').boundingBox())!
    await page.mouse.move(x + 1, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.up()
    assert.match(String(await page.evaluate('String(getSelection())')), /^At/)
    assert.match(page.url(), /records\/trips/)
    await distance.click()
    await page.waitForURL((url) => url.href.endsWith(day))
    assert.deepEqual(page.faults, [])
  })

  it('are cards on a phone, with what matters of each', async () => {
    const page = await console.open(`${at}/records/trips?from=${DATE}&to=${DATE}`, NARROW)
    const card = page.getByRole('row').filter({ hasText: 'Truck' })
    const inSight = async (text: string) => {
      const { x, width } = (await card.getByText(text).first().boundingBox())!
      assert.ok(x >= 0 && x + width <= NARROW.width, `${text} is in sight`)
    }
    await inSight('4.01 km')
    await inSight(' min')
    await page.getByLabel('Sort by').selectOption('Distance')
    const names = () => page.getByRole('rowheader').allInnerTexts()
    assert.deepEqual(await names(), ['Truck', 'Van'])
    await page.getByRole('button', { name: 'Sort ascending' }).click()
    assert.deepEqual(await names(), ['Van', 'Truck'])
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  it('have a table of what was filled into tanks', async () => {
    await operator.post(`${at}/objects`, { ident: 'tanker', name: 'Tanker' })
    await operator.patch(`${at}/attributes`, { name: 'fuel', is_level: true, is_public: true })
    await postRows(server.feed, secret, filledAndDrained('tanker'))
    const path = `${at}/records/levels?from=${DATE}&to=${DATE}`
    const page = await console.open(path)
    await page.getByText('2 level changes').waitFor()
    const table = page.getByRole('table', { name: 'Levels' })
    await table.getByText('Filled').waitFor()
    await table.getByText('Drained').waitFor()
    await assertAccessible(page)
    await page.goto(`${server.admin}${at}/map?object=${van + 2}&day=${DATE}`)
    const list = page.getByRole('region', { name: 'Tanker' })
    await list.getByRole('button', { name: /^Filled: Fuel \+140/ }).waitFor()
    await list.getByText(/ filled, .* drained$/).waitFor()
    const chart = page.getByRole('img', { name: /Filled: Fuel \+140.* Drained: Fuel −80/ })
    await chart.waitFor()
    const narrow = await console.open(path, NARROW)
    await narrow.getByText('2 level changes').waitFor()
    await assertAccessible(narrow)
    assert.deepEqual([...page.faults, ...narrow.faults], [])
  })

  it('tell who was at a place', async () => {
    const page = await console.open(`${at}/places/sites/${depot}?from=${DATE}&to=${DATE}`)
    const card = page.getByRole('region', { name: 'Visits to this place' })
    await card.getByText('2 visits').waitFor()
    await card.getByRole('button', { name: 'Vehicle' }).click()
    const visitors = card.getByRole('table', { name: 'Visits' }).getByRole('rowheader')
    assert.deepEqual(await visitors.allInnerTexts(), ['Truck', 'Van'])
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })
})
