import {
  KIND,
  rawEntryBytes,
  rawValue,
  readRawSection,
  type TakeEntry,
  writeRawEntry,
} from '../../base/domain/position/attribute-section.ts'
import { dictionary, startOf, type Texts, textAt } from './column-bytes.ts'

/** The kind of the value of a row: that of the entry of a section, and 1 more. */
export const VALUE = {
  absent: 0,
  decimal: 1 + KIND.decimal,
  double: 1 + KIND.double,
  text: 1 + KIND.text,
  boolean: 1 + KIND.boolean,
} as const

/** The values of one name of the object's attributes, by row. */
export type AttributeColumn = {
  /** Its index in the records of the object. */
  readonly index: number
  /** The kind of each row, by `VALUE`. */
  readonly kinds: Uint8Array
  /** As the entries of sections have them, but for a text its place in `texts`. */
  readonly numbers: Float64Array
  readonly texts: Texts
}

/** The columns that have a value, by their indexes. */
export type AttributeColumns = readonly AttributeColumn[]

export const NO_ATTRIBUTE_COLUMNS: AttributeColumns = []

/** Collects the attributes of the records of rows. */
export function attributeCollector(rows: number) {
  const byIndex: (Omit<AttributeColumn, 'texts'> & { texts: ReturnType<typeof dictionary> })[] = []
  const columnOf = (index: number) => {
    byIndex[index] ??= {
      ...{ index, kinds: new Uint8Array(rows), numbers: new Float64Array(rows) },
      texts: dictionary(),
    }
    return byIndex[index]
  }
  return {
    /** `end`: of a record with attributes. */
    take(record: Buffer, end: number, row: number): void {
      readRawSection(record, end, (index, kind, number, entryEnd) => {
        const { kinds, numbers, texts } = columnOf(index)
        kinds[row] = 1 + kind
        const isText = kind === KIND.text
        numbers[row] = isText ? texts.placeOf(record.subarray(entryEnd - number, entryEnd)) : number
      })
    },
    columns: (): AttributeColumns =>
      byIndex
        .filter((column) => column !== undefined)
        .map((column) => ({ ...column, texts: column.texts.joined() })),
  }
}

/** Bytes of the section of a row that has attributes. */
export function sectionBytes(columns: AttributeColumns, row: number): number {
  let bytes = SECTION_END_BYTES
  for (const { index, kinds, numbers, texts } of columns) {
    const [kind, number] = [kinds[row]!, numbers[row]!]
    if (kind === VALUE.absent) continue
    bytes += rawEntryBytes(index, kind - 1, kind === VALUE.text ? lengthOf(texts, number) : number)
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
  for (const { index, kinds, numbers, texts } of columns) {
    const [kind, number] = [kinds[row]!, numbers[row]!]
    if (kind === VALUE.absent) continue
    if (kind !== VALUE.text) {
      end = writeRawEntry(out, end, index, kind - 1, number)
      continue
    }
    end = writeRawEntry(out, end, index, KIND.text, lengthOf(texts, number))
    end += texts.bytes.copy(out, end, startOf(texts, number), texts.ends[number]!)
  }
  out.writeUInt16LE(end - start, end)
}

/** Reads the attributes of a row, in the order of their indexes. */
export function readRowAttributes(columns: AttributeColumns, row: number, take: TakeEntry): void {
  for (const { index, kinds, numbers, texts } of columns) {
    const [kind, number] = [kinds[row]!, numbers[row]!]
    if (kind === VALUE.absent) continue
    take(index, kind === VALUE.text ? textAt(texts, number) : rawValue(kind - 1, number))
  }
}

function lengthOf(texts: Texts, place: number): number {
  return texts.ends[place]! - startOf(texts, place)
}
