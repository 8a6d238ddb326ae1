import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, picture, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'

/** A file as a program writes it, and what somebody does who has never seen the command line. */
type Layout = {
  file: string
  content: string | Buffer
  /** Questions that the dialog asks, with the answers, in order. */
  answers: [question: RegExp, button: string | RegExp][]
  /** The fields to fill, by label. */
  filled?: Record<string, string>
  /** The columns to choose, by field. */
  columns?: Record<string, string>
  /** The first row of the preview, as it would be stored. */
  row: RegExp
  objects: string[]
}

const ZONE = { 'Time zone': 'UTC' }

/** Written from public descriptions of the programs. docs/importing.md names them. */
const LAYOUTS: Layout[] = [
  {
    file: 'excel-german.csv',
    content:
      '\ufeffFahrzeug;Datum;Uhrzeit;Breitengrad;Längengrad;Geschwindigkeit (km/h);Kilometerstand\r\nM-AB 12;20.11.2025;08:00;48,1371;11,5754;35,5;12.345,6\r\n',
    answers: [],
    filled: { 'Time zone': 'Europe/Berlin' },
    row: /M-AB 12\s*20 Nov 2025, 08:00:00\s*48.1371, 11.5754\s*35.5/,
    objects: ['M-AB 12'],
  },
  {
    file: 'excel-french.csv',
    content: Buffer.from(
      'Véhicule;Date et heure;Latitude;Longitude;Vitesse (km/h);Kilométrage\r\nAB-123-CD;20/11/2025 08:00;48,8566;2,3522;35,5;12\xa0345,6\r\n',
      'latin1',
    ),
    answers: [[/Which of these lines is spelled correctly/, /^Véhicule.*Western Europe/]],
    filled: ZONE,
    row: /AB-123-CD\s*20 Nov 2025, 09:00:00\s*48.8566, 2.3522\s*35.5/,
    objects: ['AB-123-CD'],
  },
  {
    file: 'excel-unicode.txt',
    content: Buffer.from(
      '\ufeffVoertuig\tDatum/tijd\tBreedtegraad\tLengtegraad\tSnelheid\r\nA1\t20-11-2025 8:00\t52,1\t5,1\t50\r\n',
      'utf16le',
    ),
    answers: [],
    filled: ZONE,
    row: /A1\s*20 Nov 2025, 09:00:00\s*52.1, 5.1\s*50/,
    objects: ['A1'],
  },
  {
    file: 'sep.csv',
    content: 'sep=;\r\nunit;timestamp;lat;lon;speed\r\nB6;2025-11-20 08:00:00;51,5;-0,12;20\r\n',
    answers: [],
    filled: ZONE,
    row: /Line 3\s*B6\s*20 Nov 2025, 09:00:00\s*51.5, -0.12\s*20/,
    objects: ['B6'],
  },
  {
    file: 'wialon.csv',
    content:
      'Grouping,Time,Speed,Latitude,Longitude,Location\nVan 3,20.11.2025 08:00:00,35 km/h,52.52,13.4,"Berlin, Mitte"\n',
    answers: [],
    filled: ZONE,
    columns: { ident: 'Grouping' },
    row: /Van 3\s*20 Nov 2025, 09:00:00\s*52.52, 13.4\s*35/,
    objects: ['Van 3'],
  },
  {
    file: 'navixy.csv',
    content:
      'tracker_id,msg_time,server_time,lat,lng,alt,speed,heading,satellites,hdop\n862,2025-02-09 07:35:06,2025-02-09 07:35:08,40.4,-3.7,650,42,180,11,0.8\n',
    answers: [],
    filled: ZONE,
    row: /862\s*9 Feb 2025, 08:35:06\s*40.4, -3.7\s*42/,
    objects: ['862'],
  },
  {
    file: 'geotab.csv',
    content:
      'Device Id,DateTime,Latitude,Longitude,Speed\nb12,2025-03-04T10:11:12.337Z,43.45,-79.68,61\n',
    answers: [],
    row: /b12\s*4 Mar 2025, 11:11:12\s*43.45, -79.68\s*61/,
    objects: ['b12'],
  },
  {
    file: 'traccar.csv',
    content:
      'ID,PROTOCOL,DEVICEID,SERVERTIME,DEVICETIME,FIXTIME,VALID,LATITUDE,LONGITUDE,ALTITUDE,SPEED,COURSE,ADDRESS,ATTRIBUTES,ACCURACY\n8,teltonika,3,2025-02-14 23:04:12.695,2025-02-14 22:52:11,2025-02-14 22:52:10,true,64.3,41.07,42.1,10,283,,"{""sat"":18}",0\n',
    // Its DEVICEID is a number of Traccar, so nobody takes it for the ident unasked.
    answers: [],
    filled: ZONE,
    columns: { ident: 'DEVICEID' },
    row: /3\s*14 Feb 2025, 23:52:10\s*64.3, 41.07\s*18.5/,
    objects: ['3'],
  },
  {
    file: 'gpslogger.csv',
    content:
      'time,lat,lon,elevation,accuracy,bearing,speed,satellites,provider,hdop,vdop,pdop,geoidheight,ageofdgpsdata,dgpsid,activity,battery,annotation\n2025-09-14T11:32:34.999Z,43.8022,11.2003,90.5,4.0,89.9,10.0,15,gps,0.9,1.5,1.8,46.8,,,,62,\n',
    answers: [],
    filled: { 'Assign all rows to': 'phone' },
    row: /phone\s*14 Sept 2025, 13:32:34\s*43.8022, 11.2003\s*36/,
    objects: ['phone'],
  },
  {
    file: 'two-columns.csv',
    content: 'imei,Date,Time,lat,lon,speed\nA1,03/04/2025,08:00:05,51.5,-0.12,10\n',
    answers: [[/How should the date 03\/04\/2025 be read\?/, '3 April 2025 – day first']],
    filled: ZONE,
    row: /A1\s*3 Apr 2025, 10:00:05\s*51.5, -0.12\s*10/,
    objects: ['A1'],
  },
]

