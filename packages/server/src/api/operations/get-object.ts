import { hash } from 'node:crypto'
import type { Fleet, FleetObject } from '../../catalogue/fleet.ts'
import { UNSEEN } from '../../domain/object-state.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { invalidId, objectNotFound } from '../../domain/refusal.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import { encodeObjectDetail } from '../encode/object.ts'
import { parseObjectId } from '../object-id.ts'
import type { Answer, Operation, Prepared } from '../operation.ts'

/** An object's state is asked for far more often than it changes. */
const answers = new WeakMap<FleetObject, Answer>()

/** `GET /objects/{id}`: an object with its current location. Adds 1 to its daily counter. */
export const getObject: Operation = {
  id: 'getObject',
  isPosition: false,
  isPublic: false,
  prepare({ fleet, id: idText, organization }) {
    const id = parseObjectId(idText)
    if (id === undefined) return invalidId(idText)
    const found = fleet.find([id])
    const detail = ([object]: TrackedObject[]) =>
      object === undefined ? objectNotFound : prepared(fleet, object, organization.distanceUnit)
    return found instanceof Promise ? found.then(detail) : detail(found)
  },
}

function prepared(fleet: Fleet, object: TrackedObject, unit: DistanceUnit): Prepared {
  const ids = [object.id]
  const detail = ([fleetObject]: FleetObject[]) =>
    answers.get(fleetObject!) ?? answerOf(fleetObject!, unit)
  return {
    due: { objects: ids, isLimited: false },
    states: ids,
    answer(read) {
      // What is current cannot be read: then no location is told, rather than an old one.
      if (read === null) return answerOf({ object, state: UNSEEN }, unit)
      const pairs = fleet.withStates([object], read)
      return pairs instanceof Promise ? pairs.then(detail) : detail(pairs)
    },
  }
}

function answerOf(fleetObject: FleetObject, unit: DistanceUnit): Answer {
  const body = `{"statusCode":200,"result":${encodeObjectDetail(fleetObject, unit)}}`
  const answer = { body, tag: hash('sha256', body, 'base64url').slice(0, 22) }
  answers.set(fleetObject, answer)
  return answer
}
