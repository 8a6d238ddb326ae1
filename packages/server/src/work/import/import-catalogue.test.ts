import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf as allCounts, assertMisuse, importing, NOW } from '../../../testing/imports.ts'
import type { ItemTopic } from '../../base/domain/item-rules.ts'
import { ACCURACY_DEFAULTS, OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import type { ImportSummary } from './summary.ts'

const trial = importing()
const run = trial.catalogue
const csv = (kind: ItemTopic, text: string) => run(kind, text, { format: 'csv' })

/** The rows of each outcome, and those rejected for each reason. */
const countsOf = (summary: ImportSummary) =>
  allCounts(summary, ['created', 'updated', 'duplicate', 'conflict'])

const RING = [
  [2.1, 41.3],
  [2.2, 41.3],
  [2.2, 41.4],
  [2.1, 41.3],
]
/** On a flat map it is everything, but each of its edges has no length on the globe, or leads to a pole. */
const WORLD = [
  [-180, -90],
  [180, -90],
  [180, 90],
  [-180, 90],
  [-180, -90],
]
/** A ring that crosses itself. */
const BOW = [
  [2.1, 41.3],
  [2.2, 41.4],
  [2.2, 41.3],
  [2.1, 41.4],
  [2.1, 41.3],
]
const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings })
const feature = (properties: object | null, geometry: unknown, more: object = {}) => ({
  type: 'Feature',
  properties,
  geometry,
  ...more,
})
const collection = (...features: unknown[]) =>
  JSON.stringify({ type: 'FeatureCollection', features }, null, 1)

test('a geofence is a Polygon: its outer ring, unchanged', async () => {
  const open = RING.slice(0, 3)
  const precise = [[2.123456789012, 41.3], ...RING.slice(1, 3)]
  const text = collection(
    feature({ name: 'Closed', description: 'Depot', color: '#1f8F4e' }, polygon(RING), {
      id: 4711,
    }),
    feature({ name: 'Open' }, polygon(open)),
    feature({ name: 'Precise', color: null }, polygon(precise)),
  )
  assert.deepEqual(countsOf(await run('geofences', text)), { created: 3 })
  const [first, second, third] = await trial.store.geofences
    .list(trial.organization.id)
    .then((list) => list.sort((a, b) => a.name.localeCompare(b.name)))
  assert.deepEqual(first, {
    id: 4711,
    organization: trial.organization.id,
    name: 'Closed',
    description: 'Depot',
    color: '#1f8F4e',
    coordinates: RING,
    createdAt: NOW,
    updatedAt: NOW,
  })
  assert.deepEqual(second!.coordinates, open)
  assert.deepEqual(third!.coordinates, precise)
  assert.deepEqual(countsOf(await run('geofences', text)), { duplicate: 3 })
})

test('shapes other than one polygon are rejected by name', async () => {
  const shapes: [reason: string, geometry: unknown][] = [
    ['holes', polygon(RING, RING)],
    ['several_polygons', { type: 'MultiPolygon', coordinates: [[RING], [RING]] }],
    ['unsupported_geometry', { type: 'MultiPolygon', coordinates: [[RING]] }],
    ['unsupported_geometry', { type: 'Point', coordinates: [2, 41] }],
    ['unsupported_geometry', { type: 'GeometryCollection', geometries: [] }],
    ['no_geometry', null],
    ['no_geometry', undefined],
    ['bad_geometry', polygon()],
    ['bad_geometry', polygon([])],
    ['bad_geometry', polygon(RING.slice(0, 2))],
    ['bad_geometry', polygon([RING[0], RING[1], RING[0]])],
    ['bad_geometry', polygon([[2], ...RING])],
    ['bad_geometry', polygon([['2', '41'], ...RING])],
    ['bad_geometry', polygon(WORLD)],
    ['out_of_range', polygon([[200, 41.3], ...RING])],
    ['out_of_range', polygon([[41.3, 100], ...RING])],
    ['self_crossing', polygon(BOW)],
    ['self_crossing', polygon(BOW.slice(0, 4))],
  ]
  for (const [reason, geometry] of shapes) {
    const summary = await run('geofences', collection(feature({ name: 'X' }, geometry)))
    assert.deepEqual(countsOf(summary), { [reason]: 1 }, JSON.stringify(geometry))
  }
  const { reasons } = await run('geofences', collection(feature({ name: 'Bow' }, polygon(BOW))))
  const { detail } = reasons.self_crossing!.first[0]!
  assert.match(detail, /crosses itself near \[2\.15, 41\.35\]/)
})

