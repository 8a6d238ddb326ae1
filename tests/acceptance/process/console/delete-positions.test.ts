import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { request } from '../../harness/client.ts'
import { sharedConsole } from '../../harness/console.ts'
import { resultOf } from '../../harness/envelope.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'
import { untilRecords } from '../../trips/records-fleet.ts'

const MINUTE_MS = 60_000
const START = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 26 * 60 * MINUTE_MS
const at = (minute: number, ms = 0) => new Date(START + minute * MINUTE_MS + ms).toISOString()
/** A position of each minute, 5 seconds after it began. */
const timeOf = (minute: number) => at(minute, 5_000)
const MINUTES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
const RANGE = `from_time=${at(-60)}&to_time=${at(60)}`

/** A van that drove for ten minutes yesterday, its administrator, and a company that has read of it. */
async function newVan(name: string) {
  const { server, operator, open } = await sharedConsole()
  const { id: organization } = await operator.post('/organizations', { name })
  const path = `/organizations/${organization}`
  await operator.patch(path, { window_requests: 1_000 })
  const ident = `van of ${name}`
  const { id } = await operator.post(`${path}/objects`, { name: 'Van', ident })
  const { secret: token } = await operator.post(`${path}/feed-tokens`, { name: 'feed' })
  const reader = { recipient: 'Acme Insurance', purpose: 'Tariff' }
  const { secret: key } = await operator.post(`${path}/keys`, { name: 'Report', ...reader })
  const get = (of: string) =>
    request(server.api, `/public/v1${of}`, { headers: { 'x-api-key': key } })
  const rows = MINUTES.map((minute) => ({
    ...{ ident, time_device: timeOf(minute), speed: 33 },
    ...{ latitude: 41 + minute / 200, longitude: 2 },
  }))
  const rejected = { ...rows[5], time_device: at(5, 20_000), hdop: 50 }
  await postRows(server.feed, token, [...rows, rejected])
  await untilRecords({ get }, async () => {
    return resultOf(await get(`/trips?${RANGE}&ids=${id}`)).length === 1
  })
  const { cookie } = await newPerson(() => server.admin, operator, 'administrator', organization)
  const van = `${path}/objects/${id}`
  return {
    ...{ server, operator, path, id, van, cookie: cookie! },
    async open(where: string, [viewport, theme]: typeof PHONE_DARK, person = cookie!) {
      const page = await open(where, viewport, theme, person)
      // Times that no change of clocks repeats.
      await page.evaluate("localStorage.setItem('fleetgate.utc', 'true')")
      await page.reload()
      return page
    },
    /** The times of the positions that the API has. */
    async times(): Promise<string[]> {
      const history = resultOf(await get(`/objects/${id}/positions?${RANGE}`))
      return history.map((each: Json) => each.time_device)
    },
    erased: async (): Promise<Json[]> => (await operator.get(`${van}/erased-ranges`)).items,
  }
}

const WIDE_LIGHT = [WIDE, 'light'] as const
const PHONE_DARK: readonly [typeof WIDE, 'light' | 'dark'] = [NARROW, 'dark']

async function assertGood(page: Page): Promise<void> {
  await assertAccessible(page)
  const [needed, there] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
}

const cardOf = (page: Page) => page.getByRole('region', { name: 'Deleted positions' })

/** Confirms by the keyboard, and waits until the list shows the range as deleted. */
async function confirm(page: Page, question: Locator): Promise<Locator> {
  await question.getByLabel('Type Van to confirm').fill('Van')
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  const row = cardOf(page).getByRole('row').filter({ hasText: 'Backups made before' })
  await row.getByText('Deleted', { exact: true }).waitFor()
  const begin = cardOf(page).getByRole('button', { name: 'Delete positions…' })
  await page.locator(':focus').and(begin).waitFor()
  return row
}

