import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { Route } from '../../domain/place.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { Adherence } from '../../reports/adherence/adherence.ts'
import { DECIMALS, distance, rounded } from './numbers.ts'

/** The adherence of an object to a route as JSON text, with the documented fields in the documented order. */
export function encodeAdherence(
  { distance: driven, shareInside, deviations, waypoints }: Adherence,
  { id: route_id, deviation }: Pick<Route, 'id' | 'deviation'>,
  { id: object_id, ident, name }: Pick<MonitoredObject, 'id' | 'ident' | 'name'>,
  unit: DistanceUnit,
): string {
  return JSON.stringify({
    ...{ route_id, object_id, ident, name },
    deviation: rounded(deviation, DECIMALS.measure),
    distance: driven === null ? null : distance(driven, unit),
    share_inside: rounded(shareInside, DECIMALS.share),
    deviations: deviations.map(({ start, end, greatestDistance }) => ({
      start_time: formatInstant(start),
      end_time: formatInstant(end),
      greatest_distance: rounded(greatestDistance, DECIMALS.measure),
    })),
    waypoints: waypoints.map(({ order, nearestDistance, time, isVisitedInOrder }) => ({
      order,
      nearest_distance: rounded(nearestDistance, DECIMALS.measure),
      time: time === null ? null : formatInstant(time),
      visited_in_order: isVisitedInOrder,
    })),
  })
}
