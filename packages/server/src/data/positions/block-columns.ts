import { MEASURES } from '../../base/domain/position/field-lists.ts'
import { FIX_FLAG, FIX_RECORD, OPTIONAL_BIT } from '../../base/domain/position/fix-record.ts'
import { FIX_NUMBERS } from '../../base/domain/position/position-columns.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import { FLAG_BYTES, NUMBER, RARE_NUMBER } from '../../engine/tracking/stored-position.ts'
import type { AttributeColumns } from './attribute-columns.ts'
import type { Texts } from './column-bytes.ts'

/**
 * How a number follows from those that are read before it. Blocks have these numbers, so none ever gets another meaning.
 */
export const MODE = {
  /** As the row before. */
  previous: 0,
  /** As far from the row before as that was from the one before it. */
  linear: 1,
  /** As far from the reference in each row. */
  offset: 2,
  /** Moves as the reference does. */
  follows: 3,
  /** The reference, or, if the row has a number of its own, as in the previous row. */
  pointer: 4,
  /** Moves by the way from the last row to which distance was counted. */
  travelled: 5,
  /** Moves by the time during which the engine ran. */
  running: 6,
} as const
export type Mode = (typeof MODE)[keyof typeof MODE]

export function isKnownMode(mode: number): mode is Mode {
  return mode <= MODE.running
}

/**
 * The flags of a row: those of its fix record with the optional ones, those of its fold state, and those of its
 * readings. A block keeps each combination once.
 */
export const WORD = { fix: 0, fold: 1, readings: 2 } as const
export const WORDS = 3

/**
 * The first bits of the two readings in their word (`rows-to-columns.ts`), the bit of a hidden row, and the first one of
 * the rare flags.
 */
export const READING_BITS = 5
export const READING_BIT = {
  odometerReading: 0,
  engineHoursReading: READING_BITS,
  hidden: 10,
  rare: 11,
} as const
export const IS_HIDDEN = 1 << READING_BIT.hidden

/** A column of whole numbers. */
export type Column = {
  /** Its number in blocks. That of a field of a fix record is the place there. */
  readonly id: number
  /** Where the flags have the bit of a row that has a number. `bit` 0: every row has one. */
  readonly word: number
  readonly bit: number
  /** The ways in which it may be predicted. The encoder takes the shortest. */
  readonly modes: readonly Mode[]
  /** The place of its reference in `COLUMNS`. -1: none. */
  readonly reference: number
}

/** The first number of the columns after those of the fix record. */
const FOLD_ID = 128
const RARE_ID = 152
const CHANGE_ID = 160

const columns: Column[] = []

function add(id: number, word: number, bit: number, modes: readonly Mode[], reference = -1) {
  columns.push({ id, word, bit, modes, reference })
  return columns.length - 1
}

const { previous, linear, offset, follows, pointer, travelled, running } = MODE
const { time_device, time_server, latitude, longitude, odometer, mileage, engine_hours } = FIELDS

const time = add(time_device.record.at, WORD.fix, 0, [previous])
const timeServer = add(time_server.record.at, WORD.fix, 0, [previous, offset], time)
const lat = add(latitude.record.at, WORD.fix, 0, [previous, linear])
const lon = add(longitude.record.at, WORD.fix, 0, [previous, linear])
const measures = MEASURES.map(({ at, flag }) => add(at, WORD.fix, flag, [previous]))

/** The numbers of a fold state in the order of `NUMBER`. */
const fold = Object.entries(NUMBER).map(([name, bit], slot) => {
  const isOwn = name === 'odometer' || name === 'engineHours'
  return add(FOLD_ID + slot, WORD.fold, bit, isOwn ? [previous] : [pointer], time)
})
const foldOf = (name: keyof typeof NUMBER) => fold[Object.keys(NUMBER).indexOf(name)]!
const ownOdometer = foldOf('odometer')
const ownEngineHours = foldOf('engineHours')

/** Value, time of growth, two of the doubted reading, four of the counter before its drop. */
export const READING_NUMBERS = 8
function addReading(id: number, own: number, bit: number): number {
  const first = add(id, WORD.readings, 1 << bit, [pointer, previous], own)
  add(id + 1, WORD.readings, 1 << (bit + 1), [pointer], time)
  for (let more = 2; more < READING_NUMBERS; more += 1) {
    add(id + more, WORD.readings, 1 << (bit + (more < 4 ? 3 : 4)), [previous])
  }
  return first
}
const odometerReading = addReading(136, ownOdometer, READING_BIT.odometerReading)
const engineHoursReading = addReading(144, ownEngineHours, READING_BIT.engineHoursReading)

