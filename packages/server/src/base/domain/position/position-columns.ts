import { int32At, uint48At } from '../common/packed-numbers.ts'
import {
  type AttributeNames,
  NO_NAMES,
  namedAttributes,
  readSection,
  type TakeEntry,
} from './attribute-section.ts'
import { BYTES } from './field.ts'
import { MEASURES, type RecordedMeasure } from './field-lists.ts'
import { bareFix, type Fix } from './fix.ts'
import {
  addressEnd,
  COORDINATE_SCALE,
  DamagedRecord,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  flagsAt,
  unknownVersion,
} from './fix-record.ts'
import type { Counters } from './fold-state.ts'
import { FIELDS } from './position-fields.ts'

/** Positions of one object or of several, taken apart: what the encoders of answers read. */
export type PositionColumns = {
  readonly rows: number
  /** Those of `flagsAt`. This and the next may have room for more rows. */
  readonly flags: Int32Array
  /** In the order of `FIX_NUMBERS`. A row without a number has any number there. Null: no row has one. */
  readonly numbers: readonly (Float64Array | null)[]
  readonly addresses: AddressColumn
  /** Reads the attributes of a row that has some, in the order of their indexes. */
  readAttributes(row: number, take: TakeEntry): void
  /** Whether they are of another interval of a scope than the columns before. */
  readonly beginsInterval?: boolean
}

/** The rows from `from` on, before `to`. */
export type RowSlice = {
  readonly columns: PositionColumns
  readonly from: number
  readonly to: number
}

export function allRows(columns: PositionColumns): RowSlice {
  return { columns, from: 0, to: columns.rows }
}

/** The addresses of the rows that have one, as UTF-8. */
type AddressColumn = {
  readonly bytes: Buffer
  startOf(row: number): number
  endOf(row: number): number
}

/** A number in a fix record. */
export type FixNumber = {
  readonly at: number
  readonly bytes: number
  readonly isSigned: boolean
  readonly flag: number
}

type Slot = { at: number; flag: number }

const whole = ({ at, flag }: Slot, bytes: number, isSigned = false): FixNumber => {
  return { at, bytes, isSigned, flag }
}

export const FIX_NUMBERS: readonly FixNumber[] = [
  whole(FIELDS.time_device.record, 6),
  whole(FIELDS.time_server.record, 6),
  whole(FIELDS.latitude.record, 4, true),
  whole(FIELDS.longitude.record, 4, true),
  whole(FIELDS.odometer.record, 6),
  whole(FIELDS.mileage.record, 6),
  whole(FIELDS.engine_hours.record, 6),
  ...MEASURES.map((measure) => whole(measure, BYTES[measure.bytes], measure.bytes === 'int32')),
]

/** The place among `FIX_NUMBERS` of the number at an offset of the record. */
export function numberAt(offset: number): number {
  return FIX_NUMBERS.findIndex(({ at }) => at === offset)
}

const TIME = numberAt(FIX_RECORD.timeDevice)
const TIME_SERVER = numberAt(FIX_RECORD.timeServer)
const LATITUDE = numberAt(FIX_RECORD.latitude)
const LONGITUDE = numberAt(FIX_RECORD.longitude)

const MEASURE_PLACES = MEASURES.map(({ at }) => numberAt(at))
const COUNTERS = [
  { key: 'odometer', flag: FIX_FLAG.odometer, place: numberAt(FIX_RECORD.odometer) },
  { key: 'mileage', flag: FIX_FLAG.mileage, place: numberAt(FIX_RECORD.mileage) },
  { key: 'engineHours', flag: FIX_FLAG.engineHours, place: numberAt(FIX_RECORD.engineHours) },
] as const

/** Memory for the numbers of rows, which hold until it is used again. */
export type ColumnMemory = (Float64Array | null)[]

export function columnMemory(): ColumnMemory {
  return FIX_NUMBERS.map(() => null)
}

/**
 * Takes adjacent fix records apart. Throws for a record of another version, and for one whose length is damaged: it could
 * make the loop endless, or read beyond the records.
 */
export function columnsOfRecords(
  records: Uint8Array,
  memory: ColumnMemory = columnMemory(),
): PositionColumns {
  const { starts, flags, rows, present } = framesIn(records)
  return {
    rows,
    flags,
    numbers: FIX_NUMBERS.map((number, place) =>
      (present & number.flag) === number.flag
        ? takeNumber(records, starts, rows, number, columnIn(memory, place, rows))
        : null,
    ),
    addresses: {
      bytes:
        records instanceof Buffer
          ? records
          : Buffer.from(records.buffer, records.byteOffset, records.byteLength),
      startOf: (row) => starts[row]! + records[starts[row]! + FIX_RECORD.addressAt]!,
      endOf: (row) => addressEnd(records, starts[row + 1]!, flags[row]!),
    },
    readAttributes: (row, take) => readSection(records, starts[row + 1]!, take),
  }
}

