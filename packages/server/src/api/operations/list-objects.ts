import { createHmac } from 'node:crypto'
import type { OwnObject } from '../../cache/fleet-objects.ts'
import { takeTurn } from '../../domain/common/slots.ts'
import { objectKind } from '../encode/object.ts'
import { rowsBody } from '../encode/rows-body.ts'
import { rowForm } from '../formats/row-form.ts'
import type { Call, KeyedOperation, Prepared } from '../operation.ts'
import { OBJECT_FILTER, type ObjectFilter, objectMatcher } from '../parameters/object-filter.ts'
import { repeatedParameter } from '../refusal.ts'
import type { ReadFleet } from '../scope/scoped-fleet.ts'
import { listEveryObject } from './list-all.ts'

/** `GET /objects`: all objects of the organization, or those that pass the filters. */
export const listObjects: KeyedOperation = {
  ...listEveryObject,
  parameters: OBJECT_FILTER,
  badRequests: [repeatedParameter('q')],
  prepare(call) {
    const filter = OBJECT_FILTER.of(call)
    if ('status' in filter) return filter
    const hasFilter = Object.values(filter).some((each) => each !== undefined)
    return hasFilter ? listFiltered(call, filter) : listEveryObject.prepare(call)
  },
}

function listFiltered({ api, fleet, format, organization }: Call, filter: ObjectFilter): Prepared {
  return {
    due: null,
    shown: [],
    async answer(read) {
      const { tag } = await fleet.listing('objects', read)
      const whole = JSON.stringify([tag, filter])
      return {
        tag: createHmac('sha256', api.secret).update(whole).digest('base64url').slice(0, 22),
        async body() {
          const objects = await fleet.withStates(await matching(fleet, filter))
          const form = rowForm(format, objectKind(organization.distanceUnit))
          return rowsBody(objects, form)
        },
      }
    },
  }
}

/** Objects compared before other requests get a turn: about 1 ms of work. */
const SLICE = 5_000

async function matching(fleet: ReadFleet, filter: ObjectFilter): Promise<OwnObject[]> {
  const matches = objectMatcher(filter)
  const found: OwnObject[] = []
  let passed = 0
  for (const each of (await fleet.objects()).values()) {
    if (matches(each.object)) found.push(each)
    passed += 1
    if (passed % SLICE === 0) await takeTurn()
  }
  return found
}
