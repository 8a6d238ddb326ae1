import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { type ChildServer, startFleetgate, startYardstick } from './child-server.ts'
import { type DetailAsker, openDetailAsker } from './detail-asker.ts'
import { addFedFleet } from './fed-fleet.ts'
import {
  type Followed,
  type Follower,
  followStreams,
  PACKETS_A_SECOND,
  SECONDS,
  SETTLE_MS,
  STREAMS_OF_EACH,
  streamRequest,
  VEHICLES,
} from './follow-streams.ts'
import { type OpenedStream, openStream } from './open-stream.ts'
import { CLIENT_PROCESSOR, pin, processorSeconds, residentBytes, unpinFamily } from './processor.ts'
import { type Figure, isSmall, percentile, progress } from './report.ts'
import { getRequest } from './requests.ts'
import type { SharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const ORGANIZATIONS = isSmall ? 20 : 100
/** Enough for 200 details a second. */
const OTHERS = 400
const QUIET_MS = isSmall ? 2_000 : 10_000
const KIBIBYTE = 1_024
/** The bars of the 99th percentile from the acknowledgement to the stream. */
const EMBEDDED_BAR_MS = 100
const SHARED_BAR_MS = 500
/** The bar of a detail meanwhile: this, or three times the quiet one. */
const DETAIL_BAR_MS = 10

/** `busy`: milliseconds of each detail meanwhile. `used`: seconds of the server's processor. */
type Measured = { result: Followed; busy: number[]; used: number }

/**
 * Holds ten streams of changes for each of 100 organizations, sends 2,000 packets a second to them, and measures the
 * time from each acknowledgement to each stream that gets the packet, and the details of others meanwhile. Before
 * that: the memory of idle streams compared with a bare server that holds connections.
 */
export async function measureStreams(shared?: SharedDeployment): Promise<Figure[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  const place = shared === undefined ? { folder: folder.path } : { database: shared.database }
  const { followers, others } = await addFleets(place)
  pin(process.pid, CLIENT_PROCESSOR)
  progress('idle streams')
  const idle = await memoryOfStreams(
    () => startFleetgate(folder.path, shared?.place),
    followers,
    others,
  )
  const raw = await memoryOfConnections()
  await using fleetgate = await startFleetgate(folder.path, shared?.place)
  if (shared !== undefined) {
    unpinFamily(fleetgate.pid)
    unpinFamily(process.pid)
  }
  await using asker = openDetailAsker(CLIENT_PROCESSOR)
  const details = detailsOf(asker, fleetgate, others)
  progress('details, quiet')
  // A server that has just started compiles its code while it answers.
  await details(() => sleep(QUIET_MS))
  const { latencies: quiet } = await details(() => sleep(QUIET_MS))
  // The first round compiles in the same way.
  await followAt(PACKETS_A_SECOND, 0)
  const half = await followAt(PACKETS_A_SECOND / 2, SECONDS * PACKETS_A_SECOND)
  const { result, busy, used } = await followAt(PACKETS_A_SECOND, 2 * SECONDS * PACKETS_A_SECOND)

  async function followAt(packetsPerSecond: number, firstStep: number): Promise<Measured> {
    progress(`${packetsPerSecond} packets a second`)
    let busy: number[] = []
    let used = 0
    const load = { packetsPerSecond, firstStep }
    const result = await followStreams(fleetgate, followers, load, async (work) => {
      const usedBefore = processorSeconds(fleetgate.pid)
      const measured = await details(work)
      used = processorSeconds(fleetgate.pid) - usedBefore
      busy = measured.latencies
      return measured.result
    })
    return { result, busy, used }
  }

  const quietMs = percentile(quiet, 0.99)
  return [
    { name: 'detail, quiet, p99', value: quietMs, unit: 'ms' },
    {
      name: 'detail meanwhile, p99',
      value: percentile(busy, 0.99),
      unit: 'ms',
      atMost: Math.max(DETAIL_BAR_MS, 3 * quietMs),
    },
    {
      name: 'acknowledgement to stream, median',
      value: percentile(result.latenciesMs, 0.5),
      unit: 'ms',
    },
    {
      name: 'acknowledgement to stream, p99',
      value: percentile(result.latenciesMs, 0.99),
      unit: 'ms',
      atMost: shared === undefined ? EMBEDDED_BAR_MS : SHARED_BAR_MS,
    },
    {
      name: 'packets',
      value: result.packetsPerSecond,
      unit: 'a second',
      atLeast: 0.98 * PACKETS_A_SECOND,
    },
    { name: 'positions that streams got', value: result.latenciesMs.length, unit: '' },
    { name: 'positions that streams lack', value: result.missing, unit: '', atMost: 0 },
    { name: 'processor of the server', value: used / SECONDS, unit: 'of 1' },
    ...ofHalf(half),
    {
      name: 'memory of an idle stream',
      value: idle / KIBIBYTE,
      unit: 'KiB',
      atMost: (1.3 * raw) / KIBIBYTE + 4,
    },
    { name: 'memory of an idle raw connection', value: raw / KIBIBYTE, unit: 'KiB' },
  ]
}

/** The figures of half of the packets. They show whether the cost falls with the packets. */
function ofHalf({ result, busy, used }: Measured): Figure[] {
  const name = (of: string) => `half of the packets, ${of}`
  return [
    { name: name('detail meanwhile, p99'), value: percentile(busy, 0.99), unit: 'ms' },
    {
      name: name('acknowledgement to stream, p99'),
      value: percentile(result.latenciesMs, 0.99),
      unit: 'ms',
    },
    { name: name('packets'), value: result.packetsPerSecond, unit: 'a second' },
    { name: name('processor of the server'), value: used / SECONDS, unit: 'of 1' },
  ]
}

async function addFleets(place: Parameters<typeof openStore>[0]) {
  progress(`${ORGANIZATIONS} organizations of ${VEHICLES} vehicles`)
  const store = await openStore(place)
  const followers: Follower[] = []
  for (let each = 0; each < ORGANIZATIONS; each += 1)
    followers.push(await addFedFleet(store, VEHICLES))
  const others = await addTenants(store, OTHERS)
  await store.close()
  return { followers, others }
}

/** Bytes that each idle stream takes. */
async function memoryOfStreams(
  start: () => Promise<ChildServer>,
  followers: readonly Follower[],
  others: readonly Tenant[],
): Promise<number> {
  await using server = await withFewGarbage(start)
  const held = followers.flatMap((follower) =>
    Array.from({ length: STREAMS_OF_EACH }, () => streamRequest(follower)),
  )
  return await memoryOf(server, others.map(streamRequest), held)
}

/** Bytes that each idle connection of a bare server takes. */
async function memoryOfConnections(): Promise<number> {
  await using server = await withFewGarbage(() => startYardstick('held-server.ts', []))
  const request = () => getRequest('/', {})
  const warmUp = Array.from({ length: OTHERS }, request)
  const held = Array.from({ length: ORGANIZATIONS * STREAMS_OF_EACH }, request)
  return await memoryOf(server, warmUp, held)
}

/**
 * Starts a server that collects young garbage each megabyte. Garbage that is not collected yet would count as
 * memory of the streams: a server collects it each 64 MB, a bare one each 16.
 */
async function withFewGarbage<Server>(start: () => Promise<Server>): Promise<Server> {
  process.env.NODE_OPTIONS = '--max-semi-space-size=1'
  try {
    return await start()
  } finally {
    delete process.env.NODE_OPTIONS
  }
}

/** Runs the work and asks for details of others until it is done. Latencies are milliseconds. */
function detailsOf(asker: DetailAsker, { port }: ChildServer, others: readonly Tenant[]) {
  return async <T>(work: () => Promise<T>): Promise<{ latencies: number[]; result: T }> => {
    const { loop, result } = await asker.during({ port, tenants: others }, work)
    const { latenciesMs, others: refused } = loop
    if (refused > 0) throw new Error(`${refused} details were not answered 200`)
    return { latencies: latenciesMs, result }
  }
}

/**
 * Bytes that the server's memory grows by for each connection that it holds. The connections of `warmUp` come and go
 * before, so that the server has compiled what it needs.
 */
async function memoryOf(
  server: ChildServer,
  warmUp: readonly Buffer[],
  held: readonly Buffer[],
): Promise<number> {
  await closeAll(await openAll(server, warmUp))
  const before = residentBytes(server.pid)
  const streams = await openAll(server, held)
  const bytes = (residentBytes(server.pid) - before) / held.length
  await closeAll(streams)
  return bytes
}

async function openAll(server: ChildServer, requests: readonly Buffer[]): Promise<OpenedStream[]> {
  const streams: OpenedStream[] = []
  for (const request of requests) streams.push(await openStream(server.port, request, () => {}))
  await sleep(SETTLE_MS)
  return streams
}

async function closeAll(streams: readonly OpenedStream[]): Promise<void> {
  for (const stream of streams) stream.close()
  await sleep(SETTLE_MS)
}