test('a geofence may touch itself, or cross the antimeridian', async () => {
  const pinched = polygon([
    ...[
      [0, 0],
      [2, 0],
      [1, 1],
    ],
    ...[
      [2, 2],
      [0, 2],
      [1, 1],
      [0, 0],
    ],
  ])
  const pacific = polygon([
    [179, -18],
    [-179, -18],
    [-179, -16],
    [179, -16],
    [179, -18],
  ])
  const text = collection(feature({ name: 'P' }, pinched), feature({ name: 'Q' }, pacific))
  assert.deepEqual(countsOf(await run('geofences', text)), { created: 2 })
})

test('a third coordinate is dropped, and reported', async () => {
  const high = RING.map((position) => [...position, 12])
  const summary = await run('geofences', collection(feature({ name: 'High' }, polygon(high))))
  assert.match(summary.notes.join(), /third coordinate/)
  assert.deepEqual((await trial.store.geofences.list(trial.organization.id))[0]!.coordinates, RING)
})

test('a route is a LineString or MultiLineString, with its waypoints or the ends of its lines', async () => {
  const a = [
    [1, 2],
    [3, 4],
    [5, 6],
  ]
  const b = [
    [5, 6],
    [7, 8],
  ]
  const points = [
    { location: [5, 6], order: 2 },
    { location: [1, 2], order: 1 },
  ]
  const text = collection(
    feature(
      { name: 'One', deviation: 50, color: '#abc', points },
      { type: 'LineString', coordinates: a },
    ),
    feature(
      { name: 'Two', points: JSON.stringify(points) },
      { type: 'MultiLineString', coordinates: [a, b] },
    ),
    feature({ name: 'Three' }, { type: 'MultiLineString', coordinates: [a, b] }),
  )
  assert.equal((await run('routes', text)).created, 3)
  const [one, two, three] = await trial.store.routes.list(trial.organization.id)
  assert.deepEqual([one!.deviation, one!.color, one!.coordinates], [50, '#abc', [a]])
  assert.deepEqual(one!.points, points.toReversed())
  assert.deepEqual(two!.points, points.toReversed())
  assert.deepEqual(two!.coordinates, [a, b])
  assert.deepEqual(three!.points, [
    { location: [1, 2], order: 1 },
    { location: [5, 6], order: 2 },
    { location: [5, 6], order: 3 },
    { location: [7, 8], order: 4 },
  ])
  assert.equal((await run('routes', text)).duplicate, 3)
  const rejected = await run(
    'routes',
    collection(
      feature({ name: 'P' }, polygon(RING)),
      feature({ name: 'S' }, { type: 'LineString', coordinates: [[1, 2]] }),
      feature({ name: 'D', deviation: -1 }, { type: 'LineString', coordinates: a }),
      feature(
        { name: 'W', points: [{ location: [1, 2], order: 0.5 }] },
        { type: 'LineString', coordinates: a },
      ),
    ),
  )
  assert.deepEqual(countsOf(rejected), {
    unsupported_geometry: 1,
    bad_geometry: 1,
    bad_deviation: 1,
    bad_points: 1,
  })
})

