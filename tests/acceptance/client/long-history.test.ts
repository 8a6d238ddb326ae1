/** `CLIENT_TRIAL=whole`: 1,000,000 rows; otherwise 50,000. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { importDrive, numbersFrom } from './imported-drive.ts'

const ROWS = process.env.CLIENT_TRIAL === 'whole' ? 1_000_000 : 50_000
const TIMES = 20
/** The memory of 2,000 rows. The client reads 50,000 at least. */
const MAX_HEAP_GROWTH_MB = 1
const MAX_RSS_MB = 160

const fleet = await startFleet({ full: 0, plain: 1 })
const organization = fleet.take()
await importDrive(fleet, organization, 'silent', numbersFrom(0, ROWS))

it(`a history of ${ROWS} rows is read in constant memory`, async (t) => {
  const script = join(import.meta.dirname, 'count-history.ts')
  const { api } = fleet.server
  const args = [api, String(organization.objects.silent), String(ROWS / TIMES)]
  const begun = performance.now()
  const child = spawn(process.execPath, ['--expose-gc', script, ...args], {
    env: { ...process.env, FLEETGATE_API_KEY: organization.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  const ms = performance.now() - begun
  assert.equal(code, 0)
  const samples: Json[] = printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(samples.at(-1).rows, ROWS)
  assert.equal(samples.length, TIMES)
  const heaps = samples.map(({ heapMb }) => heapMb)
  const mostRss = Math.max(...samples.map(({ rssMb }) => rssMb))
  // Node compiles the program during the first measurements.
  const growth = Math.max(...heaps.slice(2)) - heaps[1]
  const figures = { rows: ROWS, heapMb: heaps.at(-1), growthMb: growth, mostRssMb: mostRss }
  t.diagnostic(JSON.stringify({ ...figures, rowsPerSecond: Math.round((ROWS * 1000) / ms) }))
  assert.ok(growth < MAX_HEAP_GROWTH_MB, `the heap grew by ${growth} MB`)
  assert.ok(mostRss < MAX_RSS_MB, `${mostRss} MB resident`)
})