describe('Positions of a vehicle', { skip: withoutBrowser }, () => {
  it('are deleted after a preview and a question, by the keyboard, and listed', async () => {
    const van = await newVan('Range')
    const relay = { url: 'https://relay.example.com/', from: 'now', form: 'osmand' }
    await van.operator.post(`${van.path}/webhooks`, relay)
    const page = await van.open(`${van.van}/settings`, WIDE_LIGHT)
    await cardOf(page).getByText('No positions of this vehicle were deleted.').waitFor()
    const begin = cardOf(page).getByRole('button', { name: 'Delete positions…' })
    await begin.focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('dialog', { name: 'Delete positions of Van' })
    await form.getByRole('button', { name: 'Continue' }).click()
    await form.getByText('Choose a date.').first().waitFor()
    await form.getByLabel('From').fill(at(6).slice(0, 16))
    await form.getByLabel('To').fill(at(5).slice(0, 16))
    await form.getByRole('button', { name: 'Continue' }).click()
    await form.getByText('To must not be before from.').waitFor()
    assert.equal(page.faults.splice(0).length, 1, 'the refused range')
    await form.getByLabel('From').fill(at(3).slice(0, 16))
    await assertGood(page)
    await form.getByRole('button', { name: 'Continue' }).focus()
    await page.keyboard.press('Enter')

    const question = page.getByRole('alertdialog', { name: 'Delete positions of Van?' })
    await question.waitFor()
    const range = { from: at(3), to: at(5, 59_999) }
    const dry = { ...range, dry_run: true }
    const preview = await van.operator.post(`${van.van}/delete-positions`, dry)
    assert.deepEqual([preview.positions, preview.hidden, preview.rejects], [3, 0, 1])
    assert.deepEqual(await question.locator('.figures > div').allInnerTexts(), [
      'Positions\n3',
      'Hidden positions\n0',
      'Rejected packets\n1',
      `Trips, stops and other records\n${preview.records}`,
    ])
    await question.getByText('Acme Insurance').waitFor()
    await question.getByText('https://relay.example.com keeps the positions').waitFor()
    await assertGood(page)
    await question.getByLabel('Type Van to confirm').fill('Other')
    await page.keyboard.press('Enter')
    await question.getByText('This does not match the name exactly.').waitFor()
    assert.deepEqual(await van.erased(), [])

    const row = await confirm(page, question)
    const [erased] = await van.erased()
    assert.deepEqual([erased!.from, erased!.to, erased!.state], [range.from, range.to, 'done'])
    assert.deepEqual(
      await row.locator('time').evaluateAll((all) => all.map((each) => each.dateTime)),
      [range.from, range.to, erased!.erased_at, erased!.done_at],
    )
    await row.getByText('keeps the positions: ask the receiver').waitFor()
    const left = MINUTES.filter((minute) => minute < 3 || minute > 5).map(timeOf)
    assert.deepEqual(await van.times(), left)
    await assertGood(page)
    assert.deepEqual(page.faults, [])
  })

  it('are deleted one by one from the track of a day', async () => {
    const van = await newVan('Position')
    const day = timeOf(0).slice(0, 10)
    const page = await van.open(`${van.path}/map?object=${van.id}&day=${day}`, PHONE_DARK)
    await page.getByRole('slider', { name: 'Time of day' }).press('Home')
    await assertGood(page)
    await page.getByRole('link', { name: 'Delete position…' }).click()
    const form = page.getByRole('dialog', { name: 'Delete positions of Van' })
    await form.locator(`time[datetime="${timeOf(0)}"]`).waitFor()
    assert.equal(await form.locator('time').count(), 1)
    await assertGood(page)
    await form.getByRole('button', { name: 'Continue' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('Positions1', { exact: true }).waitFor()
    await assertGood(page)
    await confirm(page, question)
    assert.deepEqual(await van.times(), MINUTES.slice(1).map(timeOf))
    await assertGood(page)
    assert.deepEqual(page.faults, [])
  })

  it('are not deleted by somebody who only reads, who sees what was deleted', async () => {
    const van = await newVan('Read')
    await van.operator.post(`${van.van}/delete-positions`, { from: timeOf(2), to: timeOf(2) })
    const { cookie } = await newPerson(() => van.server.admin, van.operator, 'support', null)
    const page = await van.open(`${van.van}/settings?delete=range`, PHONE_DARK, cookie)
    await cardOf(page).getByText('Backups made before').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete positions…' }).count(), 0)
    assert.equal(await page.getByRole('dialog').count(), 0)
    const { path, id } = van
    await page.goto(`${van.server.admin}${path}/map?object=${id}&day=${timeOf(0).slice(0, 10)}`)
    await page.getByRole('slider', { name: 'Time of day' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Delete position…' }).count(), 0)
    assert.deepEqual(page.faults, [])
  })
})
