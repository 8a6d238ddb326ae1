import type { Accuracy, MonitoredObject } from './monitored-object.entity.ts'

export type ObjectDto = {
  id: number
  name: string
  ident: string
  time_server: Date | null
  time_device: Date | null
  time_last_idle: Date | null
  time_last_move: Date | null
  time_last_stop: Date | null
  engine_hours: number | null
  engine_hours_type: string
  odometer: number | null
  odometer_type: string
  vehicle_data: { vin: string | null; plate_number: string | null }
  mileage: number | null
  address: string | null
  accuracy: Accuracy
  created_at: Date
}

export type ObjectDetailDto = ObjectDto & {
  latitude: number | null
  longitude: number | null
  altitude: number | null
  angle: number | null
  speed: number | null
}

export function toObjectDetail(object: MonitoredObject): ObjectDetailDto {
  const { latitude, longitude, altitude, angle, speed } = object
  return { ...toObject(object), latitude, longitude, altitude, angle, speed }
}

function toObject(object: MonitoredObject): ObjectDto {
  return {
    id: object.id,
    name: object.name,
    ident: object.ident,
    time_server: object.timeServer,
    time_device: object.timeDevice,
    time_last_idle: object.timeLastIdle,
    time_last_move: object.timeLastMove,
    time_last_stop: object.timeLastStop,
    engine_hours: object.engineHours,
    engine_hours_type: object.engineHoursType,
    odometer: object.odometer,
    odometer_type: object.odometerType,
    vehicle_data: { vin: object.vin, plate_number: object.plateNumber },
    mileage: object.mileage,
    address: object.address,
    accuracy: object.accuracy,
    created_at: object.createdAt,
  }
}
