/**
 * Streams a month at 1 Hz in one request, once and four times in parallel, and measures the server's memory and
 * the latency of detail requests, sent 200 times a second meanwhile.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { addDrive } from './drive.ts'
import { openHistoryReader } from './history-reader.ts'
import { INTERVAL_MS, type OpenLoop, openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, goFirst, pin, residentBytes } from './processor.ts'
import type { HistoryAnswer } from './read-history.ts'
import { type Figure, isSmall, overRounds, percentile, progress, report } from './report.ts'
import { detailRequest, historyPath, rotation } from './requests.ts'
import { addTenants } from './tenants.ts'

const ROWS = isSmall ? 500_000 : 2_600_000
/** Twice as many as 200 requests a second need, as no organization may send more than one a second. */
const OTHERS = 400
const QUIET_MS = isSmall ? 2_000 : 10_000
/** Consecutive streams for at least this time, for enough requests to compute a 99th percentile. */
const BUSY_MS = isSmall ? 2_000 : 10_000
const STREAMS_AT_ONCE = 4
/** After this time, the exporting organization may send ten more requests. */
const WINDOW_MS = 10_000
const SAMPLE_MS = 20
const MEGABYTE = 2 ** 20

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${ROWS.toLocaleString('en')} rows of one object, and ${OTHERS} other organizations`)
const store = await openStore({ folder: folder.path })
const [long, ...others] = await addTenants(store, 1 + OTHERS)
await addDrive(store, long!, ROWS)
for (const other of others) await addDrive(store, other, 1)
await store.close()
// Otherwise the disk would be busy with the rows during the measurement, which also writes the log and the quota
// journal.
execFileSync('sync')

pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
await using readers = new AsyncDisposableStack()
const idle = Array.from({ length: STREAMS_AT_ONCE }, () =>
  readers.use(openHistoryReader(CLIENT_PROCESSOR)),
)
const toOthers = rotation(others.map(detailRequest))
goFirst(process.pid)

progress('warming up')
await asking(() => sleep(QUIET_MS / 2))
progress('quiet')
const quiet = await asking(() => sleep(QUIET_MS))
progress('one stream after the other')
const single = await asking(() => streams(0))
progress(`${STREAMS_AT_ONCE} streams at once`)
await sleep(WINDOW_MS)
const several = await asking(async () => (await Promise.all(idle.map((_, i) => streams(i)))).flat())
progress('a loop that only spins')
const spun = await spinning(several.loop.latenciesMs.length * INTERVAL_MS)
progress('one stream in gzip')
await sleep(WINDOW_MS)
const gzip = await asking(async () => [await stream(0, 'gzip')])

const quietMs = percentile(quiet.loop.latenciesMs, 0.99)
const runs = [quiet, single, several, gzip]
report(`a month at 1 Hz in one request: ${ROWS.toLocaleString('en')} rows`, [
  { name: 'detail, quiet, p99', value: quietMs, unit: 'ms' },
  ...figuresOf('a stream', single, 64),
  { ...p99('a stream', single.loop), atMost: Math.max(10, 3 * quietMs) },
  ...figuresOf(`${STREAMS_AT_ONCE} streams`, several),
  { ...p99(`${STREAMS_AT_ONCE} streams`, several.loop), atMost: Math.max(10, 3 * quietMs) },
  {
    // Delays of the machine itself, over the same time on the server's processor.
    name: 'a loop that does nothing but look at the clock, p99',
    value: percentile(spun, 0.99),
    unit: 'ms',
  },
  {
    // Delays of the client that count as latency of the server.
    name: `requests taken up later than due during ${STREAMS_AT_ONCE} streams, p99`,
    value: percentile(several.loop.latenessesMs, 0.99),
    unit: 'ms',
  },
  ...figuresOf('a stream in gzip', gzip),
  p99('a stream in gzip', gzip.loop),
  {
    name: 'answers other than 200',
    value: runs.reduce((sum, run) => sum + run.loop.others, 0),
    unit: '',
    atMost: 0,
  },
])

type Run<T> = { result: T; loop: OpenLoop; grewBytes: number }

/** Runs work during the detail requests, and watches the server's memory. */
async function asking<T>(work: () => Promise<T>): Promise<Run<T>> {
  const done = new AbortController()
  const before = residentBytes(fleetgate.pid)
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, residentBytes(fleetgate.pid))
  }, SAMPLE_MS)
  const asked = openLoop(fleetgate, toOthers, done.signal)
  const result = await work().finally(() => {
    clearInterval(sampling)
    done.abort()
  })
  return { result, loop: await asked, grewBytes: most - before }
}

async function stream(reader: number, coding: 'identity' | 'gzip'): Promise<HistoryAnswer> {
  const answer = await idle[reader]!.read({
    port: fleetgate.port,
    path: historyPath(long!, ROWS),
    key: long!.key,
    coding,
  })
  if (answer.rows !== ROWS) throw new Error(`${answer.rows} rows came, not ${ROWS}`)
  return answer
}

async function spinning(ms: number): Promise<number[]> {
  const file = join(import.meta.dirname, 'spin.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [file, `${ms}`], {
    maxBuffer: Infinity,
  })
  return JSON.parse(stdout)
}

/** Consecutive streams until enough requests were measured. */
async function streams(reader: number): Promise<HistoryAnswer[]> {
  const answers: HistoryAnswer[] = []
  const start = performance.now()
  while (performance.now() < start + BUSY_MS) answers.push(await stream(reader, 'identity'))
  return answers
}

function figuresOf(name: string, run: Run<HistoryAnswer[]>, mostMegabytes?: number): Figure[] {
  const { value, spread } = overRounds(run.result, ({ seconds }) => seconds)
  return [
    { name, value, spread, unit: 's' },
    { name: `${name}, one answer`, value: run.result[0]!.bytes / MEGABYTE, unit: 'MB' },
    {
      name: `${name}, memory grew`,
      value: run.grewBytes / MEGABYTE,
      unit: 'MB',
      ...(mostMegabytes === undefined ? {} : { atMost: mostMegabytes }),
    },
  ]
}

function p99(load: string, { latenciesMs }: OpenLoop): Figure {
  return {
    name: `detail during ${load}, p99`,
    value: percentile(latenciesMs, 0.99),
    unit: 'ms',
  }
}
