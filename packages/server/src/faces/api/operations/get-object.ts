import { hash } from 'node:crypto'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import type {
  CachedObject,
  FleetObject,
  ObjectAnswers,
  OwnObject,
  Roster,
} from '../../../data/cache/fleet-objects.ts'
import type { Call, Prepared } from '../../../read/call.ts'
import { currentForm, encodeObjectDetail } from '../../../read/encode/object.ts'
import type { AttributeForm } from '../../../read/formats/position-format.ts'
import { ATTRIBUTES, entriesIfAsked } from '../../../read/parameters/attribute-parameters.ts'
import { OBJECT_ID, parseObjectId } from '../../../read/parameters/object-parameters.ts'
import { parameterSet } from '../../../read/parameters/parameter.ts'
import { invalidId, objectNotFound, type Refusal } from '../../../read/refusal.ts'
import type { ReadFleet } from '../../../read/rows/scoped-sources.ts'
import { vanNow } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

const PARAMETERS = parameterSet({ id: OBJECT_ID, attributes: ATTRIBUTES })

/** `GET /objects/{id}`: an object with its current location. Adds 1 to its daily counter. */
export const getObject: Operation = {
  id: 'getObject',
  path: '/objects/{id}',
  tag: 'Objects',
  summary: 'Get an object',
  description:
    'One object with a snapshot of where it is. Each call adds 1 to the daily counter of the object, even if the answer is 304. The API answers it even if the quota of the object is exhausted.',
  parameters: PARAMETERS,
  success: 'The object.',
  result: { one: 'ObjectDetail', example: vanNow },
  badRequests: [...OBJECT_ID.refusals, ...ATTRIBUTES.refusals],
  errors: { 404: 'ObjectNotFound' },
  hasEntityTag: true,
  isCharged: true,
  isPosition: false,
  openedBy: ['detail'],
  isPublic: false,
  isContract: true,
  prepare(call) {
    const { fleet, id: idText, organization, query } = call
    if (RARE_PARAMETERS.some((name) => query.has(name))) return prepareWithAttributes(call)
    const id = parseObjectId(idText)
    if (id === undefined) return invalidId(idText)
    const all = fleet.objects()
    const detail = (objects: Roster) => {
      const own = objects.get(id)
      return own === undefined ? objectNotFound : prepared(fleet, own, organization.distanceUnit)
    }
    return all instanceof Promise ? all.then(detail) : detail(all)
  },
}

/** Parameters that few requests have. The others take a path without promises. */
const RARE_PARAMETERS = ['include', 'include[]', 'attributes', 'attributes[]']

async function prepareWithAttributes(call: Call): Promise<Prepared | Refusal> {
  const asked = PARAMETERS.of(call)
  if ('status' in asked) return asked
  const { id, attributes } = asked
  const { fleet, organization } = call
  const entries = await entriesIfAsked(call, attributes)
  if (entries !== null && 'status' in entries) return entries
  const own = (await fleet.objects()).get(id)
  if (own === undefined) return objectNotFound
  const form = entries === null ? undefined : currentForm(entries)
  return prepared(fleet, own, organization.distanceUnit, form)
}

function prepared(
  fleet: ReadFleet,
  own: OwnObject,
  unit: DistanceUnit,
  form?: AttributeForm,
): Prepared {
  const ids = [own.object.id]
  const detail = ([existing]: CachedObject[]) =>
    form === undefined ? keptDetail(existing!, unit) : detailOf(existing!, unit, form)
  return {
    due: { objects: ids, isLimited: false },
    shown: ids,
    answer(read) {
      // The current states cannot be read, so show no location rather than an old one.
      if (read === null) return detailOf({ object: own.object, state: UNSEEN }, unit, form)
      const existing = fleet.states.join([own], read)
      return existing instanceof Promise ? existing.then(detail) : detail(existing)
    },
  }
}

/** An object's state is read far more often than it changes. */
function keptDetail(existing: CachedObject, unit: DistanceUnit): Detail {
  existing.made.detail ??= detailOf(existing, unit)
  return existing.made.detail
}

type Detail = NonNullable<ObjectAnswers['detail']>

function detailOf(fleetObject: FleetObject, unit: DistanceUnit, form?: AttributeForm): Detail {
  const body = `{"statusCode":200,"result":${encodeObjectDetail(fleetObject, unit, form)}}`
  const tag = hash('sha256', body, 'base64url').slice(0, 22)
  return { body, bytes: Buffer.byteLength(body), tag }
}
