import { KM_PER_UNIT } from '../api/encode/numbers.ts'
import type { Accuracy, ObjectSettings } from '../domain/monitored-object.ts'
import type { Organization } from '../domain/organization.ts'
import { objectSettingsFault } from '../domain/settings/object-settings.ts'
import { refuse } from './input.ts'

const DISTANCES = ['odometer', 'mileage', 'odometerOffset'] as const

type Given = Partial<Omit<ObjectSettings, 'accuracy'>>

/**
 * Settings as they are stored: distances in km instead of the unit of the organization, and the accuracy with the fields
 * that are not given. Throws `Refused`.
 */
export function storedSettings<Settings extends Given>(
  given: Settings,
  accuracy: Partial<Accuracy>,
  before: Accuracy,
  { distanceUnit }: Organization,
): Settings & Partial<ObjectSettings> {
  const settings: Settings & Partial<ObjectSettings> = { ...given }
  for (const key of DISTANCES) {
    if (typeof settings[key] === 'number') settings[key] *= KM_PER_UNIT[distanceUnit]
  }
  if (Object.keys(accuracy).length > 0) settings.accuracy = { ...before, ...accuracy }
  refuse(objectSettingsFault(settings))
  return settings
}
