import Type, { type TSchemaOptions } from 'typebox'
import type { LonLat } from '../../domain/place.ts'

/**
 * The kinds of values in answers. Null is written as `type: [.., 'null']` (OpenAPI 3.1), which client
 * generators understand better than a union; hence `Unsafe`.
 */

export const nullableString = (options: TSchemaOptions) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

export const nullableNumber = (options: TSchemaOptions) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], ...options })

const INSTANT = { format: 'date-time' }

/** ISO 8601 in UTC with milliseconds. */
export const instant = (options: TSchemaOptions) => Type.String({ ...INSTANT, ...options })

export const nullableInstant = (options: TSchemaOptions) =>
  nullableString({ ...INSTANT, ...options })

export const LATITUDE = { minimum: -90, maximum: 90, examples: [41.0082376] }
export const LONGITUDE = { minimum: -180, maximum: 180, examples: [28.9783589] }

/** Longitude and latitude in one array, as in GeoJSON. */
export const lonLat = Type.Unsafe<LonLat>({
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84), in this order, as in GeoJSON.',
  examples: [[28.9783589, 41.0082376]],
})

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
