import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importing } from '../../../testing/imports.ts'
import type { ListTopic } from '../../base/domain/item-rules.ts'

const trial = importing()

/** A file of two saved places, a drive and a planned way, as a program for GPX keeps them together. */
const GPX = `<?xml version="1.0"?>
<gx:gpx version="1.1" xmlns:gx="http://www.topografix.com/GPX/1/1">
<wpt lat="48.5" lon="11,25"><time>2026-11-20T10:05:00Z</time><name>Warehouse</name><desc>Gate 2</desc><sym>Building</sym></wpt>
<wpt lat="48.9" lon="12"><ele>420</ele><name>Customer</name><extensions><name>x</name></extensions></wpt>
<rte><name>Harbour loop</name><rtept lat="48" lon="11"><name>A</name></rtept><rtept lat="48.1" lon="11.1"/></rte>
<trk><name>drive</name><trkseg><trkpt lat="48" lon="11"><time>2026-11-20T10:00:00Z</time></trkpt></trkseg></trk>
</gx:gpx>`

const placemark = (name: string, inside: string) =>
  `<Placemark><name>${name}</name><styleUrl>#icon</styleUrl>${inside}</Placemark>\n`
const point = (text: string) => `<Point><coordinates>\n  ${text}\n</coordinates></Point>`
const ring = (where: string, text: string) =>
  `<${where}><LinearRing><tessellate>1</tessellate><coordinates>${text}</coordinates></LinearRing></${where}>`
const SQUARE = '11,48,0 11.1,48,0 11.1,48.1,0 11,48.1,0 11,48,0'
const yard = (more = '') => `<Polygon>${ring('outerBoundaryIs', SQUARE)}${more}</Polygon>`
const way = (text: string) => `<LineString><coordinates>${text}</coordinates></LineString>`

