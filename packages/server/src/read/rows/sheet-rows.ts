import { type Format, maxRowsIn } from '../formats/formats.ts'
import { type Refusal, rowsAboveSheet } from '../refusal.ts'

/** The rows of an answer, or their refusal. */
export function fitting<Row>(format: Format, rows: readonly Row[]): readonly Row[] | Refusal {
  const most = maxRowsIn(format)
  return rows.length > most ? rowsAboveSheet(most) : rows
}

/** The refusal of more rows than an answer may have. Reads them only if the format has a maximum. */
export async function refuseLong(
  format: Format,
  read: () => AsyncIterable<readonly unknown[]>,
): Promise<Refusal | undefined> {
  const most = maxRowsIn(format)
  if (most === Number.POSITIVE_INFINITY) return undefined
  let rows = 0
  for await (const page of read()) {
    rows += page.length
    if (rows > most) return rowsAboveSheet(most)
  }
  return undefined
}
