import type { StoredPosition } from '../../replica/replica-store.ts'
import type { Position } from '../../types.ts'

/** A position as the working set keeps it. Times are in milliseconds. */
export type Stored = {
  /** The object. */
  id: number
  /** `time_device` */
  time: number
  timeServer: number
  latitude: number
  longitude: number
  altitude: number | null
  angle: number | null
  speed: number | null
  /** The exact counters. */
  odometerMm: number | null
  mileageMm: number | null
  engineHoursMs: number | null
  address: string | null
  /** JSON. Null: the copy has no attributes. */
  attributes: string | null
  /** The position contains all shifts up to this number. */
  asOf: number
}

/** The attributes as the API has them, if the copy has attributes. */
export function attributesOf({ attributes }: Stored): Pick<Position, 'attributes'> {
  return attributes === null ? {} : { attributes: JSON.parse(attributes) }
}

/** A position as a replica has it. Its rounded counters, its ident and its name are not kept. */
export function storedPosition(row: Stored): StoredPosition {
  return {
    asOf: row.asOf,
    position: {
      id: row.id,
      ident: '',
      name: '',
      latitude: row.latitude,
      longitude: row.longitude,
      altitude: row.altitude,
      angle: row.angle,
      speed: row.speed,
      time_server: new Date(row.timeServer).toISOString(),
      time_device: new Date(row.time).toISOString(),
      engine_hours: null,
      odometer: null,
      mileage: null,
      address: row.address,
      ...attributesOf(row),
      exact: {
        odometer_mm: row.odometerMm,
        mileage_mm: row.mileageMm,
        engine_hours_ms: row.engineHoursMs,
      },
    },
  }
}
