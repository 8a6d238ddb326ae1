/**
 * Compares a start with 100,000 objects and 10,000,000 positions with a start of an empty store, in turns, from
 * the command to the first answer. Every object must have its state afterwards.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, newSecret } from '../packages/server/src/base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { identOf, packetAt } from './feed-packets.ts'
import { residentBytes } from './processor.ts'
import { isSmall, overRounds, progress, report } from './report.ts'

const ORGANIZATIONS = 100
const OBJECTS = isSmall ? 50 : 1_000
const STEPS = isSmall ? 10 : 100
const ROUNDS = isSmall ? 3 : 7
const BATCH = 4_000

using empty = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
using full = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const rows = (ORGANIZATIONS * OBJECTS * STEPS).toLocaleString('en')
progress(`${ORGANIZATIONS} organizations of ${OBJECTS} objects, ${rows} positions`)
const [none] = await fill(empty.path, 1, 0)
const fleets = await fill(full.path, ORGANIZATIONS, STEPS)

const times: { empty: number; full: number }[] = []
for (let round = 0; round <= ROUNDS; round++) {
  progress(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`)
  const time = {
    empty: await firstAnswer(empty.path, none!),
    full: await firstAnswer(full.path, fleets[round]!),
  }
  if (round > 0) times.push(time)
}
progress('every state')
await using server = await startFleetgate(full.path)
let missing = 0
for (const { key } of fleets) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/public/v1/objects`, {
    headers: { 'x-api-key': key },
  })
  const { result } = (await answer.json()) as {
    result: { ident: string; time_device: string | null }[]
  }
  const last = new Date(packetAt(0, STEPS - 1).timeDevice).toISOString()
  if (result.length !== OBJECTS) throw new Error(`${result.length} objects, not ${OBJECTS}`)
  missing += result.filter(({ time_device }) => time_device !== last).length
}
report(`start to first answer over ${rows} positions`, [
  {
    name: 'of that over an empty store',
    ...overRounds(times, (time) => time.full / time.empty),
    unit: 'times',
    atMost: 1.5,
  },
  { name: 'empty', ...overRounds(times, (time) => time.empty), unit: 'ms' },
  { name: 'full', ...overRounds(times, (time) => time.full), unit: 'ms' },
  { name: 'states missing', value: missing, unit: '', atMost: 0 },
  { name: 'memory with all states', value: residentBytes(server.pid) / 2 ** 20, unit: 'MB' },
])

type Fleet = { key: string; object: number | null }

async function firstAnswer(data: string, { key, object }: Fleet): Promise<number> {
  const start = performance.now()
  await using server = await startFleetgate(data)
  const path = object === null ? '/objects' : `/objects/${object}`
  const answer = await fetch(`http://127.0.0.1:${server.port}/public/v1${path}`, {
    headers: { 'x-api-key': key },
  })
  if (answer.status !== 200) throw new Error(`${answer.status} to ${path}`)
  await answer.arrayBuffer()
  return performance.now() - start
}

async function fill(data: string, organizations: number, steps: number): Promise<Fleet[]> {
  const store = await openStore({ folder: data })
  const fleets: Fleet[] = []
  for (let i = 0; i < organizations; i++) fleets.push(await addFleet(store, i, steps))
  await store.close()
  return fleets
}

async function addFleet(store: Store, number: number, steps: number): Promise<Fleet> {
  const named = { ...ORGANIZATION_DEFAULTS, name: `Organization ${number}` }
  const organization = (await store.organizations.create(named, Date.now())).id
  const { secret: key, ...stored } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...stored, name: 'load', expiresAt: null }, Date.now())
  if (steps === 0) return { key, object: null }
  const idents = Array.from({ length: OBJECTS }, (_, i) => identOf(number * OBJECTS + i))
  const made = await store.objects.ensure(organization, idents, Date.now())
  const ids = [...made.ids.values()]
  const rules = foldRules(systemClock)
  const each = Math.floor(BATCH / steps)
  for (let from = 0; from < ids.length; from += each) {
    const batch = ids
      .slice(from, from + each)
      .flatMap((object, i) =>
        Array.from({ length: steps }, (_, step) => ({ object, fix: packetAt(from + i, step) })),
      )
    await store.positions.append(organization, batch, rules)
  }
  return { key, object: ids[0]! }
}
