import { takeTurn } from '../../../base/domain/common/slots.ts'
import { LIST_TOPICS } from '../../../base/domain/item-rules.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/domain/time/time.ts'
import { type Backlog, deriveSlice, readBacklog } from '../../../engine/journeys/derive-slice.ts'
import { applySlice } from '../../../engine/journeys/organization-loop.ts'
import { progressMemory } from '../../../engine/journeys/retries.ts'
import type { ItemStore } from '../../../engine/store/item-store.ts'
import type { DerivedWork } from '../../../engine/store/record-store.ts'
import type { Store } from '../../../engine/store/store.ts'
import type { NewFix } from '../../../engine/tracking/fold-tables.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { SIMULATED_ATTRIBUTES } from '../attributes.ts'
import { CREATED_AT, LISTED, OBJECTS, ORGANIZATION } from './catalogue.ts'
import { isGone, OBJECT, packetsAt, TICK_MS } from './vehicles.ts'

/** The simulated fleet on a UTC day. Its changes have the same numbers in every process. */
export type DayStore = {
  readonly store: Store
  readonly organization: number
  /** Has everything arrive that is due at `now`. Call it again when it has resolved. */
  advance(now: number): Promise<void>
  close(): Promise<void>
}

/** Opens an empty store in memory, whose clock is `now`. */
export type OpenStore = (now: () => number) => Promise<Store>

const HOLDER = 'the simulated fleet'
/** Packets of the day before that are stored together, and ticks between two turns for others. */
const PACKETS_AT_ONCE = 250
const TICKS_AT_ONCE = 10

/** Opens the fleet of a day as of 00:00 UTC, with the positions of the previous day. */
export async function openDayStore(
  open: OpenStore,
  day: number,
  signal: AbortSignal,
): Promise<DayStore> {
  const start = day * DAY_MS
  let reached = start
  const store = await open(() => reached)
  const rules = foldRules({ now: () => reached, monotonic: () => reached * 1_000 })
  const derive = deriving(store, () => reached)

  async function openWith(): Promise<number> {
    const id = await createFleet(store)
    const packets = packetsOfDay(day - 1)
    for (let at = 0; at < packets.length; at += PACKETS_AT_ONCE) {
      await store.positions.append(id, packets.slice(at, at + PACKETS_AT_ONCE), rules)
      await nextTurn()
    }
    await store.records.want(id)
    await store.records.lease(HOLDER, DAY_MS, [id])
    await derive(id)
    return id
  }

  async function nextTurn(): Promise<void> {
    await takeTurn()
    signal.throwIfAborted()
  }

  async function arrive(organization: number, tick: number): Promise<void> {
    reached = tick
    await comeAndGo(store, organization, tick)
    const packets = packetsAt(tick)
    if (packets.length > 0) await store.positions.append(organization, packets, rules)
    if (tick % MINUTE_MS === 0) await derive(organization)
  }

  try {
    const organization = await openWith()
    return {
      store,
      organization,
      async advance(now) {
        const until = Math.min(now, start + DAY_MS - 1)
        for (let ticks = 1; reached + TICK_MS <= until; ticks += 1) {
          await arrive(organization, reached + TICK_MS)
          if (ticks % TICKS_AT_ONCE === 0) await nextTurn()
        }
      },
      close: store.close,
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function createFleet(store: Store): Promise<number> {
  const { id } = await store.organizations.create(ORGANIZATION, CREATED_AT)
  await store.objects.put(id, [...OBJECTS], CREATED_AT)
  for (const topic of LIST_TOPICS) {
    const items = store[topic] as ItemStore<unknown, unknown>
    await items.put(id, [...LISTED[topic]], CREATED_AT)
  }
  await store.attributes.change(id, () => [...SIMULATED_ATTRIBUTES])
  return id
}

async function comeAndGo(store: Store, organization: number, tick: number): Promise<void> {
  if (isGone(tick) === isGone(tick - TICK_MS)) return
  const one = OBJECTS.find(({ id }) => id === OBJECT.comesBack)!
  if (isGone(tick)) await store.objects.delete(organization, OBJECT.comesBack)
  else await store.objects.put(organization, [one], tick)
}

/** Derives the records of everything that has arrived, at fixed moments, so that they get the same ids everywhere. */
function deriving(store: Store, now: () => number): (organization: number) => Promise<void> {
  const remember = progressMemory(OBJECTS.length)
  let backlog: Backlog | null = null

  return async (organization) => {
    const write = (work: DerivedWork) => store.records.apply(organization, HOLDER, work)
    for (let isDone = false; !isDone; ) {
      const slice = await store.changeLog.view(organization, async (view) => {
        backlog = await readBacklog(view, backlog, remember)
        return deriveSlice(view, backlog, now())
      })
      backlog = await applySlice(write, slice!)
      if (backlog === null) throw new Error('the records of the simulated fleet were not written')
      isDone = slice!.isDone
    }
  }
}

/** The packets that arrived on a day, except those of the object that was deleted since. */
function packetsOfDay(day: number): NewFix[] {
  const ticks = Array.from({ length: DAY_MS / TICK_MS }, (_, tick) => day * DAY_MS + tick * TICK_MS)
  return ticks.flatMap(packetsAt).filter(({ object }) => object !== OBJECT.comesBack)
}
