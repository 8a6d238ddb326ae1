import { takeTurn } from '../base/domain/common/slots.ts'
import {
  GIVEN_OBJECT_RULES,
  OBJECT_DEFAULTS,
  type ObjectSettings,
} from '../base/domain/monitored-object.ts'
import type { Organization } from '../base/domain/organization.ts'
import { UNSEEN } from '../base/domain/position/object-state.ts'
import { TRACKER_RULES, type TrackerSettings } from '../base/domain/tracker-settings.ts'
import {
  type ActCall,
  ADMINISTRATORS,
  acts,
  fleetOf,
  objectOf,
  organizationOf,
  VIEWERS,
} from './act.ts'
import { discloseFleet } from './disclosing.ts'
import { type Input, patchInput } from './input.ts'
import { moveTracker } from './move-tracker.ts'
import {
  accuracyIn,
  GIVEN_ACCURACY,
  NEW_OBJECT,
  OBJECT,
  OBJECT_PATCH,
  OBJECTS,
  objectDocument,
  storedSettings,
} from './object-bodies.ts'
import { existing, identTaken, limitReached, notFound } from './refused.ts'

const ALL = '/organizations/{organization}/objects'
const ONE = `${ALL}/{object}`
/** Objects encoded in one turn of the event loop. */
const SLICE = 500

export const OBJECT_ACTS = acts('Objects', {
  listObjects: {
    method: 'GET',
    path: ALL,
    who: VIEWERS,
    summary: 'List objects with their settings and current positions',
    answers: OBJECTS,
    async run(call) {
      const fleet = await fleetOf(call)
      const all = await fleet.warm()
      discloseFleet(call.disclosed, all)
      const documents = []
      for (let start = 0; start < all.length; start += SLICE) {
        await takeTurn()
        for (const each of all.slice(start, start + SLICE)) {
          documents.push(objectDocument(each, fleet.organization, call.now))
        }
      }
      return { items: documents }
    },
  },
  createObject: {
    method: 'POST',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Create an object',
    takes: NEW_OBJECT,
    answers: OBJECT,
    async run(call) {
      const { body, store, now } = call
      const owner = await organizationOf(call)
      const given = NEW_OBJECT.in(body)
      const { accuracy } = OBJECT_DEFAULTS
      const stored = storedSettings(given, accuracyIn(body), accuracy, owner)
      const settings = { ...OBJECT_DEFAULTS, ...stored }
      return call.inTurn(owner.id, async () => {
        // `put` would take an object of the same ident for it and change that.
        const holders = await store.objects.named(owner.id, settings.ident)
        if (holders.length > 0) throw identTaken(settings.ident)
        const [put] = await store.objects.put(owner.id, [settings], now)
        if (put!.outcome === 'ident_taken') throw identTaken(settings.ident)
        if (!('id' in put!)) throw tooManyObjects(owner)
        return documentOfId(call, owner, put.id)
      })
    },
  },
  getObject: {
    method: 'GET',
    path: ONE,
    who: VIEWERS,
    summary: 'One object with its settings and current position',
    answers: OBJECT,
    async run(call) {
      return documentOfId(call, await organizationOf(call), call.params.object!)
    },
  },
  updateObject: {
    method: 'PATCH',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Change settings of an object',
    takes: OBJECT_PATCH,
    answers: OBJECT,
    run: (call) => updated(call, OBJECT_PATCH),
  },
  deleteObject: {
    method: 'DELETE',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Delete an object and all its positions',
    async run({ store, params }) {
      existing(await store.objects.delete(params.organization!, params.object!), 'object')
    },
  },
  recomputeObject: {
    method: 'POST',
    path: `${ONE}/recompute`,
    who: ADMINISTRATORS,
    summary: 'Recompute motion, trips and counters with the current settings',
    status: 202,
    async run(call) {
      const { id: object, organization } = await objectOf(call)
      await call.store.positions.requestRefold({ organization, object })
    },
  },
})

function tooManyObjects({ maxObjects }: Organization) {
  const fact = `the organization has reached its max_objects of ${maxObjects}`
  return limitReached('max_objects', fact, 'delete objects')
}

/** The command line changes counters and address too, which count until a position has its own. */
const GIVEN_PATCH = patchInput<Omit<ObjectSettings, 'accuracy'> & TrackerSettings>(
  null,
  { ...GIVEN_OBJECT_RULES, ...TRACKER_RULES },
  'The settings that change.',
  { accuracy: GIVEN_ACCURACY },
)
export const UPDATE_BY_COMMAND: typeof OBJECT_ACTS.updateObject = {
  ...OBJECT_ACTS.updateObject,
  takes: GIVEN_PATCH,
  run: (call) => updated(call, GIVEN_PATCH),
}

async function updated(
  call: ActCall,
  input: Pick<Input<Partial<Omit<ObjectSettings, 'accuracy'> & TrackerSettings>>, 'in'>,
) {
  const { body, store, now } = call
  const owner = await organizationOf(call)
  return call.inTurn(owner.id, async () => {
    const object = await objectOf(call)
    const { since, formerIdent, ...given } = input.in(body)
    if (since !== undefined || formerIdent !== undefined) {
      await moveTracker(call, object, { since, formerIdent, ...given })
      return documentOfId(call, owner, object.id)
    }
    const settings = storedSettings(given, accuracyIn(body), object.accuracy, owner)
    const after = await store.objects.update(owner.id, object.id, settings, now)
    if (after === 'ident_taken') throw identTaken(settings.ident!)
    if (after === null || 'max' in after) throw notFound('object')
    return documentOfId(call, owner, object.id)
  })
}

/** Read the store, because this process may not know yet what was just written. */
async function documentOfId({ store, now, disclosed }: ActCall, owner: Organization, id: number) {
  const object = existing(await store.objects.find(owner.id, id), 'object')
  const states = await store.positions.states(owner.id, [id])
  const state = states.get(id) ?? UNSEEN
  disclosed.state(id, state)
  return objectDocument({ object, state }, owner, now)
}
