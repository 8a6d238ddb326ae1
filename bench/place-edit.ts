/**
 * Measures an edit of a geofence among 10,000,000 positions: the time until the visits to it are derived again, and
 * the latency of others meanwhile. Also the memory of a server that derives for 1,000,000 objects and 10,000 places.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LonLat } from '../packages/server/src/base/domain/places/place.ts'
import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { type ChildFleetgate, startFleetgate } from './child-server.ts'
import { addFedFleet } from './fed-fleet.ts'
import { openLoop } from './open-loop.ts'
import { CLIENT_PROCESSOR, pin, residentBytes } from './processor.ts'
import { type Figure, isSmall, percentile, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

const OBJECTS = isSmall ? 100 : 2_000
const ROWS = isSmall ? 500 : 5_000
/** Objects that drive through the edited geofence. */
const CONCERNED = [OBJECTS / 20, OBJECTS]
const MANY_OBJECTS = isSmall ? 10_000 : 1_000_000
const MANY_PLACES = 10_000
const OTHERS = 400
const BATCH = 5_000
const STEP_MS = 60_000
const START = Date.now() - (ROWS + 1) * STEP_MS
/** An object drives for 50 minutes, and stops for 10. */
const ROUND = 60
const DRIVEN = 50
const QUIET_MS = 5_000
const LOOK_MS = 20
const MEGABYTE = 2 ** 20

const rules = foldRules(systemClock)

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const [driven, large] = ['driven', 'large'].map((name) => join(folder.path, name)) as [
  string,
  string,
]
for (const each of [driven, large]) mkdirSync(each)
pin(process.pid, CLIENT_PROCESSOR)
const figures = await measureEdits(driven)
figures.push(...(await measureMemory(large)))
report(`an edited geofence among ${(OBJECTS * ROWS).toLocaleString('en')} positions`, figures)

async function measureEdits(data: string): Promise<Figure[]> {
  const store = await openStore({ folder: data })
  const others = await addTenants(store, OTHERS)
  const { organization, ids } = await addFedFleet(store, OBJECTS)
  await addRows(store, organization, ids)
  await using fleetgate = await startFleetgate(data)
  await store.records.want(organization)
  const begun = performance.now()
  await untilDerived(store, organization)
  const history = performance.now() - begun
  const [quiet] = await meanwhile(fleetgate, others, () => sleep(QUIET_MS))
  const figures: Figure[] = [
    { name: 'the whole history, derived', value: history / 1_000, unit: 's' },
    { name: 'detail of others, quiet, p99', value: quiet!, unit: 'ms' },
  ]
  for (const count of CONCERNED) {
    progress(`a geofence that ${count} objects drive through`)
    const [p99, seconds] = await meanwhile(fleetgate, others, () =>
      editGeofence(store, organization, count),
    )
    const visits = await visitsToNewest(store, organization)
    const about = `${count.toLocaleString('en')} objects`
    figures.push(
      { name: `visits of ${about}, derived again`, value: visits, unit: '' },
      { name: `edit through ${about}, time`, value: seconds!, unit: 's' },
      {
        ...{ name: `detail of others meanwhile, ${about}, p99`, value: p99!, unit: 'ms' },
        atMost: Math.max(10, 5 * quiet!),
      },
    )
  }
  await store.close()
  return figures
}

/** Makes a geofence around the way of the first objects. Returns the seconds until its visits are there. */
async function editGeofence(store: Store, organization: number, count: number): Promise<[number]> {
  const [south, north] = [placeOf(0, 0)[0] - 0.005, placeOf(count - 1, 0)[0] + 0.005]
  const coordinates: LonLat[] = [
    [-97.1, south],
    [-97.02, south],
    [-97.02, north],
    [-97.1, north],
  ]
  const begun = performance.now()
  const fence = { name: `Fence ${count}`, description: null, color: null, icon: null, coordinates }
  await store.geofences.put(organization, [fence], Date.now())
  await untilDerived(store, organization)
  return [(performance.now() - begun) / 1_000]
}

