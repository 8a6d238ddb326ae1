import { plainNumber, toJson } from '../../base/domain/common/plain-json.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { DistanceUnit } from '../../base/domain/organization.ts'
import { formatDate, formatInstant } from '../../base/domain/time/time.ts'
import {
  counterDifference,
  DECIMALS,
  distance,
  hoursOf,
  measure,
  rounded,
  seconds,
} from '../formats/number-format.ts'
import type { Dated } from '../formats/xlsx.ts'
import type { Row } from './rows.ts'

/**
 * Tables of the fields of rows. A table states a field once: its kind, its description, an example, and how it is read.
 * The rows of all formats, their columns, the schemas of both APIs and the documented examples come from it.
 */

/** A kind of values: its JSON Schema without descriptions, and how answers show a value of the server. */
export type Kind<Value, Shown> = {
  readonly schema: Readonly<Record<string, unknown>>
  show(value: Value, unit: DistanceUnit): Shown
}

/** A field of the rows of some items. */
export type RowField<Item, Shown> = {
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: Shown
  readonly value: (item: Item, unit: DistanceUnit) => Shown
  /** The value as JSON text, if there is a faster way to it. */
  readonly json?: (item: Item, unit: DistanceUnit) => string
}

/** The fields of a row in their order. */
export type RowFields<Item> = Readonly<Record<string, RowField<Item, unknown>>>

/** The row that fields make. */
export type RowOf<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends RowField<never, infer Shown> ? Shown : never
}

/**
 * Makes fields of items. `read`: the value of the field in an item, as the server has it. `unit`: for what depends on
 * more than the value.
 */
export function fieldsOf<Item>() {
  return function field<Value, Shown>(
    { schema, show }: Kind<Value, Shown>,
    description: string,
    example: Shown,
    read: (item: Item, unit: DistanceUnit) => Value,
  ): RowField<Item, Shown> {
    return {
      schema: { ...schema, description, examples: [example] },
      example,
      value: valueBy(show, read),
    }
  }
}

/** Calls no more functions than it must, because lists call it for each field of each object. */
function valueBy<Item, Value, Shown>(
  show: Kind<Value, Shown>['show'],
  read: (item: Item, unit: DistanceUnit) => Value,
): (item: Item, unit: DistanceUnit) => Shown {
  const asShown = read as unknown as (item: Item, unit: DistanceUnit) => Shown
  if ((show as unknown) === same) return asShown
  if ((show as unknown) === orNull) return (item, unit) => asShown(item, unit) ?? (null as Shown)
  return (item, unit) => show(read(item, unit), unit)
}

/** The columns of a table of rows, and those of them with times and dates. */
export function tableOf(fields: RowFields<never>): { columns: string[]; dated: Dated } {
  const dated: Record<string, 'time' | 'date'> = {}
  for (const [name, { schema }] of Object.entries(fields)) {
    if (schema.format === 'date-time') dated[name] = 'time'
    if (schema.format === 'date') dated[name] = 'date'
  }
  return { columns: Object.keys(fields), dated }
}

/** The function that makes the row of an item. */
export function rowOf<Item>(fields: RowFields<Item>): (item: Item, unit: DistanceUnit) => Row {
  const all = Object.entries(fields)
  return (item, unit) => {
    const row: Record<string, unknown> = {}
    for (const [name, field] of all) row[name] = field.value(item, unit)
    return row
  }
}

/** The same as JSON text, which is faster than an object with these names would be. */
export function jsonOf<Item>(fields: RowFields<Item>): (item: Item, unit: DistanceUnit) => string {
  const all = Object.entries(fields).map(([name, { schema, value, json }], index) => ({
    before: `${index === 0 ? '{' : ','}"${name}":`,
    json: json ?? textBy(schema, value),
  }))
  return (item, unit) => {
    let text = ''
    for (const { before, json } of all) text += before + json(item, unit)
    return `${text}}`
  }
}

function textBy<Item>(
  { type, format }: RowField<Item, unknown>['schema'],
  value: RowField<Item, unknown>['value'],
): (item: Item, unit: DistanceUnit) => string {
  const main = Array.isArray(type) ? type[0] : type
  if (main === 'number' || main === 'integer') {
    return (item, unit) => {
      const shown = value(item, unit) as number | null | undefined
      return shown === null || shown === undefined ? 'null' : plainNumber(shown)
    }
  }
  // Nothing in a time has to be escaped.
  if (format === 'date-time') {
    return (item, unit) => {
      const shown = value(item, unit)
      return shown === null ? 'null' : `"${shown}"`
    }
  }
  return (item, unit) => toJson(value(item, unit))
}

