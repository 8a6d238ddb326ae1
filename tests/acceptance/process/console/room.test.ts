import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  assertAccessible,
  type Theme,
  WHOLE,
  WHOLE_ONLY,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { mapFitted, mapSettled } from '../../harness/map.ts'
import { postRows } from '../../harness/sender.ts'

const PHONE = { width: 390, height: 844 }
const DAY = '2026-03-10'

/** The room that things take on a page: the important ones are in sight without scrolling. */
describe('A page of the console', { skip: withoutBrowser }, async () => {
  /** The ids of Van 1 to Van 12. */
  const ids: number[] = []

  const console = await sharedConsole()
  const { id } = await console.operator.post('/organizations', { name: 'Acme', daily_quota: 20 })
  const at = `/organizations/${id}`
  for (let n = 1; n <= 12; n += 1) {
    const object = { ident: `van-${n}`, name: `Van ${n} of the northern depot` }
    ids.push((await console.operator.post(`${at}/objects`, object)).id)
  }
  const { secret } = await console.operator.post(`${at}/feed-tokens`, { name: 'feed' })
  const hour = (at: (minute: number) => object) =>
    Array.from({ length: 60 }, (_, minute) => ({
      time_device: `${DAY}T10:${String(minute).padStart(2, '0')}:00Z`,
      ...{ latitude: 41.4, longitude: 2.17, speed: 30, ignition: true },
      ...at(minute),
    }))
  const drive = hour((minute) => ({
    ident: 'van-1',
    latitude: 41.4 + (minute < 20 ? 0 : minute - 20) / 500,
    speed: minute < 20 ? 0 : 30,
    ignition: minute >= 10,
  }))
  const eastward = hour((minute) => ({ ident: 'van-3', longitude: 2.1 + minute / 300 }))
  const now = new Date().toISOString()
  const others = Array.from({ length: 11 }, (_, n) => ({
    ident: `van-${n + 2}`,
    time_device: now,
    latitude: 41.48 + (n % 4) / 400,
    longitude: 2.17 + Math.floor(n / 4) / 200,
    speed: 0,
  }))
  await postRows(console.server.feed, secret, [...drive, ...eastward, ...others])

  const boxOf = async (locator: Locator) => {
    const box = await locator.boundingBox()
    assert.ok(box !== null, 'it is drawn')
    return box
  }

  it('on a phone shows motion, location and age in the card of a vehicle', async () => {
    const page = await console.open(`${at}/objects`, PHONE)
    const row = page.getByRole('row', { name: /Van 2/ })
    await row.waitFor()
    const frame = await boxOf(page.getByRole('region', { name: 'Vehicles' }))
    const texts = ['Stopped', /41\.48/, /ago|just now/]
    for (const cell of texts.map((each) => row.getByText(each).first())) {
      const { x, width } = await boxOf(cell)
      assert.ok(x + width <= frame.x + frame.width, `ends at ${x + width} of ${PHONE.width}`)
    }
    await assertAccessible(page)
  })

  it('on a phone has the map above the list of vehicles, both in sight', async () => {
    const page = await console.open(`${at}/map`, PHONE)
    await page.getByRole('option').first().waitFor()
    await mapFitted(page)
    const map = await boxOf(page.locator('.maplibregl-canvas'))
    const row = await boxOf(page.getByRole('option').first())
    assert.ok(map.height > PHONE.height * 0.35, `the map is ${map.height} pixels high`)
    assert.ok(row.y >= map.y + map.height, 'the list is below the map')
    assert.ok(row.y + row.height <= PHONE.height, `a row ends at ${row.y + row.height}`)
  })

  it('on the usage page joins objects with equal reads in one line above the charts', async () => {
    const { secret } = await console.operator.post(`${at}/keys`, { name: 'Report' })
    for (const asked of [ids, [ids[0]], [ids[0]]]) {
      const answer = await fetch(
        `${console.server.api}/public/v1/positions/latest?ids=${asked.join()}`,
        { headers: { 'x-api-key': secret } },
      )
      assert.equal(answer.status, 200)
    }
    for (const viewport of [WIDE, PHONE]) {
      const page = await console.open(`${at}/usage`, viewport)
      const quota = page.getByRole('table', { name: 'Quota today' })
      await quota.waitFor()
      assert.equal(await quota.getByRole('row').count(), 3, 'the heading and two lines')
      await quota.getByText('11 objects').click()
      await quota.getByRole('link', { name: 'Van 12' }).waitFor()
      await quota.getByText('11 objects').click()
      const chart = await boxOf(page.getByRole('heading', { name: 'Requests by day' }))
      assert.ok(chart.y < viewport.height, `the first chart begins at ${chart.y}`)
      await assertAccessible(page)
      assert.deepEqual(page.faults, [])
    }
  })

  it('on the map keeps a day’s track below most of it and explains the track in the legend', async () => {
    for (const viewport of WHOLE ? [WIDE, PHONE] : [PHONE]) {
      const page = await console.open(`${at}/map?object=${ids[0]}&day=${DAY}`, viewport)
      const panel = page.getByRole('region', { name: 'Day’s track' })
      await panel.getByRole('slider').waitFor()
      const map = await boxOf(page.locator('.fleetmap'))
      const { height } = await boxOf(panel)
      assert.ok(height <= map.height * 0.45, `${height} of ${map.height}`)
      for (const control of [
        panel.getByRole('button', { name: 'Play' }),
        panel.getByRole('slider'),
        panel.getByRole('combobox', { name: 'Replay speed' }),
      ]) {
        const { x, y, width } = await boxOf(control)
        assert.ok(x >= map.x && x + width <= map.x + map.width && y > map.y, 'it is in the panel')
      }
      await page.getByText('Legend').click()
      for (const drawn of [
        'under 30',
        '90 or more',
        'Numbered stop, engine running',
        'Position at the chosen time',
      ]) {
        await page.getByText(drawn).waitFor()
      }
      await assertAccessible(page)
      await panel.getByRole('slider').press('End')
      await page
        .getByRole('region', { name: /^Van 1 / })
        .getByRole('button', { name: /^Stop/ })
        .first()
        .click()
      await panel.locator('output').getByText('11:00:00').waitFor()
      assert.deepEqual(page.faults, [])
    }
  })

  it('on the map shows the whole track of a day', {
    skip: WHOLE_ONLY,
  }, async () => {
    const page = await console.open(`${at}/map?object=${ids[2]}&day=${DAY}`)
    const slider = page.getByRole('region', { name: 'Day’s track' }).getByRole('slider')
    await slider.waitFor()
    await mapFitted(page)
    const map = await boxOf(page.locator('.fleetmap-canvas'))
    const marker = page.locator('.fleetmap-marker')
    await slider.press('Home')
    const start = await boxOf(marker)
    assert.ok(start.x > map.x, `${start.x} is on the map`)
    await slider.press('End')
    const end = await boxOf(marker)
    assert.ok(end.x + end.width < map.x + map.width, `${end.x} is on the map`)
  })

  it('on the map names objects close up and explains in the legend all that is drawn', async () => {
    for (const theme of (WHOLE ? ['light', 'dark'] : ['light']) as Theme[]) {
      const page = await console.open(`${at}/map?object=${ids[1]}&layers=places`, WIDE, theme)
      await page.getByRole('heading', { name: 'Van 2' }).waitFor()
      await mapFitted(page)
      await page.getByText('Legend').click()
      const legend = page.locator('.fleetmap-legend')
      for (const sign of [
        'Idle',
        'No signal',
        'Moving, heading unknown',
        'Several vehicles, by motion',
        'Selected',
        'Geofence',
        'Site',
        'Route',
      ]) {
        await legend.getByText(sign, { exact: true }).waitFor()
      }
      const map = await boxOf(page.locator('.fleetmap-canvas'))
      // The selected object is in the middle, and its name is next to it.
      const clip = { x: map.x + map.width / 2 - 120, y: map.y + map.height / 2 - 60 }
      const look = async () => {
        await mapSettled(page)
        return page.screenshot({ clip: { ...clip, width: 240, height: 120 } })
      }
      const plain = await look()
      const isPlain = async (wanted: boolean) => {
        const until = performance.now() + 30_000
        while ((await look()).equals(plain) !== wanted) {
          assert.ok(performance.now() < until, `names are ${wanted ? 'still' : 'not'} drawn`)
        }
      }
      const names = page.getByRole('button', { name: 'Names' })
      await names.click()
      assert.equal(new URL(page.url()).search, `?object=${ids[1]}`, 'they are shown by default')
      await isPlain(false)
      await names.click()
      await isPlain(true)
      await names.click()
      await isPlain(false)
      await assertAccessible(page)
      assert.deepEqual(page.faults, [])
    }
  })
})
