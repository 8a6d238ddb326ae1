import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { handedClock } from '../../../testing/handed-clock.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { openStore } from '../compose.ts'

const RING: LonLat[] = [
  [29, 41],
  [29.1, 41],
  [29.1, 41.1],
]
const NOW = Date.UTC(2025, 10, 20, 10)

test('the catalogue on the command line', async (t) => {
  const folder = await temporaryFolder(t)
  const org = ['--org', String(await fill(folder)), '--data', folder]

  await t.test('lists each kind as the API documents it', async () => {
    const fields: Record<string, string> = {
      objects: 'vehicle_data',
      geofences: 'coordinates',
      routes: 'points',
      sites: 'radius',
    }
    for (const [kind, field] of Object.entries(fields)) {
      const [item, ...others] = await json([kind, 'list', ...org])
      assert.equal(others.length, kind === 'objects' ? 1 : 0)
      assert.ok(field in item && item.id === 1, kind)
      const { stdout } = await runHere([kind, 'list', ...org])
      assert.match(stdout, /^ID +NAME.*\n *1 +\S/)
    }
  })

  await t.test(
    'shows the last position of an object in the units of its organization',
    async () => {
      const object = await json(['objects', 'show', '1', ...org])
      assert.equal(object.latitude, 41.05)
      assert.equal(object.speed, 50, '80.4672 km/h in miles')
      const { stdout } = await runHere(['objects', 'show', '1', ...org])
      assert.match(stdout, /ident +356307042441013\n/)
    },
  )

  await t.test('says since when an object has had no signal', async () => {
    const shown = async () => (await json(['objects', 'show', '1', ...org])).no_signal_since
    assert.equal(await shown(), '2025-11-20T10:00:00.000Z')
    const { stdout } = await runHere(['objects', 'list', ...org])
    assert.match(stdout, /LAST PACKET +LAST POSITION +NO SIGNAL SINCE/)
    assert.match(stdout, /Van 1 .* 2025-11-20T10:00:00\.000Z {2}2025-11-20T10:00:00\.000Z /)
    const [, unseen] = await json(['objects', 'list', ...org])
    assert.equal(unseen.no_signal_since, null, 'an object that never sent')
  })

  await t.test('changes the given settings of an object, and no other', async () => {
    const before = await json(['objects', 'show', '2', ...org])
    const after = await json([
      ...['objects', 'update', '2', '--plate-number', '34 ABC 123', '--vin', 'WDB9066331S123456'],
      ...['--odometer', '100', '--odometer-type', 'sensor', '--odometer-offset', '-12.5'],
      ...['--maximum-hdop', '4', ...org],
    ])
    assert.deepEqual(after, {
      ...before,
      odometer: 100,
      odometer_type: 'sensor',
      odometer_offset: -12.5,
      vehicle_data: { vin: 'WDB9066331S123456', plate_number: '34 ABC 123' },
      accuracy: { ...before.accuracy, maximum_hdop: 4 },
    })
    const cleared = await json(['objects', 'update', '2', '--vin', '', ...org])
    assert.equal(cleared.vehicle_data.vin, null)
    assert.equal(cleared.accuracy.maximum_hdop, 4)
    const gap = async (minutes: string) =>
      (await json(['objects', 'update', '2', '--maximum-gap', minutes, ...org])).maximum_gap
    assert.deepEqual([await gap('180'), await gap('none')], [180, null])
    const taken = await runHere(['objects', 'update', '2', '--ident', '356307042441013', ...org])
    assert.equal(taken.code, 1)
    assert.match(taken.stderr, /ident '356307042441013' belongs to another object/)
  })

  await t.test('changes the geometry of a geofence and a route from a file', async () => {
    const file = join(folder, 'place.geojson')
    const ring = [...RING, RING[0]]
    const polygon = { type: 'Polygon', coordinates: [ring] }
    await writeFile(file, JSON.stringify({ type: 'Feature', properties: {}, geometry: polygon }))
    const geofence = await json(['geofences', 'update', '1', '--geometry', file, ...org])
    assert.deepEqual(geofence.coordinates, ring)

    const asRoute = await runHere(['routes', 'update', '1', '--geometry', file, ...org])
    assert.equal(asRoute.code, 1)
    assert.match(asRoute.stderr, /place\.geojson': .*not a Polygon/)

    await writeFile(file, JSON.stringify({ type: 'LineString', coordinates: RING }))
    const options = ['--geometry', file, '--deviation', '25', '--color', '#0af', ...org]
    const route = await json(['routes', 'update', '1', ...options])
    assert.deepEqual([route.coordinates, route.deviation, route.color], [[RING], 25, '#0af'])

    const coordinates = Array.from({ length: 60 }, (_, i) => [i, i % 2])
    await writeFile(file, JSON.stringify({ type: 'LineString', coordinates }))
    const large = await runHere(['routes', 'update', '1', '--geometry', file, ...org])
    assert.equal(large.code, 1)
    assert.match(
      large.stderr,
      /max_vertices is 60, and the organization has \d+ vertices .* org update 1 --max-vertices/,
    )

    await writeFile(file, '{')
    const broken = await runHere(['routes', 'update', '1', '--geometry', file, ...org])
    assert.equal(broken.code, 1)
    assert.match(broken.stderr, /is not JSON/)
    const missing = await runHere(['routes', 'update', '1', '--geometry', `${file}x`, ...org])
    assert.equal(missing.code, 2)
  })

  await t.test('gives no place the name of another', async () => {
    const file = join(folder, 'sites.csv')
    await writeFile(file, 'name,lat,lon\nYard,1,2\n')
    await json(['import', 'sites', file, ...org])
    const yard = ['sites', 'update', '2', ...org, '--name']
    const taken = await runHere([...yard, 'Depot'])
    assert.equal(taken.code, 1)
    assert.match(taken.stderr, /a site named 'Depot' already exists/)
    assert.equal((await json([...yard, 'Yard'])).name, 'Yard')
    assert.equal((await json([...yard, 'Zone'])).name, 'Zone')
    assert.equal((await runHere(['sites', 'delete', '2', '--yes', ...org])).code, 0)
  })

  await t.test('deletes after confirmation, and finds nothing afterwards', async () => {
    const moved = await json(['sites', 'update', '1', '--latitude', '-33.5', ...org])
    assert.equal(moved.latitude, -33.5)
    const asked = await runHere(['sites', 'delete', '1', ...org])
    assert.equal(asked.code, 2)
    assert.deepEqual(await json(['sites', 'delete', '1', '--yes', ...org]), {
      id: 1,
      deleted: true,
    })
    const gone = await runHere(['sites', 'show', '1', ...org])
    assert.equal(gone.code, 1)
    assert.match(gone.stderr, /organization 1 has no site 1; 'fleetgate sites list --org 1'/)
  })
})

/** An organization in miles with two objects, one of them with a position, and one place of each kind. */
async function fill(folder: string): Promise<number> {
  const store = await openStore({ folder })
  const settings = {
    ...ORGANIZATION_DEFAULTS,
    distanceUnit: 'mi',
    maxPlaces: 4,
    maxVertices: 60,
  } as const
  const { id } = await store.organizations.create({ ...settings, name: 'Acme' }, NOW)
  const object = (name: string, ident: string) => ({ ...OBJECT_DEFAULTS, name, ident })
  await store.objects.put(
    id,
    [object('Van 1', '356307042441013'), object('Van 2', '356307042441021')],
    NOW,
  )
  const fix = { ...bareFix(NOW, NOW, 41.05, 29.05), speed: 80.4672 }
  await store.positions.append(id, [{ object: 1, fix }], foldRules(handedClock(NOW * 1_000)))
  const described = { description: null, color: null }
  await store.geofences.put(id, [{ name: 'Zone', ...described, coordinates: RING }], NOW)
  const points = [{ location: RING[0]!, order: 1 }]
  await store.routes.put(
    id,
    [{ name: 'Loop', ...described, deviation: null, points, coordinates: [RING] }],
    NOW,
  )
  const site = { name: 'Depot', description: null, icon: null, radius: 50 }
  await store.sites.put(id, [{ ...site, latitude: 41, longitude: 29 }], NOW)
  await store.close()
  return id
}