/** A field that is a record of fields of the same item. */
export function nested<Item, Fields extends RowFields<Item>>(
  fields: Fields & RowFields<Item>,
): RowField<Item, RowOf<Fields>> {
  return {
    schema: {},
    example: exampleOf(fields) as RowOf<Fields>,
    value: rowOf<Item>(fields) as (item: Item, unit: DistanceUnit) => RowOf<Fields>,
    json: jsonOf<Item>(fields),
  }
}

/** The documented example of a row. */
export function exampleOf<Fields extends RowFields<never>>(fields: Fields): RowOf<Fields> {
  const examples = Object.entries(fields).map(([name, { example }]) => [name, example])
  return Object.fromEntries(examples) as RowOf<Fields>
}

/** The kind of values that are shown as they are. */
export function plain<Value>(schema: Kind<Value, Value>['schema']): Kind<Value, Value> {
  return { schema, show: same }
}

function same<Value>(value: Value): Value {
  return value
}

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null
}

/** The same kind, with null where there is no value. `type` is a list (OpenAPI 3.1), as client generators want it. */
export function optional<Value, Shown>({
  schema,
  show,
}: Kind<Value, Shown>): Kind<Value | null | undefined, Shown | null> {
  return {
    schema: { ...schema, type: [schema.type, 'null'] },
    show:
      (show as unknown) === same
        ? (orNull as Kind<Value | null | undefined, Shown | null>['show'])
        : (value, unit) => (value === null || value === undefined ? null : show(value, unit)),
  }
}

export const ID = plain<number>({ type: 'integer', minimum: 0 })
export const COUNT = ID
export const WHOLE = plain<number>({ type: 'integer' })
export const REVISION = plain<number>({ type: 'integer', minimum: 1 })
export const NUMBER = plain<number>({ type: 'number' })
export const TEXT = plain<string>({ type: 'string' })
export const FLAG = plain<boolean>({ type: 'boolean' })
export const IDS = plain<readonly number[]>({ type: 'array', items: ID.schema })

/** Milliseconds since the epoch. */
export const INSTANT: Kind<number, string> = {
  schema: { type: 'string', format: 'date-time' },
  show: formatInstant,
}

/** A number of days since the epoch. */
export const DATE: Kind<number, string> = {
  schema: { type: 'string', format: 'date' },
  show: formatDate,
}

/** Milliseconds, shown as whole seconds. */
export const SECONDS: Kind<number, number> = {
  schema: { type: 'integer', minimum: 0 },
  show: seconds,
}

const AMOUNT = { type: 'number', minimum: 0 }

/** Whole mm, shown in the distance unit of the organization. */
export const DISTANCE: Kind<number, number> = { schema: AMOUNT, show: distance }

/** The difference of two odometers in mm, shown in the same way. */
export const DRIVEN: Kind<number, number> = {
  schema: AMOUNT,
  show: (value, unit) => counterDifference(value, unit)!,
}

/** km/h, shown in the distance unit of the organization per hour. */
export const SPEED: Kind<number, number> = {
  schema: AMOUNT,
  show: (value, unit) => measure(value, unit)!,
}

/** Milliseconds, shown as hours. */
export const HOURS: Kind<number, number> = { schema: AMOUNT, show: hoursOf }

export const METRES: Kind<number, number> = {
  schema: AMOUNT,
  show: (value) => rounded(value, DECIMALS.measure)!,
}

/** A part of a whole. */
export const SHARE: Kind<number, number> = {
  schema: { ...AMOUNT, maximum: 1 },
  show: (value) => rounded(value, DECIMALS.share)!,
}

export const LATITUDE = degrees(90)
export const LONGITUDE = degrees(180)

function degrees(most: number): Kind<number, number> {
  return {
    schema: { type: 'number', minimum: -most, maximum: most },
    show: (value) => rounded(value, DECIMALS.coordinate)!,
  }
}

/** An item of an object. */
export type OfObject = { readonly object: Pick<MonitoredObject, 'id' | 'ident' | 'name'> }

const ofObject = fieldsOf<OfObject>()

/** The fields of rows that say which object they are of. */
export const OF_OBJECT = {
  object_id: ofObject(ID, 'Id of the object.', 1071, ({ object }) => object.id),
  ident: ofObject(TEXT, 'Ident of the object.', '356307042441013', ({ object }) => object.ident),
  name: ofObject(TEXT, 'Name of the object.', 'Van 71', ({ object }) => object.name),
}
