import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Waypoint } from '../../domain/place.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'
import { WaypointVisits } from './waypoint-visits.ts'

/** Waypoints 1 km apart on a meridian, and positions at some of them, or between two. */
const KM = 1 / 111.2
const waypointAt = (km: number, order: number): Waypoint => ({ location: [2, 41 + km * KM], order })

function visitsOf(
  waypoints: readonly Waypoint[],
  way: readonly number[],
  deviation: number | null,
) {
  const visits = new WaypointVisits(waypoints, deviation)
  for (const [index, km] of way.entries()) {
    visits.add({ time: index * 1_000, latitude: 41 + km * KM, longitude: 2 })
  }
  return visits.visits()
}

const inOrder = (places: readonly number[], way: readonly number[]) =>
  visitsOf(
    places.map((km, index) => waypointAt(km, index + 1)),
    way,
    100,
  ).map(({ isVisitedInOrder }) => isVisitedInOrder)

describe('Waypoints', () => {
  it('are visited in order if they are passed one after the other', () => {
    assert.deepEqual(inOrder([0, 1, 2], [0, 0.5, 1, 1.5, 2]), [true, true, true])
    assert.deepEqual(inOrder([0, 1, 2], [0, 0.5, 1.5, 2]), [true, false, true])
    assert.deepEqual(inOrder([0, 1, 2], [5]), [false, false, false])
    assert.deepEqual(inOrder([0, 1], []), [false, false])
  })

  it('are visited in order on a round that ends where it began', () => {
    assert.deepEqual(inOrder([0, 1, 2, 0], [0, 0, 1, 2, 1, 0]), [true, true, true, true])
    assert.deepEqual(inOrder([0, 1, 2, 0], [0, 0, 0]), [true, false, false, true])
  })

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
