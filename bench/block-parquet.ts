import { once } from 'node:events'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { COLUMNS, WORDS } from '../packages/server/src/data/positions/block-columns.ts'
import { startOf } from '../packages/server/src/data/positions/column-bytes.ts'
import { columnsOf } from '../packages/server/src/data/positions/rows-to-columns.ts'
import type { Corpus } from './block-corpora.ts'
import { columnName } from './block-names.ts'

/** Only this folder has the package, so the compiler of the repository does not know it. */
const DUCKDB = '@duckdb/node-api'

/**
 * The same values as Parquet by DuckDB: one file, rows by object and time, version 2 (differences of integers,
 * dictionaries), Zstandard 19. `object`, three words of flags and all numbers as BIGINT, NULL where a row has none;
 * `address` as VARCHAR.
 */
export async function parquetBytes(corpus: Corpus, folder: string): Promise<string> {
  const csv = join(folder, 'rows.csv')
  const rows = await writeCsv(corpus, csv)
  const { DuckDBInstance } = await import(DUCKDB)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const file = join(folder, 'rows.parquet')
  const read = `read_csv('${csv}', header = true, all_varchar = false, sample_size = -1)`
  await connection.run(
    `COPY (FROM ${read}) TO '${file}' (FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd, COMPRESSION_LEVEL 19)`,
  )
  connection.closeSync()
  const bytes = statSync(file).size
  return `${(bytes / rows).toFixed(2)} bytes of a position`
}

async function writeCsv({ objects }: Corpus, path: string): Promise<number> {
  const out = createWriteStream(path)
  const names = COLUMNS.map((_, place) => columnName(place).replace(/\W/g, '_'))
  const words = Array.from({ length: WORDS }, (_, word) => `flags${word}`)
  out.write(`${['object', ...words, ...names].join(',')}\n`)
  let count = 0
  for (const [object, rows] of objects.entries()) {
    const { flags, numbers, addresses } = columnsOf(rows)
    const texts = Array.from(addresses.ends, (end, place) => {
      const text = addresses.bytes.toString('utf8', startOf(addresses, place), end)
      return `"${text.replaceAll('"', '""')}"`
    })
    const lines = rows.map((_, row) => {
      const cells = COLUMNS.map(({ word, bit }, place) => {
        const value = numbers[place]?.[row]
        if (value === undefined || (flags[word]![row]! & bit) !== bit) return ''
        return columnName(place) === 'address' ? texts[value] : value
      })
      return [object, ...flags.map((each) => each[row]), ...cells].join(',')
    })
    count += rows.length
    if (lines.length > 0 && !out.write(`${lines.join('\n')}\n`)) await once(out, 'drain')
  }
  out.end()
  await finished(out)
  return count
}
