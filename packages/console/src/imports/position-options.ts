import type { ImportPreview } from '../api/types.ts'

export const SPEED_UNITS = [
  ['', 'the file’s (CSV, NDJSON: km/h)'],
  ['kmh', 'km/h'],
  ['mph', 'mph'],
  ['mps', 'm/s'],
  ['knots', 'knots'],
] as const

/** A file of positions, and the operator's choices for it. */
export type PositionFile = {
  file: File
  /** The type of the body. */
  type: string
  /** By field, the column that the operator chose. */
  mapping: Readonly<Record<string, string>>
  speedUnit: (typeof SPEED_UNITS)[number][0]
  timezone: string
  ident: string
  createObjects: boolean
}

/** The query by which the server reads a file like this. */
export function queryOf(given: PositionFile): string {
  const { file, mapping, speedUnit, timezone, ident, createObjects } = given
  const query = new URLSearchParams({ file: file.name })
  const pairs = Object.entries(mapping).map(([field, column]) => `${field}=${column}`)
  if (pairs.length > 0) query.set('map', pairs.join(','))
  if (speedUnit !== '') query.set('speed_unit', speedUnit)
  if (timezone !== '') query.set('timezone', timezone)
  if (ident !== '') query.set('ident', ident)
  if (createObjects) query.set('create_objects', 'true')
  return query.toString()
}

/** All columns of a file. Several columns of one field are one entry. */
export function columnsOf({ columns }: ImportPreview): string[] {
  const taken = [...Object.values(columns.used), ...Object.values(columns.guessed)]
  return [...new Set([...taken, ...columns.ignored])]
}
