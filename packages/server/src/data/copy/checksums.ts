import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { weekOf } from '../../engine/store/position-store.ts'
import { countTuples, endOfTuple, positionKeyAt } from './tuples.ts'

/** A checksum of rows: their number, and the SHA-256 of their tuples one after the other, in hex. */
export type Checksum = { rows: number; sha256: string }

/** Adds up rows as they pass. */
type Summing = {
  /** The number of rows. */
  add(block: Buffer): number
  sum(): Checksum
}

export function summing(): Summing {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(block) {
      const count = countTuples(block)
      hash.update(block)
      rows += count
      return count
    },
    sum: () => ({ rows, sha256: hash.digest('hex') }),
  }
}

export async function checksumOf(blocks: AsyncIterable<Buffer>): Promise<Checksum> {
  const { add, sum } = summing()
  for await (const block of blocks) add(block)
  return sum()
}

/** A short checksum of an object's positions of a week, by week and object. */
type WeekSums = Map<number, Map<number, number>>

/** Checksums of positions ordered by object and time. `passed` gets each block. */
export async function weekSumsOf(
  positions: AsyncIterable<Buffer>,
  passed: (block: Buffer) => void,
): Promise<WeekSums> {
  const weeks: WeekSums = new Map()
  for await (const block of positions) {
    passed(block)
    for (let at = 0; at < block.length; ) {
      const { object, time } = positionKeyAt(block, at)
      const week = weekOf(time)
      const end = endOfRun(block, at, object, week)
      const sums = weeks.get(week) ?? new Map<number, number>()
      weeks.set(week, sums.set(object, crc32(block.subarray(at, end), sums.get(object))))
      at = end
    }
  }
  return weeks
}

/** The end of the tuples from `at` on that have the same object and week. */
function endOfRun(block: Buffer, at: number, object: number, week: number): number {
  let end = endOfTuple(block, at)
  while (end < block.length) {
    const next = positionKeyAt(block, end)
    if (next.object !== object || weekOf(next.time) !== week) break
    end = endOfTuple(block, end)
  }
  return end
}

/** The objects whose positions differ between the two sides, by week, ascending. */
export function differences(one: WeekSums, other: WeekSums): Map<number, number[]> {
  const differing = new Map<number, number[]>()
  for (const week of new Set([...one.keys(), ...other.keys()])) {
    const [mine, theirs] = [one.get(week), other.get(week)]
    const objects = new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])
    const unequal = [...objects].filter((object) => mine?.get(object) !== theirs?.get(object))
    if (unequal.length > 0)
      differing.set(
        week,
        unequal.sort((a, b) => a - b),
      )
  }
  return differing
}

/** The checksum of all owners' rows, by table, owner after owner. */
export function totalSums(
  owners: Iterable<Readonly<Record<string, Checksum>>>,
): Record<string, Checksum> {
  const totals: Record<string, { rows: number; hash: Hash }> = {}
  for (const sums of owners) {
    for (const [table, { rows, sha256 }] of Object.entries(sums)) {
      totals[table] ??= { rows: 0, hash: createHash('sha256') }
      totals[table].rows += rows
      totals[table].hash.update(sha256)
    }
  }
  return Object.fromEntries(
    Object.entries(totals).map(([table, { rows, hash }]) => [
      table,
      { rows, sha256: hash.digest('hex') },
    ]),
  )
}