describe('Files of other programs in the console', { skip: withoutBrowser }, async () => {
  const fleet = await sharedConsole()

  async function openImport(name: string) {
    const { id } = await fleet.operator.post('/organizations', { name })
    const page = await fleet.open(`/organizations/${id}/objects`)
    await page.getByRole('button', { name: 'Import' }).click()
    const objects = async (): Promise<string[]> =>
      (await fleet.operator.get(`/organizations/${id}/objects`)).items.map(
        ({ ident }: Json) => ident,
      )
    return { id, page, dialog: page.getByRole('dialog'), objects }
  }

  const choose = (page: Page, { file, content }: Pick<Layout, 'file' | 'content'>) =>
    page.locator('input[type=file]').setInputFiles({
      ...{ name: file, mimeType: 'text/csv', buffer: Buffer.from(content as string) },
    })

  /** Goes from the import of objects to that of positions, and answers what it asks. */
  async function answerAll(dialog: Locator, { answers, filled = {}, columns = {} }: Layout) {
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    for (const each of answers) await answer(dialog, each)
    for (const [field, column] of Object.entries(columns)) {
      await dialog.getByLabel(field, { exact: true }).selectOption(column)
    }
    for (const [label, value] of Object.entries(filled)) await dialog.getByLabel(label).fill(value)
    await dialog.getByLabel('Create an object for each unknown ident').check()
  }

  async function answer(dialog: Locator, [question, button]: Layout['answers'][0]) {
    await dialog.getByText(question).waitFor()
    const start = dialog.getByRole('button', { name: /^Import (?:objects|positions)$/ })
    assert.ok(await start.isDisabled(), 'nothing is stored until the question is answered')
    await dialog.getByRole('button', { name: button }).click()
  }

  for (const layout of LAYOUTS) {
    it(`are stored as they are read: ${layout.file}`, async () => {
      const { page, dialog, objects } = await openImport(layout.file)
      await choose(page, layout)
      await answerAll(dialog, layout)
      const table = dialog.getByRole('table', { name: 'First rows of the file' })
      await table.getByRole('row').filter({ hasText: layout.row }).waitFor()
      await dialog.getByRole('button', { name: 'Import positions' }).click()
      await dialog.getByText('All rows of the file were imported.').waitFor()
      assert.deepEqual(await objects(), layout.objects)
      assert.deepEqual(page.faults, [])
    })
  }

  it('are taken as phones write them', async () => {
    const { page, dialog, objects } = await openImport('Phones')
    await dialog.getByRole('button', { name: 'Positions', exact: true }).click()
    const fix = { _type: 'location', lat: 43.8, lon: 11.2, tst: 1_757_849_554, tid: 'ab' }
    const point = { type: 'Point', coordinates: [11.2, 43.8] }
    const properties = { time: '2025-09-14T11:33:34.000Z', speed: 10 }
    const files = {
      'phone.kml':
        '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track><when>2025-09-14T11:31:34Z</when><gx:coord>11.2 43.8 0</gx:coord></gx:Track></Placemark></kml>',
      'phone.rec': `2025-09-14T11:32:34Z\t*                 \t${JSON.stringify(fix)}\n`,
      'phone.geojson': JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', geometry: point, properties }],
      }),
      'Records.json': JSON.stringify({
        locations: [
          { latitudeE7: 438_000_000, longitudeE7: 112_000_000, timestamp: '2025-09-14T11:34:34Z' },
        ],
      }),
    }
    for (const [file, content] of Object.entries(files)) {
      await choose(page, { file, content })
      await dialog.getByLabel('Assign all rows to').fill('phone')
      await dialog.getByLabel('Create an object for each unknown ident').check()
      const table = dialog.getByRole('table', { name: 'First rows of the file' })
      await table
        .getByRole('row')
        .filter({ hasText: /phone.*2025.*43.8, 11.2/ })
        .waitFor()
      await dialog.getByRole('button', { name: 'Import positions' }).click()
      await dialog.getByText('All rows of the file were imported.').waitFor()
      await dialog.getByRole('button', { name: 'Import another file' }).click()
    }
    assert.deepEqual(await objects(), ['phone'])
    assert.deepEqual(page.faults, [])
  })

  it('account for what was left out, so that nobody takes a part for the whole', async () => {
    const { page, dialog, objects } = await openImport('Tour')
    const content = `<gpx version="1.1">
<wpt lat="3" lon="4"><name>Depot</name></wpt>
<trk><name>G1</name><trkseg>
<trkpt lat="1" lon="2"><time>2025-03-01T10:00:00Z</time></trkpt>
</trkseg></trk></gpx>`
    await choose(page, { file: 'tour.gpx', content })
    await dialog.getByText(/does not take tour.gpx. .* contents: .* and positions/).waitFor()
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    await dialog.getByText(/each waypoint is left out, the first in line 2/).waitFor()
    await dialog.getByLabel('Create an object for each unknown ident').check()
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    await dialog
      .getByText(/Everything that this import takes was imported.*left out, as listed below/)
      .waitFor()
    assert.match(
      await dialog.innerText(),
      /Skipped \(waypoint\): 1 row\s+Line 2: a waypoint is a place/,
    )
    await assertAccessible(page)
    assert.deepEqual(await objects(), ['G1'])

    await dialog.getByRole('button', { name: 'Import another file' }).click()
    const rows = 'ident,time,lat,lon\nG1,2025-03-02T10:00:00Z,1,2\nG1,2025-03-02T10:01:00Z,99,2\n'
    await choose(page, { file: 'half.csv', content: rows })
    await dialog.getByText(/1 of the first 2 rows would be rejected/).waitFor()
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    await dialog.getByText('Only part of the file was imported: 1 of 2 rows is missing.').waitFor()
    assert.match(await dialog.innerText(), /Rejected \([a-z ]+\): 1 row\s+Line 3:/)
    assert.equal(await dialog.getByText('All rows of the file were imported.').count(), 0)
    assert.deepEqual(page.faults, [])
  })

  it('are recognized by the choices of an earlier one, which can be named and forgotten', async () => {
    const { id, page, dialog } = await openImport('Wialon')
    const fileOf = (day: string) => ({
      file: `${day}.csv`,
      content: `Grouping,Time,Latitude,Longitude\nVan 3,0${day}/04/2025 08:00:00,52.52,13.4\n`,
    })
    await choose(page, fileOf('3'))
    await answerAll(dialog, {
      ...(LAYOUTS[4] as Layout),
      answers: [],
    })
    await dialog.getByText('How should the date 03/04/2025 08:00:00 be read?').waitFor()
    await picture(page, 'import-question')
    await dialog.getByRole('button', { name: '3 April 2025 – day first' }).click()
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    await dialog.getByText('All rows of the file were imported.').waitFor()

    await dialog.getByRole('button', { name: 'Import another file' }).click()
    await choose(page, fileOf('4'))
    await dialog.getByText(/Read as 3.csv, with the settings saved/).waitFor()
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('Settings name').fill('Wialon report')
    await dialog.getByRole('button', { name: 'Save name' }).click()
    await dialog.getByText(/Read as Wialon report, with the settings saved/).waitFor()
    const table = dialog.getByRole('table', { name: 'First rows of the file' })
    await table
      .getByRole('row')
      .filter({ hasText: /Van 3\s*4 Apr 2025, 10:00:00/ })
      .waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Import positions' }).click()
    await dialog.getByText('All rows of the file were imported.').waitFor()

    await dialog.getByRole('button', { name: 'Import another file' }).click()
    await dialog.getByText('Saved choices for such files (1)').click()
    const kept = dialog.getByRole('list', { name: 'Saved import settings' })
    await kept.getByText('Grouping · Time · Latitude · Longitude').waitFor()
    await assertAccessible(page)
    await kept.getByRole('button', { name: 'Rename Wialon report' }).click()
    await kept.getByLabel('Settings name').fill('Report of Wialon')
    await kept.getByRole('button', { name: 'Save name' }).click()
    await kept.getByText('Report of Wialon').waitFor()
    await choose(page, fileOf('5'))
    await dialog.getByRole('button', { name: 'Delete these settings' }).click()
    await dialog.getByText('Which column has the ident? Choose it below.').waitFor()
    const mappings = `/organizations/${id}/import/mappings`
    assert.deepEqual((await fleet.operator.get(mappings)).items, [])
    const { items } = await fleet.operator.get(`/organizations/${id}/audit`)
    const names = items
      .filter(({ action }: Json) => action.startsWith('mapping.'))
      .map(({ action, name }: Json) => `${action} ${name}`)
    assert.deepEqual(names, [
      'mapping.delete Report of Wialon',
      'mapping.update Report of Wialon',
      'mapping.update Wialon report',
    ])
    await dialog.getByRole('button', { name: 'Choose another file' }).click()
    await dialog.getByText(/Drop a file here/).waitFor()
    assert.equal(await dialog.getByText(/Saved choices/).count(), 0)
    assert.deepEqual(page.faults, [])
  })
})
