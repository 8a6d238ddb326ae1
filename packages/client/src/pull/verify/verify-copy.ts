import { setImmediate as nextTurn } from 'node:timers/promises'
import { NotFoundError } from '../../errors.ts'
import type { Fleetgate } from '../../fleetgate.ts'
import type { AskedAttributes } from '../../history.ts'
import type { CoverageRange } from '../../records.ts'
import type { ReplicaStore, ReplicaWrite, StoredPosition } from '../../replica/replica-store.ts'
import { dateOf, dayOf } from '../working-set/day.ts'
import { type DayDigests, dayDigests, NO_POSITIONS } from './day-digests.ts'

/** The days of objects that were compared with the server, and those that differed. */
export type Verified = {
  days: number
  /** Days that differed and were read again. */
  repaired: number
  /** Days that still differ. */
  different: number
}

/** A day of an object that differs. */
type Differing = { id: number; date: string }

/** Sums of one question, which are in memory at once. */
const SUMS_AT_ONCE = 100_000
/** Days of one question: more where the fleet has no positions. */
const MAX_DAYS = 31
const MAX_EMPTY_DAYS = 366
/** A fleet that has nothing for five years has nothing before. */
const EMPTY_DAYS = 1_830
/** New positions may come between the changes and the question. The next round then has them. */
const ROUNDS = 4

type Copy = {
  client: Fleetgate
  store: ReplicaStore
  ids: readonly number[] | undefined
  attributes: AskedAttributes | undefined
}

/** Compares a copy with the server's coverage, and reads days again that differ. `sync`: brings what has changed. */
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
  const oldest = oldestWholeDay((await copy.store.load())?.retentionDays)
  const objects = Array.from(await copy.store.items('object'), ({ item }) => item.id)
  const most = Math.ceil(Math.min(MAX_DAYS, SUMS_AT_ONCE / Math.max(1, objects.length)))
  const differing: Differing[] = []
  let [days, empty] = [0, 0]
  // One day more, because devices may be ahead.
  for (let to = today() + 1; to >= oldest && empty < EMPTY_DAYS; ) {
    const from = Math.max(oldest, to - (empty > 0 ? MAX_EMPTY_DAYS : most) + 1)
    const found = await compareRange(copy, objects, { from, to }, signal)
    days += found.days
    for (const each of found.differing) differing.push(each)
    empty = found.days === 0 ? empty + to - from + 1 : 0
    to = from - 1
  }
  return { days, differing }
}

/** Compares the days of these objects, and of all that the server has. */
async function compareRange(
  { client, store, ids }: Copy,
  objects: Iterable<number>,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<{ days: number; differing: Differing[] }> {
  const range = { from: dateOf(from), to: dateOf(to), signal, ...(ids && { ids }) }
  const theirs = await digestsOf(client, range)
  const [first, last] = [`${range.from}T00:00:00.000Z`, `${range.to}T23:59:59.999Z`]
  const kept = (await store.load())?.objectRetentionDays
  const differing: Differing[] = []
  let days = 0
  for (const id of new Set([...objects, ...theirs.keys()])) {
    const mine = await dayDigests(store.positions(id, first, last))
    const other = theirs.get(id) ?? new Map<string, DayDigests>()
    const oldest = dateOf(oldestWholeDay(kept?.[id]))
    for (const date of new Set([...mine.keys(), ...other.keys()])) {
      if (date < oldest) continue
      const [own, asked] = [mine.get(date) ?? NO_POSITIONS, other.get(date) ?? NO_POSITIONS]
      if (own.positions + asked.positions > 0) days += 1
      if (!areEqual(own, asked)) differing.push({ id, date })
    }
    // A store may read without a pause, and a signal arrives only in one.
    await nextTurn()
    signal.throwIfAborted()
  }
  return { days, differing }
}

/** The server's sums of each object, by its id, and each day, by its date. */
async function digestsOf(
  client: Fleetgate,
  range: CoverageRange,
): Promise<Map<number, Map<string, DayDigests>>> {
  const found = new Map<number, Map<string, DayDigests>>()
  try {
    for await (const { object_id, date, ...sums } of client.coverage(range)) {
      const { positions, digest, counters_digest } = sums
      const ofObject = found.get(object_id) ?? new Map<string, DayDigests>()
      found.set(object_id, ofObject.set(date, { positions, digest, counters_digest }))
    }
  } catch (error) {
    // All of the asked objects were deleted meanwhile.
    if (!(error instanceof NotFoundError) || range.ids === undefined) throw error
  }
  return found
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
    const day = dayOf(Date.parse(date))
    const wanted = new Set(differing.filter((each) => each.date === date).map(({ id }) => id))
    const ids = wanted.size <= MAX_IDS ? [...wanted] : copy.ids
    const found = await compareRange({ ...copy, ids }, wanted, { from: day, to: day }, signal)
    for (const each of found.differing) if (wanted.has(each.id)) still.push(each)
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
  { client, store, attributes }: Copy,
  id: number,
  date: string,
  signal: AbortSignal,
): Promise<void> {
  const progress = (await store.load())!
  const [from, to] = [`${date}T00:00:00.000Z`, `${date}T23:59:59.999Z`]
  const parts = { include: ['exact'], ...(attributes && { attributes }) } as const
  const writes: ReplicaWrite[] = [{ write: 'delete-positions', id, from, to }]
  try {
    for await (const row of client.positions.history(id, { from, to, ...parts, signal })) {
      const position = row as StoredPosition['position']
      const { time_device: time } = position
      writes.push({ write: 'put-position', id, time, position, asOf: progress.asOf })
    }
  } catch (error) {
    // An object that was deleted meanwhile has no positions.
    if (!(error instanceof NotFoundError)) throw error
  }
  await store.commit(writes, progress)
}

/** The first day of which a retention keeps everything. */
function oldestWholeDay(retentionDays: number | null | undefined): number {
  return retentionDays == null ? 0 : today() - retentionDays + 1
}

function today(): number {
  return dayOf(Date.now())
}
