/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutLines, flattened } from '../base/antimeridian.ts'
import { graticule } from '../base/graticule.ts'
import { labelPoint } from '../base/label-point.ts'
import { continuedTrack, type TrackPoint } from '../track/track.ts'
import { circleRing, metersBetween } from './circle-ring.ts'
import { coordinateText, parseCoordinates } from './coordinate-text.ts'
import { placeFeatures } from './places.ts'
import { circleOf, geometriesOf, ringOf } from './shapes.ts'

test('a circle has its radius on all sides, and is recognized again', () => {
  const ring = circleRing([13.4, 52.5], 900)
  for (const corner of ring) assert.ok(Math.abs(metersBetween([13.4, 52.5], corner) - 900) < 0.01)
  const [polygon] = geometriesOf({
    kind: 'site',
    value: { longitude: 13.4, latitude: 52.5, radius: 900 },
  })
  const circle = circleOf(polygon as GeoJSON.Polygon)
  assert.equal(circle.radius, 900)
  assert.ok(metersBetween([circle.longitude, circle.latitude], [13.4, 52.5]) < 1)
})

test('a ring is drawn closed and saved unchanged, with or without a repeated first vertex', () => {
  const ring: [number, number][] = [
    [1, 1],
    [2, 1],
    [2, 2],
  ]
  for (const value of [ring, [...ring, ring[0]!]]) {
    const [polygon] = geometriesOf({ kind: 'geofence', value })
    assert.deepEqual(ringOf(polygon as GeoJSON.Polygon), ring)
  }
  assert.deepEqual(geometriesOf({ kind: 'geofence', value: ring.slice(1) }), [])
})

test('coordinates are read in each common notation', () => {
  const positions: [number, number][] = [
    [13.4, 52.5],
    [-0.1, 51.5],
  ]
  assert.deepEqual(parseCoordinates(coordinateText(positions)), { positions })
  assert.deepEqual(parseCoordinates('52.5 13.4\n\n 51.5;-0.1 \n'), { positions })
  for (const wrong of ['52.5', 'here', '52.5, 13.4, 7', '91, 0', '0, 181']) {
    assert.ok('fault' in parseCoordinates(wrong), wrong)
  }
})

test('a ring over the antimeridian continues beyond it; one around a pole follows its edge', () => {
  const fiji = flattened({
    type: 'Polygon',
    coordinates: [
      [
        [179, -17],
        [-179, -17],
        [-179, -16],
        [179, -16],
        [179, -17],
      ],
    ],
  })
  assert.deepEqual(
    fiji.coordinates[0]![0]!.map(([longitude]) => longitude),
    [179, 181, 181, 179, 179],
  )
  const pole = flattened({
    type: 'Polygon',
    coordinates: [
      [
        [-180, -70],
        [-60, -70],
        [60, -70],
        [180, -70],
        [-180, -70],
      ],
    ],
  }).coordinates[0]![0]!
  assert.deepEqual(pole.slice(-3), [
    [180, -90],
    [-180, -90],
    [-180, -70],
  ])
})

test('places and tracks over the antimeridian are drawn the shorter way', () => {
  const ring: [number, number][] = [
    [179.99, -16.8],
    [-179.99, -16.8],
    [-179.99, -16.82],
  ]
  const plain = { name: 'Taveuni', color: null }
  const { features } = placeFeatures({
    geofences: [{ ...plain, coordinates: ring }],
    routes: [{ ...plain, coordinates: [ring] }],
  })
  const [area, label, way] = features.map(({ geometry }) => geometry) as [
    GeoJSON.Polygon,
    GeoJSON.Point,
    GeoJSON.MultiLineString,
  ]
  const degrees = (path: GeoJSON.Position[]) => path.map(([x]) => Number(x!.toFixed(7)))
  assert.deepEqual(degrees(area.coordinates[0]!), [179.99, 180.01, 180.01, 179.99])
  assert.ok(Math.abs(label.coordinates[0]! - 180) < 0.01)
  assert.deepEqual(degrees(way.coordinates[0]!), [179.99, 180.01, 180.01])
  const points = ring.map(([x, y], at) => [at, x, y, 5, null]) as unknown as TrackPoint[]
  const track = continuedTrack({ points } as Parameters<typeof continuedTrack>[0])
  assert.deepEqual(degrees(track.points.map(([, x, y]) => [x, y])), [179.99, 180.01, 180.01])
  assert.deepEqual(
    track.points.map(([time, , ...others]) => [time, ...others]),
    points.map(([time, , ...others]) => [time, ...others]),
  )
})

test('lines are cut at the antimeridian', () => {
  const { coordinates } = cutLines({
    type: 'MultiLineString',
    coordinates: [
      [
        [178, 1],
        [179, 1],
        [-179, 1],
        [-178, 1],
      ],
    ],
  })
  assert.equal(coordinates.length, 2)
})

test('a name is placed in the middle of the largest part', () => {
  const square = (west: number, side: number) => [
    [
      [west, 0],
      [west + side, 0],
      [west + side, side],
      [west, side],
      [west, 0],
    ],
  ]
  const { at } = labelPoint({ type: 'MultiPolygon', coordinates: [square(50, 1), square(0, 10)] })
  assert.deepEqual(at, [5, 5])
})

test('a graticule has all meridians and parallels', () => {
  assert.equal(graticule(10).coordinates.length, 37 + 17)
})
