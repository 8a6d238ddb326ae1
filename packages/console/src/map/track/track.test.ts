/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration } from '../../ui/time/duration.ts'
import { speedSeries } from './speed-series.ts'
import { stopLabel } from './stops.ts'
import { atMoment, coloredWay, GAP_MS, speedBounds, speedClass, type TrackPoint } from './track.ts'

function point(time: number, longitude: number, speed: number | null): TrackPoint {
  return [time, longitude, 50, speed, 90, 'moving', null]
}

test('the position between two fixes is interpolated over time', () => {
  const points = [point(0, 10, 50), point(10_000, 11, 50)]
  assert.deepEqual(atMoment(points, 2_500)?.at, [10.25, 50])
  assert.equal(atMoment(points, 2_500)?.index, 0)
  assert.deepEqual(atMoment(points, -5)?.at, [10, 50])
  assert.deepEqual(atMoment(points, 99_000)?.at, [11, 50])
  assert.equal(atMoment([], 0), undefined)
})

test('the position in a gap is the last known one', () => {
  const points = [point(0, 10, 50), point(GAP_MS + 1, 11, 50)]
  assert.deepEqual(atMoment(points, GAP_MS / 2)?.at, [10, 50])
})

test('speeds have classes in the unit of the organization', () => {
  assert.deepEqual(speedBounds('mi'), [19, 37, 56])
  const bounds = speedBounds('km')
  assert.deepEqual(
    [null, 0, 30, 79.9, 80, 300].map((speed) => speedClass(speed, bounds)),
    [0, 0, 1, 2, 2, 3],
  )
})

test('the path is colored leg by leg, without a leg over a gap', () => {
  const points = [
    point(0, 10, 0),
    point(1_000, 11, 20),
    point(2_000, 12, 20),
    point(3_000, 13, 100),
    point(3_001 + GAP_MS, 20, 100),
  ]
  const lines = coloredWay(points, speedBounds('km')).features.map(({ geometry }) =>
    geometry.type === 'MultiLineString' ? geometry.coordinates : [],
  )
  assert.deepEqual(lines[0], [
    [
      [10, 50],
      [11, 50],
      [12, 50],
    ],
  ])
  assert.deepEqual(lines[3], [
    [
      [12, 50],
      [13, 50],
    ],
  ])
  assert.equal(lines.flat().length, 2)
})

test('a chart is interrupted where the track is', () => {
  const { speeds } = speedSeries([
    point(0, 10, 5),
    point(1_000, 10, 6),
    point(2_000 + GAP_MS, 10, 7),
  ])
  assert.deepEqual(speeds, [5, 6, null, 7])
})

test('an attribute holds in a chart until the next position that has it', () => {
  const points = [0, 1_000, 2_000, 3_000 + GAP_MS, 4_000 + GAP_MS].map((time) => point(time, 10, 5))
  const { values } = speedSeries(points, [null, 61.5, null, null, 60])
  assert.deepEqual(values, [null, 61.5, 61.5, null, null, 60])
})

test('stops show their duration, or their duration so far', () => {
  assert.equal(stopLabel({ duration: 3_900, open: false }), '1 h 5 min')
  assert.equal(stopLabel({ duration: 750, open: true }), '12 min so far')
})

test('durations are shown in their two largest units', () => {
  assert.deepEqual([-5, 45_000, 720_000, 7_200_000, 187_200_000].map(duration), [
    '0 s',
    '45 s',
    '12 min',
    '2 h',
    '2 d 4 h',
  ])
})
