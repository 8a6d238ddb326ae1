import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../../../base/domain/common/steps.ts'
import type { Waypoint } from '../../../base/domain/places/place.ts'
import type { Spot } from '../../../base/domain/position/fold-state.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { type EarthPoint, earthPoint } from './box-tree.ts'
import { NearestSpots, Waypoints, type WaypointVisit, WaypointVisits } from './waypoint-visits.ts'

/** Waypoints 1 km apart on a meridian, and positions at some of them, or between two. */
const KM = 1 / 111.2

const waypointAt = (km: number, order: number): Waypoint => ({ location: [2, 41 + km * KM], order })

function visits(waypoints: readonly Waypoint[], way: readonly Spot[], deviation: number | null) {
  const visits = new WaypointVisits(runAtOnce(Waypoints.of(waypoints)), deviation)
  for (const spot of way) runAtOnce(visits.add(spot))
  return runAtOnce(visits.visits())
}

function visitsOf(
  waypoints: readonly Waypoint[],
  way: readonly number[],
  deviation: number | null,
) {
  const spots = way.map((km, index) => ({
    time: index * 1_000,
    latitude: 41 + km * KM,
    longitude: 2,
  }))
  return visits(waypoints, spots, deviation)
}

const inOrder = (places: readonly number[], way: readonly number[]) =>
  visitsOf(
    places.map((km, index) => waypointAt(km, index + 1)),
    way,
    100,
  ).map(({ isVisitedInOrder }) => isVisitedInOrder)

describe('Waypoints', () => {
  it('come by order, with the nearest position', () => {
    const found = visitsOf([waypointAt(2, 9), waypointAt(1, -3)], [0, 0.9, 1.2], null)
    assert.deepEqual(
      found.map(({ order, time, isVisitedInOrder }) => [order, time, isVisitedInOrder]),
      [
        [-3, 1_000, null],
        [9, 2_000, null],
      ],
    )
    const metres = distanceMetres(41 + KM, 2, 41 + 0.9 * KM, 2)
    assert.equal(found[0]!.nearestDistance, metres)
    const none = { nearestDistance: null, time: null, isVisitedInOrder: null }
    assert.deepEqual(visitsOf([waypointAt(2, 9)], [], null), [{ order: 9, ...none }])
  })

  it('are what a comparison of each position with each waypoint finds', () => {
    // Few places, so that many positions are equally near; anywhere else on the globe, the antimeridian and poles too.
    const anyPlace = fc.oneof(
      fc.tuple(fc.constantFrom(179.9999, 180, -180, -179.9999), fc.constantFrom(-90, 41, 41.001)),
      fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-89.999, 0, 90)),
    )
    const anyPlaces = fc.array(anyPlace, { maxLength: 60 })
    const anyDeviation = fc.constantFrom(null, 1, 150, 3_000_000, 20_037_508)
    fc.assert(
      fc.property(anyPlaces, anyPlaces, anyDeviation, (places, way, deviation) => {
        const waypoints = places.map((location, index) => ({ location, order: index * 3 }))
        const spots = way.map(([longitude, latitude], time) => ({ time, latitude, longitude }))
        assert.deepEqual(visits(waypoints, spots, deviation), plain(waypoints, spots, deviation))
      }),
    )
  })

  it('count as many as can be visited in order', () => {
    const anyPlaces = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 })
    const anyWay = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 })
    fc.assert(
      fc.property(anyPlaces, anyWay, (places, way) => {
        const chosen = places.filter((_, index) => inOrder(places, way)[index])
        assert.ok(canBeVisited(chosen, way), 'those that count can be visited in order')
        assert.equal(chosen.length, mostInOrder(places, way))
      }),
    )
  })
})

function canBeVisited(places: readonly number[], way: readonly number[]): boolean {
  let at = 0
  return places.every((place) => {
    while (at < way.length && way[at] !== place) at += 1
    return at < way.length
  })
}

/** Tries all choices of waypoints. */
function mostInOrder(places: readonly number[], way: readonly number[]): number {
  let most = 0
  for (let choice = 0; choice < 2 ** places.length; choice += 1) {
    const chosen = places.filter((_, index) => (choice >> index) % 2 === 1)
    if (chosen.length > most && canBeVisited(chosen, way)) most = chosen.length
  }
  return most
}

/** Compares each position with each waypoint, and keeps the longest chain that ends at each of them. */
function plain(
  waypoints: readonly Waypoint[],
  way: readonly Spot[],
  deviation: number | null,
): WaypointVisit[] {
  const metresTo = ({ location }: Waypoint, { latitude, longitude }: Spot) =>
    distanceMetres(location[1], location[0], latitude, longitude)
  const squareOf = (a: EarthPoint, b: EarthPoint) =>
    (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
  const squareTo = ({ location }: Waypoint, { latitude, longitude }: Spot) =>
    squareOf(earthPoint(location[1], location[0]), earthPoint(latitude, longitude))
  const chains: number[][] = waypoints.map(() => [])
  const longest = (all: number[][]) =>
    all.reduce((best, chain) => (chain.length > best.length ? chain : best), [])
  for (const spot of deviation === null ? [] : way) {
    for (const [index, waypoint] of waypoints.entries()) {
      if (metresTo(waypoint, spot) > deviation!) continue
      const chain = [...longest(chains.slice(0, index)), index]
      if (chain.length > chains[index]!.length) chains[index] = chain
    }
  }
  return waypoints.map((waypoint, index) => {
    const nearest = way.reduce<Spot | null>(
      (best, spot) =>
        best === null || squareTo(waypoint, spot) < squareTo(waypoint, best) ? spot : best,
      null,
    )
    return {
      order: waypoint.order,
      nearestDistance: nearest && metresTo(waypoint, nearest),
      time: nearest?.time ?? null,
      isVisitedInOrder: deviation === null ? null : longest(chains).includes(index),
    }
  })
}

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
