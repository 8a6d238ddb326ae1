import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { demoFleet } from '../../../../packages/server/src/work/simulated/demo/fleet.ts'
import {
  assertAccessible,
  openContext,
  openPage,
  picture,
  WHOLE_ONLY,
  withoutBrowser,
} from '../../harness/browser.ts'
import { type Console, shownDemoConsole } from '../../harness/console.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { drivenDay } from '../../harness/driven-day.ts'
import { REPOSITORY } from '../../harness/fleetgate.ts'
import { mapFitted } from '../../harness/map.ts'

const skip = withoutBrowser || (isEmbedded ? false : 'the demo has a data folder')
const { objects, geofences, routes, sites } = demoFleet()

/** Runs after the screens and the flows, by its name, so it also sees what they changed. */
describe('The demo of the pictures', { skip }, () => {
  let demo: Console

  before(async () => {
    if (skip !== false) return
    demo = await shownDemoConsole()
  })

  it('has each vehicle in the list beside the map, counted by motion', async () => {
    const page = await demo.open('/organizations/1/map')
    await mapFitted(page)
    const rows = page.getByRole('option')
    await rows.first().waitFor()
    assert.equal(await rows.first().getAttribute('aria-setsize'), String(objects.length))
    const motions = ['Moving', 'Idle', 'Stopped', 'No signal']
    const counts = await Promise.all(motions.map((motion) => counted(page, motion)))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      objects.length,
    )
    assert.deepEqual(page.faults, [])
  })

  it('shows how many of its positions are packed, and how many are not', async () => {
    let stored = null
    // The server counts them after its first pass.
    while (stored === null) ({ positions: stored } = await demo.operator.get('/organizations/1'))
    assert.ok(stored.packed > 1_000 && stored.packed_bytes < stored.packed * 40)
    const page = await demo.open('/organizations/1/usage')
    const card = page.getByRole('region', { name: 'Stored positions' })
    const part = (label: string, rows: number) =>
      card
        .getByText(label, { exact: true })
        .locator('xpath=..')
        .getByText(rows.toLocaleString('en-GB'))
        .waitFor()
    await part('Packed', stored.packed)
    await part('Older than two days, not packed', stored.unpacked)
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  it('has the objects of the demo in the list', async () => {
    const page = await demo.open('/organizations/1/objects')
    await page.getByText(`${objects.length} vehicles`, { exact: true }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it("shows an object's card on the map, and plays its day with a slider", async () => {
    const page = await demo.open('/organizations/1/map')
    await page.getByLabel('Search by name, ident or plate').fill('Tramuntana')
    await page.getByRole('option', { name: /^Van 1 Tramuntana/ }).click()
    await page.getByRole('heading', { name: 'Van 1 Tramuntana' }).waitFor()
    await assertAccessible(page)
    await picture(page, 'card')
    await page.getByRole('button', { name: 'Day', exact: true }).click()
    const track = page.getByRole('region', { name: 'Day’s track' })
    await page.getByLabel('Day', { exact: true }).fill(await drivenDay(demo.operator))
    const slider = track.getByRole('slider').first()
    await slider.waitFor()
    const at = await slider.getAttribute('aria-valuetext')
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('PageUp')
    assert.notEqual(await slider.getAttribute('aria-valuetext'), at)
    await assertAccessible(page)
    await picture(page, 'track')
    assert.deepEqual(page.faults, [])
  })

  it('has its API in the reference', { skip: WHOLE_ONLY }, async () => {
    const page = await openPage(await openContext())
    await page.goto(`${demo.server.api}/docs#tag/positions/GET/objects/{id}/positions`)
    const heading = page.getByRole('heading', { name: 'List positions of an object', level: 3 })
    await heading.waitFor()
    await heading.scrollIntoViewIfNeeded()
    await picture(page, 'reference')
    assert.deepEqual(page.faults, [])
  })
})

it('Pages give the numbers of vehicles and places that the demo has', () => {
  const pages = globSync('{README.md,docs/*.md,examples/*.md,packages/*/README.md}', {
    cwd: REPOSITORY,
  })
  const text = pages.map((page) => readFileSync(join(REPOSITORY, page), 'utf8')).join('\n')
  const fleets = [...text.matchAll(/\bfleet\s+of\s+(\d+)\s+vehicles/g)]
  assert.ok(fleets.length >= 3, 'the README, that of the package and docs/console.md')
  for (const [words, vehicles] of fleets) assert.equal(Number(vehicles), objects.length, words)
  const places = [...text.matchAll(/\b(\d+)\s+geofences,\s+(\d+)\s+routes\s+and\s+(\d+)\s+sites/g)]
  assert.ok(places.length >= 1, 'docs/console.md')
  const there = [geofences, routes, sites].map(({ length }) => length)
  for (const [words, ...numbers] of places) assert.deepEqual(numbers.map(Number), there, words)
})

/** The number of vehicles of a motion in the filter of the list. */
async function counted(page: Page, motion: string): Promise<number> {
  const filter = page.getByRole('button', { name: new RegExp(`^\\d+ ${motion}$`) })
  return Number(await filter.locator('strong').innerText())
}
