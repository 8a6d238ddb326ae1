import { ATTRIBUTE_PREFIX, attributeField } from '../../../base/domain/import-formats.ts'
import type { AttributeValue } from '../../../base/domain/position/attribute.ts'
import { valueOfText } from '../../../base/domain/position/attribute.ts'
import type { Given } from '../../../base/domain/position/attribute-section.ts'
import {
  type SentNumber,
  sentValue,
  withSpeedFactor,
} from '../../../base/domain/position/field-lists.ts'
import { type Fault, fault, type Remarks } from '../row.ts'
import { attributeFieldsIn, type Field, type Mapping } from './column-mapping.ts'
import type { DecimalMark } from './notation.ts'

/*
 * Cells of a row as values: numbers, texts, attributes, and the fields of formats whose names never change.
 */

// `Number` alone would read an empty text as 0, and take 0x10, 0b1 and Infinity.
const DECIMAL = /^\s*[+-]?[\d.]+(?:e[+-]?\d+)?\s*$/i

/** Whether a cell is empty, or its column missing. */
export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '')
}

/** `="0868"`: a text in CSV that spreadsheets leave as it is. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/

/** An apostrophe before digits or before the sign of a formula. Names such as `'t Hooft` begin with one too. */
const MARKED = /^'(?=[\d=+\-@])/

/** A cell of CSV without the marks by which spreadsheets take it for a text. */
export function plainCell(cell: string): string {
  const first = cell.charCodeAt(0)
  if (first === EQUALS) return TEXT_FORMULA.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell
  return first === APOSTROPHE ? cell.replace(MARKED, '') : cell
}

const APOSTROPHE = 39

const EQUALS = 61

/** A decimal number. Null if the cell is empty, NaN if it holds something else. */
export function numberIn(cell: unknown): number | null {
  if (typeof cell === 'number') return cell
  if (cell === undefined || cell === null || cell === '') return null
  if (typeof cell !== 'string') return Number.NaN
  if (!beginsPlainly(cell) && !DECIMAL.test(cell)) return cell.trim() === '' ? null : Number.NaN
  const value = Number(cell)
  return Number.isFinite(value) ? value : Number.NaN
}

/** Whether a text begins like nearly every number. Then `Number` takes it for a decimal or for NaN. */
function beginsPlainly(cell: string): boolean {
  return cell.charCodeAt(0) >= PLUS && cell.charCodeAt(1) <= NINE
}

const PLUS = 43

const NINE = 57

/** The trimmed text of a cell, or null if it is empty. Numbers are read as text. */
export function textIn(cell: unknown): string | null {
  if (typeof cell === 'number') return String(cell)
  if (typeof cell !== 'string') return null
  const text = cell.trim()
  return text === '' ? null : text
}

/** Whether a text has the character that a decoder puts in place of bytes that its encoding does not have. */
export function isMisread(text: string): boolean {
  return text.includes('\ufffd')
}

const YES = new Set(['true', '1', 'on', 'yes'])

const NO = new Set(['false', '0', 'off', 'no'])

/** Undefined if the cell holds neither yes nor no. Null if it is empty. */
export function booleanIn(cell: unknown): boolean | null | undefined {
  if (typeof cell === 'boolean') return cell
  const text = textIn(cell)?.toLowerCase()
  if (text === undefined) return null
  return YES.has(text) ? true : NO.has(text) ? false : undefined
}

/** km/h in one of each unit, exactly. */
export const SPEED_UNITS = { mps: 3.6, kmh: 1, mph: 1.609344, knots: 1.852 } as const

export type SpeedUnit = keyof typeof SPEED_UNITS

/** km in one of each unit, exactly. */
export const LENGTH_UNITS = { km: 1, mi: 1.609344, m: 0.001 } as const

export type LengthUnit = keyof typeof LENGTH_UNITS

/** No decimal of XML has a comma. Programs write one in languages that have it. */
const DECIMAL_COMMA = /^\s*([+-]?\d+),(\d+)\s*$/

/** The decimals of an XML file, with points for commas. `finish` notes the first comma. */
export function decimalCommas(file: string, remarks: Remarks) {
  let first: string | null = null
  return {
    withPoint(text: string, line: number): string {
      if (!text.includes(',')) return text
      const point = text.replace(DECIMAL_COMMA, '$1.$2')
      if (point !== text) first ??= `in line ${line}: '${text}' is ${point}`
      return point
    },
    finish(): void {
      if (first !== null) remarks.notes.add(`'${file}' has decimal commas, the first ${first}`)
    },
  }
}

