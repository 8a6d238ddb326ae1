import { type Fault, fault } from './row.ts'

/** `8.64301E+14`: a spreadsheet showed a long number so, and saved what it showed. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d\d$/i

/** The fault of an ident whose digits a spreadsheet rounded away: several devices would become one. Null: it is whole. */
export function spreadsheetIdent(ident: string): Fault | null {
  if (!ROUNDED.test(ident)) return null
  const detail = `ident '${ident}' is a number that a spreadsheet rounded; format the column as text or as a number without decimals, and export it again`
  return fault('spreadsheet_ident', detail, 'ident')
}