/** Where the records begin, their number, their flags, and the flags that any of them has. */
function framesIn(records: Uint8Array) {
  const most = Math.floor(records.length / FIX_RECORD.optional)
  const starts = new Int32Array(most + 1)
  const flags = new Int32Array(most)
  let [rows, present] = [0, 0]
  for (let at = 0; at < records.length; rows += 1) {
    const end =
      at + (records[at + FIX_RECORD.length]! | (records[at + FIX_RECORD.length + 1]! << 8))
    if (!(end >= at + FIX_RECORD.optional && end <= records.length)) throw new DamagedRecord()
    if (records[at + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const own = flagsAt(records, at)
    flags[rows] = own
    present |= own
    starts[rows + 1] = end
    at = end
  }
  return { starts, flags, rows, present }
}

function columnIn(memory: ColumnMemory, place: number, rows: number): Float64Array {
  const known = memory[place] ?? null
  const column = known === null || known.length < rows ? new Float64Array(rows) : known
  memory[place] = column
  return column
}

function takeNumber(
  records: Uint8Array,
  starts: Int32Array,
  rows: number,
  { at, bytes, isSigned }: FixNumber,
  column: Float64Array,
): Float64Array {
  switch (bytes) {
    case 1:
      for (let row = 0; row < rows; row += 1) column[row] = records[starts[row]! + at]!
      break
    case 2:
      for (let row = 0; row < rows; row += 1) {
        const from = starts[row]! + at
        column[row] = records[from]! | (records[from + 1]! << 8)
      }
      break
    case 4:
      for (let row = 0; row < rows; row += 1) {
        const number = int32At(records, starts[row]! + at)
        column[row] = isSigned ? number : number >>> 0
      }
      break
    default:
      for (let row = 0; row < rows; row += 1) column[row] = uint48At(records, starts[row]! + at)
  }
  return column
}

export function timeIn({ numbers }: PositionColumns, row: number): number {
  return numbers[TIME]![row]!
}

export function timeServerIn({ numbers }: PositionColumns, row: number): number {
  return numbers[TIME_SERVER]![row]!
}

/** Reads a measure of rows in its own unit. Null: a row does not have it. */
export function measureIn(key: RecordedMeasure['key']) {
  const { at, flag, scale } = MEASURES.find((each) => each.key === key)!
  const place = numberAt(at)
  return ({ flags, numbers }: PositionColumns, row: number): number | null =>
    (flags[row]! & flag) === 0 ? null : numbers[place]![row]! / scale
}

/** The coordinates of a row in whole numbers of the record's scale. */
export function latitudeIn({ numbers }: PositionColumns, row: number): number {
  return numbers[LATITUDE]![row]!
}

export function longitudeIn({ numbers }: PositionColumns, row: number): number {
  return numbers[LONGITUDE]![row]!
}

/** Whether some row came without an address. */
export function someLackAddress({ columns, from, to }: RowSlice): boolean {
  for (let row = from; row < to; row += 1) {
    if ((columns.flags[row]! & FIX_FLAG.address) === 0) return true
  }
  return false
}

export function countersIn({ flags, numbers }: PositionColumns, row: number): Counters {
  const known = ({ flag, place }: (typeof COUNTERS)[number]) =>
    (flags[row]! & flag) === 0 ? null : numbers[place]![row]!
  const [odometer, mileage, engineHours] = COUNTERS
  return { odometer: known(odometer), mileage: known(mileage), engineHours: known(engineHours) }
}

/** Replaces the counters that a row has. */
export function putCounters({ numbers }: PositionColumns, row: number, counters: Counters): void {
  for (const { key, place } of COUNTERS) {
    const value = counters[key]
    if (value !== null) numbers[place]![row] = value
  }
}

/** The fix of a row. The device's own counters are null, and so are the attributes without `names`. */
export function fixIn(
  columns: PositionColumns,
  row: number,
  names: AttributeNames = NO_NAMES,
): Fix {
  const { numbers, addresses } = columns
  const flags = columns.flags[row]!
  const fix = bareFix(
    timeIn(columns, row),
    timeServerIn(columns, row),
    latitudeIn(columns, row) / COORDINATE_SCALE,
    longitudeIn(columns, row) / COORDINATE_SCALE,
  )
  for (const [index, { key, flag, scale }] of MEASURES.entries()) {
    if ((flags & flag) !== 0) fix[key] = numbers[MEASURE_PLACES[index]!]![row]! / scale
  }
  fix.corrected = (flags & FIX_FLAG.corrected) !== 0
  if ((flags & FIX_FLAG.ignitionKnown) !== 0) fix.ignition = (flags & FIX_FLAG.ignitionOn) !== 0
  if ((flags & FIX_FLAG.address) !== 0) {
    fix.address = addresses.bytes.toString('utf8', addresses.startOf(row), addresses.endOf(row))
  }
  if ((flags & FIX_FLAG.attributes) !== 0 && names.length > 0) {
    fix.attributes = namedAttributes(names, (take) => columns.readAttributes(row, take))
  }
  return fix
}

/** Some rows in memory of their own. */
export function pickRows(columns: PositionColumns, places: readonly number[]): PositionColumns {
  const { flags, numbers, addresses } = columns
  return {
    rows: places.length,
    flags: picked(flags, places, new Int32Array(places.length)),
    numbers: numbers.map(
      (values) => values && picked(values, places, new Float64Array(places.length)),
    ),
    addresses: {
      bytes: addresses.bytes,
      startOf: (row) => addresses.startOf(places[row]!),
      endOf: (row) => addresses.endOf(places[row]!),
    },
    readAttributes: (row, take) => columns.readAttributes(places[row]!, take),
  }
}

/** A loop, because `from` of a typed array takes ten times as long. */
function picked<Values extends Int32Array | Float64Array>(
  values: Values,
  places: readonly number[],
  into: Values,
): Values {
  for (let row = 0; row < places.length; row += 1) into[row] = values[places[row]!]!
  return into
}