async function visitsToNewest(store: Store, organization: number): Promise<number> {
  const { id } = (await store.geofences.list(organization)).at(-1)!
  const visits = await store.records.page(organization, {
    ...{ type: 'visits', objects: null, after: null, minDuration: 0, limit: 10_000_000 },
    range: { from: 0, to: Date.now() },
    places: { geofences: [id], sites: [] },
  })
  return visits.length
}

/** Resolves when nothing is left to derive. */
async function untilDerived(store: Store, organization: number): Promise<void> {
  while ((await store.records.due()).includes(organization)) await sleep(LOOK_MS)
}

/** The p99 of details of others in ms, before what `work` returns. */
async function meanwhile(
  fleetgate: ChildFleetgate,
  others: Tenant[],
  work: () => Promise<number[] | undefined>,
): Promise<number[]> {
  const done = new AbortController()
  const asked = openLoop(fleetgate, rotation(others.map(detailRequest)), done.signal)
  const result = await work().finally(() => done.abort())
  const { latenciesMs, others: refused } = await asked
  if (refused > 0) throw new Error(`${refused} details were not answered 200`)
  return [percentile(latenciesMs, 0.99), ...(result ?? [])]
}

async function addRows(store: Store, organization: number, ids: readonly number[]): Promise<void> {
  for (let step = 0; step < ROWS; step += 1) {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH)
      const rows = batch.map((object, index) => ({ object, fix: fixOf(from + index, step) }))
      await store.positions.append(organization, rows, rules)
    }
    if ((step + 1) % 500 === 0) {
      progress(`${((step + 1) * ids.length).toLocaleString('en')} positions`)
    }
  }
}

function fixOf(vehicle: number, step: number): Fix {
  const minute = step % ROUND
  const isDriving = minute < DRIVEN
  const [latitude, longitude] = placeOf(vehicle, isDriving ? minute : 0)
  const fix = bareFix(START + step * STEP_MS, Date.now(), latitude, longitude)
  return { ...fix, speed: isDriving ? 40 : 0, ignition: isDriving }
}

/** An object drives west and back on a line of its own, 11 m from the next one. */
function placeOf(vehicle: number, minute: number): [number, number] {
  const away = Math.min(minute, DRIVEN - minute) * 0.005
  return [30 + vehicle / 1e4, Number((-97 - away).toFixed(6))]
}

/** The memory of a server after it has derived a fix of a large fleet, without and with its places. */
async function measureMemory(data: string): Promise<Figure[]> {
  const store = await openStore({ folder: data })
  const { organization, ids } = await addFedFleet(store, MANY_OBJECTS)
  const restBytes = await bytesOf(data, async () => undefined)
  await store.records.want(organization)
  const derive = async () => {
    const fix = fixOf(0, Math.floor((Date.now() - START) / STEP_MS))
    await store.positions.append(organization, [{ object: ids[0]!, fix }], rules)
    await untilDerived(store, organization)
  }
  progress(`${MANY_OBJECTS.toLocaleString('en')} objects`)
  const deriving = await bytesOf(data, derive)
  const sites = Array.from({ length: MANY_PLACES }, (_, index) => {
    const [latitude, longitude] = [30 + (index % 100) / 100, -97 - Math.floor(index / 100) / 100]
    const named = { name: `Site ${index}`, description: null, icon: null }
    return { ...named, latitude, longitude, radius: 300 }
  })
  await store.sites.put(organization, sites, Date.now())
  progress(`${MANY_PLACES.toLocaleString('en')} places`)
  const withPlaces = await bytesOf(data, derive)
  await store.close()
  return [
    { name: 'memory at rest, a large fleet', value: restBytes / MEGABYTE, unit: 'MB' },
    { name: 'memory that derives for it', value: deriving / MEGABYTE, unit: 'MB' },
    { name: 'memory with its places too', value: withPlaces / MEGABYTE, unit: 'MB' },
  ]
}

async function bytesOf(data: string, work: () => Promise<unknown>): Promise<number> {
  await using fleetgate = await startFleetgate(data)
  await work()
  return residentBytes(fleetgate.pid)
}
