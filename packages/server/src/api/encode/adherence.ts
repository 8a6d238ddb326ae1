import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { Route } from '../../domain/place.ts'
import { toJson } from '../../domain/text/to-json.ts'
import type { Adherence } from '../../journeys/adherence/adherence.ts'
import { ADHERENCE_FIELDS, DEVIATION_FIELDS, WAYPOINT_VISIT_FIELDS } from './report-fields.ts'
import { rowOf } from './row-fields.ts'
import { rowsParts } from './rows-body.ts'

const headOf = rowOf(ADHERENCE_FIELDS)
const deviationOf = rowOf(DEVIATION_FIELDS)
const waypointOf = rowOf(WAYPOINT_VISIT_FIELDS)

/** The body with the adherence of an object to a route: the documented fields in the documented order. */
export async function* adherenceParts(
  adherence: Adherence,
  route: Pick<Route, 'id' | 'deviation'>,
  object: Pick<MonitoredObject, 'id' | 'ident' | 'name'>,
  unit: DistanceUnit,
): AsyncGenerator<Buffer> {
  const { deviations, waypoints } = adherence
  const head = toJson(headOf({ adherence, route, object }, unit))
  yield* rowsParts([deviations], {
    head: `{"statusCode":200,"result":${head.slice(0, -1)},"deviations":[`,
    between: ',',
    tail: '],"waypoints":[',
    row: (deviation) => toJson(deviationOf(deviation, unit)),
  })
  yield* rowsParts([waypoints], {
    head: '',
    between: ',',
    tail: ']}}',
    row: (waypoint) => toJson(waypointOf(waypoint, unit)),
  })
}
