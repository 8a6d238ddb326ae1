/**
 * Measures histories of 10,000 rows in each format, of a server with a data folder and one processor, in rows a
 * second, compared with the same in JSON.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin, threadSeconds } from './processor.ts'
import { type RowMarks, readHistory } from './read-history.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { historyPath } from './requests.ts'
import { addTenants } from './tenants.ts'

const ROWS = 10_000
const TENANTS = isSmall ? 4 : 20
const AT_ONCE = 4
/** The first round warms up and does not count. */
const ROUNDS = isSmall ? 3 : 6
/** After this time, tenants that filled their rate windows in a round may send more. */
const WINDOW_MS = 10_000

/** A line end for each row, or the brackets of its tags, of which a text has none. */
const FORMATS: Record<string, { marks?: RowMarks; atLeast?: number }> = {
  json: {},
  ndjson: { marks: { row: '\n', head: 0, end: '}\n' }, atLeast: 0.5 },
  csv: { marks: { row: '\n', head: 1, end: '\r\n' }, atLeast: 0.5 },
  // A line begins the list, and one ends it. Three objects in a row.
  geojson: { marks: { row: '\n', head: 2, end: ']}\n' }, atLeast: 0.5 },
  gpx: { marks: { row: '\n', head: 5, end: '</gpx>\n' }, atLeast: 0.25 },
  // A position has a placemark, and two lines of the track.
  kml: { marks: { row: '\n', each: 3, head: 7, end: '</kml>\n' }, atLeast: 0.25 },
}

type Speed = { perSecond: number; perProcessorSecond: number }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const store = await openStore({ folder: folder.path })
progress(`${TENANTS} organizations with ${ROWS.toLocaleString('en')} rows each`)
const tenants = await addTenants(store, TENANTS)
for (const tenant of tenants) await addDrive(store, tenant, ROWS)
await store.close()
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)

const rounds: Record<string, Speed>[] = []
for (let i = 0; i < ROUNDS; i++) {
  progress(i === 0 ? 'warming up' : `round ${i} of ${ROUNDS - 1}`)
  await pause(WINDOW_MS)
  const round: Record<string, Speed> = {}
  for (const format of Object.keys(FORMATS)) round[format] = await measure(format)
  if (i > 0) rounds.push(round)
}
report(
  `histories of ${ROWS.toLocaleString('en')} rows by format`,
  Object.keys(FORMATS).flatMap(figuresOf),
)

function figuresOf(format: string): Figure[] {
  const speeds = {
    name: format,
    ...overRounds(rounds, (round) => round[format]!.perSecond),
    unit: 'rows/s',
  }
  const { atLeast } = FORMATS[format]!
  if (atLeast === undefined) return [speeds]
  const ratio = (round: Record<string, Speed>) =>
    round[format]!.perProcessorSecond / round.json!.perProcessorSecond
  return [
    speeds,
    {
      name: `${format}, of JSON by processor time`,
      ...overRounds(rounds, ratio),
      unit: '',
      atLeast,
    },
  ]
}

/** Rows a second while every tenant asks once, several at once. */
async function measure(format: string): Promise<Speed> {
  const asking = [...tenants]
  const { marks } = FORMATS[format]!
  const processorBefore = threadSeconds(fleetgate.pid)
  const start = performance.now()
  const ask = async () => {
    for (let tenant = asking.pop(); tenant !== undefined; tenant = asking.pop()) {
      const path = `${historyPath(tenant, ROWS)}&format=${format}`
      const request = { port: fleetgate.port, path, key: tenant.key, coding: 'identity' as const }
      const { rows } = await readHistory({ ...request, ...(marks && { format: marks }) })
      if (rows !== ROWS) throw new Error(`${rows} rows of ${format} came, not ${ROWS}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const read = tenants.length * ROWS
  return {
    perSecond: read / ((performance.now() - start) / 1000),
    perProcessorSecond: read / (threadSeconds(fleetgate.pid) - processorBefore),
  }
}
