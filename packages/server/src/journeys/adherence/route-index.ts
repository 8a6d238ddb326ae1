import type { Steps } from '../../domain/common/steps.ts'
import type { Route } from '../../domain/place.ts'
import { RouteLine } from './route-line.ts'
import { Waypoints } from './waypoint-visits.ts'

/** A version of a route, in a form in which positions find what is near them. */
export type RouteIndex = Pick<Route, 'id' | 'deviation'> & {
  readonly line: RouteLine
  readonly waypoints: Waypoints
}

export function* indexRoute({
  id,
  deviation,
  coordinates,
  points,
}: Pick<Route, 'id' | 'deviation' | 'coordinates' | 'points'>): Steps<RouteIndex> {
  const line = yield* RouteLine.through(coordinates)
  return { id, deviation, line, waypoints: yield* Waypoints.of(points) }
}
