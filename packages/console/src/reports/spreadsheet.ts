import type { Cell } from '../../../client/src/pull/files/kinds.ts'
import type { SheetColumn } from '../../../client/src/pull/files/workbook.ts'

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Saves a table as a file for spreadsheets. The code that writes it is loaded with the first one. */
export async function saveSheet(
  title: string,
  columns: readonly SheetColumn[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const { workbook } = await import('../../../client/src/pull/files/workbook.ts')
  const parts: BlobPart[] = []
  for await (const part of workbook(title, columns, rows, () => 0)) parts.push(part as BlobPart)
  const address = URL.createObjectURL(new Blob(parts, { type: TYPE }))
  Object.assign(document.createElement('a'), { href: address, download: `${title}.xlsx` }).click()
  // Some browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
