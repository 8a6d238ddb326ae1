import Type, { type Static, type TObject, type TSchemaOptions } from 'typebox'

/**
 * The kinds of values in answers. Null is written as `type: [.., 'null']` (OpenAPI 3.1), which client
 * generators understand better than a union; hence `Unsafe`.
 */

export const nullableString = (options: TSchemaOptions) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

export const nullableInteger = (options: TSchemaOptions) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })

const INSTANT = { format: 'date-time' }

/** ISO 8601 in UTC with milliseconds. */
export const instant = (options: TSchemaOptions) => Type.String({ ...INSTANT, ...options })

export const nullableInstant = (options: TSchemaOptions) =>
  nullableString({ ...INSTANT, ...options })

/**
 * An object with these fields, all present, in this order. `conforms.ts` checks that there is no other
 * field. That is not published, so that clients accept new fields.
 */
export function record<Fields extends Parameters<typeof Type.Object>[0]>(
  fields: Fields,
  description: string,
) {
  return Type.Object(fields, { description })
}

/** A record with `optional` fields, which only some answers have. They come last, unless `order` is given. */
export function recordWith<
  Fields extends Parameters<typeof Type.Object>[0],
  Optional extends Parameters<typeof Type.Object>[0],
>(
  fields: Fields,
  optional: Optional,
  description: string,
  order: readonly (keyof (Fields & Optional))[] = Object.keys({ ...fields, ...optional }),
) {
  const all = { ...fields, ...optional }
  // `Type.Optional` would copy the schema, and a named schema would lose its name.
  return Type.Unsafe<Static<TObject<Fields>> & Partial<Static<TObject<Optional>>>>({
    ...record(Object.fromEntries(order.map((name) => [name, all[name]!])), description),
    required: Object.keys(fields),
  })
}

export const idOf = (thing: string, examples: number[]) =>
  Type.Integer({ description: `Id of the ${thing}.`, minimum: 0, examples })

/** Attributes in answers, by their names in the catalogue. */

type Value = number | boolean | string

const VALUE = { type: ['number', 'boolean', 'string'] }

/** The attributes of a position or a state. */
export const attributes = Type.Unsafe<Record<string, Value>>({
  type: 'object',
  additionalProperties: VALUE,
  description:
    'The attributes by their names in the catalogue, without those that are unknown. With `include=attributes`.',
  examples: [{ fuel_level: 61.5, driver: 'A. Kaya' }],
})

export const attributesAt = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: instant({}),
  description:
    'The `time_device` of the newest position that had each attribute. With `include=attributes`.',
  examples: [{ fuel_level: '2026-11-20T10:00:00.000Z', driver: '2026-11-20T09:41:10.000Z' }],
})

export const currentAttributes = { attributes, attributes_at: attributesAt }

export const attributeShare = record(
  {
    value: Type.Unsafe<Value>({ ...VALUE, description: 'The value.', examples: ['A. Kaya'] }),
    share: Type.Number({
      description: 'The part of the time for which the object had it, 4 decimals.',
      ...{ minimum: 0, maximum: 1, examples: [0.8333] },
    }),
  },
  'A value of an attribute, and for how long the object had it.',
)

const part = (description: string, example: Value) =>
  Type.Optional(Type.Unsafe<Value>({ ...VALUE, description, examples: [example] }))
const number = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }))

export const attributeSummary = record(
  {
    first: part('The first value. Stops and numbers have it.', 61.5),
    last: part('The last value. Stops and numbers have it.', 54.2),
    min: number('The smallest number. Trips and days have it.', 54.2),
    max: number('The largest number. Trips and days have it.', 61.5),
    gain: number('The sum of the rises of a counter.', 7.3),
    used: number('The use of a level: `first` - `last` + `filled` - `drained`.', 7.3),
    filled: number('The rises of a level beyond its threshold.', 0),
    drained: number('The falls of a level beyond its threshold and what an engine uses.', 0),
    values: Type.Optional(
      Type.Array(attributeShare, {
        description:
          'The texts, or `true` and `false`, that the object had for the longest time, the longest first, at most 20. Trips and days have them.',
      }),
    ),
  },
  'An attribute during a trip, a stop or a day.',
)

export const summaries = Type.Unsafe<Record<string, object>>({
  type: 'object',
  additionalProperties: attributeSummary,
  description:
    'The attributes during the trip, stop or day, by their names in the catalogue, without those that are unknown. With `include=attributes`; entries of changes have none.',
})
