import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertAccessible,
  picture,
  type Theme,
  WHOLE_ONLY,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'

const HEADER = 'rider,gps clock,north,lon,speed,driver,Tank [%]'
const ROWS = Array.from({ length: 60 }, (_, i) => {
  const time = new Date(Date.UTC(2026, 2, 3, 8) + i * 60_000).toISOString()
  return `van-${i % 3},${time},${41.38 + i / 2_000},${2.15 + (i % 7) / 1_000},${20 + i},Ann,${61.5 - i / 10}`
})
const POSITIONS = `${HEADER}\n${ROWS.join('\n')}\nvan-1,46084.33,41.4,2.1,10,Ann,50\n`

describe('Positions in the console', { skip: withoutBrowser }, async () => {
  let organization = 0

  const fleet = await sharedConsole()

  async function openImport(viewport = WIDE, theme: Theme = 'light') {
    organization = (await fleet.operator.post('/organizations', { name: 'Trips' })).id
    const page = await fleet.open(`/organizations/${organization}/objects`, viewport, theme)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('button', { name: 'Positions' }).click()
    return page
  }

  const choose = (page: Page, content: string, name = 'trips.csv') =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

  const objects = async (): Promise<Json[]> =>
    (await fleet.operator.get(`/organizations/${organization}/objects`)).items

  const start = (page: Page) => page.getByRole('button', { name: 'Import objects' }).click()

  async function mapColumns(page: Page) {
    await page.getByLabel('time', { exact: true }).selectOption('gps clock')
    await page.getByLabel('latitude').selectOption('north')
  }

  async function chooseAttributes(page: Page) {
    await page.locator('summary', { hasText: 'Attributes' }).click()
    for (const column of ['driver', 'Tank [%]']) {
      await page.getByLabel(column, { exact: true }).check()
    }
    await page.getByText('Attributes (2)').waitFor()
  }

  it('are previewed, mapped by hand, and imported with progress and a summary', async () => {
    const page = await openImport()
    await choose(page, POSITIONS)
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText('Which columns have the ident, time and latitude? Choose them below.')
      .waitFor()
    const start = dialog.getByRole('button', { name: 'Import positions' })
    assert.ok(await start.isDisabled())
    assert.equal(await page.getByLabel('longitude').inputValue(), 'lon')
    await page.getByLabel('ident', { exact: true }).selectOption('rider')
    await mapColumns(page)
    await page.getByLabel('Create an object for each unknown ident').check()
    await dialog
      .getByText(/1 of the first 61 rows would be rejected. Line 62: .*day number/)
      .waitFor()
    const table = page.getByRole('table', { name: 'First rows of the file' })
    assert.match(await table.innerText(), /van-0[\s\S]*41\.38, 2\.15/)
    await chooseAttributes(page)
    await table.getByText('Tank [%]: 61.5, driver: Ann').waitFor()
    await dialog.locator('[aria-busy=false] .maplibregl-canvas').waitFor()
    await assertAccessible(page)
    await picture(page, 'import-positions')
    await start.click()
    await dialog
      .getByText('All rows of the file were imported.')
      .or(dialog.getByText(/day number/))
      .waitFor()
    assert.match(await dialog.innerText(), /Imported\s*60\s*3 new objects/)
    assert.match(await dialog.innerText(), /Columns used: ident from rider/)
    await assertAccessible(page)
    const { sent } = await fleet.operator.get(`/organizations/${organization}/attributes`)
    assert.deepEqual(
      sent.map(({ name, positions }: Json) => [name, positions]),
      [
        ['Tank [%]', 60],
        ['driver', 60],
      ],
    )
    await dialog.getByRole('button', { name: 'Import another file' }).click()
    await choose(page, `${HEADER}\n${ROWS[0]}\n`, 'next.csv')
    await page.locator('summary', { hasText: 'Attributes' }).click()
    await dialog.getByText('From saved settings: driver and Tank [%].').waitFor()
    assert.deepEqual(
      (await objects()).map(({ ident }) => ident),
      ['van-0', 'van-1', 'van-2'],
    )
    assert.deepEqual(page.faults, [])
  })

  it('show how far their import is, which can be stopped; what was stored before stays', async () => {
    const page = await openImport()
    const rows = Array.from({ length: 400_000 }, (_, i) => `van-${i % 50},${1740819600 + i},1,2`)
    await choose(page, `ident,time,lat,lon\n${rows.join('\n')}\n`)
    await page.getByLabel('Create an object for each unknown ident').check()
    await page.getByRole('button', { name: 'Import positions' }).click()
    await page.getByText(/^[\d,]+ rows read, \d+ ?% of the file\.$/).waitFor()
    await page.getByRole('button', { name: 'Stop import' }).click()
    await page.getByText('Import stopped.').waitFor()
    assert.equal((await objects()).length, 50)
    const { items } = await fleet.operator.get(`/organizations/${organization}/audit`)
    const stored = items
      .filter(({ action }: Json) => action === 'positions.import')
      .reduce((sum: number, { changes }: Json) => sum + changes.accepted.to, 0)
    assert.ok(stored >= 10_000 && stored < 400_000, `${stored} positions`)
    assert.deepEqual(page.faults, [])
  })

  it('given to the import of objects make none, and objects are no positions', async () => {
    const page = await openImport()
    await choose(page, 'ident,name,plate_number\nA1,Van,AB 12\n')
    await page.getByText(/has other contents: objects/).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Import positions' }).isDisabled())
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await page.getByRole('button', { name: 'Objects' }).click()
    await choose(page, 'imei,time,lat,lon\nA1,1740819600,1,2\n')
    await page.getByText(/has other contents: positions. Nothing was stored/).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Import objects' }).isDisabled())
    assert.deepEqual(await objects(), [])
    await page.getByRole('button', { name: 'Import positions' }).click()
    await page.getByText(/1 object in the first rows does not exist yet: A1/).waitFor()
    await page.getByLabel('Create an object for each unknown ident').check()
    await page.getByRole('button', { name: 'Import positions' }).click()
    await page.getByText('All rows of the file were imported.').waitFor()
    assert.deepEqual(
      (await objects()).map(({ ident }) => ident),
      ['A1'],
    )
  })

  it('are recognized if their objects exist, and a file that stored nothing is not reported as in', async () => {
    const page = await openImport()
    const at = `/organizations/${organization}/objects`
    await fleet.operator.post(at, { ident: 'A1', name: 'Van' })
    await page.getByRole('button', { name: 'Objects' }).click()
    await choose(page, 'ident,when,lat,lon\nA1,1740819600,1,2\nA1,1740819660,1,2\n')
    await page.getByText(/has other contents: positions/).waitFor()
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await choose(page, '<gpx/>', 'track.gpx')
    await page
      .getByText(
        /does not take track.gpx\. Such files have other contents: routes, sites and positions/i,
      )
      .waitFor()
    await choose(page, '', 'fleet.xlsx')
    await page.getByText(/fleet.xlsx is a workbook. Save its sheet as CSV/).waitFor()
    for (const [content, says] of [
      ['ident,name\nA1,Van\n', 'No new rows: all rows in the file were already stored.'],
      ['ident,when,y,x\nA1,1740819600,1,2\n', /columns were not used: when, y, x/],
      ['ident,name\n', /has no rows; nothing was imported/],
    ] as const) {
      await choose(page, content)
      await start(page)
      await page.getByText(says).waitFor()
      assert.equal(await page.getByText('All rows of the file were imported.').count(), 0)
      await page.getByRole('button', { name: 'Import another file' }).click()
    }
    await choose(page, 'ident,name\nA2,Van 2\n')
    await start(page)
    await page.getByText('All rows of the file were imported.').waitFor()
    assert.equal((await objects()).length, 2)
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`fit a screen of 390 pixels, ${theme}`, { skip: WHOLE_ONLY }, async () => {
      const page = await openImport({ width: 390, height: 844 }, theme)
      await choose(page, POSITIONS)
      await page.getByLabel('ident', { exact: true }).selectOption('rider')
      await mapColumns(page)
      await chooseAttributes(page)
      await page.getByLabel('Create an object for each unknown ident').check()
      await page.locator('[aria-busy=false] .maplibregl-canvas').waitFor()
      const { scrollWidth, clientWidth } = await page
        .getByRole('dialog')
        .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))
      assert.ok(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth} pixels`)
      await assertAccessible(page)
      assert.deepEqual(page.faults, [])
    })
  }
})
