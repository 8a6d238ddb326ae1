import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, formatDate, utcDay } from '../../../base/domain/time/time.ts'
import type { Snapshots } from '../../../data/live/realtime.ts'
import { type Store, StoreUnavailable } from '../../../engine/store/store.ts'
import type { Api, TestFleet } from '../../../read/api.ts'
import type { StreamCounts } from '../../../read/changes/open-streams.ts'
import { openDayStore } from './day-store.ts'
import { type OpenDay, openDay } from './open-day.ts'

/** An empty store in memory, with the states of its objects. */
type InMemory = { store: Store; snapshots: Snapshots }
/** `now` is the clock of the store. */
export type OpenInMemory = (facts: {
  epoch: string
  secret: KeyObject
  now: () => number
}) => Promise<InMemory>

type TestFleetParts = {
  openInMemory: OpenInMemory
  /** The API of the deployment. */
  liveApi(): Api
  /** The secret of the deployment. */
  secret: KeyObject
  clock: Clock
  maxStreams: number
  counts: StreamCounts
  failed(error: unknown): void
}

/** An answer in the scenario `slow` begins after this time. */
const SLOW_MS = 10_000

/**
 * The simulated fleet. The first request of each UTC day opens it, and no request means no work. It is the same in
 * every process of every deployment, because all that it has is computed from the clock.
 */
export function openTestFleet(
  parts: TestFleetParts,
): TestFleet & { release(): void; close(): Promise<void> } {
  const { clock } = parts
  const draining = new AbortController()
  const closing = new AbortController()
  /** The newest day, and the one before it, whose last requests may still be under way. */
  let days: { day: number; opening: Promise<OpenDay> }[] = []

  function today(): Promise<OpenDay> {
    const day = utcDay(clock.now())
    const newest = days[0]
    if (newest?.day === day) return newest.opening
    const opening = openOn(day, parts, closing.signal)
    // Streams continue from their cursors, which are too old then.
    if (newest !== undefined) releaseDay(newest.opening)
    for (const older of days.slice(1)) void closeDay(older.opening)
    days = [{ day, opening }, ...days.slice(0, 1)]
    opening.catch(() => {
      // The next request tries again.
      days = days.filter((each) => each.opening !== opening)
    })
    return opening
  }

  return {
    async open(key, gone) {
      const scenario = key.scenario!
      if (scenario === 'expired') return null
      if (scenario === 'slow') await slowly(AbortSignal.any([gone, draining.signal]))
      const opened = await (await today()).open(key, scenario)
      return { ...opened, isDown: scenario === 'unavailable', isCut: scenario === 'cut' }
    },
    release() {
      draining.abort()
      for (const { opening } of days) releaseDay(opening)
    },
    async close() {
      draining.abort()
      closing.abort(new StoreUnavailable('The server is stopping.'))
      await Promise.all(days.map(({ opening }) => closeDay(opening)))
      days = []
    },
  }
}

async function slowly(signal: AbortSignal): Promise<void> {
  await pause(SLOW_MS, undefined, { signal }).catch(() => undefined)
}

async function openOn(
  day: number,
  { openInMemory, liveApi, secret, clock, maxStreams, counts, failed }: TestFleetParts,
  signal: AbortSignal,
): Promise<OpenDay> {
  signal.throwIfAborted()
  let snapshots: Snapshots | undefined
  const openStore = async (now: () => number) => {
    const facts = {
      epoch: `simulated ${formatDate(day)}`,
      secret: derived(secret, `day ${day}`),
      now,
    }
    const opened = await openInMemory(facts)
    snapshots = opened.snapshots
    return opened.store
  }
  const store = await openDayStore(openStore, day, signal)
  const isOver = () => utcDay(clock.now()) !== day
  const given = {
    liveApi: liveApi(),
    snapshots: snapshots!,
    secret: derived(secret, 'cursors'),
    maxStreams,
    counts,
    failed,
    isOver,
  }
  try {
    return await openDay(store, given)
  } catch (error) {
    await store.close()
    throw error
  }
}

function derived(secret: KeyObject, purpose: string): KeyObject {
  const derivation = createHmac('sha256', secret).update(`test fleet ${purpose}`)
  return createSecretKey(derivation.digest())
}

function releaseDay(opening: Promise<OpenDay>): void {
  opening.then(
    (day) => day.release(),
    () => undefined,
  )
}

function closeDay(opening: Promise<OpenDay>): Promise<void> {
  return opening.then(
    (day) => day.close(),
    // It was never open.
    () => undefined,
  )
}