/** A map of layers, as Google My Maps writes it. */
const map = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Depots</name><Style id="icon"/><Folder><name>Layer</name>\n${inside}</Folder></Document></kml>`

const MY_MAP = map(
  placemark('Depot', `<description><![CDATA[Gate <2>]]></description>${point('11.5,48.1,0')}`) +
    placemark(
      'Shop',
      `<ExtendedData><Data name="radius"><value>80</value></Data><Data name="phone"><value>1</value></Data></ExtendedData>${point('11.6,48.2,0')}`,
    ) +
    placemark('Ring road', way('11,48,0\n 11.1,48.1,0\n 11.2,48.1,0')) +
    placemark('Yard', yard()),
)

const omittedIn = ({ omitted }: Awaited<ReturnType<typeof trial.catalogue>>) =>
  Object.fromEntries(
    Object.entries(omitted).map(([thing, { count, first }]) => [thing, [count, first[0]!.detail]]),
  )
/** The names of the items of a kind. */
async function names(kind: ListTopic) {
  const items: { name: string }[] = await trial.store[kind].list(trial.organization.id)
  return items.map(({ name }) => name)
}
const storedSites = () => trial.store.sites.list(trial.organization.id)

test('the waypoints of GPX are sites, and the rest is left out by kind', async () => {
  for (const chunk of [1, 1 << 16]) {
    await trial.useNew()
    const summary = await trial.catalogue('sites', GPX, { format: 'gpx', chunk })
    assert.deepEqual([summary.created, summary.complete], [2, true])
    assert.deepEqual(omittedIn(summary), {
      route: [1, "it has another shape; use 'import routes'"],
      track: [1, "a track is driven; use 'import positions'"],
    })
    assert.deepEqual(summary.columns.ignored, ['time', 'sym', 'ele', 'extensions'])
    assert.match(summary.notes.join(), /has decimal commas, the first in line 3: '11,25' is 11.25/)
  }
  const sites = await storedSites()
  assert.deepEqual(
    sites.map(({ name, description, latitude, longitude }) => [
      ...[name, description, latitude, longitude],
    ]),
    [
      ['Warehouse', 'Gate 2', 48.5, 11.25],
      ['Customer', null, 48.9, 12],
    ],
  )
  const again = await trial.catalogue('sites', GPX, { format: 'gpx' })
  assert.deepEqual([again.duplicate, again.complete], [2, true])
})

test('the routes of GPX are routes', async () => {
  const summary = await trial.catalogue('routes', GPX, { format: 'gpx' })
  assert.deepEqual([summary.created, summary.complete], [1, true])
  assert.deepEqual(Object.keys(summary.omitted), ['waypoint', 'track'])
  assert.deepEqual(await names('routes'), ['Harbour loop'])
})

test('a map of Google gives sites, routes and geofences, each by its import', async () => {
  const expected = [
    ['sites', 2, { line_string: [1, 'routes'], polygon: [1, 'geofences'] }],
    ['routes', 1, { point: [2, 'sites'], polygon: [1, 'geofences'] }],
    ['geofences', 1, { point: [2, 'sites'], line_string: [1, 'routes'] }],
  ] as const
  for (const [kind, created, omitted] of expected) {
    const summary = await trial.catalogue(kind, MY_MAP, { format: 'kml', chunk: 7 })
    assert.deepEqual([summary.created, summary.complete, summary.notes], [created, true, []])
    const takers = Object.entries(omitted).map(([thing, [count, taker]]) => [
      thing,
      [count, `it has another shape; use 'import ${taker}'`],
    ])
    assert.deepEqual(omittedIn(summary), Object.fromEntries(takers))
  }
  const sites = await storedSites()
  assert.deepEqual(
    sites.map(({ name, description, latitude, radius }) => [name, description, latitude, radius]),
    [
      ['Depot', 'Gate <2>', 48.1, null],
      ['Shop', null, 48.2, 80],
    ],
  )
  assert.deepEqual(await names('routes'), ['Ring road'])
  assert.deepEqual(await names('geofences'), ['Yard'])
})

test('shapes that a kind does not take whole are rejected, with the line', async () => {
  const hole = ring('innerBoundaryIs', '11.02,48.02 11.04,48.02 11.04,48.04 11.02,48.02')
  const address = '<address>Main street 1</address>'
  const text = map(
    placemark('Hole', yard(hole)) +
      placemark('Two', `<MultiGeometry>${yard()}${yard()}</MultiGeometry>`) +
      placemark('Address', address) +
      placemark('Lost', '<Polygon><outerBoundaryIs/></Polygon>') +
      placemark('', yard()),
  )
  const { reasons, omitted, complete } = await trial.catalogue('geofences', text, { format: 'kml' })
  const lines = Object.entries(reasons).map(([reason, { first }]) => [reason, first[0]!.line])
  assert.deepEqual(lines, [
    ['holes', 3],
    ['several_polygons', 4],
    ['bad_geometry', 6],
    ['missing_field', 7],
  ])
  assert.deepEqual([complete, Object.keys(omitted)], [false, ['placemark']])
  const site = await trial.catalogue('sites', map(placemark('Depot', address)), { format: 'kml' })
  assert.equal(site.reasons.no_geometry!.count, 1)
})

test('tracks and points with times are positions', async () => {
  const stamp = '<TimeStamp><when>2026-11-20T10:00:00Z</when></TimeStamp>'
  const text = map(placemark('van', stamp + point('11,48')) + placemark('van', '<Track/>'))
  const summary = await trial.catalogue('sites', text, { format: 'kml' })
  assert.deepEqual([Object.keys(summary.omitted), summary.read], [['position', 'track'], 0])
  assert.equal(summary.complete, false)
})

test('a file that ends within a place has the places before it', async () => {
  for (const [kind, format, whole, within] of [
    ['sites', 'gpx', GPX, 'Customer'],
    ['sites', 'kml', MY_MAP, '80'],
  ] as const) {
    await trial.useNew()
    const cut = whole.slice(0, whole.indexOf(within))
    const summary = await trial.catalogue(kind, cut, { format })
    assert.deepEqual([summary.created, summary.reasons.truncated!.count], [1, 1])
    assert.equal(summary.complete, false)
  }
})
