import { type CsvForm, csv } from './csv.ts'
import type { Kind, TableWriter } from './kinds.ts'
import type { OutputFile } from './output-file.ts'
import { parquetWriter } from './parquet.ts'
import { geojson, ndjson, type TextFormat } from './text-formats.ts'

export const FORMATS = ['ndjson', 'csv', 'geojson', 'parquet'] as const
export type FormatName = (typeof FORMATS)[number]

export async function tableWriter<Row extends object>(
  kind: Kind<Row>,
  format: FormatName,
  csvForm: CsvForm,
  file: Pick<OutputFile, 'write'>,
): Promise<TableWriter<Row>> {
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

function textWriter<Row>(
  { head, row, tail }: TextFormat<Row>,
  file: Pick<OutputFile, 'write'>,
): TableWriter<Row> {
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
