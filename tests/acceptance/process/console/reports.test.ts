import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import type { Page } from 'playwright-core'
import { assertAccessible, NARROW, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { postRows } from '../../harness/sender.ts'
import { DAY, drive } from '../../trips/records-fleet.ts'

/** A duration in a spreadsheet is read as a time after this. */
const MIDNIGHT = Date.UTC(1899, 11, 31)
const DATE = new Date(DAY).toISOString().slice(0, 10)

/** The cells of the spreadsheet of a report. */
async function exported(page: Page) {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export XLSX' }).click()
  const download = await downloading
  const { sheets } = await readXlsx(readFileSync(await download.path()))
  return { file: download.suggestedFilename(), rows: sheets[0]!.rows }
}

describe('Reports in the console', { skip: withoutBrowser }, () => {
  it('are tables of vehicles or drivers, and spreadsheets of the same rows', async () => {
    const { operator, server, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Reported' })
    const at = `/organizations/${id}`
    for (const name of ['Van', 'Truck']) {
      await operator.post(`${at}/objects`, { ident: name.toLowerCase(), name })
    }
    await operator.patch(`${at}/attributes`, { name: 'driver', type: 'text', label: 'Driver' })
    const fuel = { name: 'fuel', type: 'number', is_level: true, label: 'Fuel', unit: '%' }
    await operator.patch(`${at}/attributes`, fuel)
    const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const driven = (ident: string, driver: string, metres?: number) =>
      drive(ident, DAY, metres).map((row) => ({ ...row, attributes: { driver } }))
    await postRows(server.feed, secret, [...driven('van', 'Ann'), ...driven('truck', 'Bo', 4_000)])

    const page = await open(`${at}/reports?from=${DATE}&to=${DATE}`)
    const table = page.getByRole('table', { name: 'Report' })
    const named = () => table.getByRole('rowheader').allInnerTexts()
    await table.getByRole('link', { name: 'Van' }).waitFor()
    assert.deepEqual(await named(), ['Truck', 'Van'])
    await page.getByRole('button', { name: 'Distance' }).click()
    assert.deepEqual(await named(), ['Van', 'Truck'])
    const { file, rows: cells } = await exported(page)
    assert.equal(file, `Report ${DATE} ${DATE}.xlsx`)
    assert.deepEqual(cells[0], [
      ...['Vehicle', 'Days', 'Driving', 'Idle', 'Distance (km)', 'Trips'],
      ...['Fuel used (%)', 'Fuel filled (%)'],
    ])
    const seconds = (time: unknown) => Math.round((Number(time) - MIDNIGHT) / 1_000)
    assert.deepEqual(
      cells.slice(1).map(([name, days, driving]) => [name, days, seconds(driving)]),
      [
        ['Van', 1, 190],
        ['Truck', 1, 390],
      ],
      'in the order of the screen',
    )
    await page.getByLabel('Group by', { exact: true }).selectOption('Driver')
    await table.getByText('Ann').waitFor()
    assert.deepEqual((await named()).sort(), ['Ann', 'Bo'])
    await assertAccessible(page)

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const rows = readFileSync(await (await downloading).path(), 'utf8')
      .trimEnd()
      .split('\n')
    assert.match(rows[0]!, /^value,days,distance/)
    assert.deepEqual(
      rows
        .slice(1)
        .map((row) => row.split(',')[0])
        .sort(),
      ['Ann', 'Bo'],
    )

    await page.getByLabel('Vehicles', { exact: true }).fill('truck')
    await page.getByRole('option', { name: 'Truck' }).click()
    await page.keyboard.press('Escape')
    await table.getByText('Ann').waitFor({ state: 'detached' })
    await page.getByLabel('Range').selectOption('Yesterday')
    await page.getByRole('heading', { name: 'No data on these days' }).waitFor()
    const narrow = await open(`${at}/reports?from=${DATE}&to=${DATE}`, NARROW, 'dark')
    await narrow.getByRole('rowheader', { name: 'Van' }).waitFor()
    await assertAccessible(narrow)
    assert.deepEqual([...page.faults, ...narrow.faults], [])
  })
})
