import {
  ACCURACY_DEFAULTS,
  OBJECT_DEFAULTS,
  type ObjectSettings,
} from '../../../base/domain/monitored-object.ts'
import {
  ORGANIZATION_DEFAULTS,
  type OrganizationSettings,
} from '../../../base/domain/organization.ts'
import { type RecordingHead, recording } from './recording.ts'

/** The demo fleet without its positions. */
export type DemoFleet = Pick<RecordingHead, 'geofences' | 'routes' | 'sites'> & {
  organization: OrganizationSettings
  objects: ObjectSettings[]
}

/** The fleet of an imaginary delivery and service company in Barcelona. */
export function demoFleet(): DemoFleet {
  const { organization, vehicles, geofences, routes, sites } = recording()
  return {
    organization: { ...ORGANIZATION_DEFAULTS, ...organization },
    objects: Array.from(vehicles.values(), ({ settings }) => ({
      ...OBJECT_DEFAULTS,
      ...settings,
      accuracy: { ...ACCURACY_DEFAULTS, ...settings.accuracy },
    })),
    ...{ geofences, routes, sites },
  }
}
