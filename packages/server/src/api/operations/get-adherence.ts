import type { Route } from '../../domain/place.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { clientGone } from '../../http/connections/client-gone.ts'
import { AdherenceTotals } from '../../reports/adherence/adherence.ts'
import { MAX_POSITIONS, readAdherence } from '../../reports/adherence/read-adherence.ts'
import { routeLine } from '../../reports/adherence/route-line.ts'
import { encodeAdherence } from '../encode/adherence.ts'
import type { ChargeLater } from '../limits.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { type AdherenceQuery, readAdherenceQuery } from '../parameters/adherence-query.ts'
import { parseObjectId } from '../parameters/object-id.ts'
import { mustBeAbleToPay } from '../positions/charge-objects.ts'
import {
  invalidId,
  objectNotFound,
  placeNotFound,
  positionsAboveMaximum,
  type Refusal,
} from '../refusal.ts'

/** `GET /routes/{id}/adherence`: how an object kept to a route in a time range. Charges 1 to the object. */
export const getAdherence: Operation = {
  id: 'getAdherence',
  isPosition: true,
  openedBy: ['records', 'routes'],
  isPublic: false,
  async prepare(call) {
    const { api, fleet, query, id: idText } = call
    const id = parseObjectId(idText)
    if (id === undefined) return invalidId(idText)
    const asked = readAdherenceQuery(query, api.historyLimits)
    if ('status' in asked) return asked
    if (!(await fleet.objects()).has(asked.object)) return objectNotFound
    let route: Route | undefined
    return {
      due: mustBeAbleToPay(call.organization, [asked.object]),
      shown: [],
      async checkStored() {
        route = await findRoute(call, id)
        return route === undefined ? placeNotFound : undefined
      },
      answer: (_states, charge) => answer(call, route!, asked, charge),
    }
  },
}

async function answer(
  call: Call,
  route: Route,
  asked: AdherenceQuery,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, fleet, organization } = call
  const { object } = asked
  const totals = new AdherenceTotals(await routeLine(route.coordinates), route)
  // Hide all expired positions, purged already or not.
  const from = Math.max(asked.range.from, shownFrom(organization, api.clock.now()))
  const range = { from, to: asked.range.to }
  const gone = clientGone(call.request.connection)
  const reading = { organization: organization.id, object, range, gone }
  const { isWhole, until } = await readAdherence(api.views, reading, totals)
  if (!isWhole) return positionsAboveMaximum(MAX_POSITIONS)
  const own = (await fleet.objects()).get(object)
  // The object was deleted meanwhile.
  if (own === undefined) return objectNotFound
  const refused = await charge({ objects: [object], isLimited: true })
  if (refused !== undefined) return refused.refusal
  const result = encodeAdherence(totals.result(), route, own.object, organization.distanceUnit)
  return { body: `{"statusCode":200,"result":${result}}`, recordsUntil: until ?? undefined }
}

async function findRoute({ api, organization }: Call, id: number): Promise<Route | undefined> {
  // A larger id is that of no route.
  if (!Number.isSafeInteger(id)) return undefined
  const found = await api.views.view(organization.id, (view) => view.items('routes', [id]))
  return found?.[0]
}
