import { BYTES } from '../../domain/position/field.ts'
import { MEASURES } from '../../domain/position/field-lists.ts'
import { FIELDS } from '../../domain/position/fields.ts'
import { FIX_FLAG, FIX_RECORD, OPTIONAL_BIT } from '../../domain/position/fix-record.ts'
import { AT, COLUMNS } from './columns.ts'

/** A number in a fix record. `place`: in the columns of a block. */
export type FixNumber = {
  readonly place: number
  readonly at: number
  readonly bytes: number
  readonly isSigned: boolean
  readonly flag: number
}

type Place = { at: number; flag: number }

const whole = (place: number, { at, flag }: Place, bytes: number, isSigned: boolean) => {
  return { place, at, bytes, isSigned, flag }
}
const { time_device, time_server, latitude, longitude, odometer, mileage, engine_hours } = FIELDS

export const FIX_NUMBERS: readonly FixNumber[] = [
  whole(AT.time, time_device.record, 6, false),
  whole(AT.timeServer, time_server.record, 6, false),
  whole(AT.latitude, latitude.record, 4, true),
  whole(AT.longitude, longitude.record, 4, true),
  whole(AT.odometer, odometer.record, 6, false),
  whole(AT.mileage, mileage.record, 6, false),
  whole(AT.engineHours, engine_hours.record, 6, false),
  ...MEASURES.map((measure, i) =>
    whole(AT.measures[i]!, measure, BYTES[measure.bytes], measure.bytes === 'int32'),
  ),
]

/** The optional numbers: the flag of each, and where it ends. */
export const OPTIONAL_ENDS = FIX_NUMBERS.filter(({ at }) => at > FIX_RECORD.optional)
  .sort((a, b) => a.at - b.at)
  .map(({ flag, at, bytes }) => ({ flag, end: at + bytes }))

/** The flags of a record that this version knows: the first 16, one for each optional number, and that of the attributes. */
export const KNOWN_FLAGS = OPTIONAL_ENDS.reduce(
  (flags, { flag }) => flags | flag,
  ((1 << OPTIONAL_BIT) - 1) | FIX_FLAG.attributes,
)

/** The places of the columns that decide which rows answers show. */
export const SHOWN_COLUMNS: ReadonlySet<number> = new Set([AT.time, AT.change, AT.hidden])

/** The places of the columns that fix records need: their own, and those from which these are predicted. */
export const FIX_COLUMNS: ReadonlySet<number> = new Set([
  ...withReferences(FIX_NUMBERS.map(({ place }) => place)),
  ...[AT.address, ...SHOWN_COLUMNS],
])

/** Columns and those from which they are predicted. */
export function withReferences(places: readonly number[]): number[] {
  return places.flatMap((place) => [place, COLUMNS[place]!.reference])
}
