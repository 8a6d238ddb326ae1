import {
  ACCURACY_RULES,
  type Accuracy,
  ADMIN_OBJECT_RULES,
  type AdminObjectSettings,
  type MonitoredObject,
  OBJECT_DEFAULTS,
  OBJECT_DISTANCES,
  type ObjectSettings,
  objectSettingsFault,
} from '../base/domain/monitored-object.ts'
import type { Organization } from '../base/domain/organization.ts'
import {
  type CurrentMotion,
  motionAt,
  type ObjectState,
} from '../base/domain/position/object-state.ts'
import { TRACKER_RULES, type TrackerSettings } from '../base/domain/tracker-settings.ts'
import {
  countersOf,
  DECIMALS,
  KM_PER_UNIT,
  measure,
  rounded,
} from '../read/formats/number-format.ts'
import * as doc from './document-schema.ts'
import { type Body, newInput, patchInput, refuse } from './input.ts'
import { invalid } from './refused.ts'

export const MOTION = doc.plain<CurrentMotion>(
  { type: ['string', 'null'], enum: ['moving', 'idle', 'stopped', 'no_signal', null] },
  'How it moves now. `no_signal`: the server accepted no packet within `signal_timeout_hours` of the organization. Null: its packets do not say.',
)

function decimal(
  kind: keyof typeof DECIMALS,
  description: string,
): doc.Field<number | null, number | null> {
  const { schema } = doc.realOrNull(description)
  return { schema, write: (value) => rounded(value, DECIMALS[kind]) }
}

const ACCURACY = doc.record(
  doc.settingFields<Accuracy>(ACCURACY_RULES),
  'How positions are accepted and movement is detected.',
  'Accuracy',
)
export const ACCURACY_PATCH = patchInput<Accuracy>(
  'AccuracyPatch',
  ACCURACY_RULES,
  'The accuracy settings that change.',
)
export const GIVEN_ACCURACY = doc.plain<object>(ACCURACY_PATCH.schema)

export const OBJECT = doc.record(
  {
    id: doc.integer('Id of the object.'),
    ...doc.settingFields<AdminObjectSettings>(ADMIN_OBJECT_RULES),
    accuracy: ACCURACY,
    created_at: doc.instant('When it was created.'),
    time_server: doc.instantOrNull('When a packet last came. Null: never.'),
    time_device: doc.instantOrNull('Time of the latest position. Null: there is none.'),
    time_last_move: doc.instantOrNull('When it last moved.'),
    time_last_idle: doc.instantOrNull('When it was last idle.'),
    time_last_stop: doc.instantOrNull('When it was last stopped.'),
    motion: MOTION,
    latitude: decimal('coordinate', 'Degrees.'),
    longitude: decimal('coordinate', 'Degrees.'),
    altitude: decimal('measure', 'Meters.'),
    angle: decimal('measure', 'Heading, degrees clockwise from north.'),
    speed: doc.realOrNull('In the distance unit of the organization per hour.'),
    hdop: doc.realOrNull('Horizontal dilution of precision of the latest position.'),
    gps_level: doc.realOrNull(
      'GPS quality level of the latest position, usually the number of satellites.',
    ),
    ignition: doc.orNull<boolean>('boolean', 'Whether the ignition was on at the latest position.'),
    engine_hours: doc.realOrNull('Hours.'),
    odometer: doc.realOrNull('In the distance unit of the organization.'),
    mileage: doc.realOrNull(
      'Distance of the current or last trip, in the distance unit of the organization.',
    ),
    address: doc.textOrNull('Latest known address.'),
  },
  'A tracked vehicle or asset, its settings, and where it is.',
  'FleetObject',
)
export const OBJECTS = doc.items(OBJECT, 'Objects, by id.', 'FleetObjects')

export const NEW_OBJECT = newInput(
  'NewObject',
  ADMIN_OBJECT_RULES,
  OBJECT_DEFAULTS,
  'An object to create.',
  {
    accuracy: doc.optional(GIVEN_ACCURACY),
  },
)
export const OBJECT_PATCH = patchInput<AdminObjectSettings & TrackerSettings>(
  'ObjectPatch',
  { ...ADMIN_OBJECT_RULES, ...TRACKER_RULES },
  'The settings that change. Settings of `accuracy` that are left out stay.',
  {
    accuracy: GIVEN_ACCURACY,
  },
)

/** The checked accuracy settings of a body. Throws `Refused`. */
export function accuracyIn({ accuracy = {} }: Body): Partial<Accuracy> {
  if (typeof accuracy !== 'object' || accuracy === null || Array.isArray(accuracy)) {
    throw invalid({ field: 'accuracy', rule: 'must be an object' })
  }
  return ACCURACY_PATCH.in(accuracy as Body)
}

export function objectDocument(
  { object, state }: { object: MonitoredObject; state: ObjectState },
  owner: Organization,
  now: number,
) {
  const { distanceUnit: unit, signalTimeoutHours } = owner
  const { lastFix: fix } = state
  return OBJECT.write({
    ...object,
    odometerOffset: measure(object.odometerOffset, unit)!,
    timeServer: state.timeServer,
    timeDevice: fix?.timeDevice ?? null,
    timeLastMove: state.timeLastMove,
    timeLastIdle: state.timeLastIdle,
    timeLastStop: state.timeLastStop,
    motion: motionAt(state, now, signalTimeoutHours),
    latitude: fix?.latitude ?? null,
    longitude: fix?.longitude ?? null,
    altitude: fix?.altitude ?? null,
    angle: fix?.angle ?? null,
    speed: measure(fix?.speed ?? null, unit),
    hdop: fix?.hdop ?? null,
    gpsLevel: fix?.gpsLevel ?? null,
    ignition: fix?.ignition ?? null,
    ...countersOf(object, state.fold, unit),
    address: state.address?.value ?? object.address,
  })
}

type Given = Partial<Omit<ObjectSettings, 'accuracy'>>

/**
 * Settings as they are stored: distances in km instead of the unit of the organization, and the accuracy with the fields
 * that are not given. Throws `Refused`.
 */
export function storedSettings<Settings extends Given>(
  given: Settings,
  accuracy: Partial<Accuracy>,
  before: Accuracy,
  { distanceUnit, retentionDays }: Organization,
): Settings & Partial<ObjectSettings> {
  const settings: Settings & Partial<ObjectSettings> = { ...given }
  for (const key of OBJECT_DISTANCES) {
    if (typeof settings[key] === 'number') settings[key] *= KM_PER_UNIT[distanceUnit]
  }
  if (Object.keys(accuracy).length > 0) settings.accuracy = { ...before, ...accuracy }
  refuse(objectSettingsFault(settings))
  if ((settings.retentionDays ?? 0) > (retentionDays ?? Number.POSITIVE_INFINITY)) {
    const rule = `must be at most ${retentionDays}, the retention_days of the organization`
    throw invalid({ field: 'retention_days', rule })
  }
  return settings
}
