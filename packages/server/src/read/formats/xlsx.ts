import type { Cell } from '../../../../client/src/pull/files/kinds.ts'
import {
  MAX_SHEET_ROWS,
  type SheetColumn,
  workbook,
} from '../../../../client/src/pull/files/workbook.ts'
import { plainJson, toJson } from '../../base/domain/common/plain-json.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import { offsetsOf } from '../../base/domain/time/time-zone.ts'
import { jsonPositions } from './json.ts'
import {
  attributeCells,
  attributeHeadings,
  type Columns,
  namesOf,
  type PositionForm,
  partColumn,
} from './position-format.ts'

/*
 * Rows on their way into a workbook: a list as JSON on each line. The first line has the columns.
 */

export { MAX_SHEET_ROWS }

/** The columns with times and dates, by their names. */
export type Dated = Readonly<Record<string, 'time' | 'date'>>

export function sheetHead(columns: readonly string[], dated: Dated): string {
  const typed = columns.map((name): SheetColumn => ({ name, type: dated[name] ?? 'text' }))
  return `${toJson(typed)}\n`
}

/** Lists and objects become JSON texts. */
export function sheetRow(
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
): string {
  const cells = columns.map((name) => {
    const value = row[name]
    return typeof value === 'object' && value !== null ? plainJson(value) : value
  })
  return `${toJson(cells)}\n`
}

const ROW_END = ']\n'

export function sheetPositions(columns: Columns): PositionForm {
  const names = namesOf(columns)
  const { attributes } = columns
  const dated: Record<string, 'time'> = {}
  const fields = names.map((name, index) => {
    const before = index === 0 ? '[' : ','
    const isTime = FIELDS[name].kind === 'time'
    if (isTime) dated[name] = 'time'
    const quote = isTime ? '"' : ''
    return { name, before: before + quote, after: quote, none: `${before}null` }
  })
  for (const { name } of attributes?.entries ?? []) dated[partColumn(name, 'at')] = 'time'
  const headings = attributes === null ? [] : attributeHeadings(attributes)
  return {
    ...jsonPositions(columns),
    head: sheetHead([...names, ...headings], dated),
    tail: '',
    between: '',
    ...(attributes === null
      ? { fields: [...fields, ROW_END] }
      : { fields, attributes: attributeCells(attributes, JSON_CELLS, ROW_END) }),
  }
}

const JSON_CELLS = { text: toJson, time: (text: string) => `"${text}"`, none: 'null' }

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The workbook of such lines. A piece ends with the end of a line. */
export async function* workbookOf(
  name: string,
  pieces: Pieces,
  timeZone: string,
): AsyncGenerator<Uint8Array> {
  const lines = linesIn(pieces)
  try {
    const { value: columns } = await lines.next()
    const rows = lines as AsyncGenerator<Cell[]>
    yield* workbook(name, columns as SheetColumn[], rows, offsetsOf(timeZone).offsetAt)
  } finally {
    await lines.return(undefined)
  }
}

async function* linesIn(pieces: Pieces): AsyncGenerator<unknown> {
  for await (const piece of pieces) {
    for (const line of Buffer.from(piece).toString().split('\n')) {
      if (line !== '') yield JSON.parse(line)
    }
  }
}
