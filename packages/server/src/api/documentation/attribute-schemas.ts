import Type from 'typebox'
import { instant, record } from './kinds.ts'

/** Attributes as answers show them, by their names in the catalogue. */

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
      description: 'The part of the time in which it held, 4 decimals.',
      ...{ minimum: 0, maximum: 1, examples: [0.8333] },
    }),
  },
  'A value of an attribute, and how long it held.',
)

const part = (description: string, example: Value) =>
  Type.Optional(Type.Unsafe<Value>({ ...VALUE, description, examples: [example] }))
const number = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }))

export const attributeSummary = record(
  {
    first: part('The first value. Of stops, and of numbers.', 61.5),
    last: part('The last value. Of stops, and of numbers.', 54.2),
    min: number('The least number. Of trips and days.', 54.2),
    max: number('The greatest number. Of trips and days.', 61.5),
    gain: number('The sum of the rises of a counter.', 7.3),
    values: Type.Optional(
      Type.Array(attributeShare, {
        description:
          'The texts, or `true` and `false`, that held longest, the longest first, at most 20. Of trips and days.',
      }),
    ),
  },
  'An attribute over the time of a trip, a stop or a day.',
)

export const summaries = Type.Unsafe<Record<string, object>>({
  type: 'object',
  additionalProperties: attributeSummary,
  description:
    'The attributes over its time, by their names in the catalogue, without those that are unknown. With `include=attributes`; entries of changes have none.',
})
