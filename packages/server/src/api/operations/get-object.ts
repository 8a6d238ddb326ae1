import { hash } from 'node:crypto'
import type {
  CachedObject,
  FleetObject,
  ObjectAnswers,
  OwnObject,
  Roster,
} from '../../directory/fleet-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { UNSEEN } from '../../domain/position/object-state.ts'
import { vanNow } from '../documentation/examples.ts'
import { encodeObjectDetail } from '../encode/object.ts'
import type { Operation, Prepared } from '../operation.ts'
import { OBJECT_ID, parseObjectId } from '../parameters/object-id.ts'
import { parameterSet } from '../parameters/parameter.ts'
import { invalidId, objectNotFound } from '../refusal.ts'
import type { ReadFleet } from '../scope/scoped-fleet.ts'

/** `GET /objects/{id}`: an object with its current location. Adds 1 to its daily counter. */
export const getObject: Operation = {
  id: 'getObject',
  path: '/objects/{id}',
  tag: 'Objects',
  summary: 'Get an object',
  description:
    'One object with a snapshot of where it is. Each call, one that is answered with 304 too, adds 1 to the daily counter of the object, and is served even when its quota is exhausted.',
  parameters: parameterSet({ id: OBJECT_ID }),
  success: 'The object.',
  result: { one: 'ObjectDetail', example: vanNow },
  badRequests: OBJECT_ID.refusals,
  errors: { 404: 'ObjectNotFound' },
  hasEntityTag: true,
  isCharged: true,
  isPosition: false,
  openedBy: ['detail'],
  isPublic: false,
  isContract: true,
  prepare({ fleet, id: idText, organization }) {
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

function prepared(fleet: ReadFleet, own: OwnObject, unit: DistanceUnit): Prepared {
  const ids = [own.object.id]
  const detail = ([existing]: CachedObject[]) => keptDetail(existing!, unit)
  return {
    due: { objects: ids, isLimited: false },
    shown: ids,
    answer(read) {
      // The current states cannot be read, so show no location rather than an old one.
      if (read === null) return detailOf({ object: own.object, state: UNSEEN }, unit)
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

function detailOf(fleetObject: FleetObject, unit: DistanceUnit): Detail {
  const body = `{"statusCode":200,"result":${encodeObjectDetail(fleetObject, unit)}}`
  const tag = hash('sha256', body, 'base64url').slice(0, 22)
  return { body, bytes: Buffer.byteLength(body), tag }
}
