/**
 * Compares the latency of `GET /objects/{id}` alone with that during a flood on one link: 400 reads a second, of which
 * its window admits six. Both are measured in turns on one server.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LINK, newSecret } from '../packages/server/src/base/access/secret.ts'
import { linkPath } from '../packages/server/src/base/domain/link.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { addFleets } from './fleets.ts'
import { openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, median, overRounds, percentile, progress, report } from './report.ts'
import { getRequest, rotation } from './requests.ts'

/** Each is asked less than ten times in 10 s. */
const FLEETS = 400
const ROUNDS = isSmall ? 3 : 15
const SECONDS = isSmall ? 3 : 10
/** Each loop reads 200 times a second. */
const LOOPS = 2

pin(process.pid, CLIENT_PROCESSOR)
using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const store = await openStore({ folder: folder.path })
const fleets = await addFleets(store, FLEETS, 1)
const { secret, ...kept } = newSecret(LINK)
const now = Date.now()
const { organization, objects } = fleets[0]!
const grants = [{ objects, from: null, until: null, attributes: null }]
const scope = { operations: null, grants, windowShare: null }
const link = { ...kept, name: 'flood', scope, expiresAt: now + 86_400_000 }
await store.links.issue(organization, link, now)
await store.close()
await using fleetgate = await startFleetgate(folder.path)

const details = fleets
  .slice(1)
  .map(({ key, objects: [id] }) => getRequest(`/public/v1/objects/${id}`, { 'x-api-key': key }))
const nextDetail = rotation(details)
const read = getRequest(`${linkPath(secret)}.json`, {})

async function p99Ms(isFlooded: boolean): Promise<number> {
  const ending = new AbortController()
  const floods = Array.from({ length: isFlooded ? LOOPS : 0 }, () =>
    openLoop(fleetgate, () => read, ending.signal),
  )
  const asking = openLoop(fleetgate, nextDetail, ending.signal)
  await sleep(SECONDS * 1_000)
  ending.abort()
  const [{ latenciesMs, others }] = await Promise.all([asking, ...floods])
  if (others > 0) throw new Error(`${others} requests failed`)
  return percentile(latenciesMs, 0.99)
}

await p99Ms(true)
const rounds: { alone: number; flooded: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const [alone, flooded] = [await p99Ms(false), await p99Ms(true)]
  progress(`${alone.toFixed(2)} ms alone, ${flooded.toFixed(2)} ms during the flood`)
  rounds.push({ alone, flooded })
}
report('GET /objects/{id} during a flood on a link', [
  { name: 'p99 alone', unit: 'ms', ...overRounds(rounds, ({ alone }) => alone) },
  { name: 'p99 during the flood', unit: 'ms', ...overRounds(rounds, ({ flooded }) => flooded) },
  {
    name: 'p99, of that alone',
    unit: '',
    value: median(rounds.map(({ alone, flooded }) => flooded / alone)),
    atMost: 1.5,
  },
])
