/**
 * Compares the feed of this checkout with that of others, in short alternating rounds on the same processor:
 * `node bench/feed-side-by-side.ts ../other [../another]`: batches of 500, single packets over many connections, and
 * single packets one after the other. Figures are those of the fastest quarter of the rounds. Last, the bytes on disk
 * for each position, after the servers have ended.
 */
import { mkdtempDisposableSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkout, openCheckouts } from './checkouts.ts'
import { type ChildFleetgate, startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { addFedFleet } from './fed-fleet.ts'
import { nativeRequest, osmandRequest } from './feed-packets.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { type Figure, isSmall, percentile, progress, report } from './report.ts'

const VEHICLES = 1_000
const BATCH = 500
const ROUNDS = isSmall ? 4 : 40
const WARM_UPS = isSmall ? 1 : 5
const FEEDERS = 4
const BATCHES_A_ROUND = 20
/** Each tracker has a connection, and all wait for the disk together. */
const TRACKERS = 256
const SINGLES_A_ROUND = 4_000
const LONE_A_ROUND = 100
const KINDS = ['batches of 500', 'single packets', 'single packets, one after the other'] as const

type Fed = {
  checkout: Checkout
  data: string
  server: ChildFleetgate
  positions: number
  /** For each kind and round: the processor time and the time for a request, in microseconds. */
  rounds: { processorUs: number; us: number }[][]
}

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
const compared: Fed[] = []
{
  await using servers = new AsyncDisposableStack()
  const tokens: string[] = []
  for (const checkout of await openCheckouts()) {
    const data = join(folder.path, String(compared.length))
    tokens.push(await fill(checkout, data))
    const server = servers.use(await startFleetgate(data, undefined, checkout.bin))
    compared.push({ checkout, data, server, positions: 0, rounds: KINDS.map(() => []) })
  }
  let step = 0
  for (let round = 1 - WARM_UPS; round <= ROUNDS; round += 1) {
    if (round % 10 === 0) progress(`round ${round} of ${ROUNDS}`)
    for (const [index, each] of compared.entries()) {
      const figures = await runRound(each, tokens[index]!, step)
      if (round > 0) for (const [kind, figure] of figures.entries()) each.rounds[kind]!.push(figure)
    }
    step += 100
  }
}

const [own, ...others] = compared as [Fed, ...Fed[]]
report('The feed of several checkouts', [
  ...KINDS.flatMap((name, kind): Figure[] => [
    { name: `${name}, processor time`, value: quarter(own, kind, 'processorUs'), unit: 'µs' },
    { name: `${name}, time`, value: quarter(own, kind, 'us'), unit: 'µs' },
    ...others.flatMap((other) => [
      {
        name: `${name}, processor time, ${other.checkout.name}, of this checkout`,
        value: quarter(other, kind, 'processorUs') / quarter(own, kind, 'processorUs'),
        unit: '',
      },
      {
        name: `${name}, time, ${other.checkout.name}, of this checkout`,
        value: quarter(other, kind, 'us') / quarter(own, kind, 'us'),
        unit: '',
      },
    ]),
  ]),
  ...compared.map((each) => ({
    name: `on disk, ${each === own ? 'this checkout' : each.checkout.name}`,
    value: bytesOf(each.data) / each.positions,
    unit: 'bytes for each position',
  })),
])

/** Returns a feed token. */
async function fill({ openStore, secrets }: Checkout, data: string): Promise<string> {
  const store = await openStore({ folder: data })
  const { token } = await addFedFleet(store, VEHICLES, {}, secrets)
  await store.close()
  return token
}

/** A round of each kind. Each vehicle gets at most 100 new steps. */
async function runRound(fed: Fed, token: string, step: number) {
  const halves = [0, BATCH].map((from) => Array.from({ length: BATCH }, (_, i) => from + i))
  const batches = Array.from({ length: BATCHES_A_ROUND }, (_, i) =>
    nativeRequest(token, halves[i % 2]!, step + (i >> 1)),
  )
  const single = (from: number) => (_: unknown, i: number) =>
    osmandRequest(token, i % VEHICLES, step + from + Math.floor(i / VEHICLES))
  const singles = Array.from({ length: SINGLES_A_ROUND }, single(50))
  const lone = Array.from({ length: LONE_A_ROUND }, single(90))
  fed.positions += BATCHES_A_ROUND * BATCH + SINGLES_A_ROUND + LONE_A_ROUND
  return [
    await send(fed, batches, FEEDERS),
    await send(fed, singles, TRACKERS),
    await send(fed, lone, 1),
  ]
}

async function send({ server }: Fed, requests: readonly Buffer[], connections: number) {
  const left = requests[Symbol.iterator]()
  const feed = { pid: server.pid, port: server.feedPort }
  const round = await closedLoop(feed, () => left.next().value, connections, Infinity)
  if (round.others > 0) throw new Error(`${round.others} packets were refused`)
  return { processorUs: 1e6 / round.perProcessorSecond, us: 1e6 / round.perSecond }
}

function quarter({ rounds }: Fed, kind: number, figure: 'processorUs' | 'us'): number {
  return percentile(
    rounds[kind]!.map((round) => round[figure]),
    0.25,
  )
}

function bytesOf(data: string): number {
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile() && !file.name.endsWith('.log'))
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
}
