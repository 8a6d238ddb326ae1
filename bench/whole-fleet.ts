/**
 * Measures answers for whole fleets, on a data folder and on PostgreSQL with Redis: the latest positions of all
 * objects of three fleets, of those in a small box among many objects, and all positions at a past moment.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore, type StoreLocation } from '../packages/server/src/run/compose.ts'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { startRedis } from '../packages/server/testing/servers/redis.ts'
import { startFleetgate } from './child-server.ts'
import { addFedFleet, type FedFleet } from './fed-fleet.ts'
import { identOf } from './feed-packets.ts'
import { residentBytes } from './processor.ts'
import { type Figure, isSmall, median, progress, report } from './report.ts'

const SIZES = isSmall ? [1_000, 10_000] : [1_000, 10_000, 100_000]
const IN_BOX = isSmall ? 50_000 : 1_000_000
const AT_OBJECTS = 1_000
const AT_STEPS = isSmall ? 200 : 10_000
const STEP_MS = 60_000
const START = Date.now() - AT_STEPS * STEP_MS - 60_000
const TIMES = 7
const BATCH = 5_000
const MEGABYTE = 2 ** 20

const rules = foldRules(systemClock)

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const figures: Figure[] = []
const data = join(folder.path, 'data')
mkdirSync(data)
await measure('SQLite', { folder: data }, ['--data', data])
const [postgres, redis] = [
  await startPostgres({ fsync: 'on', full_page_writes: 'on' }),
  await startRedis(),
]
const database = await postgres.database()
await measure('PostgreSQL and Redis', { database }, ['--database', database, '--redis', redis.url])
await redis.stop()
await postgres.stop()
report('answers for whole fleets', figures)

async function measure(name: string, location: StoreLocation, place: string[]): Promise<void> {
  progress(`${name}: filling`)
  const store = await openStore(location)
  const fleets: FedFleet[] = []
  for (const size of SIZES) fleets.push(await addFleet(store, size, 1))
  const large = await addFleet(store, IN_BOX, 1)
  const driven = await addFleet(store, AT_OBJECTS, AT_STEPS)
  await store.close()
  const logs = join(folder.path, name)
  mkdirSync(logs)
  await using server = await startFleetgate(logs, place)
  const timed = async ({ key }: FedFleet, path: string, rows: number): Promise<number> => {
    const begun = performance.now()
    const answered = await fetch(`http://127.0.0.1:${server.port}/public/v1${path}`, {
      headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
    })
    const body = Buffer.from(await answered.arrayBuffer())
    const taken = performance.now() - begun
    if (answered.status !== 200) throw new Error(body.toString())
    const found = JSON.parse(body.toString()).result.length
    if (found !== rows) throw new Error(`${path}: ${found} rows instead of ${rows}`)
    return taken
  }
  const add = async (what: string, fleet: FedFleet, path: string, rows: number) => {
    const first = await timed(fleet, path, rows)
    const times: number[] = []
    for (let i = 0; i < TIMES; i += 1) times.push(await timed(fleet, path, rows))
    const ms = median(times)
    const memory = residentBytes(server.pid) / MEGABYTE
    figures.push(
      { name: `${name}, ${what}, first`, value: first, unit: 'ms' },
      { name: `${name}, ${what}`, value: ms, unit: 'ms' },
      { name: `${name}, ${what}, rows`, value: (rows / ms) * 1_000, unit: '/s' },
      { name: `${name}, ${what}, memory`, value: memory, unit: 'MB' },
    )
    progress(
      `${name}, ${what}: first ${first.toFixed(1)} ms, then ${ms.toFixed(1)} ms, ${memory.toFixed(0)} MB`,
    )
  }
  for (const [i, size] of SIZES.entries()) {
    await add(`latest of ${size} objects`, fleets[i]!, '/positions/latest?ids=all', size)
  }
  const box = IN_BOX / 100 / 100
  const count = Math.round(box)
  await add(
    `a box with ${count} of ${IN_BOX} objects`,
    large,
    '/positions/latest?ids=all&bbox=9.9999,19.9999,10.0999,20.0999',
    count,
  )
  const moment = new Date(START + (AT_STEPS / 2) * STEP_MS + 1_000).toISOString()
  await add(
    `a moment of ${AT_OBJECTS} objects among ${AT_OBJECTS * AT_STEPS} positions`,
    driven,
    `/positions/at?ids=all&time=${moment}`,
    AT_OBJECTS,
  )
}

/** A fleet on a grid: a hundredth of a hundredth of its objects is in each tenth of a degree both ways. */
async function addFleet(store: Store, objects: number, steps: number): Promise<FedFleet> {
  const fleet = await addFedFleet(store, 0, { maxObjects: objects })
  progress(`${objects} objects, ${steps} positions each`)
  for (let from = 0; from < objects; from += BATCH) {
    const count = Math.min(BATCH, objects - from)
    const idents = Array.from({ length: count }, (_, i) => identOf(from + i))
    const { ids } = await store.objects.ensure(fleet.organization, idents, Date.now())
    fleet.ids.push(...idents.map((ident) => ids.get(ident)!))
  }
  for (let step = 0; step < steps; step += 1) {
    for (let from = 0; from < objects; from += BATCH) {
      const batch = fleet.ids.slice(from, from + BATCH).map((object, i) => ({
        object,
        fix: fixOf(from + i, step),
      }))
      await store.positions.append(fleet.organization, batch, rules)
    }
  }
  return fleet
}

function fixOf(vehicle: number, step: number): Fix {
  const [column, row] = [vehicle % 100, Math.floor(vehicle / 100) % 100]
  return {
    ...bareFix(START + step * STEP_MS, Date.now(), 20 + row / 10, 10 + column / 10),
    speed: 40,
    angle: 90,
  }
}
