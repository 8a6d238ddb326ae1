import { type CsvForm, csv } from './csv.ts'
import type { Kind, TableWriter } from './kinds.ts'
import type { OutputFile } from './output-file.ts'
import { parquetWriter } from './parquet.ts'
import { geojson, ndjson, type TextFormat } from './text-formats.ts'
import { workbook } from './workbook.ts'
import { zoneOffset } from './zone-offset.ts'

export const FORMATS = ['ndjson', 'csv', 'xlsx', 'geojson', 'parquet'] as const
export type FormatName = (typeof FORMATS)[number]

type File = Pick<OutputFile, 'write'>

/** How files are written. `timeZone`: that of the times in a workbook. Undefined: UTC. */
export type TableForm = { format: FormatName; csvForm: CsvForm; timeZone?: string }

/** Writes all rows. `name`: of the sheet in a workbook. */
export async function writeTable<Row extends object>(
  { name, kind }: { name: string; kind: Kind<Row> },
  form: TableForm,
  file: File,
  rows: AsyncIterable<Row>,
): Promise<void> {
  if (form.format === 'xlsx') {
    const cells = cellsOf(kind, rows)
    const parts = workbook(name, kind.columns, cells, zoneOffset(form.timeZone))
    for await (const part of parts) file.write(part)
    return
  }
  const writer = await writerOf(kind, form.format, form.csvForm, file)
  for await (const row of rows) writer.add(row)
  writer.end()
}

async function* cellsOf<Row>({ cells }: Kind<Row>, rows: AsyncIterable<Row>) {
  for await (const row of rows) yield cells(row)
}

function writerOf<Row extends object>(
  kind: Kind<Row>,
  format: Exclude<FormatName, 'xlsx'>,
  csvForm: CsvForm,
  file: File,
): TableWriter<Row> | Promise<TableWriter<Row>> {
  switch (format) {
    case 'parquet':
      return parquetWriter(kind, file)
    case 'csv':
      return textWriter(csv(kind, csvForm), file)
    case 'geojson':
      return textWriter(geojson(kind), file)
    case 'ndjson':
      return textWriter(ndjson(), file)
  }
}

/** Characters that are written at once. */
const PART = 1 << 18

function textWriter<Row>({ head, row, tail }: TextFormat<Row>, file: File): TableWriter<Row> {
  let text = head
  let isFirst = true
  return {
    add(each) {
      text += row(each, isFirst)
      isFirst = false
      if (text.length < PART) return
      file.write(Buffer.from(text))
      text = ''
    },
    end: () => file.write(Buffer.from(text + tail)),
  }
}
