import { join } from 'node:path'
import { type PulledSums, sumsOf, sumsQuery } from './pulled-sums.ts'

/** Only this folder has the package, so the compiler of the repository does not know it. */
const DUCKDB = '@duckdb/node-api'

/** Counts and sums the Parquet files of a pull with DuckDB. */
export async function duckdbSums(out: string): Promise<PulledSums> {
  const { DuckDBInstance } = await import(DUCKDB)
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '4GB' })
  const connection = await instance.connect()
  const files = `read_parquet('${join(out, 'positions/*.parquet')}')`
  const reader = await connection.runAndReadAll(sumsQuery(files, 'id', 'epoch_ms(time_device)'))
  const [row] = reader.getRowObjects()
  connection.closeSync()
  return sumsOf(row)
}
