import { foldRules } from '../../../../packages/server/src/engine/tracking/rules/advance.ts'
import { startRefolding } from '../../../../packages/server/src/work/tasks/refold-and-pack.ts'
import { startRetention } from '../../../../packages/server/src/work/tasks/retention.ts'
import { BLOCK_ROWS, packAll } from '../../../../packages/server/testing/stores/packing-store.ts'
import { onePass } from '../../../acceptance/harness/one-pass.ts'
import { purge } from '../model/organization.ts'
import type { World } from '../world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SECOND_US = 1_000_000
const DAYS_COUNTED = 3

/** Time passes; or the wall clock is set, forward or back, without affecting timers. */
export async function turnClock(world: World): Promise<void> {
  const { random, clock } = world
  const kind = random.next()
  const now = clock.now()
  const toMidnight = DAY_MS - (now % DAY_MS)
  if (kind < 0.35) letPass(world, random.whole(1, 999_999))
  else if (kind < 0.6) letPass(world, random.whole(1, 10) * SECOND_US - random.whole(0, 1))
  else if (kind < 0.7) toFreeSlot(world)
  else if (kind < 0.8) stepWithin(world, toMidnight - random.whole(0, 2))
  else if (kind < 0.9) stepWithin(world, -random.whole(1, HOUR_MS))
  else stepWithin(world, random.pick([1, 7, 31, 40]) * DAY_MS * random.pick([1, 1, -1]))
}

/** Time passes; if that would reach a fourth day, the clock is set back first. */
export function letPass(world: World, us: number): void {
  const { clock, days } = world
  const day = Math.floor((clock.now() + Math.ceil(us / 1000)) / DAY_MS)
  if (!days.has(day) && days.size === DAYS_COUNTED) clock.step(-HOUR_MS)
  clock.advanceUs(us)
  days.add(Math.floor(clock.now() / DAY_MS))
}

/** The exact microsecond of the next admission, or the one before it. */
function toFreeSlot(world: World): void {
  const { random, clock, organizations } = world
  const tenth = random.pick(organizations).window.admittedUs.at(-10)
  if (tenth === undefined) return
  const wait = tenth + 10 * SECOND_US - clock.monotonic() - random.whole(0, 1)
  if (wait > 0) letPass(world, wait)
}

/** The quota keeps the counters of three days: the clock visits no fourth one. */
function stepWithin({ clock, days }: World, ms: number): void {
  const day = Math.floor((clock.now() + ms) / DAY_MS)
  if (!days.has(day) && days.size === DAYS_COUNTED) return
  clock.step(ms)
  days.add(day)
}

/** One pass of the server's hourly retention. */
export async function retain(world: World): Promise<void> {
  const { deployment, clock } = world
  await onePass((_, wait) => startRetention(deployment.store, clock, noteFault(world), wait))
  for (const organization of world.organizations) purge(organization, world.clock.now())
}

/** Packs an organization's positions, which changes nothing. */
export async function pack(world: World): Promise<void> {
  const { id } = world.random.pick(world.organizations)
  await packAll(world.deployment.store, id, BLOCK_ROWS)
}

/** Recomputes positions, which changes nothing. */
export async function refold(world: World): Promise<void> {
  const { random, deployment, clock } = world
  const { id: organization } = random.pick(world.organizations)
  await deployment.store.positions.requestRefold({ organization, object: null })
  if (random.chance(0.3)) await world.revive(random.chance(0.5))
  await onePass((_, wait) =>
    startRefolding(world.deployment.store, foldRules(clock), clock, noteFault(world), wait),
  )
}

/** Reports what fails within a pass. The pass continues. */
function noteFault(world: World): (error: unknown) => void {
  return (error) => world.fault(`upkeep: ${error}`)
}
