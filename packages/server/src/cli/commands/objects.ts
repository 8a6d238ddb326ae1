import type { Command } from 'commander'
import { measure } from '../../api/encode/numbers.ts'
import { encodeObjectDetail } from '../../api/encode/object.ts'
import {
  ACCURACY_RULES,
  type Accuracy,
  GIVEN_OBJECT_RULES,
  type MonitoredObject,
  type ObjectSettings,
} from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { objectWithoutSignalSince, UNSEEN } from '../../domain/position/object-state.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { storedSettings } from '../../operator/objects.ts'
import type { Store } from '../../store/store.ts'
import { addSettingOptions, givenSettings } from '../options.ts'
import { type ItemCommandKind, itemCommands } from './items.ts'
import { recomputeAdvice } from './recompute.ts'
import { refusedIdentsCommand, rejectsCommand, wrongClocksCommand } from './rejects.ts'

const OBJECTS: ItemCommandKind<MonitoredObject, ObjectSettings> = {
  plural: 'objects',
  hasOwnName: false,
  singular: 'object',
  description: 'objects: the vehicles and assets that are tracked',
  example: "--name 'Van 12' --plate-number '34 ABC 123'",
  dependents: ' with all its positions',
  store: (store) => store.objects,
  documents,
  columns: [
    'id',
    'name',
    'ident',
    ['PLATE', ({ vehicle_data: data }) => (data as { plate_number: string | null }).plate_number],
    ['LAST FIX', 'time_device'],
    ['NO SIGNAL SINCE', 'no_signal_since'],
    'latitude',
    'longitude',
  ],
  addOptions,
  patch,
  advice: recomputeAdvice,
}

export function objectCommands(): Command {
  return itemCommands(OBJECTS)
    .addCommand(rejectsCommand())
    .addCommand(refusedIdentsCommand())
    .addCommand(wrongClocksCommand())
}

/** Objects with the documented fields, their settings, and since when they have no signal, in the organization's units. */
async function documents(store: Store, owner: Organization, objects: MonitoredObject[]) {
  const ids = objects.map((object) => object.id)
  const states = await store.positions.states(owner.id, ids)
  const now = Date.now()
  return objects.map((object) => {
    const state = states.get(object.id) ?? UNSEEN
    const since = objectWithoutSignalSince(state, now, owner.signalTimeoutHours)
    return {
      ...JSON.parse(encodeObjectDetail({ object, state }, owner.distanceUnit)),
      odometer_offset: measure(object.odometerOffset, owner.distanceUnit),
      maximum_gap: object.accuracy.maximumGap,
      no_signal_since: since === null ? null : formatInstant(since),
    }
  })
}

function addOptions(update: Command): Command {
  return addSettingOptions(addSettingOptions(update, GIVEN_OBJECT_RULES), ACCURACY_RULES)
}

function patch(
  options: Record<string, unknown>,
  object: MonitoredObject,
  owner: Organization,
): Partial<ObjectSettings> {
  const given = givenSettings<Omit<ObjectSettings, 'accuracy'>>(GIVEN_OBJECT_RULES, options)
  const accuracy = givenSettings<Accuracy>(ACCURACY_RULES, options)
  return storedSettings(given, accuracy, object.accuracy, owner)
}
