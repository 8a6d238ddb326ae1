import { entryBytes, readSection, writeEntry } from '../../domain/attributes/attribute-section.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'

/** The values of one name of the object's attributes, by row. Undefined: the row has none. */
export type AttributeColumn = {
  /** Its index in the records of the object. */
  readonly index: number
  readonly values: (AttributeValue | undefined)[]
}

/** The columns that have a value, by their indexes. */
export type AttributeColumns = readonly AttributeColumn[]

export const NO_ATTRIBUTE_COLUMNS: AttributeColumns = []

/** Collects the attributes of the records of rows. */
export function attributeCollector(rows: number) {
  const byIndex: AttributeColumn[] = []
  return {
    /** `end`: of a record with attributes. */
    take(record: Uint8Array, end: number, row: number): void {
      readSection(record, end, (index, value) => {
        const column = byIndex[index] ?? { index, values: new Array(rows).fill(undefined) }
        byIndex[index] = column
        column.values[row] = value
      })
    },
    columns: (): AttributeColumns => byIndex.filter((column) => column !== undefined),
  }
}

/** Bytes of the section of a row that has attributes. */
export function sectionBytes(columns: AttributeColumns, row: number): number {
  let bytes = SECTION_END_BYTES
  for (const { values } of columns) {
    const value = values[row]
    if (value !== undefined) bytes += entryBytes(value)
  }
  return bytes
}

const SECTION_END_BYTES = 2

/** Writes the section of a row into its record. */
export function writeRowSection(
  out: Buffer,
  start: number,
  columns: AttributeColumns,
  row: number,
): void {
  let end = start
  for (const { index, values } of columns) {
    const value = values[row]
    if (value !== undefined) end = writeEntry(out, end, index, value)
  }
  out.writeUInt16LE(end - start, end)
}
