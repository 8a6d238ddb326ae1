import { ADMINISTRATORS, objectOf, organizationOf, VIEWERS } from '../../../acts/act.ts'
import { DIAGNOSIS_ACTS, diagnose } from '../../../acts/diagnosis.ts'
import {
  ACCURACY_PATCH,
  NEW_OBJECT,
  OBJECT,
  OBJECT_PATCH,
  OBJECTS,
  objectDocument,
  storedSettings,
} from '../../../acts/objects.ts'
import { conflict, invalid, notFound } from '../../../acts/refused.ts'
import {
  REFUSED_IDENTS,
  refusedIdentDocument,
  WRONG_CLOCKS,
  wrongClocks,
} from '../../../acts/rejects.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import { type Accuracy, OBJECT_DEFAULTS } from '../../../base/domain/monitored-object.ts'
import type { Organization } from '../../../base/domain/organization.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import { type Call, operations } from '../admin-api.ts'
import { fleetOf } from './organizations.ts'

const ALL = '/organizations/{organization}/objects'
const ONE = `${ALL}/{object}`
/** Objects encoded in one turn of the event loop. */
const SLICE = 500

export const OBJECT_OPERATIONS = operations('Objects', [
  {
    id: 'listObjects',
    method: 'GET',
    path: ALL,
    who: VIEWERS,
    summary: 'List objects with their settings and where they are',
    answers: OBJECTS,
    async run(call) {
      const fleet = await fleetOf(call)
      const all = await fleet.warm()
      const now = call.api.clock.now()
      const documents = []
      for (let start = 0; start < all.length; start += SLICE) {
        await takeTurn()
        for (const each of all.slice(start, start + SLICE)) {
          documents.push(objectDocument(each, fleet.organization, now))
        }
      }
      return { items: documents }
    },
  },
  {
    id: 'createObject',
    method: 'POST',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Create an object',
    takes: NEW_OBJECT,
    answers: OBJECT,
    async run(call) {
      const { body, store, api, now } = call
      const owner = await organizationOf(call)
      const given = NEW_OBJECT.in(body)
      const { accuracy } = OBJECT_DEFAULTS
      const stored = storedSettings(given, accuracyIn(body), accuracy, owner)
      const settings = { ...OBJECT_DEFAULTS, ...stored }
      return api.inTurn(owner.id, async () => {
        // `put` would take an object of the same ident for it and change that.
        const holders = await api.store.objects.named(owner.id, settings.ident)
        if (holders.length > 0) throw identTaken(settings.ident)
        const [put] = await store.objects.put(owner.id, [settings], now)
        if (put!.outcome === 'ident_taken') throw identTaken(settings.ident)
        if (!('id' in put!)) throw tooManyObjects(owner)
        return documentOfId(call, owner, put.id)
      })
    },
  },
  {
    id: 'getObject',
    method: 'GET',
    path: ONE,
    who: VIEWERS,
    summary: 'One object with its settings and where it is',
    answers: OBJECT,
    async run(call) {
      return documentOfId(call, await organizationOf(call), call.params.object!)
    },
  },
  {
    id: 'updateObject',
    method: 'PATCH',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Change settings of an object',
    takes: OBJECT_PATCH,
    answers: OBJECT,
    async run(call) {
      const { api, body, store, now } = call
      const owner = await organizationOf(call)
      return api.inTurn(owner.id, async () => {
        const object = await objectOf(call)
        const reported = OBJECT_PATCH.in(body)
        const given = storedSettings(reported, accuracyIn(body), object.accuracy, owner)
        const updated = await store.objects.update(owner.id, object.id, given, now)
        if (updated === 'ident_taken') throw identTaken(given.ident!)
        if (updated === null || 'max' in updated) throw notFound('object')
        return documentOfId(call, owner, object.id)
      })
    },
  },
  {
    id: 'deleteObject',
    method: 'DELETE',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Delete an object and all its positions',
    async run({ store, params }) {
      const isDeleted = await store.objects.delete(params.organization!, params.object!)
      if (!isDeleted) throw notFound('object')
    },
  },
  {
    ...DIAGNOSIS_ACTS.diagnoseObject,
    async run(call) {
      await call.api.directory.writeLastUses()
      const isWide = call.caller!.roles.some(({ organization }) => organization === null)
      return diagnose(call, isWide)
    },
  },
  DIAGNOSIS_ACTS.listRejects,
  {
    id: 'listRefusedIdents',
    method: 'GET',
    path: '/organizations/{organization}/refused-idents',
    who: VIEWERS,
    summary: 'The idents that trackers send and that no object has',
    answers: REFUSED_IDENTS,
    async run(call) {
      const { id } = await organizationOf(call)
      const refused = await call.api.store.refusedIdents.list(id)
      return { items: refused.map(refusedIdentDocument) }
    },
  },
  {
    id: 'listWrongClocks',
    method: 'GET',
    path: '/organizations/{organization}/wrong-clocks',
    who: VIEWERS,
    summary: 'The objects whose packets are refused because of their time',
    answers: WRONG_CLOCKS,
    async run(call) {
      const { id } = await organizationOf(call)
      return { items: await wrongClocks(call.api.store, id, call.now) }
    },
  },
  {
    id: 'recomputeObject',
    method: 'POST',
    path: `${ONE}/recompute`,
    who: ADMINISTRATORS,
    summary: 'Recalculate motion, trips and counters with the current settings',
    status: 202,
    async run(call) {
      const { id: object, organization } = await objectOf(call)
      await call.store.positions.requestRefold({ organization, object })
    },
  },
])

/** The checked accuracy settings of a body. */
export function accuracyIn(body: Readonly<Record<string, unknown>>): Partial<Accuracy> {
  const { accuracy = {} } = body
  if (typeof accuracy !== 'object' || accuracy === null || Array.isArray(accuracy)) {
    throw invalid({ field: 'accuracy', rule: 'must be an object' })
  }
  return ACCURACY_PATCH.in(accuracy as Record<string, unknown>)
}

function identTaken(ident: string) {
  return conflict(`ident '${ident}' belongs to another object of the organization`, 'ident')
}

function tooManyObjects({ maxObjects }: Organization) {
  const message = `max_objects is ${maxObjects}, and the organization has as many objects: raise max_objects, or delete objects`
  return conflict(message, 'max_objects')
}

/** Read the store, because this process may not know yet what was just written. */
async function documentOfId({ api }: Call, owner: Organization, id: number) {
  const object = await api.store.objects.find(owner.id, id)
  if (object === null) throw notFound('object')
  const states = await api.store.positions.states(owner.id, [id])
  const state = states.get(id) ?? UNSEEN
  return objectDocument({ object, state }, owner, api.clock.now())
}