/** `8.64301E+14`: a spreadsheet shows long numbers in this form, and saves them as shown. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d\d$/i

/** The fault of an ident whose digits a spreadsheet rounded away: several devices would become one. Null: it is whole. */
export function spreadsheetIdent(ident: string): Fault | null {
  if (!ROUNDED.test(ident)) return null
  const detail = `ident '${ident}' is a number that a spreadsheet rounded; format the column as text or as a number without decimals, and export it again`
  return fault('spreadsheet_ident', detail, 'ident')
}

/** The values of a fix by the names of its fields, in the units of `Fix`. */
export type Values = Map<string, unknown>

export type KnownCells = {
  /** The cells of a row. */
  cells(values: Values): unknown[]
  /** Adds the numbers of a format to the values of a fix in line `line`. */
  addNumbers(values: Values, sent: Readonly<Record<string, unknown>>, line: number): void
  /** Remarks on the numbers that could not be read. */
  finish(): void
}

/**
 * The cells of formats with fixed names and units. A number that cannot be read, or that no vehicle can have, stays
 * unknown, and the fix keeps its other values; `finish` notes how many there were. `speedUnit`: the caller's, which
 * replaces the format's.
 */
export function knownCells(
  fields: readonly Field[],
  numbers: readonly SentNumber[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): KnownCells {
  const known = speedUnit === null ? numbers : withSpeedFactor(numbers, SPEED_UNITS[speedUnit])
  const unread = unreadNumbers(remarks)
  return {
    cells: (values) => fields.map(({ name }) => values.get(name)),
    addNumbers(values, sent, line) {
      for (const number of known) {
        const value = sentValue(sent[number.name], number)
        if (value === undefined) unread.add(number.name, line)
        else if (value !== null) values.set(number.field, value)
      }
    },
    finish: unread.finish,
  }
}

/** Counts the numbers that could not be read, by their names in the file. */
export function unreadNumbers(remarks: Remarks) {
  const counts = new Map<string, { count: number; line: number }>()
  return {
    add(name: string, line: number): void {
      const before = counts.get(name)
      if (before === undefined) counts.set(name, { count: 1, line })
      else before.count += 1
    },
    finish(): void {
      for (const [name, { count, line }] of counts) {
        const positions = count === 1 ? '1 position' : `${count.toLocaleString('en')} positions`
        remarks.notes.add(
          `${name} counts as unknown in ${positions} (the first in line ${line}), because it is unreadable or implausible`,
        )
      }
    },
  }
}

/** The fields of an import with those of the attributes that a mapping names, which come last. */
export function withAttributes(fields: readonly Field[], mapping: Mapping): readonly Field[] {
  const names = attributeFieldsIn(mapping)
  return names.length === 0 ? fields : [...fields, ...names.map((name) => ({ name, synonyms: [] }))]
}

const NONE: readonly Given[] = []

/** Picks the attributes of a row from its cells. `fields`: those of `withAttributes`, in the order of the cells. */
export function attributePicker(
  fields: readonly Field[],
): (cells: readonly unknown[]) => readonly Given[] {
  const columns = fields.flatMap(({ name }, at) =>
    name.startsWith(ATTRIBUTE_PREFIX) ? [{ name: name.slice(ATTRIBUTE_PREFIX.length), at }] : [],
  )
  if (columns.length === 0) return () => NONE
  return (cells) =>
    columns.flatMap(({ name, at }): Given[] => (isEmpty(cells[at]) ? [] : [[name, cells[at]]]))
}

/** Names that are reported. A file of GPX may have any number. */
const MAX_REPORTED = 200

/** Notes that an element of a format without columns is an attribute. */
export function noteAttribute({ columns: { used } }: Remarks, name: string): void {
  const field = attributeField(name)
  if (Object.hasOwn(used, field) || Object.keys(used).length >= MAX_REPORTED) return
  used[field] = name
}

const WITH_COMMA = /^-?\d+,\d+$/

/** Reads a cell of a table, which has no types. */
export function attributeReader(decimal: DecimalMark): (cell: string) => AttributeValue {
  if (decimal === '.') return (cell) => valueOfText(cell.trim())
  return (cell) => {
    const text = cell.trim()
    return valueOfText(WITH_COMMA.test(text) ? text.replace(',', '.') : text)
  }
}
