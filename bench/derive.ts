/**
 * Measures what trips, stops and visits cost the server for each position, compared with an organization that did not ask
 * for them, and the time from the acknowledgement of a batch until they are derived.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { connect } from './connection.ts'
import { addFedFleet } from './fed-fleet.ts'
import { nativeRequest, packetAt } from './feed-packets.ts'
import { CLIENT_PROCESSOR, pin, threadSeconds } from './processor.ts'
import { isSmall, percentile, progress, report } from './report.ts'

const OBJECTS = isSmall ? 1_000 : 20_000
const PLACES = 1_000
const A_SECOND = 5_000
const BATCH = 100
const ROUND_SECONDS = isSmall ? 2 : 10
const ROUNDS = isSmall ? 1 : 3
const LOOK_MS = 5

type Fleet = { organization: number; token: string; next: number }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const store = await openStore({ folder: folder.path })
const bare = await addFleet()
const derived = await addFleet()
await store.records.want(derived.organization)
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const connection = await connect(fleetgate.feedPort)

progress(`${OBJECTS.toLocaleString('en')} objects, each in two fleets`)
for (const fleet of [bare, derived]) await sendAll(fleet, OBJECTS, Number.POSITIVE_INFINITY)
await untilDerived(Date.now())
const costs = { bare: [] as number[], derived: [] as number[] }
const latenciesMs: number[] = []
for (let round = 1; round <= ROUNDS; round += 1) {
  progress(`round ${round} of ${ROUNDS}`)
  costs.bare.push(await costOf(bare))
  costs.derived.push(await costOf(derived))
}
connection.close()
await store.close()

const [without, with_] = [percentile(costs.bare, 0.5), percentile(costs.derived, 0.5)]
report(`${A_SECOND.toLocaleString('en')} positions a second in batches of ${BATCH}`, [
  { name: 'a position, without records', value: without * 1e6, unit: 'µs of processor' },
  { name: 'a position, with records', value: with_ * 1e6, unit: 'µs of processor' },
  { name: 'with records, compared', value: with_ / without, unit: 'ratio', atMost: 1.25 },
  { name: 'until the records, median', value: percentile(latenciesMs, 0.5), unit: 'ms' },
  {
    name: 'until the records, p99',
    value: percentile(latenciesMs, 0.99),
    unit: 'ms',
    atMost: 1_000,
  },
])

/** All objects drive north, through one place after the other. */
async function addFleet(): Promise<Fleet> {
  const { organization, token } = await addFedFleet(store, OBJECTS)
  await addPlaces(store, organization)
  return { organization, token, next: 0 }
}

async function addPlaces(to: Store, organization: number): Promise<void> {
  const sites = Array.from({ length: PLACES }, (_, index) => {
    const { latitude, longitude } = packetAt((index * OBJECTS) / PLACES, 50)
    const named = { name: `Site ${index}`, description: null, icon: null }
    return { ...named, latitude, longitude, radius: 200 }
  })
  await to.sites.put(organization, sites, Date.now())
}

/** Seconds of the server's processor time for each position of a round, until all is derived. */
async function costOf(fleet: Fleet): Promise<number> {
  const before = threadSeconds(fleetgate.pid)
  const count = A_SECOND * ROUND_SECONDS
  const ended = new AbortController()
  const sent: number[] = []
  const looks = fleet === derived ? takeLatencies(sent, ended.signal) : undefined
  await sendAll(fleet, count, A_SECOND, sent)
  await untilDerived(sent.at(-1)!, fleet)
  ended.abort()
  await looks
  return (threadSeconds(fleetgate.pid) - before) / count
}

/** `sent`: gets the time at which each batch was sent. */
async function sendAll(fleet: Fleet, count: number, aSecond: number, sent: number[] = []) {
  const begun = performance.now()
  for (let done = 0; done < count; done += BATCH) {
    await sleep(Math.max(0, begun + (done / aSecond) * 1_000 - performance.now()))
    const [from, step] = [fleet.next % OBJECTS, Math.floor(fleet.next / OBJECTS)]
    fleet.next += BATCH
    const vehicles = Array.from({ length: BATCH }, (_, index) => from + index)
    sent.push(Date.now())
    await new Promise<void>((answered, refused) => {
      connection.send(nativeRequest(fleet.token, vehicles, step), (status) => {
        if (status === 200) answered()
        else refused(new Error(`a batch was answered ${status}`))
      })
    })
  }
}

/** Resolves when what was committed at a moment or later is derived. */
async function untilDerived(time: number, fleet = derived): Promise<void> {
  if (fleet !== derived) return
  while ((await derivedUntil()) < time) await sleep(LOOK_MS)
}

async function derivedUntil(): Promise<number> {
  return (await store.records.progress([derived.organization])).get(derived.organization)?.at ?? 0
}

/** Takes the time of each sent batch until its records are there. */
async function takeLatencies(sent: readonly number[], signal: AbortSignal): Promise<void> {
  let next = 0
  while (!signal.aborted) {
    const until = await derivedUntil()
    for (; next < sent.length && sent[next]! <= until; next += 1) {
      latenciesMs.push(Date.now() - sent[next]!)
    }
    await sleep(LOOK_MS)
  }
}
