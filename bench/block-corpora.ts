import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OBJECT_DEFAULTS } from '../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { bareFix, fixFault } from '../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { openSqliteStore } from '../packages/server/src/data/sqlite/open.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import type { NewFix } from '../packages/server/src/engine/tracking/fold-tables.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import type { PositionRow } from '../packages/server/src/engine/tracking/stored-position.ts'
import { fillDemo } from '../packages/server/src/work/simulated/demo/fill.ts'
import { driveFix } from './drive.ts'
import { addTenants } from './tenants.ts'
import { type Sensors, vehicleSensors } from './vehicle-sensors.ts'

/** The stored rows of a fleet, those of each object by time. */
export type Corpus = { name: string; bar: number; objects: readonly (readonly PositionRow[])[] }

const RULES = foldRules(systemClock)
const BATCH = 500
const BUS_FILES = new URL('../../shared/data/capmetro/', import.meta.url)
const KMH_PER_M_PER_S = 3.6

/** City buses, a drive with a fix each second, and the demo fleet, each folded and stored as a feed would. */
export const CORPORA: Readonly<Record<string, { bar: number; fill(store: Store): Promise<void> }>> =
  {
    buses: { bar: 16, fill: (store) => addBuses(store, null) },
    'buses with eight attributes': {
      bar: 20,
      fill: (store) =>
        addBuses(
          store,
          vehicleSensors(() => random()),
        ),
    },
    '1 Hz drive': { bar: 13, fill: (store) => addDrive(store, 0) },
    '1 Hz drive with noise': { bar: 13, fill: (store) => addDrive(store, NOISE_M) },
    'demo fleet': { bar: 21, fill: addDemo },
  }

/** Fills a store of its own and reads the rows back. */
export async function readCorpus(name: string): Promise<Corpus> {
  const { bar, fill } = CORPORA[name]!
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-blocks-'))
  try {
    const store = await openSqliteStore(folder)
    await fill(store)
    await store.close()
    return { name, bar, objects: rowsIn(join(folder, DATABASE_FILE)) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function rowsIn(file: string): PositionRow[][] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare(
      'SELECT object, fix, track, change, hidden FROM positions ORDER BY object, time_device',
    )
    .all() as unknown as ({ object: number } & PositionRow)[]
  database.close()
  return [...Map.groupBy(rows, ({ object }) => object).values()]
}

/**
 * The buses in the order of their times, received some seconds later. Their file has no time of reception, and no sensors.
 */
async function addBuses(store: Store, sensors: Sensors | null): Promise<void> {
  const organization = await addOrganization(store)
  const byIdent = new Map<string, number>()
  const fixes: NewFix[] = []
  for (const file of readdirSync(BUS_FILES)) {
    if (!file.endsWith('.csv')) continue
    for (const line of readFileSync(new URL(file, BUS_FILES), 'utf8').trim().split('\n').slice(1)) {
      const [ident, time, speed, , , latitude, longitude] = line.split(',') as string[]
      const at = Date.parse(time!)
      const fix = {
        ...bareFix(at, at + delay(), Number(latitude), Number(longitude)),
        speed: Number(speed) * KMH_PER_M_PER_S,
      }
      if (fixFault(fix, Date.now()) !== undefined) continue
      if (!byIdent.has(ident!)) byIdent.set(ident!, await addObject(store, organization, ident!))
      if (sensors !== null) fix.attributes = sensors(ident!, fix)
      fixes.push({ object: byIdent.get(ident!)!, fix })
    }
  }
  await appendInOrder(store, organization, fixes)
}

const DRIVE_SECONDS = 20_000

/** How far a good receiver is off from one second to the next, in meters. */
const NOISE_M = 0.3
const DEGREES_IN_METRE = 1 / 111_000

async function addDrive(store: Store, noise: number): Promise<void> {
  const [tenant] = await addTenants(store, 1)
  const off = () => (random() - 0.5) * 2 * noise
  const fixes = Array.from({ length: DRIVE_SECONDS }, (_, second): NewFix => {
    const fix = driveFix(second)
    const blurred = {
      ...fix,
      timeServer: fix.timeDevice + delay(),
      latitude: fix.latitude + off() * DEGREES_IN_METRE,
      longitude: fix.longitude + off() * DEGREES_IN_METRE,
      altitude: Math.round((fix.altitude! + off()) * 10) / 10,
      speed: Math.round(Math.max(0, fix.speed! + off()) * 100) / 100,
    }
    return { object: tenant!.object, fix: blurred }
  })
  await appendInOrder(store, tenant!.organization, fixes)
}

/** Meters of accuracy for each unit of HDOP, so that the demo fleet has every field. */
const ACCURACY_M = 4.8

async function addDemo(store: Store): Promise<void> {
  const { positions } = store
  const append: typeof positions.append = (organization, batch, rules) => {
    const withAccuracy = batch.map(({ object, fix }) => {
      const accuracy = Math.round(fix.hdop! * ACCURACY_M * (90 + 20 * random())) / 100
      return { object, fix: { ...fix, accuracy } }
    })
    return positions.append(organization, withAccuracy, rules)
  }
  await fillDemo({ ...store, positions: { ...positions, append } }, systemClock, RULES)
}

async function appendInOrder(store: Store, organization: number, fixes: NewFix[]): Promise<void> {
  fixes.sort((a, b) => a.fix.timeDevice - b.fix.timeDevice)
  for (let from = 0; from < fixes.length; from += BATCH) {
    await store.positions.append(organization, fixes.slice(from, from + BATCH), RULES)
  }
}

async function addOrganization(store: Store): Promise<number> {
  const { id } = await store.organizations.create(
    { ...ORGANIZATION_DEFAULTS, name: 'Buses' },
    Date.now(),
  )
  return id
}

async function addObject(store: Store, organization: number, ident: string): Promise<number> {
  const settings = { ...OBJECT_DEFAULTS, name: ident, ident, vin: null, plateNumber: null }
  const [put] = await store.objects.put(organization, [settings], Date.now())
  if (put?.outcome !== 'created') throw new Error(`object ${ident} was not created`)
  return put.id
}

let seed = 1

/** From 0 to 1. The same numbers in each run. */
function random(): number {
  seed = (seed * 16_807) % 2_147_483_647
  return seed / 2_147_483_647
}

/** A mobile network delivers after 1 to 3 seconds. */
function delay(): number {
  return 1_000 + Math.floor(2_000 * random())
}