/** In the order of `RARE_NUMBER`. */
const rare = Object.entries(RARE_NUMBER).map(([name, flag], slot) => {
  const mode = name === 'groupCount' ? previous : pointer
  return add(RARE_ID + slot, WORD.readings, flag << READING_BIT.rare, [mode], time)
})

const odometerCount = add(
  odometer.record.at,
  WORD.fix,
  odometer.record.flag,
  [travelled, offset, previous],
  ownOdometer,
)
add(mileage.record.at, WORD.fix, mileage.record.flag, [follows, previous], odometerCount)
add(
  engine_hours.record.at,
  WORD.fix,
  engine_hours.record.flag,
  [running, offset, previous],
  ownEngineHours,
)
const address = add(FIELDS.address.record.at, WORD.fix, FIELDS.address.record.flag, [previous])
const change = add(CHANGE_ID, WORD.fix, 0, [previous])
const hidden = add(CHANGE_ID + 1, WORD.readings, IS_HIDDEN, [previous])

/** In the order of blocks: each after those from which it is predicted. */
export const COLUMNS: readonly Column[] = columns

/** Places in `COLUMNS`. `fold` and `rare`: in the order of `NUMBER` and `RARE_NUMBER`. A reading has `READING_NUMBERS` places from its own on. */
export const AT = {
  ...{ time, timeServer, latitude: lat, longitude: lon, measures, fold, address, change, hidden },
  ...{ odometerReading, engineHoursReading, rare, tripFrom: foldOf('tripFrom') },
  anchorAt: foldOf('anchorAt'),
  ...{ odometer: odometerCount, mileage: odometerCount + 1, engineHours: odometerCount + 2 },
} as const

/** The rows of a block, in the order of their times. */
export type BlockColumns = {
  readonly rows: number
  /** The flags of each row by `WORD`. */
  readonly flags: readonly Int32Array[]
  /** By their places in `COLUMNS`. A row without a number has any number there. Null: no row has one. */
  readonly numbers: readonly (Float64Array | null)[]
  /** The numbers of `AT.address` are places among them. */
  readonly addresses: Texts
  /** Their columns are taken apart when they are first asked for. */
  readonly attributes: () => AttributeColumns
}

/** The places of the columns of `FIX_NUMBERS`, whose numbers are the offsets in the record. */
export const FIX_PLACES: readonly number[] = FIX_NUMBERS.map(({ at }) =>
  COLUMNS.findIndex(({ id }) => id === at),
)

/** The optional numbers: the flag of each, and where it ends. */
export const OPTIONAL_ENDS = FIX_NUMBERS.filter(({ at }) => at > FIX_RECORD.optional)
  .sort((a, b) => a.at - b.at)
  .map(({ flag, at, bytes }) => ({ flag, end: at + bytes }))

/** The flags of a record that this version knows: the first 16, one for each optional number, and that of the attributes. */
export const KNOWN_FLAGS = OPTIONAL_ENDS.reduce(
  (flags, { flag }) => flags | flag,
  ((1 << OPTIONAL_BIT) - 1) | FIX_FLAG.attributes,
)

/** The bits of each word of flags that this version knows, by `WORD`. */
export const KNOWN_WORDS: readonly number[] = [
  KNOWN_FLAGS,
  (1 << (8 * FLAG_BYTES)) - 1,
  ((RARE_NUMBER.groupCount << 1) << READING_BIT.rare) - 1,
]

/** The places of the columns that decide which rows answers show. */
export const SHOWN_COLUMNS: ReadonlySet<number> = new Set([AT.time, AT.change, AT.hidden])

/** The places of the columns that fix records need: their own, and those from which these are predicted. */
export const FIX_COLUMNS: ReadonlySet<number> = new Set([
  ...withReferences(FIX_PLACES),
  ...[AT.address, ...SHOWN_COLUMNS],
])

/** The same with the begin of the trip, which decides which shifts apply to the mileage. */
export const SHIFTED_COLUMNS: ReadonlySet<number> = new Set([...FIX_COLUMNS, AT.tripFrom])

/** Columns and those from which they are predicted. */
export function withReferences(places: readonly number[]): number[] {
  return places.flatMap((place) => [place, COLUMNS[place]!.reference])
}
