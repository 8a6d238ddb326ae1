import type { Fleetgate } from '../../fleetgate.ts'
import type { ReplicaStore, ReplicaWrite, StoredPosition } from '../../replica/replica-store.ts'
import { type DayDigests, dayDigests, NO_POSITIONS } from './day-digests.ts'

/** The days of objects that were compared with the server, and those that differed. */
export type Verified = {
  days: number
  /** Days that differed and were read anew. */
  repaired: number
  /** Days that still differ. */
  different: number
}

/** A day of an object that differs. */
type Differing = { id: number; date: string }

const DAY_MS = 86_400_000
/** Days of one question: fewer where the fleet has positions, so that few sums are in memory. */
const DAYS_AT_ONCE = 31
const MAX_DAYS_AT_ONCE = 366
/** A fleet that has nothing for five years has nothing before. */
const EMPTY_DAYS = 1_830
/** New positions may come between the changes and the question. The next round then has them. */
const ROUNDS = 4

type Copy = { client: Fleetgate; store: ReplicaStore; ids: readonly number[] | undefined }

/** Compares a copy with the server's coverage, and reads days anew that differ. `sync`: brings what has changed. */
export async function verifyCopy(
  copy: Copy,
  sync: () => Promise<void>,
  signal: AbortSignal,
): Promise<Verified> {
  const compared = await compareAll(copy, signal)
  let { differing } = compared
  const repaired = new Set<string>()
  for (let round = 1; round < ROUNDS && differing.length > 0; round += 1) {
    await sync()
    differing = await stillDiffering(copy, differing, signal)
    for (const { id, date } of differing) {
      await repair(copy, id, date, signal)
      repaired.add(`${id} ${date}`)
    }
  }
  if (differing.length > 0) {
    await sync()
    differing = await stillDiffering(copy, differing, signal)
  }
  return {
    days: compared.days,
    repaired: repaired.size - differing.length,
    different: differing.length,
  }
}

async function compareAll(
  copy: Copy,
  signal: AbortSignal,
): Promise<{ days: number; differing: Differing[] }> {
  const oldest = await oldestWholeDay(copy.store)
  const differing: Differing[] = []
  let [days, empty] = [0, 0]
  // One day more, because devices may be ahead.
  for (let to = today() + 1; to >= oldest && empty < EMPTY_DAYS; ) {
    const from = Math.max(oldest, to - (empty > 0 ? MAX_DAYS_AT_ONCE : DAYS_AT_ONCE) + 1)
    const found = await compareRange(copy, from, to, signal)
    days += found.days
    differing.push(...found.differing)
    empty = found.days === 0 ? empty + to - from + 1 : 0
    to = from - 1
  }
  return { days, differing }
}

async function compareRange(
  { client, store, ids }: Copy,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<{ days: number; differing: Differing[] }> {
  const range = { from: dateOf(from), to: dateOf(to), signal, ...(ids && { ids }) }
  const theirs = new Map<number, Map<string, DayDigests>>()
  for await (const day of client.coverage(range)) {
    const ofObject = theirs.get(day.object_id) ?? new Map<string, DayDigests>()
    theirs.set(day.object_id, ofObject.set(day.date, day))
  }
  const objects = Array.from(await store.items('object'), ({ item }) => item.id)
  const differing: Differing[] = []
  let days = 0
  for (const id of new Set([...objects, ...theirs.keys()])) {
    const [first, last] = [`${dateOf(from)}T00:00:00.000Z`, `${dateOf(to)}T23:59:59.999Z`]
    const mine = await dayDigests(store.positions(id, first, last))
    const other = theirs.get(id) ?? new Map<string, DayDigests>()
    for (const date of new Set([...mine.keys(), ...other.keys()])) {
      const [own, asked] = [mine.get(date) ?? NO_POSITIONS, other.get(date) ?? NO_POSITIONS]
      if (own.positions + asked.positions > 0) days += 1
      if (!areEqual(own, asked)) differing.push({ id, date })
    }
    signal.throwIfAborted()
  }
  return { days, differing }
}

function areEqual(a: DayDigests, b: DayDigests): boolean {
  return a.digest === b.digest && a.counters_digest === b.counters_digest
}

async function stillDiffering(
  copy: Copy,
  differing: readonly Differing[],
  signal: AbortSignal,
): Promise<Differing[]> {
  const still: Differing[] = []
  for (const date of new Set(differing.map((each) => each.date))) {
    const day = Date.parse(date) / DAY_MS
    const wanted = new Set(differing.filter((each) => each.date === date).map(({ id }) => id))
    const ids = wanted.size <= MAX_IDS ? [...wanted] : copy.ids
    const found = await compareRange({ ...copy, ids }, day, day, signal)
    still.push(...found.differing.filter(({ id }) => wanted.has(id)))
  }
  return still
}

/** Ids of one question. */
const MAX_IDS = 1_000

/**
 * Puts the server's positions in the place of those of a day. A shift that comes during this may be counted twice; the
 * next comparison finds that.
 */
async function repair(
  { client, store }: Copy,
  id: number,
  date: string,
  signal: AbortSignal,
): Promise<void> {
  const progress = (await store.load())!
  const [from, to] = [`${date}T00:00:00.000Z`, `${date}T23:59:59.999Z`]
  const writes: ReplicaWrite[] = [{ write: 'delete-positions', id, from, to }]
  for await (const row of client.positions.history(id, { from, to, include: ['exact'], signal })) {
    const position = row as StoredPosition['position']
    const { time_device: time } = position
    writes.push({ write: 'put-position', id, time, position, asOf: progress.asOf })
  }
  await store.commit(writes, progress)
}

/** The first day of which the retention keeps everything. */
async function oldestWholeDay(store: ReplicaStore): Promise<number> {
  const progress = await store.load()
  const retentionDays = progress?.retentionDays ?? null
  return retentionDays === null ? 0 : today() - retentionDays + 1
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS)
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
