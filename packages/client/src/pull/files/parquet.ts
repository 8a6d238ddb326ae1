import { constants, zstdCompressSync } from 'node:zlib'
import type { Cell, ColumnType, Kind, TableWriter } from './kinds.ts'
import type { OutputFile } from './output-file.ts'

/** Rows of a row group: readers skip whole groups, and the writer keeps one in memory. */
const GROUP_ROWS = 25_000
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const CREATED_BY = 'fleetgate pull'

type Element = import('hyparquet-writer').SchemaElement

const TYPES: Record<ColumnType, Omit<Element, 'name'>> = {
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

/** Writes a Parquet file, compressed with ZSTD. Each column may have nulls. */
export async function parquetWriter<Row>(
  { columns, cells }: Kind<Row>,
  file: Pick<OutputFile, 'write'>,
): Promise<TableWriter<Row>> {
  const { ByteWriter, ParquetWriter } = await parquetLibrary()
  const bytes = new ByteWriter(1 << 20)
  const flush = () => {
    file.write(bytes.getBytes())
    bytes.index = 0
  }
  const parquet = new ParquetWriter({
    writer: Object.assign(bytes, { flush, finish: flush }),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(
        ({ name, type }): Element => ({ name, repetition_type: 'OPTIONAL', ...TYPES[type] }),
      ),
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input, ZSTD) },
    createdBy: CREATED_BY,
  })
  let group = columns.map((): unknown[] => [])
  let rows = 0

  function writeGroup(): void {
    const columnData = columns.map(({ name, type }, i) => ({
      name,
      data: group[i]!,
      ...ENCODING[type],
    }))
    parquet.write({ columnData, rowGroupSize: GROUP_ROWS })
    group = columns.map(() => [])
    rows = 0
  }

  return {
    add(row) {
      for (const [i, value] of cells(row).entries()) {
        // A server may leave a field out.
        group[i]!.push(
          value === null || value === undefined ? null : VALUE[columns[i]!.type](value),
        )
      }
      rows += 1
      if (rows === GROUP_ROWS) writeGroup()
    },
    end() {
      if (rows > 0) writeGroup()
      parquet.finish()
    },
  }
}

type Value = NonNullable<Cell>
const asIs = (value: Value) => value
const VALUE: Record<ColumnType, (value: Value) => unknown> = {
  integer: (value) => BigInt(value),
  number: asIs,
  text: asIs,
  json: asIs,
  boolean: asIs,
  time: (value) => BigInt(Date.parse(String(value))),
}

/** Times and ids are close to their neighbors. The library chooses for the others. */
const ENCODING: Record<ColumnType, { encoding?: 'DELTA_BINARY_PACKED' }> = {
  integer: { encoding: 'DELTA_BINARY_PACKED' },
  time: { encoding: 'DELTA_BINARY_PACKED' },
  number: {},
  text: {},
  json: {},
  boolean: {},
}

/** The package that writes Parquet. It is optional. */
export async function parquetLibrary(): Promise<typeof import('hyparquet-writer')> {
  try {
    return await import('hyparquet-writer')
  } catch (cause) {
    throw new Error(
      'Parquet requires the package hyparquet-writer: run npm install hyparquet-writer, or use another --format',
      { cause },
    )
  }
}
