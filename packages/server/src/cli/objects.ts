import type { Command } from 'commander'
import { encodeObjectDetail, measure } from '../api/encode/object.ts'
import { KM_PER_UNIT } from '../api/encode/unit.ts'
import { FIX_LIMITS } from '../domain/fix.ts'
import { ACCURACY_RULES, OBJECT_RULES, objectSettingsFault } from '../domain/object-settings.ts'
import { UNSEEN } from '../domain/object-state.ts'
import type { Organization } from '../domain/organization.ts'
import { number, optional } from '../domain/rule.ts'
import type { Accuracy, ObjectSettings, TrackedObject } from '../domain/tracked-object.ts'
import type { Store } from '../store/store.ts'
import { catalogueCommands, type Kind } from './catalogue.ts'
import { recomputeAdvice } from './recompute.ts'
import { refusedIdentsCommand } from './refused-idents.ts'
import { rejectsCommand } from './rejects.ts'
import { addSettingOptions, givenSettings, refuse } from './setting-options.ts'

const OBJECTS: Kind<TrackedObject, ObjectSettings> = {
  plural: 'objects',
  singular: 'object',
  description: 'objects: the vehicles and assets that are tracked',
  example: "--name 'Van 12' --plate-number '34 ABC 123'",
  dependents: ' with all its positions',
  store: (store) => store.objects,
  documents,
  headings: ['ID', 'NAME', 'IDENT', 'PLATE', 'LAST FIX', 'LATITUDE', 'LONGITUDE'],
  row: (object) => [
    object.id as number,
    object.name as string,
    object.ident as string,
    (object.vehicle_data as { plate_number: string | null }).plate_number,
    object.time_device as string | null,
    object.latitude as number | null,
    object.longitude as number | null,
  ],
  addOptions,
  patch,
  advice: recomputeAdvice,
}

export function objectCommands(): Command {
  return catalogueCommands(OBJECTS).addCommand(rejectsCommand()).addCommand(refusedIdentsCommand())
}

/** Objects with the documented fields and their settings, in the organization's units. */
async function documents(store: Store, owner: Organization, objects: TrackedObject[]) {
  const ids = objects.map((object) => object.id)
  const states = await store.positions.states(owner.id, ids)
  return objects.map((object) => {
    const state = states.get(object.id) ?? UNSEEN
    return {
      ...JSON.parse(encodeObjectDetail({ object, state }, owner.distanceUnit)),
      odometer_offset: measure(object.odometerOffset, owner.distanceUnit),
    }
  })
}

/** The rules of the settings, with distances in the organization's unit. */
const distance = optional(number(0, FIX_LIMITS.odometer, "of the organization's distance unit"))
const offset = number(
  -FIX_LIMITS.odometer,
  FIX_LIMITS.odometer,
  "of the organization's distance unit",
)
const GIVEN_RULES = {
  ...OBJECT_RULES,
  odometer: distance,
  mileage: distance,
  odometerOffset: offset,
}

function addOptions(update: Command): Command {
  addSettingOptions(update, GIVEN_RULES, {
    name: 'display name',
    ident: "the device's own id, an IMEI or similar",
    vin: 'vehicle identification number',
    plateNumber: 'plate number',
    engineHoursType: 'source of the engine hours',
    odometerType: 'source of the odometer',
    odometerOffset: "what is added to the odometer of a device's sensor",
    engineHours: 'engine hours before the first position',
    odometer: 'odometer before the first position',
    mileage: 'mileage before the first position',
    address: 'address, until a position has its own',
  })
  return addSettingOptions(update, ACCURACY_RULES, {
    deviceTimezone: 'time zone of the times that the device sends without an offset',
    maximumHdop: 'maximum horizontal dilution of precision',
    minimumDifferencePoint: 'minimum distance between accepted points',
    minimumGpsLevel: 'minimum GPS quality level',
    idleSpeedThreshold: 'speed above which an object that does not move is idle',
    minimumMovingSpeed: 'minimum speed that is movement',
    distanceSource: 'source of distances',
    stopDetectionMethod: 'how stops are detected',
  })
}

function patch(
  options: Record<string, unknown>,
  object: TrackedObject,
  owner: Organization,
): Partial<ObjectSettings> {
  const given = givenSettings<Omit<ObjectSettings, 'accuracy'>>(GIVEN_RULES, options)
  for (const key of ['odometer', 'mileage', 'odometerOffset'] as const) {
    if (typeof given[key] === 'number') given[key] *= KM_PER_UNIT[owner.distanceUnit]
  }
  const accuracy = givenSettings<Accuracy>(ACCURACY_RULES, options)
  const settings: Partial<ObjectSettings> =
    Object.keys(accuracy).length === 0
      ? given
      : { ...given, accuracy: { ...object.accuracy, ...accuracy } }
  refuse(objectSettingsFault(settings))
  return settings
}
