import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { assertAccessible, NARROW, withoutBrowser } from '../harness/browser.ts'
import { type Console, sharedConsole } from '../harness/console.ts'
import type { Json } from '../harness/fleetgate.ts'
import { mapFitted } from '../harness/map.ts'
import { DAY, drive, RANGE, SITE } from '../trips/records-fleet.ts'

const DATE = new Date(DAY).toISOString().slice(0, 10)

describe('Trips, stops and visits in the console', { skip: withoutBrowser }, () => {
  let console: Console
  let at: string
  /** The id of the van, which drove 2 km. */
  let van: number

  before(async () => {
    if (withoutBrowser !== false) return
    console = await sharedConsole()
    const { operator, server } = console
    const { id } = await operator.post('/organizations', { name: 'Acme' })
    at = `/organizations/${id}`
    van = (await operator.post(`${at}/objects`, { ident: 'van', name: 'Van' })).id
    await operator.post(`${at}/objects`, { ident: 'truck', name: 'Truck' })
    await operator.post(`${at}/sites`, SITE)
    const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const answer = await fetch(`${server.feed}/feed/v1/positions`, {
      method: 'POST',
      headers: { 'x-feed-token': secret },
      body: JSON.stringify([...drive('van', DAY), ...drive('truck', DAY, 4_000)]),
    })
    assert.equal(answer.status, 200)
  })

  it('are a list beside the map of a day, whose clicks zoom the map to them', async () => {
    const page = await console.open(`${at}/map?object=${van}&day=${DATE}`)
    const list = page.getByRole('region', { name: 'Van' })
    // The server derives them when the page asks for them.
    const trip = list.getByRole('button', { name: /^Trip/ })
    await trip.waitFor()
    assert.equal(await list.getByRole('button', { name: /^Stop/ }).count(), 2)
    assert.equal(await list.getByRole('button', { name: /^Visit, Depot/ }).count(), 1)
    const { items } = await console.operator.get(`${at}/trips?${RANGE}&ids=${van}`)
    const { id, distance } = items[0] as Json
    await list.getByText(`Trip, ${distance} km`).waitFor()
    await page
      .locator('.fleetmap-drive')
      .getByText(new RegExp(`^${distance.toFixed(0)} km`))
      .waitFor()
    await mapFitted(page)
    const scale = page.locator('.maplibregl-ctrl-scale')
    const whole = await scale.textContent()
    await list.getByRole('button', { name: /^Visit, Depot/ }).click()
    await page.waitForFunction(
      `document.querySelector('.maplibregl-ctrl-scale').textContent !== ${JSON.stringify(whole)}`,
    )
    await trip.click()
    assert.equal(new URL(page.url()).searchParams.get('record'), `trip-${id}`)
    await assertAccessible(page)
    await page.reload()
    await list.getByRole('button', { name: /^Trip/, pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Day before' }).click()
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
})
