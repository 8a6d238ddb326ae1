import { candidatesOf, checkMapping, type Field, type Mapping } from './columns.ts'
import { readCsv } from './csv.ts'
import { ImportMisuse, SourceUnreadable } from './misuse.ts'
import type { Row } from './row.ts'
import type { Source } from './source.ts'

/**
 * The rows of a CSV file. Throws `ImportMisuse` if a mapped column or a required field's column is
 * missing.
 */
export async function* readCsvRows(
  source: Source,
  fields: readonly Field[],
  mapping: Mapping,
  required: readonly string[],
): AsyncGenerator<Row[]> {
  let columns: number[] | null = null
  let lastField: string | null = null
  for await (const portion of readCsv(source.bytes)) {
    let records = portion
    if (columns === null) {
      const header = portion[0]!.cells
      columns = bindColumns(header, fields, mapping, required, source.name)
      lastField = fields[columns.indexOf(header.length - 1)]?.name ?? null
      records = portion.slice(1)
    }
    const bound = columns
    yield records.map(({ line, text, cells, fault, ended }) => ({
      line,
      text,
      cells: pick(cells, bound),
      fault,
      cutField: ended ? null : lastField,
    }))
  }
  if (columns === null) {
    throw new SourceUnreadable(
      `'${source.name}' is empty: CSV begins with the names of its columns`,
    )
  }
}

/** A loop is faster than `map`, and every row passes here. */
function pick(cells: readonly string[], columns: readonly number[]): unknown[] {
  const picked = new Array<unknown>(columns.length)
  for (let at = 0; at < columns.length; at += 1) {
    const column = columns[at]!
    picked[at] = column === -1 ? undefined : cells[column]
  }
  return picked
}

/** The column of each field, or -1. */
function bindColumns(
  header: readonly string[],
  fields: readonly Field[],
  mapping: Mapping,
  required: readonly string[],
  source: string,
): number[] {
  checkMapping(mapping, header, source)
  return fields.map((field) => {
    const column = candidatesOf(field, header, mapping)[0]
    if (column === undefined && required.includes(field.name)) {
      const names = [field.name, ...field.synonyms].join(', ')
      throw new ImportMisuse(
        `'${source}' has no column for ${field.name} (${names}); name one of ${header.join(', ')} with --map ${field.name}=COLUMN`,
      )
    }
    return column ?? -1
  })
}
