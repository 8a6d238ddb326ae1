import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import geographiclib from 'geographiclib-geodesic'
import type {
  DerivedRecord,
  Stop,
  Trip,
  Visit,
} from '../../../packages/server/src/base/domain/record.ts'
import {
  type PlainPlace,
  plainRecords,
} from '../../../packages/server/testing/records/plain-records.ts'
import type { Answer } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { organizationOf, withRoom } from '../harness/organization.ts'
import { allPages } from '../harness/pages.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { fixesOf, importLines, type Line, readLines, skip, WHOLE } from './bus-lines.ts'
import { busRows } from './bus-rows.ts'

const RANGE = 'from_time=2017-03-01&to_time=2017-05-01'
/** Places are where the buses stop most often: termini and depots. */
const PLACES = 20
const RADIUS_M = 120

/** The spots at which buses stop most often, at least twice the radius apart. */
function restingPlaces(lines: readonly Line[]): { latitude: number; longitude: number }[] {
  const counts = new Map<string, number>()
  for (const { isFix, speed, latitude, longitude } of lines) {
    if (!isFix || speed > 0) continue
    const spot = `${latitude.toFixed(3)} ${longitude.toFixed(3)}`
    counts.set(spot, (counts.get(spot) ?? 0) + 1)
  }
  const places: { latitude: number; longitude: number }[] = []
  for (const [spot] of [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
    const [latitude, longitude] = spot.split(' ').map(Number) as [number, number]
    const isApart = places.every((place) => metres(place, { latitude, longitude }) > 2 * RADIUS_M)
    if (isApart) places.push({ latitude, longitude })
    if (places.length === PLACES) break
  }
  return places
}

type Spot = { latitude: number; longitude: number }

function metres(a: Spot, b: Spot): number {
  const { WGS84 } = geographiclib.Geodesic
  return WGS84.Inverse(a.latitude, a.longitude, b.latitude, b.longitude).s12!
}

describe(`Trips, stops and visits of the real fleet, ${WHOLE ? 'whole' : 'small'}`, {
  skip,
}, async () => {
  if (skip !== false) return
  const { jsonHere } = await commandLine()
  const deployment = await newDeployment()
  const lines = readLines(40, 0)
  const buses = fixesOf(lines)
  const places = restingPlaces(lines)
  const { id } = await jsonHere(['org', 'create', 'Capital Metro', ...deployment.args])
  const { key } = await jsonHere(['key', 'issue', '--org', String(id), ...deployment.args])
  let server: Server
  const record = { id, name: '', key, objects: { van: 0, truck: 0, longHaul: 0, silent: 0 } }
  const organization = organizationOf(record, () => server.api)
  after(() => server.stop())
  /** The records as they were when a part of the file was there. */
  let before: Record<Type, Json[]>
  /** All of them. */
  let found: Record<Type, Json[]>

  async function importPlaces(): Promise<void> {
    const file = join(temporaryFolder(), 'sites.csv')
    const rows = places.map(
      ({ latitude, longitude }, index) => `${index},${latitude},${longitude},${RADIUS_M}`,
    )
    writeFileSync(file, ['name,latitude,longitude,radius', ...rows, ''].join('\n'))
    await jsonHere(['import', 'sites', '--org', String(id), ...deployment.args, file])
  }

  async function ask(path: string): Promise<Answer> {
    await withRoom([organization])
    return organization.get(path)
  }

  /** All rows, page by page, and the time up to which records are derived. */
  async function allOf(type: Type): Promise<{ rows: Json[]; until: number }> {
    const { rows, answers } = await allPages(ask, `/${type}?${RANGE}&limit=10000`)
    return { rows, until: Date.parse(`${answers.at(-1)!.headers['x-records-until']}`) }
  }

  /** All records when all that was committed up to now is derived. A rename is the change after all others. */
  async function allRecords(): Promise<Record<Type, Json[]>> {
    const now = Date.now()
    const of = ['--org', String(id), ...deployment.args]
    const [{ id: object }] = await jsonHere(['objects', 'list', ...of])
    await jsonHere(['objects', 'update', String(object), '--name', `Bus ${now}`, ...of])
    let cursor: string | undefined
    for (;;) {
      const { rows: trips, until } = await allOf('trips')
      if (until >= now) {
        return { trips, stops: (await allOf('stops')).rows, visits: (await allOf('visits')).rows }
      }
      const from = cursor === undefined ? 'from=now' : `cursor=${cursor}&wait=2`
      cursor = resultOf(await ask(`/changes?${from}&types=trips`)).cursor
    }
  }

  it('are derived from a part of the file, late rows first', async () => {
    await importPlaces()
    // Only the rows that are missing here are late.
    await importLines(
      deployment,
      id,
      lines.filter((_, index) => index % 5 !== 2),
    )
    server = await serveHere(deployment)
    before = await allRecords()
    assert.ok(before.trips.length > 0 && before.stops.length > 0 && before.visits.length > 0)
  })

  it('are those of the sorted file, for each bus, once the rest has come', async () => {
    await importLines(
      deployment,
      id,
      lines.filter((_, index) => index % 5 === 2),
    )
    found = await allRecords()
    const of = ['--org', String(id), ...deployment.args]
    const sites = await jsonHere(['sites', 'list', ...of])
    const at: PlainPlace[] = sites.map(({ id: place, latitude, longitude }: Json) => ({
      ...{ placeType: 'site', place },
      contains: (lat: number, lon: number) =>
        metres({ latitude, longitude }, { latitude: lat, longitude: lon }) <= RADIUS_M,
    }))
    let compared = 0
    const objects = resultOf(await ask('/objects')) as Json[]
    for (const [ident, fixes] of buses) {
      const rows = busRows(fixes)
      const expected = plainRecords(rows, at).map(shownOf)
      const { odometer } = objects.find((each) => each.ident === ident)!
      assertNear(odometer, rows.at(-1)!.odometer! / 1e6, `${ident}: the odometer`)
      const own = TYPES.flatMap((type) =>
        found[type].filter((row) => row.ident === ident).map((row) => ({ type, ...row })),
      )
      assert.equal(own.length, expected.length, ident)
      for (const record of expected) {
        const row = own.find((each) => nameOf(each) === nameOf(record))
        assert.ok(row !== undefined, `${ident}: ${nameOf(record)}`)
        assertSame(row, record, ident)
        compared += 1
      }
    }
    assert.equal(compared, found.trips.length + found.stops.length + found.visits.length)
  })

  it('keep their ids, and have higher revisions where late rows changed them', () => {
    let changed = 0
    for (const type of TYPES) {
      const now = new Map(found[type].map((row) => [nameOf({ type, ...row }) + row.ident, row]))
      for (const row of before[type]) {
        const same = now.get(nameOf({ type, ...row }) + row.ident)
        if (same === undefined) continue
        assert.equal(same.id, row.id)
        const { revision: _, updated_at: __, name: ___, ...is } = same
        const { revision: was, updated_at: ____, name: _____, ...before } = row
        const isSame = JSON.stringify(is) === JSON.stringify(before)
        if (!isSame) changed += 1
        assert.ok(isSame ? same.revision >= was : same.revision > was, `${type} ${row.id}`)
      }
    }
    assert.ok(changed > 0)
  })
})

const TYPES = ['trips', 'stops', 'visits'] as const
type Type = (typeof TYPES)[number]

/** Identifies a record of a bus. */
function nameOf(row: Json): string {
  return `${row.type} ${row.start_time} ${row.place_id ?? ''}`
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** The fields of a record as the API shows them, as far as the file alone has them. */
function shownOf(record: DerivedRecord): Json {
  if (record.kind === 'level') throw new TypeError('the fleet has no levels')
  if (record.kind === 'visit') return visitOf(record)
  const { start, end, until, positions } = record
  const span = {
    ...{ start_time: time(start), end_time: time(end), open: end === null, positions },
    duration: (until - start) / 1_000,
    idle_time: record.idleTime / 1_000,
    longest_gap: record.longestGap / 1_000,
  }
  return record.kind === 'trip' ? { ...span, ...tripOf(record) } : { ...span, ...stopOf(record) }
}

function tripOf({ from, distance, movingTime, silentTime, maxSpeed }: Trip): Json {
  return {
    ...{ type: 'trips', start_latitude: from.latitude, start_longitude: from.longitude },
    distance: distance === null ? null : distance / 1e6,
    moving_time: movingTime / 1_000,
    silent_time: silentTime / 1_000,
    max_speed: maxSpeed === null ? null : Math.round(maxSpeed * 100) / 100,
  }
}

function stopOf({ latitude, longitude, sites }: Stop): Json {
  return { type: 'stops', latitude, longitude, site_ids: sites }
}

function visitOf({ place, start, end, until, before, after: next, distance, positions }: Visit) {
  return {
    ...{ type: 'visits', place_id: place, positions, open: end === null },
    ...{ start_time: time(start), end_time: time(end) },
    ...{ before_time: time(before), after_time: time(next) },
    duration: (until - start) / 1_000,
    distance: distance === null ? null : distance / 1e6,
  }
}

function assertSame(row: Json, expected: Json, ident: string): void {
  for (const [field, value] of Object.entries<number | null>(expected)) {
    const named = `${ident}: ${field} of ${nameOf(row)}`
    if (field === 'distance' && value !== null) assertNear(row.distance, value, named)
    else assert.deepEqual(row[field], value, named)
  }
}

/** Distances are within two parts in 100,000 of the geodesic, and have two decimals. */
function assertNear(km: number, expected: number, named: string): void {
  assert.ok(Math.abs(km - expected) <= 0.005_001 + expected * 2e-5, `${named}: ${km}, ${expected}`)
}