test('a site is a Point with a radius, or a row of CSV', async () => {
  const properties = { name: 'Yard', radius: 120, icon: 'warehouse', description: 'North' }
  const point = { type: 'Point', coordinates: [-3.7, 40.4] }
  assert.equal((await run('sites', collection(feature(properties, point)))).created, 1)
  const table =
    'Name,Lat,Lng,Radius,Icon,Description\nYard,40.4,-3.7,120,warehouse,North\nPort,36.1,-5.4,,,\n'
  const summary = await csv('sites', table)
  assert.deepEqual(countsOf(summary), { duplicate: 1, created: 1 })
  const [yard, port] = await trial.store.sites.list(trial.organization.id)
  assert.deepEqual([yard!.longitude, yard!.latitude, yard!.radius], [-3.7, 40.4, 120])
  assert.deepEqual([port!.radius, port!.icon], [null, null])
  const rejected = await csv('sites', 'name,lat,lon,radius\nA,91,0,1\nB,0,181,1\nC,0,0,-1\nD,,,1\n')
  assert.deepEqual(countsOf(rejected), {
    bad_latitude: 1,
    bad_longitude: 1,
    bad_radius: 1,
    missing_field: 1,
  })
})

test('existing items match by id, else by name, and keep fields that the row omits', async () => {
  const yard = 'id,name,latitude,longitude,radius,icon\n81234,Yard,40.4,-3.7,120,home\n'
  await csv('sites', yard)
  const byName = await csv('sites', 'name,latitude,longitude,radius\nYard,40.4,-3.7,99\n')
  assert.deepEqual(countsOf(byName), { updated: 1 })
  const byId = await csv('sites', 'id,name\n81234,New yard\n')
  assert.deepEqual(countsOf(byId), { updated: 1 })
  const [site] = await trial.store.sites.list(trial.organization.id)
  assert.deepEqual(
    [site!.id, site!.name, site!.radius, site!.icon, site!.latitude],
    [81234, 'New yard', 99, 'home', 40.4],
  )
  const cleared = await csv('sites', 'id,name,icon\n81234,New yard,\n')
  assert.equal(cleared.updated, 1)
  assert.equal((await trial.store.sites.find(trial.organization.id, 81234))!.icon, null)
})

test('an id of another organization is replaced, and reported', async () => {
  const text = 'id,name,latitude,longitude\n91234,Yard,40.4,-3.7\n'
  await csv('sites', text)
  await trial.useNew()
  const summary = await csv('sites', text)
  assert.equal(summary.created, 1)
  assert.match(summary.notes.join(), /ids belong to other items/)
  assert.notEqual((await trial.store.sites.list(trial.organization.id))[0]!.id, 91234)
  assert.equal((await csv('sites', text)).duplicate, 1)
})

test('an id that the organization does not have is replaced if ids are not kept', async () => {
  const options = { format: 'csv', keepsIds: false } as const
  const text = 'id,name,latitude,longitude\n81234,Yard,40.4,-3.7\n81234,Gate,40.4,-3.7\n'
  const summary = await run('sites', text, options)
  assert.deepEqual([summary.created, summary.conflict], [1, 1])
  assert.match(summary.notes.join(), /got new ids/)
  const { id } = (await trial.store.sites.list(trial.organization.id))[0]!
  assert.notEqual(id, 81234)
  const renamed = await run(
    'sites',
    text.replaceAll('81234', `${id}`).replace('Yard', 'Court'),
    options,
  )
  assert.deepEqual([renamed.updated, renamed.notes], [1, []])
})

test('the first of two rows for the same item is kept, and the other reported', async () => {
  const text = 'name,latitude,longitude\nYard,1,2\nYard,1,2\nYard,1,3\n'
  for (const first of [{ created: 1, duplicate: 1 }, { duplicate: 2 }]) {
    const summary = await csv('sites', text)
    assert.deepEqual(countsOf(summary), { ...first, conflict: 1 })
    assert.equal(summary.conflicts.first[0]!.line, 4)
  }
})

