import type { CallOptions } from './connection.ts'
import {
  type AskedAttributes,
  type HistoryRange,
  type IncludedFields,
  setIncluded,
  setRows,
  timeOf,
} from './history.ts'

/** Filters of the object list. An object has to pass all that are given. */
export type ObjectFilter = {
  ident?: string
  vin?: string
  plateNumber?: string
  /** A part of the name or of any of these, in upper or lower case. */
  text?: string
}

export type AttributeOptions = CallOptions & {
  /** The attributes that each row has. Default: none. */
  attributes?: AskedAttributes
}

export type RowOptions = AttributeOptions & {
  /** Additional fields of each row. */
  include?: readonly IncludedFields[]
  /** Whether to leave out objects whose daily quota is exhausted, instead of a refusal. */
  skipExhausted?: boolean
}

export type LatestOptions = RowOptions & {
  /** Only objects in this box of degrees. With `west` above `east` it crosses the antimeridian. */
  box?: { west: number; south: number; east: number; north: number }
  /** Only objects whose last position was taken at most this many seconds ago. */
  maxAge?: number
}

/** The histories of up to 1,000 objects, or of all. */
export type HistoriesRange = Omit<HistoryRange, 'resume'> & Pick<RowOptions, 'skipExhausted'>

export function objectsPath({ ident, vin, plateNumber, text }: ObjectFilter = {}): string {
  const given = { ident, vin, plate_number: plateNumber, q: text }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value)
  return query.size === 0 ? '/objects' : `/objects?${query}`
}

export function objectPath(id: number, { attributes }: AttributeOptions = {}): string {
  const query = new URLSearchParams()
  setIncluded(query, undefined, attributes)
  return query.size === 0 ? `/objects/${id}` : `/objects/${id}?${query}`
}

/** `ids`: a list for one request, or `all`. */
export function latestPath(
  ids: string,
  { box, maxAge, skipExhausted, include, attributes }: LatestOptions = {},
): string {
  const query = new URLSearchParams()
  if (box !== undefined) query.set('bbox', [box.west, box.south, box.east, box.north].join())
  if (maxAge !== undefined) query.set('max_age', String(maxAge))
  if (skipExhausted) query.set('skip_exhausted', 'true')
  setIncluded(query, include, attributes)
  return `/positions/latest?ids=${ids}${query.size === 0 ? '' : `&${query}`}`
}

export function positionsAtPath(
  ids: string,
  time: Date | string,
  { skipExhausted, include, attributes }: RowOptions = {},
): string {
  const query = new URLSearchParams({ time: timeOf(time) })
  if (skipExhausted) query.set('skip_exhausted', 'true')
  setIncluded(query, include, attributes)
  return `/positions/at?ids=${ids}&${query}`
}

export function historiesPath(
  ids: string,
  { from, to, skipExhausted, ...rows }: HistoriesRange,
): string {
  const query = new URLSearchParams({ ids, from_time: timeOf(from), to_time: timeOf(to) })
  if (skipExhausted) query.set('skip_exhausted', 'true')
  setRows(query, rows)
  return `/positions?${query}`
}
