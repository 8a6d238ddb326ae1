import { writeUint48 } from '../../base/domain/common/packed-numbers.ts'
import type { CounterReading } from '../../base/domain/position/fold-state.ts'

/*
 * The packed form of a `CounterReading` in a row: a byte of flags, and the numbers that are not already in
 * the row, 6 bytes each. Most readings are from the row itself and grew there. They take one byte.
 */

export const READING_FLAG = {
  /** The believed value is the row's own. */
  ownValue: 1,
  /** It grew at the row's own time. */
  grewHere: 2,
  /** The doubted reading is the row's own. */
  ownDoubt: 4,
  doubted: 8,
  before: 16,
} as const
const NUMBER_BYTES = 6
const MAX_NUMBERS = 8

export const MAX_READING_BYTES = 1 + MAX_NUMBERS * NUMBER_BYTES

/** Writes the reading of a counter at the row of time `at`, whose fix has the value `own`. Returns the end offset. */
export function writeReading(
  out: Buffer,
  start: number,
  { value, grewAt, doubted, before }: CounterReading,
  own: number | null,
  at: number,
): number {
  let flags = 0
  let end = start + 1
  const put = (flag: number, ...numbers: number[]) => {
    flags |= flag
    for (const number of numbers) end = writeUint48(out, end, number)
  }
  if (value === own) flags |= READING_FLAG.ownValue
  else put(0, value)
  if (grewAt === at) flags |= READING_FLAG.grewHere
  else put(0, grewAt)
  if (doubted !== null) {
    if (doubted.value === own && doubted.at === at) flags |= READING_FLAG.ownDoubt
    else put(READING_FLAG.doubted, doubted.value, doubted.at)
  }
  if (before !== null) {
    put(READING_FLAG.before, before.value, before.grewAt, before.droppedAt, before.counted)
  }
  out[start] = flags
  return end
}

/** Decodes consecutive readings from `start` on. Each needs the value and the time of its row. */
export function readingsIn(record: Buffer, start: number) {
  let end = start

  function take(): number {
    end += NUMBER_BYTES
    return record.readUIntLE(end - NUMBER_BYTES, NUMBER_BYTES)
  }

  function next(own: number | null, at: number): CounterReading {
    const flags = record[end]!
    end += 1
    const has = (flag: number) => (flags & flag) !== 0
    const value = has(READING_FLAG.ownValue) ? own! : take()
    const grewAt = has(READING_FLAG.grewHere) ? at : take()
    const doubted = has(READING_FLAG.doubted) ? { value: take(), at: take() } : null
    const before = has(READING_FLAG.before)
      ? { value: take(), grewAt: take(), droppedAt: take(), counted: take() }
      : null
    return {
      value,
      grewAt,
      doubted: has(READING_FLAG.ownDoubt) ? { value: own!, at } : doubted,
      before,
    }
  }

  return { next, end: () => end }
}
