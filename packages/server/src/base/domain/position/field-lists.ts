import type { Bytes, Field } from './field.ts'
import { FIELDS } from './position-fields.ts'

/** The fields of a position by kind, in the forms in which loops go through them. */

type Fields = typeof FIELDS
export type FieldName = keyof Fields

/** The keys of the fields that have all that `Form` has. */
type KeyOf<Form> = {
  [Name in FieldName]: Fields[Name] extends Form & { key: infer Key } ? Key : never
}[FieldName]

/** The numbers that a device measures with a fix, by their keys in `Fix`. */
type MeasureKey = KeyOf<{ kind: 'measure' }>
/** The numbers that a `Fix` has if its device sends them: measures, and the device's own counters. */
export type SentKey = KeyOf<{ sent: object }>
/** The numbers of a position that have limits. */
export type QuantityKey = KeyOf<{ kind: 'measure' | 'counter' }>

const NAMES = Object.keys(FIELDS) as FieldName[]

/** The parts that rows have only if they are asked for: two groups of fields, and the attributes of the catalogue. */
export const INCLUDED = ['quality', 'exact', 'attributes'] as const
export type Included = (typeof INCLUDED)[number]

/** The fields that `include` adds to an answer, in its order. Undefined: those in each answer. */
export function includedBy(include: Included | undefined): readonly FieldName[] {
  return NAMES.filter((name) => {
    const field: Field = FIELDS[name]
    return (field.kind === 'object' ? undefined : field.include) === include
  })
}

/** A number in the record. It keeps whole numbers of `1 / scale`. */
export type RecordedMeasure = {
  readonly key: MeasureKey
  readonly at: number
  readonly flag: number
  readonly bytes: Bytes
  readonly scale: number
}

/** By their slots in the record. */
export const MEASURES: readonly RecordedMeasure[] = NAMES.flatMap((name) => {
  const field: Field = FIELDS[name]
  if (field.kind !== 'measure') return []
  const { key, record } = field
  const { at, flag, bytes, scale } = record
  return [{ key: key as MeasureKey, at, flag, bytes, scale }]
}).sort((a, b) => a.at - b.at)

/** A number that devices send, with its limits. */
export type SentQuantity = {
  readonly name: FieldName
  readonly key: SentKey
  readonly unit: string | null
  readonly scale: number
  readonly minimum: number
  readonly maximum: number
  readonly isWorseAbove: boolean
  readonly isZeroUnknown: boolean
  readonly headings: readonly string[]
  readonly sent: NonNullable<Extract<Field, { kind: 'measure' }>['sent']>
}

/** In the order of answers. */
export const SENT: readonly SentQuantity[] = NAMES.flatMap((name) => {
  const field: Field = FIELDS[name]
  if (field.kind !== 'measure' && field.kind !== 'counter') return []
  const { key, unit, record, minimum = 0, maximum, headings = [], sent, wins } = field
  if (sent === undefined) return []
  const isWorseAbove = wins?.by === 'less'
  const isZeroUnknown = field.kind === 'measure' && field.isZeroUnknown === true
  const limits = { minimum, maximum, isWorseAbove, isZeroUnknown }
  return [{ name, key: key as SentKey, unit, scale: record.scale, ...limits, headings, sent }]
})

/** The fields that decide between two fixes of one moment, by their keys in `Fix`. */
export const DECIDING = NAMES.flatMap((name) => {
  const field: Field = FIELDS[name]
  if (!('wins' in field) || field.wins === undefined) return []
  const key = 'key' in field ? field.key : name
  return [
    { key: key as 'latitude' | 'longitude' | 'ignition' | 'corrected' | SentKey, wins: field.wins },
  ]
})

/** The measures that the console shows, by their names there. */
export const LABELLED = NAMES.flatMap((name) => {
  const field: Field = FIELDS[name]
  if (field.kind !== 'measure' || field.label === undefined) return []
  const { key, label, unit, decimals } = field
  return [{ key: key as MeasureKey, label, unit, decimals }]
})

