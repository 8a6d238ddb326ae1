/**
 * Packs a backlog of 10,000,000 positions with `fleetgate pack` while a server runs, and measures the latency of
 * detail requests, sent 200 times a second: while the server packs a backlog, while the command does, and afterwards. Not in `npm run bench`: it needs 4 GB of temporary
 * space and some five minutes.
 *
 * node packing.ts [--small] [--json]
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { BIN, startFleetgate } from './child-server.ts'
import { loadInterleaved } from './interleaved-rows.ts'
import { INTERVAL_MS, openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, goFirst, pin } from './processor.ts'
import { type Figure, isSmall, percentile, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'

/** Twice as many organizations as 200 requests a second need, as none may send more than one a second. */
const OBJECTS = 400
const ROWS_EACH = isSmall ? 500 : 25_000
const WATCHED_MS = isSmall ? 2_000 : 20_000

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`loading ${(OBJECTS * ROWS_EACH).toLocaleString('en')} positions`)
const { tenants, rows } = await loadInterleaved(folder.path, OBJECTS, ROWS_EACH)
execFileSync('sync')
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
goFirst(process.pid)
const next = rotation(tenants.map(detailRequest))

progress('warming up')
await latencies(() => sleep(WATCHED_MS / 2))
progress('the server packs')
const server = await latencies(() => sleep(WATCHED_MS))
progress('the command packs')
const begun = performance.now()
const command = await latencies(pack)
const seconds = (performance.now() - begun) / 1000
progress('all is packed')
const packed = await latencies(() => sleep(WATCHED_MS))
report(`details while ${rows.toLocaleString('en')} positions are packed`, [
  ...figuresOf('all is packed', packed),
  ...figuresOf('the server packs', server),
  ...figuresOf('the command packs', command),
  { name: 'the command, by the clock', value: rows / seconds, unit: 'rows/s' },
])

function figuresOf(name: string, ms: number[]): Figure[] {
  return [
    { name: `detail while ${name}, p99`, value: percentile(ms, 0.99), unit: 'ms' },
    { name: `detail while ${name}, slowest`, value: percentile(ms, 1), unit: 'ms' },
  ]
}

/** Latencies of requests during some work, in ms. */
async function latencies(work: () => Promise<unknown>): Promise<number[]> {
  const done = new AbortController()
  const asked = openLoop(fleetgate, next, done.signal)
  await work().finally(() => done.abort())
  const { latenciesMs, others } = await asked
  if (others > 0) throw new Error(`${others} answers were not 200`)
  progress(`${latenciesMs.length} requests, one every ${INTERVAL_MS} ms`)
  return latenciesMs
}

async function pack(): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[BIN, 'pack', '--data', folder.path, '--json'],
  ])
  progress(stdout)
}
