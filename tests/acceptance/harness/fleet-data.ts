import type { Json } from './fleetgate.ts'

/**
 * The fleet that every organization of the suite has: four objects, their fixes, and the expected answers.
 * Written by hand from the specification, never copied from the product.
 */
export const IDENTS = {
  van: '356938035643809',
  truck: '490154203237518',
  longHaul: '352099001761481',
  silent: '358240051111110',
} as const
export type ObjectName = keyof typeof IDENTS

export const NAMES: Record<ObjectName, string> = {
  van: 'Van "Nordwind", 1',
  truck: 'Kamyon Ö 2',
  longHaul: 'Long haul',
  silent: 'Silent',
}

/**
 * A row of the positions file, and the mileage that results from it; undefined becomes an empty cell. Units:
 * km/h, km, hours, meters.
 */
export type FixRow = {
  object: ObjectName
  time_device: string
  time_server: string
  latitude: number
  longitude: number
  altitude?: number
  angle?: number
  speed?: number
  engine_hours?: number
  odometer?: number
  mileage?: number
  ignition?: boolean
  address?: string
}

const START = Date.parse('2024-05-06T08:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()

/**
 * Twelve fixes a minute apart with every value set, more precise than an answer shows; one trip that ends parked.
 */
const VAN_FIXES: FixRow[] = Array.from({ length: 12 }, (_, i) => ({
  object: 'van',
  time_device: at(i * 60),
  time_server: at(i * 60 + 1.5),
  latitude: 41.0082376 + i * 0.0012345,
  longitude: 28.9783589 - i * 0.0023456,
  altitude: 38.126 + i,
  angle: 10.257 + i * 20,
  speed: [61.237, 72.419, 0][i % 3]!,
  engine_hours: 1234.56789 + i / 60,
  odometer: 98_765.4321 + i * 0.9,
  mileage: i * 0.9,
  ignition: i !== 11,
  ...(i % 4 === 0 ? { address: `Kumbaracı Yokuşu No:${i + 1}, Beyoğlu` } : {}),
}))

/** Three fixes with little more than place and time, and without counters of a sensor. */
const TRUCK_FIXES: FixRow[] = [
  { seconds: 0, latitude: -33.8567844, longitude: 151.2152967 },
  { seconds: 30, latitude: -33.8577844, longitude: 151.2152967, speed: 0 },
  { seconds: 60, latitude: -33.8587844, longitude: 151.2152967, speed: 48.28032 },
].map(({ seconds, ...fix }) => ({
  object: 'truck',
  time_device: at(seconds),
  time_server: at(seconds),
  ...fix,
}))

/** Enough rows to exercise compression, streaming and paging; its distance is computed from positions. */
const LONG_HAUL_FIXES: FixRow[] = Array.from({ length: 1200 }, (_, i) => ({
  object: 'longHaul',
  time_device: at(i * 10),
  time_server: at(i * 10 + 1),
  latitude: 39 + i * 0.002,
  longitude: 32 + i * 0.002,
  speed: 80 + (i % 10),
}))

export const FIXES: Record<ObjectName, FixRow[]> = {
  van: VAN_FIXES,
  truck: TRUCK_FIXES,
  longHaul: LONG_HAUL_FIXES,
  silent: [],
}

/** A range that includes every fix of the fleet. */
export const WHOLE_RANGE = 'from_time=2024-05-06&to_time=2024-05-06'
export const WHOLE_DAYS = 'from_date=2024-05-06&to_date=2024-05-06'

/** The columns of the objects file other than id, ident and name. */
const SETTINGS: Record<ObjectName, Record<string, string | number>> = {
  van: {
    vin: 'WDB9066331S123456',
    plate_number: '34 ABC 123',
    engine_hours_type: 'sensor',
    odometer_type: 'sensor',
    device_timezone: 'Europe/Istanbul',
    maximum_hdop: 5.5,
    minimum_difference_point: 15,
    minimum_gps_level: 4,
    idle_speed_threshold: 2.5,
    minimum_moving_speed: 6,
    distance_source: 'gps',
    stop_detection_method: 'ignition',
  },
  truck: {
    engine_hours_type: 'sensor',
    odometer_type: 'sensor',
    engine_hours: 100.123456,
    odometer: 2000.126,
    mileage: 7.777,
    address: 'Circular Quay',
  },
  longHaul: {},
  silent: {},
}

export function objectsCsv(ids: Record<ObjectName, number>): string {
  const columns = Object.keys({ ...SETTINGS.van, ...SETTINGS.truck })
  const rows = (Object.keys(IDENTS) as ObjectName[]).map((name) => {
    const cells = columns.map((column) => SETTINGS[name][column])
    return [ids[name], IDENTS[name], NAMES[name], ...cells]
  })
  return csv([['id', 'ident', 'name', ...columns], ...rows])
}

/** All fixes, neither sorted by time nor grouped by object. */
export function positionsCsv(): string {
  const columns = [
    ...([
      'time_device',
      'time_server',
      'latitude',
      'longitude',
      'altitude',
      'angle',
      'speed',
    ] as const),
    ...(['engine_hours', 'odometer', 'ignition', 'address'] as const),
  ]
  const fixes = Object.values(FIXES).flat()
  const shuffled = fixes.map((_, i) => fixes[(i * 7) % fixes.length]!)
  const rows = shuffled.map((fix) => [IDENTS[fix.object], ...columns.map((column) => fix[column])])
  return csv([['ident', ...columns], ...rows])
}

function csv(rows: (string | number | boolean | undefined)[][]): string {
  const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

const KM_PER_MILE = 1.609344

/** Rounds as an answer does; null remains null. */
function rounded(value: number | null | undefined, decimals: number, per = 1): number | null {
  return value === null || value === undefined ? null : Number((value / per).toFixed(decimals))
}

/** The 14 fields of a Position row in the documented order, for an object whose sensors count. */
export function positionRow(fix: FixRow, id: number, unit: 'km' | 'mi' = 'km'): Json {
  const per = unit === 'mi' ? KM_PER_MILE : 1
  const own = SETTINGS[fix.object]
  const last = FIXES[fix.object].at(-1)!
  const lastAddress = FIXES[fix.object].findLast((each) => each.address !== undefined)?.address
  const counter = (name: 'engine_hours' | 'odometer' | 'mileage') =>
    (fix[name] ?? last[name] ?? own[name] ?? null) as number | null
  return {
    id,
    ident: IDENTS[fix.object],
    name: NAMES[fix.object],
    latitude: rounded(fix.latitude, 7),
    longitude: rounded(fix.longitude, 7),
    altitude: rounded(fix.altitude, 2),
    angle: rounded(fix.angle, 2),
    speed: rounded(fix.speed, 2, per),
    time_server: fix.time_server,
    time_device: fix.time_device,
    engine_hours: rounded(counter('engine_hours'), 3),
    odometer: rounded(counter('odometer'), 2, per),
    mileage: rounded(counter('mileage'), 2, per),
    address: fix.address ?? lastAddress ?? own.address ?? null,
  }
}
