import type { Source } from '../import-source.ts'
import { fault, type Remarks, type Row, SourceUnreadable } from '../row.ts'
import { attributePicker, isMisread, plainCell } from '../tables/cells.ts'
import type { Layout } from '../tables/column-mapping.ts'
import { type CsvRecord, readCsv } from '../tables/csv-records.ts'
import { DELIMITERS } from '../tables/notation.ts'
import { cellAt, type Head, type OpenTable, openTable } from '../tables/open-table.ts'

/** The bytes by which the notation of a table is found. */
export const HEAD_BYTES = 64 * 1024

/**
 * The rows of a CSV file. Throws `ImportMisuse` if the columns do not fit, or if the file can be read in several ways.
 */
export async function* readCsvRows(
  source: Source,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const bytes = source.bytes[Symbol.asyncIterator]()
  const taken = await takeHead(bytes)
  const head = { ...taken, decodedFrom: source.decodedFrom() }
  const table = await openTable(head, source.name, layout, remarks).catch(async (error) => {
    await bytes.return?.()
    throw error
  })
  if (table === null) {
    throw new SourceUnreadable(
      `'${source.name}' is empty: a CSV file must begin with the names of its columns`,
    )
  }
  const delimiter = DELIMITERS[table.notation.delimiter]
  const attributesIn = attributePicker(table.fields)
  let isFirst = true
  for await (const portion of readCsv(joined(head, bytes), delimiter, table.decodeAs)) {
    const records = isFirst ? portion.slice(1) : portion
    isFirst = false
    yield records.map((record) => rowOf(record, table, attributesIn))
  }
}

/** `failure`: why the source ended here. Its complete rows are read first. */
type TakenHead = Pick<Head, 'bytes' | 'isWhole'> & { failure: unknown }

async function takeHead(bytes: AsyncIterator<Uint8Array>): Promise<TakenHead> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    while (length < HEAD_BYTES) {
      const { value, done } = await bytes.next()
      if (done) return { bytes: Buffer.concat(chunks), isWhole: true, failure: null }
      chunks.push(value)
      length += value.length
    }
  } catch (failure) {
    if (length === 0) throw failure
    return { bytes: Buffer.concat(chunks), isWhole: false, failure }
  }
  return { bytes: Buffer.concat(chunks), isWhole: false, failure: null }
}

async function* joined(
  head: TakenHead,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head.bytes
  if (head.failure !== null) throw head.failure
  if (!head.isWhole) yield* { [Symbol.asyncIterator]: () => rest }
}

function rowOf(
  { line, text, cells, fault: broken, ended }: CsvRecord,
  table: OpenTable,
  attributesIn: ReturnType<typeof attributePicker>,
): Row {
  const picked = pick(cells, table)
  const isDamaged = broken === null && isMisread(text) && picked.some(isUnread)
  return {
    line,
    text,
    cells: picked,
    attributes: attributesIn(picked),
    fault: isDamaged ? fault('bad_encoding', DAMAGED) : broken,
    cutField: ended ? null : table.lastField,
  }
}

const DAMAGED =
  'it has bytes that are not valid in the encoding of the file; try another --encoding'

function isUnread(cell: unknown): boolean {
  return typeof cell === 'string' && isMisread(cell)
}

/** A loop is faster than `map`, and every row passes here. */
function pick(cells: readonly string[], { columns, sides, readers }: OpenTable): unknown[] {
  const picked = new Array<unknown>(columns.length)
  for (let at = 0; at < columns.length; at += 1) {
    const column = columns[at]!
    const side = sides === null ? -1 : sides[at]!
    const raw = column === -1 ? undefined : cells[column]
    if (raw === undefined) continue
    const cell = side === -1 ? plainCell(raw) : cellAt(cells, column, side)
    const read = readers[at]!
    picked[at] = read === null ? cell : read(cell)
  }
  return picked
}
