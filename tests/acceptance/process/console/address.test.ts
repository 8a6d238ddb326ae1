import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, WHOLE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { postRows } from '../../harness/sender.ts'

/** A day in the past, in the browser's zone and in UTC alike. */
const DAY = '2026-03-10'

describe('The address of a page of the console', { skip: withoutBrowser }, async () => {
  /** The ids of Van 1, Van 2 and Truck 3. */
  const ids: number[] = []

  const console = await sharedConsole()
  const { id } = await console.operator.post('/organizations', { name: 'Acme' })
  const at = `/organizations/${id}`
  for (const [ident, name] of Object.entries({ a: 'Van 1', b: 'Van 2', c: 'Truck 3' })) {
    ids.push((await console.operator.post(`${at}/objects`, { ident, name })).id)
  }
  const { secret } = await console.operator.post(`${at}/feed-tokens`, { name: 'feed' })
  const rows = Array.from({ length: 60 }, (_, minute) => ({
    ident: 'a',
    time_device: `${DAY}T10:${String(minute).padStart(2, '0')}:00Z`,
    latitude: 41.4 + minute / 500,
    longitude: 2.17,
    speed: 30,
    ignition: true,
  }))
  await postRows(console.server.feed, secret, [...rows, { ...rows[0], ident: 'b', latitude: 41.5 }])

  const searchOf = (page: Page) => new URL(page.url()).search

  it('holds the search, the filter and the order of objects', async () => {
    const page = await console.open(`${at}/objects`)
    await page.getByLabel('Search vehicles').fill('van')
    await page.getByRole('button', { name: 'Motion', exact: true }).click()
    await page.getByRole('button', { name: 'Not seen today' }).click()
    assert.equal(searchOf(page), '?search=van&sort=motion&show=unseen')
    const shown = async (each: Page) => {
      await each.getByText('2 of 3 vehicles').waitFor()
      assert.equal(await each.getByLabel('Search vehicles').inputValue(), 'van')
      const filter = each.getByRole('button', { name: 'Not seen today' })
      assert.equal(await filter.getAttribute('aria-pressed'), 'true')
      const heading = each.getByRole('columnheader', { name: 'Motion' })
      assert.equal(await heading.getAttribute('aria-sort'), 'ascending')
    }
    await shown(page)
    await page.reload()
    await shown(page)
    await shown(await console.open(`${at}/objects${searchOf(page)}`))

    await page.getByRole('link', { name: 'Van 2' }).click()
    await page.getByRole('region', { name: 'Details' }).waitFor()
    await page.goBack()
    await shown(page)
    await page.goBack()
    assert.equal(searchOf(page), '?search=van&sort=motion', 'the filter was one step')
    await page.goForward()
    await shown(page)
    assert.deepEqual(page.faults, [])
  })

  it('holds the object, the day, the search and the layers of the map', async () => {
    const page = await console.open(`${at}/map`)
    await page.getByRole('button', { name: 'Places', pressed: true }).click()
    await page.getByLabel('Search by name, ident or plate').fill('van 1')
    await page.getByText('1 vehicle').waitFor()
    await page.getByRole('option', { name: /^Van 1/ }).click()
    await page.getByRole('heading', { name: 'Van 1' }).waitFor()
    await page.getByRole('button', { name: 'Day', exact: true }).click()
    const track = page.getByRole('region', { name: 'Day’s track' })
    await track.getByRole('slider').waitFor()
    const found = new URL(page.url())
    assert.equal(found.search, `?layers=names&search=van+1&object=${ids[0]}&day=${DAY}`)

    const others = WHOLE ? [await console.open(found.pathname + found.search)] : []
    for (const again of [page, ...others]) {
      if (again === page) await page.reload()
      await again.getByRole('heading', { name: 'Van 1' }).waitFor()
      await again.getByRole('region', { name: 'Day’s track' }).getByRole('slider').waitFor()
      assert.equal(await again.locator('input[type=date]').inputValue(), DAY)
    }
    await page.getByRole('button', { name: 'Previous day' }).click()
    await track.getByText('No positions on this day.').waitFor()
    await page.goBack()
    await track.getByRole('slider').waitFor()
    await page.goBack()
    await track.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Places', pressed: false }).waitFor()
    await page.getByRole('option', { name: /^Van 1/, selected: true }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Van 1' }).waitFor({ state: 'detached' })
    await page.goForward()
    await page.getByRole('heading', { name: 'Van 1' }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('shows the start of the page if it names something missing or invalid', async () => {
    const page = await console.open(`${at}/map?object=x&day=2026-02-31&layers=all&motion=up`)
    await page.getByRole('option', { name: /^Van 1/ }).waitFor()
    assert.equal(await page.getByRole('region', { name: 'Day’s track' }).count(), 0)
    await page.goto(`${console.server.admin}${at}/objects?show=all-that&sort=-colour`)
    await page.getByText('3 vehicles').waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('changes only after a question while settings are not saved', async () => {
    const page = await console.open(`${at}/objects`)
    await page.getByRole('link', { name: 'Van 2' }).click()
    await page.getByRole('navigation', { name: 'Vehicle' }).getByText('Settings').click()
    const plate = page.getByLabel('Plate number')
    await plate.fill('1234 ABC')
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    const stays = async (way: () => Promise<unknown>) => {
      await way()
      await question.waitFor()
      await question.getByRole('button', { name: 'Stay on this page' }).click()
      await question.waitFor({ state: 'detached' })
      assert.equal(await plate.inputValue(), '1234 ABC')
      assert.ok(page.url().endsWith(`/objects/${ids[1]}/settings`))
    }
    await stays(() => page.getByRole('link', { name: 'Usage' }).click())
    await stays(() => page.evaluate('history.back()'))
    await page.getByRole('link', { name: 'Usage' }).click()
    await question.waitFor()
    await assertAccessible(page)
    await question.getByRole('button', { name: 'Stay on this page' }).click()

    await page.evaluate('history.back()')
    await question.getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByRole('region', { name: 'Details' }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'Vehicle data' }).waitFor()
    assert.equal(await plate.inputValue(), '', 'it was not saved')

    await plate.fill('5678 DEF')
    await page.getByRole('button', { name: 'Save vehicle data' }).click()
    await page.getByText('Van 2 was saved.').first().waitFor()
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'No requests in this period' }).waitFor()
    assert.deepEqual(page.faults, [])
  })

  it('is not lost with the tab while settings are not saved', async () => {
    const page = await console.open(`${at}/settings`)
    await page.getByLabel('Daily quota per object').fill('12')
    const asked = new Promise<string>((done) => {
      page.once('dialog', async (dialog) => {
        await dialog.dismiss()
        done(dialog.type())
      })
    })
    await page.close({ runBeforeUnload: true })
    assert.equal(await asked, 'beforeunload')
    assert.equal(await page.getByLabel('Daily quota per object').inputValue(), '12')

    await page.getByRole('button', { name: 'Discard changes' }).click()
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  })

  it('leaves a new place behind without a question when it was saved', async () => {
    const page = await console.open(`${at}/places/sites/new`)
    await page.getByLabel('Name').fill('Depot')
    await page.getByRole('link', { name: 'All sites' }).click()
    await page.getByRole('button', { name: 'Stay on this page' }).click()
    await page.getByRole('spinbutton', { name: 'Latitude' }).fill('41.4')
    await page.getByRole('spinbutton', { name: 'Longitude' }).fill('2.17')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Save site' }).click()
    await page.getByText('Depot was saved.').first().waitFor()
    await page.getByRole('link', { name: 'Depot' }).waitFor()
    assert.deepEqual(page.faults, [])
  })
})
