import { countersOf, DECIMALS, KM_PER_UNIT, measure, rounded } from '../../api/encode/numbers.ts'
import type { FleetObject } from '../../directory/fleet-object.ts'
import {
  type Accuracy,
  type MonitoredObject,
  OBJECT_DEFAULTS,
  type ObjectSettings,
} from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { UNSEEN } from '../../domain/position/object-state.ts'
import { motionAt } from '../../domain/position/signal.ts'
import {
  ACCURACY_RULES,
  ADMIN_OBJECT_RULES,
  objectSettingsFault,
} from '../../domain/settings/object-settings.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { takeTurn } from '../../domain/turn.ts'
import type { Call } from '../admin-api.ts'
import { newSettingsIn, refuse, settingsIn } from '../body.ts'
import { instantOrNull, refusedIdentDocument, rejectDocument } from '../encode.ts'
import { type AdminOperation, MANAGE, READ } from '../operation.ts'
import { conflict, invalid, notFound } from '../refused.ts'
import { fleetOf, organizationOf } from './organizations.ts'

const TAG = 'Objects'
const ALL = '/organizations/{organization}/objects'
const ONE = `${ALL}/{object}`
/** Objects encoded in one turn of the event loop. */
const SLICE = 500

export const OBJECT_OPERATIONS: AdminOperation[] = [
  {
    id: 'listObjects',
    method: 'GET',
    path: ALL,
    scopes: READ,
    tag: TAG,
    summary: 'List objects with their settings and where they are',
    status: 200,
    answers: 'objects',
    async run(call) {
      const fleet = await fleetOf(call)
      const all = await fleet.warm()
      const now = call.api.clock.now()
      const items = []
      for (let start = 0; start < all.length; start += SLICE) {
        await takeTurn()
        for (const each of all.slice(start, start + SLICE)) {
          items.push(documentOf(each, fleet.organization, now))
        }
      }
      return { items }
    },
  },
  {
    id: 'createObject',
    method: 'POST',
    path: ALL,
    scopes: MANAGE,
    tag: TAG,
    summary: 'Create an object',
    takes: 'newObject',
    status: 201,
    answers: 'object',
    async run(call) {
      const { body, store, api, now } = call
      const owner = await organizationOf(call)
      const given = newSettingsIn(ADMIN_OBJECT_RULES, body, OBJECT_DEFAULTS, ['accuracy'])
      const accuracy = { ...OBJECT_DEFAULTS.accuracy, ...accuracyIn(body) }
      const settings = { ...OBJECT_DEFAULTS, ...inKm(given, owner), accuracy }
      refuse(objectSettingsFault(settings))
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
    scopes: READ,
    tag: TAG,
    summary: 'One object with its settings and where it is',
    status: 200,
    answers: 'object',
    async run(call) {
      return documentOfId(call, await organizationOf(call), call.params.object!)
    },
  },
  {
    id: 'updateObject',
    method: 'PATCH',
    path: ONE,
    scopes: MANAGE,
    tag: TAG,
    summary: 'Change settings of an object',
    takes: 'objectPatch',
    status: 200,
    answers: 'object',
    async run(call) {
      const { api, body, store, now } = call
      const owner = await organizationOf(call)
      return api.inTurn(owner.id, async () => {
        const object = await objectOf(call)
        const reported = settingsIn(ADMIN_OBJECT_RULES, body, ['accuracy'])
        const given: Partial<ObjectSettings> = inKm(reported, owner)
        const accuracy = accuracyIn(body)
        if (Object.keys(accuracy).length > 0) given.accuracy = { ...object.accuracy, ...accuracy }
        refuse(objectSettingsFault(given))
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
    scopes: MANAGE,
    tag: TAG,
    summary: 'Delete an object and all its positions',
    status: 204,
    answers: null,
    async run({ store, params }) {
      const isDeleted = await store.objects.delete(params.organization!, params.object!)
      if (!isDeleted) throw notFound('object')
      return null
    },
  },
  {
    id: 'listRejects',
    method: 'GET',
    path: `${ONE}/rejects`,
    scopes: READ,
    tag: TAG,
    summary: 'The last packets of an object that were not accepted, and why',
    status: 200,
    answers: 'rejects',
    async run(call) {
      const object = await objectOf(call)
      const rejects = await call.api.store.positions.rejects(object.organization, object.id)
      return { items: rejects.map(rejectDocument) }
    },
  },
  {
    id: 'listRefusedIdents',
    method: 'GET',
    path: '/organizations/{organization}/refused-idents',
    scopes: READ,
    tag: TAG,
    summary: 'The idents that trackers send and that no object has',
    status: 200,
    answers: 'refusedIdents',
    async run(call) {
      const { id } = await organizationOf(call)
      const refused = await call.api.store.refusedIdents.list(id)
      return { items: refused.map(refusedIdentDocument) }
    },
  },
  {
    id: 'recomputeObject',
    method: 'POST',
    path: `${ONE}/recompute`,
    scopes: MANAGE,
    tag: TAG,
    summary: 'Recalculate motion, trips and counters with the current settings',
    status: 202,
    answers: null,
    async run(call) {
      const { id: object, organization } = await objectOf(call)
      await call.store.positions.requestRefold({ organization, object })
      return null
    },
  },
]

/** The object of a path. Throws `Refused` if the organization has none of that id. */
export async function objectOf({ api, params }: Call): Promise<MonitoredObject> {
  const object = await api.store.objects.find(params.organization!, params.object!)
  if (object === null) throw notFound('object')
  return object
}

/** The checked accuracy settings of a body. */
export function accuracyIn(body: Readonly<Record<string, unknown>>): Partial<Accuracy> {
  const { accuracy = {} } = body
  if (typeof accuracy !== 'object' || accuracy === null || Array.isArray(accuracy)) {
    throw invalid({ field: 'accuracy', rule: 'must be an object' })
  }
  return settingsIn(ACCURACY_RULES, accuracy as Record<string, unknown>)
}

/** Converts distances to the stored unit. */
function inKm<Settings extends { odometerOffset?: number }>(
  settings: Settings,
  { distanceUnit }: Organization,
): Settings {
  const { odometerOffset } = settings
  if (odometerOffset === undefined) return settings
  return { ...settings, odometerOffset: odometerOffset * KM_PER_UNIT[distanceUnit] }
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
  return documentOf({ object, state }, owner, api.clock.now())
}

function documentOf({ object, state }: FleetObject, owner: Organization, now: number) {
  const { distanceUnit: unit, signalTimeoutHours } = owner
  const fix = state.lastFix
  const counters = countersOf(object, state.fold, unit)
  const { accuracy } = object
  return {
    id: object.id,
    name: object.name,
    ident: object.ident,
    vin: object.vin,
    plate_number: object.plateNumber,
    engine_hours_type: object.engineHoursType,
    odometer_type: object.odometerType,
    odometer_offset: measure(object.odometerOffset, unit)!,
    accuracy: {
      device_timezone: accuracy.deviceTimezone,
      maximum_hdop: accuracy.maximumHdop,
      minimum_difference_point: accuracy.minimumDifferencePoint,
      minimum_gps_level: accuracy.minimumGpsLevel,
      idle_speed_threshold: accuracy.idleSpeedThreshold,
      minimum_moving_speed: accuracy.minimumMovingSpeed,
      distance_source: accuracy.distanceSource,
      stop_detection_method: accuracy.stopDetectionMethod,
    },
    created_at: formatInstant(object.createdAt),
    time_server: instantOrNull(state.timeServer),
    time_device: instantOrNull(fix?.timeDevice ?? null),
    time_last_move: instantOrNull(state.timeLastMove),
    time_last_idle: instantOrNull(state.timeLastIdle),
    time_last_stop: instantOrNull(state.timeLastStop),
    motion: motionAt(state, now, signalTimeoutHours),
    latitude: rounded(fix?.latitude ?? null, DECIMALS.coordinate),
    longitude: rounded(fix?.longitude ?? null, DECIMALS.coordinate),
    altitude: rounded(fix?.altitude ?? null, DECIMALS.measure),
    angle: rounded(fix?.angle ?? null, DECIMALS.measure),
    speed: measure(fix?.speed ?? null, unit),
    hdop: fix?.hdop ?? null,
    gps_level: fix?.gpsLevel ?? null,
    ignition: fix?.ignition ?? null,
    engine_hours: counters.engineHours,
    odometer: counters.odometer,
    mileage: counters.mileage,
    address: state.address?.value ?? object.address,
  }
}