test('a place beyond a limit of the organization is rejected by its name, and others are not', async () => {
  await trial.useNew({ maxPlaces: 3, maxVertices: 10 })
  await csv('sites', 'name,latitude,longitude\nYard,1,2\n')
  const wide = Array.from({ length: 8 }, (_, i) => [i, i % 7 === 0 ? 0 : 1])
  const summary = await run(
    'geofences',
    collection(
      feature({ name: 'A' }, polygon(RING)),
      feature({ name: 'B' }, polygon(wide)),
      feature({ name: 'C' }, polygon(RING)),
      feature({ name: 'D' }, polygon(RING)),
    ),
  )
  assert.deepEqual(countsOf(summary), {
    created: 2,
    limit_of_vertices: 1,
    limit_of_places: 1,
  })
  const details = Object.values(summary.reasons).map(({ first }) => first[0]!.detail)
  assert.match(details[0]!, /max_vertices is 10, and the organization has 4 .* --max-vertices/)
  assert.match(details[1]!, /max_places is 3, and the organization has 3 .* --max-places NUMBER/)
})

test('a feature’s id other than a number from 1 is ignored, and reported', async () => {
  const summary = await run(
    'geofences',
    collection(
      feature({ name: 'A' }, polygon(RING), { id: 0 }),
      feature({ name: 'B' }, polygon(RING), { id: 'way/17' }),
      feature({ name: 'C', id: '70017' }, polygon(RING)),
    ),
  )
  assert.equal(summary.created, 3)
  assert.match(summary.notes.join(), /matched by name/)
  assert.equal((await trial.store.geofences.find(trial.organization.id, 70017))!.name, 'C')
  const numbered = await csv('sites', 'id,name,latitude,longitude\nx7,Y,1,2\n')
  assert.deepEqual(countsOf(numbered), { bad_id: 1 })
})

test('settings follow their rules, and a row that breaks one is rejected by it', async () => {
  const broken = await run(
    'geofences',
    collection(
      feature({ name: 'A', color: 'red' }, polygon(RING)),
      feature({ name: 'x'.repeat(201) }, polygon(RING)),
      feature({ name: 'B', description: 'd'.repeat(4001) }, polygon(RING)),
      feature({ name: '' }, polygon(RING)),
      feature(null, polygon(RING)),
    ),
  )
  assert.deepEqual(countsOf(broken), {
    bad_color: 1,
    bad_name: 1,
    bad_description: 1,
    missing_field: 2,
  })
  assert.match(broken.reasons.bad_color!.first[0]!.detail, /color must be a hex color/)
})

test('GeoJSON is read feature by feature: a broken one does not affect others', async () => {
  const whole = JSON.stringify(feature({ name: 'A' }, polygon(RING)))
  const text = `{"type":"FeatureCollection","features":[\n${whole},\n{"type":"Feature" "properties":{}},\n7]}`
  const summary = await run('geofences', text)
  assert.deepEqual(countsOf(summary), { created: 1, malformed: 2 })
  assert.deepEqual(
    summary.reasons.malformed!.first.map(({ line }) => line),
    [3, 4],
  )
  const cut = await run(
    'geofences',
    `{"type":"FeatureCollection","features":[${whole},\n{"type":"Fea`,
  )
  assert.deepEqual(countsOf(cut), { duplicate: 1, truncated: 1 })
  const single = await run('geofences', whole)
  assert.equal(single.duplicate, 1)
})

test('other JSON than GeoJSON, or other coordinates than longitude and latitude, are not read', async () => {
  for (const [text, message] of [
    ['', /not JSON/],
    ['{"type":"Topology"}', /its type is 'Topology'/],
    ['{"type":"Topology","features":[]}', /its type is 'Topology'/],
    [
      '{"type":"FeatureCollection","crs":{"properties":{"name":"urn:ogc:def:crs:EPSG::25830"}},"features":[]}',
      /reference system 'urn:ogc:def:crs:EPSG::25830'/,
    ],
  ] as const) {
    assert.match((await run('geofences', text)).stopped!, message)
  }
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } }
  const named = JSON.stringify({ type: 'FeatureCollection', crs, features: [] })
  assert.equal((await run('geofences', named)).stopped, null)
})

