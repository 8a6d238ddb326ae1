/**
 * Measures the cost of a fix that is a month late in a month at 1 Hz, compared with the cost of a newest fix, and
 * the latency of detail requests meanwhile.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FEED_TOKEN, newSecret } from '../packages/server/src/base/access/secret.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { connect } from './connection.ts'
import { addDrive, driveFix } from './drive.ts'
import { openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, percentile, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'
import { addTenants } from './tenants.ts'

const ROWS = isSmall ? 100_000 : 2_600_000
const FIXES = isSmall ? 50 : 500
const OTHERS = 400

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${ROWS.toLocaleString('en')} rows of one object, and ${OTHERS} other organizations`)
const store = await openStore({ folder: folder.path })
const [long, ...others] = await addTenants(store, 1 + OTHERS)
await addDrive(store, long!, ROWS)
const { secret: token, ...stored } = newSecret(FEED_TOKEN)
await store.feedTokens.issue(
  long!.organization,
  { ...stored, name: 'load', expiresAt: null },
  Date.now(),
)
await store.close()

pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const connection = await connect(fleetgate.feedPort)
const toOthers = rotation(others.map(detailRequest))

progress('warming up')
await sendEach((i) => ROWS + i)
progress('the newest ones')
const newest = await meanwhile(() => sendEach((i) => ROWS + FIXES + i))
progress('a month late')
const late = await meanwhile(() => sendEach((i) => 1_000 + i * 3 + 0.5))
connection.close()

report(
  `a fix that is ${(ROWS / 86_400).toFixed(1)} days late, among ${ROWS.toLocaleString('en')}`,
  [
    {
      name: 'to the acknowledgement of the newest',
      value: percentile(newest.result, 0.5),
      unit: 'ms',
    },
    { name: 'of a late one', value: percentile(late.result, 0.5), unit: 'ms' },
    { name: 'of a late one, p99', value: percentile(late.result, 0.99), unit: 'ms' },
    {
      name: 'detail while the newest come, p99',
      value: percentile(newest.loop.latenciesMs, 0.99),
      unit: 'ms',
    },
    {
      name: 'detail while late ones come, p99',
      value: percentile(late.loop.latenciesMs, 0.99),
      unit: 'ms',
      atMost: Math.max(10, 5 * percentile(newest.loop.latenciesMs, 0.99)),
    },
  ],
)

/**
 * Sends one after the other and returns the milliseconds of each. `second`: position in the drive; a half is
 * between two fixes.
 */
async function sendEach(second: (i: number) => number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < FIXES; i++) times.push(await send(second(i)))
  return times
}

function send(second: number): Promise<number> {
  const fix = driveFix(second)
  const row = {
    ident: long!.ident,
    time_device: fix.timeDevice,
    latitude: fix.latitude,
    longitude: fix.longitude,
    speed: fix.speed,
    ignition: true,
  }
  const body = JSON.stringify([row])
  const head = `POST /feed/v1/positions HTTP/1.1\r\nHost: x\r\nx-feed-token: ${token}\r\nContent-Length: ${body.length}\r\n\r\n`
  const start = performance.now()
  return new Promise((resolve, reject) => {
    connection.send(Buffer.from(head + body), (status) => {
      if (status === 200) resolve(performance.now() - start)
      else reject(new Error(`${status} to a fix`))
    })
  })
}

async function meanwhile<T>(work: () => Promise<T>) {
  const done = new AbortController()
  const asked = openLoop(fleetgate, toOthers, done.signal)
  const result = await work().finally(() => done.abort())
  return { result, loop: await asked }
}
