/**
 * Pulls a fleet of 50,000 objects into Parquet and into PostgreSQL with `fleetgate pull`: a first night from the
 * start, and a second night of which one row in a hundred comes late. Counts and sums what came by DuckDB and by
 * PostgreSQL, and compares with the fixes that were sent and with the server's latest positions.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { startFleetgate } from './child-server.ts'
import { duckdbSums } from './duckdb-sums.ts'
import { addDay, addLargeFleet, OBJECTS, ROWS_A_DAY } from './large-fleet.ts'
import { type MeasuredPull, measuredPull } from './measured-pull.ts'
import { postgresSums } from './postgres-sums.ts'
import { unpin } from './processor.ts'
import { answeredSums, differences, sentSums } from './pulled-sums.ts'
import { type Figure, found, progress, report } from './report.ts'

const LATE_SHARE = 0.01
const MEGABYTE = 2 ** 20
const MAX_MEMORY_MB = 300

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const [data, out] = [join(folder.path, 'data'), join(folder.path, 'parquet')]
await using stack = new AsyncDisposableStack()
const store = await openStore({ folder: data })
stack.defer(() => store.close())
const fleet = await addLargeFleet(store)
const ids = (await store.objects.list(fleet.organization)).map(({ id }) => id)
progress(`the first day: ${(OBJECTS * ROWS_A_DAY).toLocaleString('en')} rows`)
await addDay(store, fleet, 0, 0)
const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on' })
stack.defer(() => postgres.stop())
const database = await postgres.database()
await using server = await startFleetgate(data)
unpin(server.pid)
const url = `http://127.0.0.1:${server.port}`
const targets = [
  { name: 'Parquet', to: ['--out', out, '--format', 'parquet'], sums: () => duckdbSums(out) },
  { name: 'PostgreSQL', to: ['--to', database], sums: () => postgresSums(database) },
]

const figures: Figure[] = []
await night('first night', ROWS_A_DAY)
progress('the second day')
await addDay(store, fleet, 1, LATE_SHARE)
await night('second night', 2 * ROWS_A_DAY)
report(`${OBJECTS.toLocaleString('en')} objects, a row each ten minutes, pulled`, figures)

/** Pulls into each target, and compares. `steps`: rows of each object that were sent. */
async function night(name: string, steps: number): Promise<void> {
  const expected = {
    ...sentSums(ids, steps),
    ...(await answeredSums(url, fleet.key, ids)),
  }
  for (const target of targets) {
    progress(`${name}, ${target.name}`)
    const pulled = await measuredPull(['--url', url, ...target.to], fleet.key)
    const wrong = differences(await target.sums(), expected)
    for (const each of wrong) progress(each)
    figures.push(...found(figuresOf(`${name}, ${target.name}`, pulled, wrong.length)))
  }
}

function figuresOf(name: string, pulled: MeasuredPull, wrong: number): Figure[] {
  return [
    { name: `${name}, requests`, value: pulled.requests, unit: '' },
    { name: `${name}, changes`, value: pulled.changes, unit: '' },
    { name: `${name}, time`, value: pulled.seconds, unit: 's' },
    { name: `${name}, processor`, value: pulled.used, unit: 's' },
    {
      name: `${name}, memory`,
      value: pulled.peakBytes / MEGABYTE,
      unit: 'MB',
      atMost: MAX_MEMORY_MB,
    },
    { name: `${name}, sums that differ`, value: wrong, unit: '', atMost: 0 },
  ]
}