test('geometry in CSV is well-known text, and exported geometry can be imported', async () => {
  const ring = 'POLYGON ((2.1 41.3, 2.2 41.3, 2.2 41.4, 2.1 41.3))'
  const text = `id,name,WKT\n65001,A,"${ring}"\n65002,B,"POLYGON EMPTY"\n65003,C,"POLYGON ((2 1, 3 2"\n`
  assert.deepEqual(countsOf(await csv('geofences', text)), {
    created: 1,
    no_geometry: 2,
  })
  const answered = JSON.stringify({
    id: 65001,
    name: 'A',
    description: null,
    color: null,
    coordinates: RING,
  })
  assert.equal((await run('geofences', answered, { format: 'ndjson' })).duplicate, 1)
})

test('objects have settings, accuracy and counters', async () => {
  const text = [
    'ident,name,vin,Plate,engine_hours_type,odometer_type,odometer,mileage,engine_hours,address,device_timezone,maximum_hdop,Odometer Offset',
    'I1,Van 1,WVWZZZ1JZXW000001,M-AB 123,sensor,sensor,100,2,12.5,"Main St, 1",Europe/Madrid,4.5,-10',
    'I2,,,,,,,,,,,,',
  ].join('\n')
  const summary = await run('objects', text, { format: 'csv', distanceUnit: 'mi' })
  assert.deepEqual(countsOf(summary), { created: 2 })
  const [first, second] = await trial.store.objects.list(trial.organization.id)
  const { id: _, organization: __, createdAt: ___, updatedAt: ____, ...settings } = first!
  assert.deepEqual(settings, {
    ...OBJECT_DEFAULTS,
    name: 'Van 1',
    ident: 'I1',
    vin: 'WVWZZZ1JZXW000001',
    plateNumber: 'M-AB 123',
    engineHoursType: 'sensor',
    odometerType: 'sensor',
    odometerOffset: -16.09344,
    accuracy: { ...ACCURACY_DEFAULTS, deviceTimezone: 'Europe/Madrid', maximumHdop: 4.5 },
    engineHours: 12.5,
    odometer: 160.9344,
    mileage: 3.218688,
    address: 'Main St, 1',
  })
  assert.equal(second!.name, 'I2')
  assert.equal((await run('objects', text, { format: 'csv', distanceUnit: 'mi' })).duplicate, 2)
  const answered = '{"ident":"I1","vehicle_data":{"vin":"V2"},"accuracy":{"maximum_hdop":9}}'
  assert.equal((await run('objects', answered, { format: 'ndjson' })).updated, 1)
  const updated = (await trial.store.objects.list(trial.organization.id))[0]!
  assert.deepEqual(
    [updated.vin, updated.accuracy.maximumHdop, updated.accuracy.deviceTimezone],
    ['V2', 9, 'Europe/Madrid'],
  )
})

test('an object with the ident of another is a conflict, and broken settings are rejected', async () => {
  await csv('objects', 'id,ident\n55001,I1\n55002,I2\n')
  const taken = await csv('objects', 'id,ident\n55001,I2\n')
  assert.deepEqual(countsOf(taken), { conflict: 1 })
  const broken = await csv(
    'objects',
    'ident,odometer_type,device_timezone,odometer\nI3,gps,,\nI4,,Mars/Base,\nI5,,,far\n,,,\n',
  )
  assert.deepEqual(countsOf(broken), {
    bad_odometer_type: 1,
    bad_device_timezone: 1,
    bad_odometer: 1,
    missing_field: 1,
  })
  await assertMisuse(run('objects', collection()), /GeoJSON/)
})
