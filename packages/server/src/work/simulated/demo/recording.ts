import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { NumberReader } from '../../../base/domain/common/packed-numbers.ts'
import type { Accuracy, ObjectSettings } from '../../../base/domain/monitored-object.ts'
import type { OrganizationSettings } from '../../../base/domain/organization.ts'
import type {
  GeofenceSettings,
  RouteSettings,
  SiteSettings,
} from '../../../base/domain/places/place.ts'

/** The recorded week of the demo fleet. `tools/demo` writes it, and has the streets and the rules of the drives. */
const FILE = new URL('../../../../assets/demo-drives.br', import.meta.url)

/**
 * The numbers of a recorded position. In the file each is the difference from the previous position.
 *
 * - `seconds` since the week of the vehicle began
 * - `street`: its place in `streets`; `forward`: 1 in the direction of its line, 0 against it
 * - `driven`: meters since the week began
 * - `slip`: how far a vehicle is along the line of the street, minus what it drove there, in meters
 * - `aside`: meters to the right of the middle of the street
 * - `speed` in km/h; `motion`: a value of `MOTION`
 * - `sky`: tenths by which the sky makes HDOP worse, and satellites that are hidden
 * - `battery`, `fuel` and `temperature` in tenths of volts, percent and degrees Celsius
 * - `driver`: the place in `drivers`
 */
export const COLUMNS = [
  'seconds',
  'street',
  'forward',
  'driven',
  'slip',
  'aside',
  'speed',
  'motion',
  'sky',
  'battery',
  'fuel',
  'temperature',
  'driver',
] as const

export type Column = (typeof COLUMNS)[number]

export const MOTION = { parked: 0, idling: 1, driving: 2 } as const

/** A corner of a street: degrees, meters above the sea, meters along the line. */
type Corner = [longitude: number, latitude: number, altitude: number, at: number]

export type RecordedStreet = {
  name: string
  line: Corner[]
  /** The house number at the start of the line. Null: nobody lives there. */
  firstNumber: number | null
  metresPerNumber: number
}

/** The settings of an object that are not the defaults. */
export type RecordedSettings = Pick<
  ObjectSettings,
  'name' | 'ident' | 'vin' | 'plateNumber' | 'odometerType' | 'engineHoursType'
> & {
  accuracy: Pick<Accuracy, 'deviceTimezone'>
  /** Kilometers and hours when the first week begins. */
  odometer: number
  engineHours: number
}

/** A vehicle before its columns. */
export type RecordedVehicle = {
  settings: RecordedSettings
  /** Seconds from Monday at midnight to the moment at which its week begins: it rests then. */
  begins: number
  /** How many positions its week has. 0: it never reported. */
  rows: number
  isRefrigerated: boolean
}

/** The part of the file before the columns. */
export type RecordingHead = {
  organization: Pick<OrganizationSettings, 'name' | 'dailyQuota' | 'createObjects' | 'timeZone'>
  geofences: GeofenceSettings[]
  routes: RouteSettings[]
  sites: SiteSettings[]
  streets: RecordedStreet[]
  drivers: string[]
  /** The minutes at which many vehicles drive, from Monday at midnight on, in order. */
  busy: number[]
  vehicles: RecordedVehicle[]
}

type Columns = Record<Column, Int32Array>

export type Vehicle = RecordedVehicle & {
  columns: Columns
  /** Meters along the line of the street, and seconds with a running engine since the week began, at each row. */
  along: Int32Array
  engine: Int32Array
}

type Recording = Omit<RecordingHead, 'vehicles'> & {
  /** By ident. */
  vehicles: ReadonlyMap<string, Vehicle>
}

let loaded: Recording | undefined

/** The recording. It is read when it is first asked for: most servers have no demo. */
export function recording(): Recording {
  loaded ??= readRecording(readFileSync(FILE))
  return loaded
}

function readRecording(file: Uint8Array): Recording {
  const input = new NumberReader(brotliDecompressSync(file))
  const head: RecordingHead = JSON.parse(input.text()!)
  const columns = head.vehicles.map(() => ({}) as Columns)
  for (const column of COLUMNS) {
    head.vehicles.forEach(({ rows }, i) => {
      let value = 0
      columns[i]![column] = Int32Array.from({ length: rows }, () => (value += input.signed()))
    })
  }
  const vehicles = head.vehicles.map((vehicle, i): [string, Vehicle] => [
    vehicle.settings.ident,
    { ...vehicle, columns: columns[i]!, ...sumsOf(columns[i]!) },
  ])
  return { ...head, vehicles: new Map(vehicles) }
}

function sumsOf({ seconds, forward, driven, slip, motion }: Columns) {
  const along = Int32Array.from(slip)
  const engine = new Int32Array(slip.length)
  for (let row = 1, metres = 0; row < slip.length; row++) {
    const step = driven[row]! - driven[row - 1]!
    metres += forward[row] === 1 ? step : -step
    along[row]! += metres
    const isRunning = motion[row - 1] !== MOTION.parked
    engine[row] = engine[row - 1]! + (isRunning ? seconds[row]! - seconds[row - 1]! : 0)
  }
  return { along, engine }
}
