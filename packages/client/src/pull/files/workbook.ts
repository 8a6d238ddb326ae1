import type { CellValue, ColumnDef } from 'hucre/xlsx'
import type { Cell, ColumnType } from './kinds.ts'

/** A column of a sheet. A `time` is ISO 8601 UTC, a `date` has no time of day, and a `duration` is in seconds. */
export type SheetColumn = { name: string; type?: ColumnType | 'date' | 'duration' }

/** The rows that a sheet has below its header, at most. */
export const MAX_SHEET_ROWS = 1_048_575
/** Excel opens no sheet with a longer name. */
const MAX_NAME = 31
/** Excel repairs a file with a longer text, and cuts the text. */
const MAX_CHARACTERS = 32_767

type Format = { numFmt: string; width: number }

/** These letters have the same meaning in each language. A narrower column shows `####`. */
const FORMATS: { [type in NonNullable<SheetColumn['type']>]?: Format } = {
  time: { numFmt: 'yyyy-mm-dd hh:mm:ss', width: 20 },
  date: { numFmt: 'yyyy-mm-dd', width: 12 },
  duration: { numFmt: '[h]:mm', width: 10 },
}
const MIN_WIDTH = 10

type Rows = Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>

/**
 * Makes a workbook with one sheet as it is read, with a frozen header. More rows than a sheet has get another sheet.
 * `offsetAt`: the milliseconds by which the clocks of its times are ahead of UTC at a moment.
 */
export async function* workbook(
  name: string,
  columns: readonly SheetColumn[],
  rows: Rows,
  offsetAt: (time: number) => number,
): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await xlsxLibrary()
  const options = {
    name: name.slice(0, MAX_NAME),
    columns: columns.map(columnOf),
    freezePane: { rows: 1 },
  }
  yield* writeXlsxStream(valuesOf(columns, rows, offsetAt), options)
}

function columnOf({ name, type }: SheetColumn): ColumnDef {
  const format = FORMATS[type ?? 'text'] ?? { width: MIN_WIDTH }
  return { header: textOf(name), ...format, width: Math.max(format.width, name.length + 2) }
}

async function* valuesOf(
  columns: readonly SheetColumn[],
  rows: Rows,
  offsetAt: (time: number) => number,
): AsyncGenerator<CellValue[]> {
  const value = (cell: Cell | undefined, { type }: SheetColumn): CellValue => {
    // A spreadsheet counts in days.
    if (type === 'duration' && typeof cell === 'number') return cell / 86_400
    // A server may leave a field out.
    if (typeof cell !== 'string') return cell ?? null
    const time = type === 'time' || type === 'date' ? Date.parse(cell) : Number.NaN
    // A hostile server can send any text in place of a time.
    if (Number.isNaN(time)) return textOf(cell)
    return new Date(type === 'date' ? time : time + offsetAt(time))
  }
  for await (const cells of rows) yield columns.map((column, i) => value(cells[i], column))
}

/** Characters that XML does not take, and an underscore that begins `_x000D_`, which is how a workbook writes a character. */
const SPECIAL = /[\ufffe\uffff]|_(?=x[\da-f]{4}_)/gi

/** No text is run as a formula: each is an inline string. */
function textOf(text: string): string {
  if (text.length > MAX_CHARACTERS) {
    return `${text.length} characters do not fit into a cell: use another format`
  }
  return text.replaceAll(SPECIAL, (special) => (special === '_' ? '_x005F_' : '\ufffd'))
}

/** The package that writes workbooks. It is optional. */
export async function xlsxLibrary(): Promise<typeof import('hucre/xlsx')> {
  try {
    return await import('hucre/xlsx')
  } catch (cause) {
    throw new Error(
      'xlsx requires the package hucre: run npm install hucre, or use another --format',
      {
        cause,
      },
    )
  }
}
