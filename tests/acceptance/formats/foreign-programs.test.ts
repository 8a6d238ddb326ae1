import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet()
const folder = temporaryFolder()

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined
const needing = (program: string) => ({
  skip: isInstalled(program) ? false : `${program} is not installed`,
})
/** LibreOffice takes ten seconds to start. */
const spreadsheet =
  process.env.FORMATS === 'whole'
    ? needing('soffice')
    : { skip: 'npm run acceptance:formats starts LibreOffice' }

describe('Formats as other programs read them', () => {
  const organization = fleet.full[0]!
  const { van, truck, silent } = organization.objects

  async function saved(path: string, format: string): Promise<string> {
    const answer = await organization.get(
      `${path}${path.includes('?') ? '&' : '?'}format=${format}`,
    )
    assert.equal(answer.status, 200, answer.text)
    const file = join(folder, `${path.replaceAll(/\W+/g, '-').slice(0, 40)}.${format}`)
    writeFileSync(file, answer.bytes)
    return file
  }

  /** All layers with their features and fields, as GDAL reports them. */
  const readByGdal = (file: string) =>
    execFileSync('ogrinfo', ['-ro', '-al', file], { encoding: 'utf8' })
  const countsIn = (text: string) =>
    [...text.matchAll(/Feature Count: (\d+)/g)].map(([, count]) => Number(count))

  const history = `/objects/${van}/positions?${WHOLE_RANGE}`
  const latest = `/positions/latest?ids=${van},${truck},${silent}`

  it('GeoJSON of positions and places opens in GDAL', needing('ogrinfo'), async () => {
    const text = readByGdal(await saved(history, 'geojson'))
    assert.deepEqual(countsIn(text), [FIXES.van.length])
    assert.match(text, /time_device: DateTime/)
    assert.match(text, /speed: Real/)
    assert.match(text, /name \(String\) = Van "Nordwind", 1/)
    assert.equal(text.match(/POINT \(28\.9\d+ 41\.0\d+\)/g)?.length, FIXES.van.length)
    const unseen = readByGdal(await saved(latest, 'geojson'))
    assert.deepEqual(countsIn(unseen), [3])
    for (const [path, kind] of [
      ['/geofences', 'POLYGON'],
      ['/routes', 'MULTILINESTRING'],
      ['/sites', 'POINT'],
    ] as const) {
      const list = readByGdal(await saved(path, 'geojson'))
      const { length } = resultOf(await organization.get(path))
      assert.deepEqual(countsIn(list), [length], path)
      if (length > 0) assert.ok(list.includes(`${kind} (`), path)
    }
  })

  it('GeoJSON of trips, stops and visits opens in GDAL', needing('ogrinfo'), async () => {
    for (const records of ['trips', 'stops', 'visits']) {
      const path = `/${records}?ids=${van}&${WHOLE_RANGE}`
      const file = await saved(path, 'geojson')
      const { features } = JSON.parse(readFileSync(file, 'utf8'))
      if (features.length > 0) assert.deepEqual(countsIn(readByGdal(file)), [features.length])
    }
  })

  it('KML opens in GDAL with its fields', needing('ogrinfo'), async () => {
    const text = readByGdal(await saved(history, 'kml'))
    assert.deepEqual(countsIn(text), [FIXES.van.length + 1])
    assert.equal(text.match(/^ {2}POINT \(/gm)?.length, FIXES.van.length)
    const [, track] = /^ {2}LINESTRING Z \((.*)\)/m.exec(text)!
    assert.equal(track!.split(',').length, FIXES.van.length)
    for (const field of ['ident', 'speed', 'odometer', 'address']) {
      assert.match(text, new RegExp(`^ {2}${field} \\(`, 'm'))
    }
    assert.deepEqual(countsIn(readByGdal(await saved(latest, 'kml'))), [2])
  })

  for (const format of ['gpx', 'kml']) {
    it(
      `${format.toUpperCase()} opens in GPSBabel, as a track and as waypoints`,
      needing('gpsbabel'),
      async () => {
        const readByGpsbabel = (file: string, ...way: string[]) => {
          const output = ['-o', 'unicsv,utc=0', '-F', '-']
          const text = execFileSync('gpsbabel', [...way, '-i', format, '-f', file, ...output], {
            encoding: 'utf8',
          })
          return parse(text, { columns: true }) as Json[]
        }
        const points = readByGpsbabel(await saved(history, format), '-t')
        const rows = resultOf(await organization.get(history)) as Json[]
        assert.equal(points.length, rows.length)
        for (const [i, { Latitude, Longitude, Altitude, Date: date, Time }] of points.entries()) {
          const row = rows[i]!
          assert.ok(Math.abs(Latitude - row.latitude) < 2e-6)
          assert.ok(Math.abs(Longitude - row.longitude) < 2e-6)
          assert.ok(Math.abs(Altitude - row.altitude) < 0.1)
          const time = Date.parse(`${date.replaceAll('/', '-')}T${Time}Z`)
          assert.ok(Math.abs(time - Date.parse(row.time_device)) < 1_000)
        }
        const waypoints = readByGpsbabel(await saved(latest, format))
        assert.deepEqual(
          waypoints.map(({ Name }) => Name),
          ['Van "Nordwind", 1', 'Kamyon Ö 2'],
        )
      },
    )
  }

  it('GPX and KML are XML to a parser of C', needing('xmllint'), async () => {
    for (const path of [history, latest]) {
      for (const format of ['gpx', 'kml']) {
        execFileSync('xmllint', ['--noout', await saved(path, format)])
      }
    }
  })

  it('CSV opens in LibreOffice with the right columns', spreadsheet, async () => {
    const file = await saved(history, 'csv')
    const [profile, out] = [join(folder, 'profile'), join(folder, 'converted')]
    execFileSync('soffice', [
      ...[`-env:UserInstallation=file://${profile}`, '--headless', '--convert-to'],
      // Separator, quote, UTF-8, from line 1, and the same for the output.
      ...['csv:Text - txt - csv (StarCalc):44,34,76,1', '--infilter=CSV:44,34,76,1'],
      ...['--outdir', out, file],
    ])
    const name = file.slice(folder.length + 1)
    const [head, ...cells] = parse(readFileSync(join(out, name), 'utf8')) as string[][]
    const rows = resultOf(await organization.get(history)) as Json[]
    assert.deepEqual(head, Object.keys(rows[0]!))
    assert.deepEqual(
      cells.map((line) => [line[2], Number(line[3])]),
      rows.map(({ name, latitude }) => [name, latitude]),
    )
  })
})
