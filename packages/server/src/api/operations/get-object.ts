import { hash } from 'node:crypto'
import type {
  Fleet,
  FleetObject,
  MadeOfObject,
  OwnObject,
  Roster,
  StandingObject,
} from '../../catalogue/fleet.ts'
import { UNSEEN } from '../../domain/object-state.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { invalidId, objectNotFound } from '../../domain/refusal.ts'
import { encodeObjectDetail } from '../encode/object.ts'
import { parseObjectId } from '../object-id.ts'
import type { Operation, Prepared } from '../operation.ts'

/** `GET /objects/{id}`: an object with its current location. Adds 1 to its daily counter. */
export const getObject: Operation = {
  id: 'getObject',
  isPosition: false,
  isPublic: false,
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

function prepared(fleet: Fleet, own: OwnObject, unit: DistanceUnit): Prepared {
  const ids = [own.object.id]
  const detail = ([standing]: StandingObject[]) => keptDetail(standing!, unit)
  return {
    due: { objects: ids, isLimited: false },
    states: ids,
    answer(read) {
      // The current states cannot be read, so show no location rather than an old one.
      if (read === null) return detailOf({ object: own.object, state: UNSEEN }, unit)
      const standing = fleet.withStates([own], read)
      return standing instanceof Promise ? standing.then(detail) : detail(standing)
    },
  }
}

/** An object's state is read far more often than it changes. */
function keptDetail(standing: StandingObject, unit: DistanceUnit): Detail {
  standing.made.detail ??= detailOf(standing, unit)
  return standing.made.detail
}

type Detail = NonNullable<MadeOfObject['detail']>

function detailOf(fleetObject: FleetObject, unit: DistanceUnit): Detail {
  const body = `{"statusCode":200,"result":${encodeObjectDetail(fleetObject, unit)}}`
  const tag = hash('sha256', body, 'base64url').slice(0, 22)
  return { body, bytes: Buffer.byteLength(body), tag }
}
