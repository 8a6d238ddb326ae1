/**
 * Measures the feed: native batches of 500 compared with a bare loop of SQLite inserts of the same rows; single
 * OsmAnd packets compared with a bare `node:http` server; and the latency of the API meanwhile.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FEED_TOKEN, newSecret } from '../packages/server/src/base/access/secret.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { identOf, nativeRequest, osmandRequest } from './feed-packets.ts'
import { openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, pin, SERVER_PROCESSOR, unpin } from './processor.ts'
import { startRaw } from './raw.ts'
import { isSmall, overRounds, percentile, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'
import { addTenants } from './tenants.ts'

const BATCH = 500
const VEHICLES = 1_000
const BATCHES = isSmall ? 100 : 600
const ROUNDS = isSmall ? 2 : 3
const FEEDERS = 4
const OSMAND_SECONDS = isSmall ? 1 : 4
/** Each tracker has a connection, and all wait for the disk together. */
const OSMAND_CONNECTIONS = 256
const QUIET_MS = isSmall ? 2_000 : 10_000
/** Organizations that request details meanwhile: twice as many as 200 requests a second need. */
const OTHERS = 400

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${VEHICLES} vehicles, and ${OTHERS} other organizations`)
const { token, others } = await fill(folder.path)
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const feed = { ...fleetgate, port: fleetgate.feedPort }
const vehicles = Array.from({ length: VEHICLES }, (_, vehicle) => vehicle)
let step = 0

progress('warming up')
await nativeRound()
const rounds: { bare: Pace; native: Round }[] = []
for (let round = 1; round <= ROUNDS; round++) {
  progress(`batches of ${BATCH}: round ${round} of ${ROUNDS}`)
  rounds.push({ bare: await bareInserts(), native: await nativeRound() })
}

const acknowledged = { status: 200, headers: ['Content-Length', '0'], bodyBase64: '' }
await using raw = await startRaw(folder.path, acknowledged)
let sent = 0
const packet = () => osmandRequest(token, sent % VEHICLES, step + Math.floor(sent++ / VEHICLES))
const singles: { raw: Round; osmand: Round }[] = []
for (let round = 0; round <= ROUNDS; round++) {
  progress(`single packets: ${round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`}`)
  const ofRaw = await closedLoop(raw, packet, OSMAND_CONNECTIONS, OSMAND_SECONDS)
  const osmand = await closedLoop(feed, packet, OSMAND_CONNECTIONS, OSMAND_SECONDS)
  if (round > 0) singles.push({ raw: ofRaw, osmand })
}

step += Math.ceil(sent / VEHICLES)
// Work of the other threads, such as syncs, must not count against the answering thread.
unpin(fleetgate.pid)
progress('the API, quiet')
const toOthers = rotation(others.map(detailRequest))
const quiet = await during(new Promise((resolve) => setTimeout(resolve, QUIET_MS)))
progress('the API, while batches come as fast as they are taken')
const fed = nativeRound()
const busy = await during(fed)

const native = rounds.map((each) => each.native)
const osmand = singles.map((each) => each.osmand)
const quietMs = percentile(quiet.latenciesMs, 0.99)
report(`the feed: durable batches of ${BATCH} and single packets`, [
  {
    name: 'batches, of a bare loop of inserts',
    ...overRounds(rounds, (r) => (r.native.perSecond * BATCH) / r.bare.perSecond),
    unit: '',
    atLeast: 0.3,
  },
  {
    name: 'the same, for each second of processor time',
    ...overRounds(rounds, (r) => (r.native.perProcessorSecond * BATCH) / r.bare.perProcessorSecond),
    unit: '',
  },
  { name: 'batches', ...overRounds(native, (r) => r.perSecond * BATCH), unit: 'positions/s' },
  { name: 'bare loop', ...overRounds(rounds, (r) => r.bare.perSecond), unit: 'rows/s' },
  {
    name: 'single OsmAnd packets, of raw node:http',
    ...overRounds(singles, (r) => r.osmand.perSecond / r.raw.perSecond),
    unit: '',
    atLeast: 0.2,
  },
  {
    name: 'single OsmAnd packets',
    ...overRounds(osmand, (r) => r.perSecond),
    unit: 'requests/s',
  },
  { name: 'raw node:http', ...overRounds(singles, (r) => r.raw.perSecond), unit: 'requests/s' },
  {
    name: 'answers other than 200',
    value: [...native, ...osmand, await fed].reduce(
      (sum, r) => sum + r.others,
      quiet.others + busy.others,
    ),
    unit: '',
    atMost: 0,
  },
  { name: 'detail, quiet, p99', value: quietMs, unit: 'ms' },
  {
    name: 'detail, while batches come, p99',
    value: percentile(busy.latenciesMs, 0.99),
    unit: 'ms',
    atMost: Math.max(10, 5 * quietMs),
  },
  { name: 'batches meanwhile', value: (await fed).perSecond * BATCH, unit: 'positions/s' },
])

type Pace = { perSecond: number; perProcessorSecond: number }

async function fill(data: string) {
  const store = await openStore({ folder: data })
  const [mine, ...others] = await addTenants(store, 1 + OTHERS)
  const { secret, ...stored } = newSecret(FEED_TOKEN)
  await store.feedTokens.issue(
    mine!.organization,
    { ...stored, name: 'load', expiresAt: null },
    Date.now(),
  )
  const idents = Array.from({ length: VEHICLES }, (_, vehicle) => identOf(vehicle))
  await store.objects.ensure(mine!.organization, idents, Date.now())
  await store.close()
  return { token: secret, others }
}

/** The feeders alternate: each sends the next step of half the fleet as soon as the last is answered. */
async function nativeRound(): Promise<Round> {
  const halves = [vehicles.slice(0, BATCH), vehicles.slice(BATCH)]
  const requests = Array.from({ length: BATCHES }, (_, i) =>
    nativeRequest(token, halves[i % 2]!, step + (i >> 1)),
  )
  step += BATCHES / 2
  return drain(feed, requests)
}

/** Sends each of the requests once. */
async function drain(server: typeof feed, requests: Buffer[]): Promise<Round> {
  const left = requests[Symbol.iterator]()
  return closedLoop(server, () => left.next().value, FEEDERS, Infinity)
}

async function bareInserts(): Promise<Pace> {
  const child = fork(join(import.meta.dirname, 'bare-inserts.ts'), [`${BATCHES}`, `${BATCH}`])
  pin(child.pid!, SERVER_PROCESSOR)
  const [pace] = await once(child, 'message')
  await once(child, 'exit')
  return pace as Pace
}

async function during(work: Promise<unknown>) {
  const done = new AbortController()
  const asked = openLoop(fleetgate, toOthers, done.signal)
  await work.finally(() => done.abort())
  return asked
}