/** A number in a part of a format of the feed or of a file. */
export type SentNumber = {
  readonly name: string
  readonly field: FieldName
  readonly key: SentKey
  /** The units of `Fix` in one unit of the sender. */
  readonly factor: number
  /** Whether a number below zero means an unknown one. */
  readonly unknownBelowZero: boolean
  /** The limits of the field, in the units of `Fix`. */
  readonly minimum: number
  readonly maximum: number
  readonly isZeroUnknown: boolean
  /** Whether more of it is worse, so that a number above the limit says as much as the limit. */
  readonly isWorseAbove: boolean
}

/** The parts of formats in which a field has a name. */
type SentPart = {
  [Name in FieldName]: Fields[Name] extends { sent: infer Parts } ? keyof Parts : never
}[FieldName]

/** The numbers in a part of a format. Senders of Fleetgate's own leave out what they do not know. */
export function numbersIn(part: SentPart): SentNumber[] {
  return SENT.flatMap(({ name: field, key, minimum, maximum, isWorseAbove, isZeroUnknown, sent }) =>
    (sent[part] ?? []).map((name) => ({
      ...(typeof name === 'string' ? { name, factor: 1 } : name),
      field,
      key,
      minimum,
      maximum,
      isWorseAbove,
      isZeroUnknown,
      unknownBelowZero: part !== 'native' && minimum >= 0,
    })),
  )
}

/** The numbers of a format with speeds in another unit. `factor`: km/h in one of it. */
export function withSpeedFactor(numbers: readonly SentNumber[], factor: number): SentNumber[] {
  return numbers.map((number) => (number.key === 'speed' ? { ...number, factor } : number))
}

/**
 * The names of an OwnTracks message that are not attributes: the fields of a position, what identifies the phone and
 * the message, and lists. https://owntracks.org/booklet/tech/json/
 */
export const OWNTRACKS_NAMES: ReadonlySet<string> = new Set([
  ...['_type', '_id', 'topic', 'tid', 'tst', 'created_at', 'lat', 'lon', 'ign'],
  ...['inregions', 'inrids', 'motionactivities'],
  ...numbersIn('owntracks').map(({ name }) => name),
])

/**
 * A number as a device sent it, in the units of `Fix`. Null if the device says that it does not know it. Undefined if the
 * value cannot be read, or if no vehicle can have it. Senders of formats other than Fleetgate's own use a number below
 * zero for "unknown", where it cannot be a value.
 */
export function sentValue(value: unknown, sent: SentNumber): number | null | undefined {
  if (value === undefined || value === null || value === '') return null
  const number = typeof value === 'number' ? jsonNumber(value) : decimalText(value)
  return number === undefined ? undefined : plausible(number, sent, sent.factor)
}

type Limits = Pick<
  SentNumber,
  'minimum' | 'maximum' | 'isWorseAbove' | 'isZeroUnknown' | 'unknownBelowZero'
>

/** As `sentValue`, of a number that was read, or NaN. `factor`: the units of `Fix` in one of its unit. */
export function plausible(
  number: number,
  limits: Limits,
  factor: number,
): number | null | undefined {
  if (number === 0 && limits.isZeroUnknown) return null
  if (number < 0 && limits.unknownBelowZero) return null
  return withinLimits(limits, number * factor)
}

/** Undefined if no vehicle can have the value. A quality that is worse than its limit is as bad as the limit. */
function withinLimits(
  { minimum, maximum, isWorseAbove }: Limits,
  value: number,
): number | undefined {
  if (isWorseAbove && value > maximum) return maximum
  return value >= minimum && value <= maximum ? value : undefined
}

/** A number in JSON. JSON has no infinity, but 1e999 is one. */
export function jsonNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

// Each digit can match in one way only. With two ways, millions of digits would be tried again and again.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A number in a parameter. `Number` alone would take 0x10 and the empty text. */
export function decimalText(value: unknown): number | undefined {
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
