import type { StoredPosition } from '../../replica/replica-store.ts'
import type { Stored } from './stored.ts'

/** A position as a replica has it. Its rounded counters, its ident and its name are not kept. */
export function storedPosition(row: Stored): StoredPosition {
  return {
    asOf: row.asOf,
    position: {
      id: row.id,
      ident: '',
      name: '',
      latitude: row.latitude!,
      longitude: row.longitude!,
      altitude: row.altitude,
      angle: row.angle,
      speed: row.speed,
      time_server: new Date(row.timeServer!).toISOString(),
      time_device: new Date(row.time).toISOString(),
      engine_hours: null,
      odometer: null,
      mileage: null,
      address: row.address,
      exact: {
        odometer_mm: row.odometerMm,
        mileage_mm: row.mileageMm,
        engine_hours_ms: row.engineHoursMs,
      },
    },
  }
}
