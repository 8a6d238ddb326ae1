/**
 * Compares the processor time of `GET /objects/{id}` in this checkout with that in others, in short alternating rounds
 * on the same processor: `node bench/side-by-side.ts ../other [../another]`. A ratio above 1 means that the other
 * checkout takes more. Other work on the machine makes rounds slower, never faster, so the figures are those of the
 * fastest quarter of the rounds. `--sleeping` lets the client sleep between answers, as real clients do.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilAtRest } from './at-rest.ts'
import { openCheckouts } from './checkouts.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSleeping, isSmall, percentile, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'

/** So many that no organization sends more than its rate window admits. */
const TENANTS = 30_000
const CONNECTIONS = 64
const ROUNDS = isSmall ? 4 : 120
const WARM_UPS = isSmall ? 2 : 12
const ROUND_REQUESTS = 4_000

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
await using servers = new AsyncDisposableStack()
const compared: { name: string; ask(): Promise<number> }[] = []
for (const { name, bin, openStore, addDrivers } of await openCheckouts()) {
  progress(`${name}: ${TENANTS} organizations, each with a key and an object that has reported`)
  const data = join(folder.path, String(compared.length))
  const store = await openStore({ folder: data })
  const next = rotation((await addDrivers(store, TENANTS, 1)).map(detailRequest))
  await store.close()
  const server = servers.use(await startFleetgate(data, undefined, bin))
  await untilAtRest(server.pid)
  compared.push({
    name,
    /** Microseconds of processor time for each answer. */
    async ask() {
      let left = ROUND_REQUESTS
      const request = () => (left-- > 0 ? next() : undefined)
      const round = await closedLoop(server, request, CONNECTIONS, Infinity, 200, isSleeping)
      if (round.others > 0) throw new Error(`${round.others} answers were not 200`)
      return 1e6 / round.perProcessorSecond
    },
  })
}

const rounds: number[][] = []
for (let i = 1 - WARM_UPS; i <= ROUNDS; i++) {
  const round: number[] = []
  for (const each of compared) round.push(await each.ask())
  if (i > 0) rounds.push(round)
}

const [own, ...others] = compared.map(({ name }, i) => ({
  name,
  us: percentile(
    rounds.map((round) => round[i]!),
    0.25,
  ),
}))
report('GET /objects/{id} of several checkouts, by processor time', [
  { name: 'this checkout', value: own!.us, unit: 'µs' },
  ...others.map(({ name, us }) => ({
    name: `${name}, of this checkout`,
    value: us / own!.us,
    unit: '',
  })),
])
