import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runAtOnce } from '../../domain/common/steps.ts'
import { earthPoint } from './earth-point.ts'
import { NearestSpots } from './nearest-spots.ts'

it('the nearest position is the first of many that are as near, however late others come', () => {
  const places = [41.2, 41.5, 42].flatMap((latitude) => [...earthPoint(latitude, 2)])
  const nearest = new NearestSpots(Float64Array.from(places))
  // Two ways from 41 to 41.4 degrees and back, more positions than are gathered at once.
  for (let time = 0; time < 40_000; time += 1) {
    const latitude = 41 + 0.4 * (1 - Math.abs((time % 20_000) - 10_000) / 10_000)
    runAtOnce(nearest.add({ time, latitude: Number(latitude.toFixed(7)), longitude: 2 }))
  }
  runAtOnce(nearest.add({ time: 40_000, latitude: 42, longitude: 2 }))
  const spotOf = runAtOnce(nearest.all())
  assert.deepEqual(
    [0, 1, 2].map((place) => spotOf(place)),
    [
      { time: 5_000, latitude: 41.2, longitude: 2 },
      { time: 10_000, latitude: 41.4, longitude: 2 },
      { time: 40_000, latitude: 42, longitude: 2 },
    ],
  )
})
