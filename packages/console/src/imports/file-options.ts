import {
  ATTRIBUTE_PREFIX,
  type ImportKind,
} from '../../../server/src/base/domain/import-formats.ts'
import { isDeviceName } from '../../../server/src/base/domain/position/attribute.ts'
import type { ImportPreview } from '../api/types.ts'
import { t } from '../language/text.ts'

export const SPEED_UNITS = [
  ['', t('From the file, otherwise km/h')],
  ['kmh', 'km/h'],
  ['mph', 'mph'],
  ['mps', 'm/s'],
  ['knots', 'knots'],
] as const

export type Table = NonNullable<ImportPreview['table']>
/** A fact about the way in which a file is written. */
export type TablePart = keyof Table

/** The operator's choices for a file. */
export type FileOptions = {
  /** By field, the column that the operator chose. */
  mapping: Readonly<Record<string, string>>
  /** The columns that the operator chose as attributes. */
  attributes: readonly string[]
  notation: Readonly<Partial<Record<TablePart, string>>>
  speedUnit: (typeof SPEED_UNITS)[number][0]
  timezone: string
  ident: string
  createObjects: boolean
}

export const NO_OPTIONS: Omit<FileOptions, 'createObjects'> = {
  ...{ mapping: {}, attributes: [], notation: {}, speedUnit: '', timezone: '', ident: '' },
}

/** The query by which the server reads a file of this name. */
export function queryOf(kind: ImportKind, name: string, options: FileOptions): string {
  const { mapping, attributes, notation, speedUnit, timezone, ident, createObjects } = options
  const query = new URLSearchParams({ file: name, ...notation })
  const pairs = Object.entries(mapping).map(([field, column]) => `${field}=${column}`)
  if (pairs.length > 0) query.set('map', pairs.join(','))
  if (kind !== 'positions') return query.toString()
  if (attributes.length > 0) query.set('attribute', attributes.map(attributeOf).join(','))
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

/** An attribute has the name of its column, and an equals sign parts the two. */
function attributeOf(column: string): string {
  return column.includes('=') ? `${column.replaceAll('=', ' ').trim()}=${column}` : column
}

/** The columns that can become attributes, with those that were chosen. A comma parts columns in the query. */
export function attributeColumnsOf(
  { columns }: ImportPreview,
  { attributes }: FileOptions,
): string[] {
  const free = columns.ignored.filter((column) => !column.includes(','))
  return [...new Set([...attributes, ...free])].filter((column) => isDeviceName(column.trim()))
}

/** The attributes that were not chosen for this file: those of saved choices. */
export function keptAttributes({ columns }: ImportPreview, { attributes }: FileOptions): string[] {
  return Object.entries(columns.used).flatMap(([field, column]) =>
    field.startsWith(ATTRIBUTE_PREFIX) && !attributes.includes(column) ? [column] : [],
  )
}

/** The fields that must have a column, and have none. */
export function missingFields(preview: ImportPreview, { ident }: FileOptions): string[] {
  const { used, guessed } = preview.columns
  return preview.fields.flatMap(({ name, required }) => {
    const isFilled = name in used || name in guessed || (name === 'ident' && ident !== '')
    return required && !isFilled ? [name] : []
  })
}

/** The parts of the notation that the operator has to choose. */
export function openParts({ table }: ImportPreview): TablePart[] {
  if (table === null) return []
  return (Object.keys(table) as TablePart[]).filter((part) => table[part].from === 'open')
}

const LABELS: Readonly<Record<string, string>> = {
  time_device: t('time'),
  time_server: t('server time'),
}

/** The name of a field in the words of the console. */
export function labelOf(field: string): string {
  if (field.startsWith(ATTRIBUTE_PREFIX))
    return t('attribute {{name}}', { name: field.slice(ATTRIBUTE_PREFIX.length) })
  return LABELS[field] ?? field.replaceAll('_', ' ')
}

/**
 * A sentence of the server without its advice on parameters of the API and on commands: the console has fields for
 * the former, and pages for the latter.
 */
export function withoutAdvice(sentence: string): string {
  const isAdvice = (part: string) => /\bmap [^ =]+=COLUMN|'(?:fleetgate|import) /.test(part)
  return sentence
    .split('; ')
    .filter((part, index) => index === 0 || !isAdvice(part))
    .join('; ')
}
