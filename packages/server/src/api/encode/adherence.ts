import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { Route } from '../../domain/place.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { Adherence } from '../../reports/adherence/adherence.ts'
import type { Deviation } from '../../reports/adherence/deviations.ts'
import type { WaypointVisit } from '../../reports/adherence/waypoint-visits.ts'
import { DECIMALS, distance, rounded } from './numbers.ts'
import { rowsParts } from './rows-body.ts'

/** The body with the adherence of an object to a route: the documented fields in the documented order. */
export async function* adherenceParts(
  { distance: driven, shareInside, deviations, waypoints }: Adherence,
  { id: route_id, deviation }: Pick<Route, 'id' | 'deviation'>,
  { id: object_id, ident, name }: Pick<MonitoredObject, 'id' | 'ident' | 'name'>,
  unit: DistanceUnit,
): AsyncGenerator<Buffer> {
  const head = JSON.stringify({
    ...{ route_id, object_id, ident, name },
    deviation: rounded(deviation, DECIMALS.measure),
    distance: driven === null ? null : distance(driven, unit),
    share_inside: rounded(shareInside, DECIMALS.share),
  })
  yield* rowsParts([deviations], {
    head: `{"statusCode":200,"result":${head.slice(0, -1)},"deviations":[`,
    ...{ between: ',', tail: '],"waypoints":[', row: deviationRow },
  })
  yield* rowsParts([waypoints], { head: '', between: ',', tail: ']}}', row: waypointRow })
}

function deviationRow({ start, end, greatestDistance }: Deviation): string {
  return JSON.stringify({
    start_time: formatInstant(start),
    end_time: formatInstant(end),
    greatest_distance: rounded(greatestDistance, DECIMALS.measure),
  })
}

function waypointRow({ order, nearestDistance, time, isVisitedInOrder }: WaypointVisit): string {
  return JSON.stringify({
    order,
    nearest_distance: rounded(nearestDistance, DECIMALS.measure),
    time: time === null ? null : formatInstant(time),
    visited_in_order: isVisitedInOrder,
  })
}
