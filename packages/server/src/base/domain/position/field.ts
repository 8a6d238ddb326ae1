/** The form of the entries of `position-fields.ts`. */
export type Field = OfObject | Time | Coordinate | Measure | Counter | Exact | Mark | Address

/** A field of the object, the same in all its rows. */
type OfObject = { kind: 'object' } & Partial<InFiles>

/** For readers of the API. `include`: the choice that adds the field to an answer, unless it is in each. */
type Described = {
  description: string
  examples: readonly unknown[]
  include?: 'quality' | 'exact'
}

/**
 * The slot of a value in the record of a position: its first byte, and the bit of the flags that says that the value is
 * known. 0: it always is.
 */
type Slot = { at: number; flag: number }

/** A moment: milliseconds since the epoch. */
type Time = Described & InFiles & { kind: 'time'; key: string; record: Slot }

/** Degrees, from `-maximum` to `maximum`. The record keeps whole numbers of `1 / scale`. */
type Coordinate = Described &
  InFiles &
  Deciding & {
    kind: 'coordinate'
    key: string
    maximum: number
    /** Decimals of answers. */
    decimals: number
    record: Slot & { scale: number }
  }

/** A number, under `key` in a `Fix` or in the counters of an object. */
type Quantity = Described & {
  key: string
  /** The unit in `Fix`. Answers show km and km/h in the organization's unit, and files have them in theirs. */
  unit: 'm' | 'degrees' | 'km/h' | 'km' | 'h' | '%' | null
  /** Decimals of answers. */
  decimals: number
  /** No vehicle has a larger value, and none has one below `minimum`, which is 0 by default. */
  minimum?: number
  maximum: number
}

/** A number that a device measures with a fix. */
type Measure = Quantity &
  InFiles &
  Sent &
  Deciding & {
    kind: 'measure'
    record: Slot & { bytes: Bytes; scale: number }
    /** Whether devices send 0 if they do not know it. */
    isZeroUnknown?: boolean
    /** Its name in the console, which shows those of quality. */
    label?: string
  }

/** A counter. The record holds that of the object as of the fix. A `Fix` has that of its device, if devices send one. */
type Counter = Quantity &
  Partial<InFiles & Sent & Deciding> & { kind: 'counter'; record: Slot & { scale: number } }

/** A counter as the record keeps it. */
type Exact = Described & { kind: 'exact'; of: 'engine_hours' | 'odometer' | 'mileage' }

/** The address. The byte at its slot holds where the text begins. */
type Address = Described & InFiles & { kind: 'address'; maximumBytes: number; record: Slot }

/** Yes or no (its slot is a bit of the flags too), or a word of a list. */
type Mark = Described &
  Partial<InFiles & Deciding> & {
    kind: 'switch' | 'motion' | 'address_source'
    record: Slot
    key?: string
    words?: readonly string[]
  }

/** A whole number in a record, little-endian. */
export type Bytes = keyof typeof BYTES
export const BYTES = { int32: 4, uint32: 4, uint16: 2, uint8: 1 } as const

/**
 * How two fixes of one moment are compared: the one with `more` or `less` of the field wins, and the one that lacks it
 * loses. The field with the lowest rank that differs decides. The number of known fields has a rank of its own.
 */
type Deciding = { wins: { rank: number; by: 'more' | 'less' } }
export const FIELD_COUNT_RANK = 3

/** Headings of columns apart from the field's own name. */
type InFiles = { headings: readonly string[] }

/**
 * Names in the parts of the formats of the feed and of files that have numbers. If several are present, the last one
 * counts. `google`, `gpx` and `kmlTrack` are of files only.
 */
type Sent = { sent: Readonly<Record<string, readonly SentName[]>> }

/** A name, with the units of `Fix` in one unit of the sender if they differ. */
export type SentName = string | { name: string; factor: number }

/** The units of `Fix` in one unit of those in which devices send. */
export const KMH_IN_KNOT = 1.852
export const KMH_IN_METRE_PER_SECOND = 3.6
export const KM_IN_METRE = 1 / 1000
export const HOURS_IN_SECOND = 1 / 3600
export const HOURS_IN_MILLISECOND = 1 / 3_600_000

/**
 * Millionths of a kilometre in a hundredth of the unit. Compared, because a table would be compiled for
 * one string: V8 throws the code away whenever another organization's unit is another string object.
 */
export function hundredthOf(unit: 'km' | 'mi'): number {
  return unit === 'mi' ? 16_093.44 : 10_000
}

/**
 * Converts whole millionths of a km to hundredths of a unit (`hundredthOf`), halves up. Speeds in km/h
 * convert alike. A single division keeps every half below 100,000,000 km exact, where 48,316.731408 km /
 * 1.609344 is 30,022.624999999996 miles instead of 30,022.625.
 */
export function hundredths(micros: number, hundredth: number): number {
  return Math.round(micros / hundredth)
}
