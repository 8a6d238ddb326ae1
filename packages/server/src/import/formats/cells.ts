import { type Fault, fault, type Remarks } from '../row.ts'

// `Number` alone would read an empty text as 0, and take 0x10, 0b1 and Infinity.
const DECIMAL = /^\s*[+-]?[\d.]+(?:e[+-]?\d+)?\s*$/i

/** Whether a cell is empty, or its column missing. */
export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '')
}

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

/** `8.64301E+14`: a spreadsheet showed a long number so, and saved what it showed. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d\d$/i

/** The fault of an ident whose digits a spreadsheet rounded away: several devices would become one. Null: it is whole. */
export function spreadsheetIdent(ident: string): Fault | null {
  if (!ROUNDED.test(ident)) return null
  const detail = `ident '${ident}' is a number that a spreadsheet rounded; format the column as text or as a number without decimals, and export it again`
  return fault('spreadsheet_ident', detail, 'ident')
}
