import { toJson } from '../../../base/domain/common/plain-json.ts'
import { runInTurns } from '../../../base/domain/common/slots.ts'
import type { MonitoredObject } from '../../../base/domain/monitored-object.ts'
import { type DistanceUnit, shownFrom } from '../../../base/domain/organization.ts'
import type { Route } from '../../../base/domain/places/place.ts'
import { clientGone } from '../../../base/http/send-whole.ts'
import {
  type Adherence,
  AdherenceTotals,
  MAX_POSITIONS,
  readAdherence,
} from '../../../engine/journeys/adherence/adherence.ts'
import type { RouteIndex } from '../../../engine/journeys/adherence/route-indexes.ts'
import type { Answer, Call } from '../../../read/call.ts'
import {
  ADHERENCE_FIELDS,
  DEVIATION_FIELDS,
  WAYPOINT_VISIT_FIELDS,
} from '../../../read/encode/report-fields.ts'
import { rowOf } from '../../../read/encode/row-fields.ts'
import { rowsParts, wholeOrStreamed } from '../../../read/encode/rows.ts'
import { ONE_OBJECT, ROUTE_ID } from '../../../read/parameters/object-parameters.ts'
import { type Asked, parameterSet } from '../../../read/parameters/parameter.ts'
import { TIME_RANGE } from '../../../read/parameters/time-range.ts'
import {
  objectNotFound,
  placeNotFound,
  positionsAboveMaximum,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
} from '../../../read/refusal.ts'
import type { ChargeLater } from '../../../read/request-limits.ts'
import { mustBeAbleToPay } from '../../../read/rows/charge-objects.ts'
import { onTheWay } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

const PARAMETERS = parameterSet({ id: ROUTE_ID, object: ONE_OBJECT, range: TIME_RANGE }, [
  'id',
  'range',
  'object',
])
type AdherenceQuery = Asked<typeof PARAMETERS>

/** `GET /routes/{id}/adherence`: how an object kept to a route in a time range. Charges 1 to the object. */
export const getAdherence: Operation = {
  id: 'getAdherence',
  path: '/routes/{id}/adherence',
  tag: 'Records',
  summary: 'Compare an object with a route',
  description:
    'How closely one object followed a route in a range of time: the part of the distance that it drove within the `deviation` of the route, the times outside, and the waypoints. The server computes it from the positions when you ask. Costs 1 of the daily quota of the object.',
  parameters: PARAMETERS,
  success: 'The adherence of the object.',
  result: { one: 'Adherence', example: onTheWay },
  headers: ['X-Records-Until'],
  badRequests: [
    ...TIME_RANGE.refusals,
    ...ONE_OBJECT.refusals,
    repeatedParameter('object'),
    rangeAboveMaximum(31),
    positionsAboveMaximum(MAX_POSITIONS),
    quotaExhausted([1071]),
  ],
  errors: { 404: 'ObjectOrRouteNotFound' },
  isCharged: true,
  isPosition: true,
  openedBy: ['records', 'routes'],
  isPublic: false,
  async prepare(call) {
    const asked = PARAMETERS.of(call)
    if ('status' in asked) return asked
    if (!(await call.fleet.objects()).has(asked.object)) return objectNotFound
    return {
      due: mustBeAbleToPay(call.organization, [asked.object]),
      shown: [],
      checkStored: async () => ((await hasRoute(call, asked.id)) ? undefined : placeNotFound),
      answer: (_states, charge) => answer(call, asked, charge),
    }
  },
}

async function answer(
  call: Call,
  asked: AdherenceQuery,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, fleet, organization } = call
  const { object } = asked
  const gone = clientGone(call.request.connection)
  const read = await api.inReportTurn(organization.id, () => compare(call, asked, gone), gone)
  if ('status' in read) return read
  const own = (await fleet.objects()).get(object)
  // The object was deleted meanwhile.
  if (own === undefined) return objectNotFound
  const refused = await charge({ objects: [object], isLimited: true })
  if (refused !== undefined) return refused.refusal
  const parts = adherenceParts(read.adherence, read.route, own.object, organization.distanceUnit)
  return { body: await wholeOrStreamed(parts), recordsUntil: read.until ?? undefined }
}

type Compared = {
  readonly adherence: Adherence
  readonly route: RouteIndex
  readonly until: number | null
}

async function compare(
  call: Call,
  { id, object, range: asked }: AdherenceQuery,
  gone: AbortSignal,
): Promise<Compared | Refusal> {
  const { api, fleet, organization } = call
  const version = await versionOf(call, id)
  const route = await api.routeIndexes.find(version, () => findRoute(call, id), gone)
  if (route === undefined) return placeNotFound
  const totals = new AdherenceTotals(route)
  // Hide all expired positions, purged already or not.
  const own = (await fleet.objects()).get(object)?.object
  const from = Math.max(asked.from, shownFrom(organization, own, api.clock.now()))
  const range = { from, to: asked.to }
  const reading = { organization: organization.id, object, range, gone }
  const { isWhole, until } = await readAdherence(api.views, reading, totals)
  if (!isWhole) return positionsAboveMaximum(MAX_POSITIONS)
  return { adherence: await runInTurns(totals.result(), gone), route, until }
}

/** Any change of the organization's routes makes new versions of all of them. */
async function versionOf({ fleet }: Call, id: number): Promise<string> {
  const { tag } = await fleet.listing('routes', null)
  return `${tag} ${id}`
}

async function hasRoute(call: Call, id: number): Promise<boolean> {
  return call.api.routeIndexes.exists(await versionOf(call, id), () => findRoute(call, id))
}

async function findRoute({ api, organization }: Call, id: number): Promise<Route | undefined> {
  // A larger id is that of no route.
  if (!Number.isSafeInteger(id)) return undefined
  const found = await api.views.view(organization.id, (view) => view.items('routes', [id]))
  return found?.[0]
}

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
