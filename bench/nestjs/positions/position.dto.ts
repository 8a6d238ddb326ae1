export type PositionDto = {
  id: number
  ident: string
  name: string
  latitude: number | null
  longitude: number | null
  altitude: number | null
  angle: number | null
  speed: number | null
  time_server: Date | null
  time_device: Date | null
  engine_hours: number | null
  odometer: number | null
  mileage: number | null
  address: string | null
}

/** The columns of a row in the form of an answer. */
export const POSITION_COLUMNS = [
  'latitude',
  'longitude',
  'altitude',
  'angle',
  'speed',
  'time_server',
  'time_device',
  'engine_hours',
  'odometer',
  'mileage',
  'address',
]
