import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ORGANIZATION_DEFAULTS } from '../../../packages/server/src/base/domain/organization.ts'
import { QUOTA_JOURNAL } from '../../../packages/server/src/data/live/memory/quota-journal.ts'
import { DATABASE_FILE } from '../../../packages/server/src/data/sqlite/data-folder.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import { setClock } from './clock.ts'
import { openDeployment, type Tamper } from './deployment.ts'
import type { Disk } from './disk.ts'
import { addObject, administer, issue, passOn } from './events/administration.ts'
import { readChanges } from './events/changes.ts'
import { sendLateIntoDrive, streamSlowly } from './events/long-histories.ts'
import { sendAndBreakOff, sendPackets } from './events/packets.ts'
import { readOn } from './events/paging.ts'
import { read } from './events/reads.ts'
import { pack, refold, retain, turnClock } from './events/time.ts'
import { kill, outage } from './events/trouble.ts'
import type { ModelOrganization } from './model/organization.ts'
import { newQuota } from './model/quota.ts'
import { type Counts, noCounts, type World } from './world.ts'

type Event = (world: World) => Promise<void>

/** The relative frequency of each event. */
const EVENTS: readonly [Event, number][] = [
  [sendPackets, 26],
  [sendAndBreakOff, 3],
  [read, 34],
  [readOn, 10],
  [readChanges, 12],
  [turnClock, 12],
  [administer, 6],
  [retain, 2],
  [refold, 1],
  [pack, 3],
  [outage, 2],
  [kill, 3],
  [sendLateIntoDrive, 0.5],
  [streamSlowly, 0.2],
]
const WEIGHT = EVENTS.reduce((sum, [, weight]) => sum + weight, 0)

/** Shortly before midnight, at the ends of months, of years, and of a February of 29 days. */
const STARTS = [
  '2026-11-30T23:59:50Z',
  '2026-12-31T23:59:58Z',
  '2028-02-28T23:59:00Z',
  '2027-06-15T12:00:00Z',
]

export type SeedOutcome = { faults: string[]; counts: Counts }

/** Creates the initial data folder of every seed: empty and migrated. */
export async function makeTemplate(folder: string): Promise<void> {
  const store = await openSqliteStore(folder)
  await store.close()
}

/** A record names files relative to the repository. */
const REPOSITORY = new URL('../../../', import.meta.url).href

/** Runs the events of one seed and compares with the model until the first fault. */
export async function runSeed(
  seed: number,
  disk: Disk,
  template: string,
  folder: string,
  tamper: Tamper = {},
): Promise<SeedOutcome> {
  mkdirSync(join(folder, '0'), { recursive: true })
  copyFileSync(join(template, DATABASE_FILE), join(folder, '0', DATABASE_FILE))
  const faults: string[] = []
  const world = await openWorld(seeded('simulation', seed), disk, folder, tamper, faults)
  try {
    await settleIn(world)
    const events = world.random.whole(15, 35)
    for (let done = 0; done < events && faults.length === 0; done += 1) {
      await pick(world.random)(world)
    }
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    faults.push(text.replaceAll(REPOSITORY, ''))
  }
  disk.fail(null)
  await world.deployment.close()
  rmSync(folder, { recursive: true })
  return { faults, counts: world.counts }
}

function pick(random: Random): Event {
  let left = random.between(0, WEIGHT)
  for (const [event, weight] of EVENTS) {
    left -= weight
    if (left < 0) return event
  }
  return EVENTS[0]![0]
}

async function openWorld(
  random: Random,
  disk: Disk,
  folder: string,
  tamper: Tamper,
  faults: string[],
): Promise<World> {
  const clock = setClock(Date.parse(random.pick(STARTS)))
  disk.syncTurns = random.whole(0, 2)
  disk.opened(null)
  let lives = 1
  const journalBytes = () => statSync(join(world.deployment.folder, QUOTA_JOURNAL)).size
  const world: World = {
    random,
    clock,
    disk,
    deployment: await openDeployment(join(folder, '0'), clock, tamper),
    async revive(power) {
      const next = join(folder, String(lives++))
      const left = chargesLeft(world, power)
      const log = disk.image(world.deployment.folder, next, random, power ? left : null)
      await world.deployment.close()
      disk.opened(log)
      world.deployment = await openDeployment(next, clock, tamper)
      forget(world, left.charges)
    },
    organizations: [],
    quota: newQuota(),
    countersUp: true,
    journalBytes,
    pagings: [],
    readers: new Map(),
    days: new Set([Math.floor(clock.now() / 86_400_000)]),
    counts: noCounts(),
    fault: (what) => faults.push(what),
  }
  return world
}

/** A power cut takes any number of the last charges since the journal was rewritten. */
function chargesLeft({ quota, random }: World, power: boolean) {
  const all = quota.charges
  const end = power && all.length > 0 ? random.pick(all).journalBytes : Number.POSITIVE_INFINITY
  const charges = all.filter((charge) => charge.journalBytes <= end)
  return { charges, journalBytes: end }
}

/** Drops everything that only the memory of a process held. The journal is rewritten as it opens. */
function forget(world: World, charges: World['quota']['charges']): void {
  world.quota.owed = []
  world.quota.charges = charges
  const journalBytes = world.journalBytes()
  for (const charge of charges) charge.journalBytes = journalBytes
  for (const organization of world.organizations) organization.window = { admittedUs: [] }
}

/** The widest limits of clocks: the model knows what no organization allows. */
const ANY_CLOCK = { futureTolerance: 1_440, maximumAge: 36_500 }

/** Two or three organizations with their data. */
async function settleIn(world: World): Promise<void> {
  const { store } = world.deployment
  const { random, clock, organizations } = world
  const many = random.whole(2, 3)
  await Promise.all(
    Array.from({ length: many }, async () => {
      const settings = {
        unit: random.pick(['km', 'mi'] as const),
        dailyQuota: random.pick([null, null, 3, 8]),
        createObjects: random.chance(0.4),
        retentionDays: random.pick([null, null, 2, 20]),
      }
      const { unit: distanceUnit, ...rest } = settings
      const { id, updatedAt, subscription } = await store.organizations.create(
        { ...ORGANIZATION_DEFAULTS, ...ANY_CLOCK, ...rest, name: 'Simulated', distanceUnit },
        clock.now(),
      )
      organizations.push({
        ...settings,
        id,
        updatedAt,
        subscription,
        keys: [],
        feedTokens: [],
        objects: [],
        window: { admittedUs: [] },
      })
    }),
  )
  await Promise.all(organizations.map((own) => furnish(world, store, own)))
  await passOn()
}

/** The first key and the first token remain valid to the end. */
async function furnish(world: World, store: Store, own: ModelOrganization): Promise<void> {
  const { random } = world
  const keys = [issue(world, store.keys, true, own.id, true)]
  const tokens = [issue(world, store.feedTokens, false, own.id, true)]
  if (random.chance(0.5)) keys.push(issue(world, store.keys, true, own.id))
  if (random.chance(0.3)) tokens.push(issue(world, store.feedTokens, false, own.id))
  const objects = Array.from({ length: random.whole(1, 3) }, () => addObject(world, store, own))
  own.keys = await Promise.all(keys)
  own.feedTokens = await Promise.all(tokens)
  await Promise.all(objects)
}
