import { WEEK_MS } from '../week.ts'
import { bigintOf, booleanOf, type Field, type WholeNumbers } from './binary-copy.ts'
import type { Reading } from './reading.ts'
import { READ_SHIFTED_BLOCK, STANDING, shiftedBlock } from './shifted-block.ts'
import { statement } from './statement.ts'

/** The part of a reading server that these functions use. */
export type Copying = Pick<Reading, 'copy'>

/** A range of one object's positions: later than `after`, up to and including `to`. */
export type Range = { organization: number; object: number; after: number; to: number }

/** Where a statement begins, and how far it looks. */
export type Place = { after: number; reachMs: number }

/** The result of one statement within a range. */
export type Stretch = {
  /** Whether the organization has the object, in the state of the database that was read. */
  known: boolean
  /** The organization's newest change in that state. */
  newest: number
  /** The number of shown rows among those read. */
  standing: number
  /** Where the next statement begins. Null at the end of the range. */
  next: Place | null
}

export type Block = Stretch & { records: Buffer | null }

/** The snapshot of the read itself: every row that is not hidden now is shown. */
export const NOW = Number.MAX_SAFE_INTEGER

/** Most ranges lie in one or two weekly partitions, so a statement opens no more than that. */
const NEAR_MS = WEEK_MS
/** After an empty stretch, the next statement looks this many times further. */
const FURTHER = 8

const STATE_COLUMNS = `
  EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
  (SELECT newest FROM sequences WHERE organization = $1)`

const PASSED = `
  FROM (
    SELECT time_device, change, hidden, fix FROM positions
    WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
    ORDER BY time_device LIMIT $6
  ) AS stretch`

const COUNT = statement(`
  SELECT ${STATE_COLUMNS}, count(*), max(time_device), count(*) FILTER (WHERE ${STANDING}) ${PASSED}`)

/** The server joins the records of a block into one row, instead of one row for each. */
export const READ = statement(`
  SELECT ${STATE_COLUMNS}, count(*), max(time_device), count(*) FILTER (WHERE ${STANDING}),
    string_agg(fix, '') FILTER (WHERE ${STANDING}),
    EXISTS (SELECT FROM counter_shifts WHERE organization = $1 AND object = $2) ${PASSED}`)

export function beginOf({ after }: Range): Place {
  return { after, reachMs: NEAR_MS }
}

/** One statement: its start, the largest number of rows, and the snapshot. */
export type Reach = {
  reading: Copying
  range: Range
  place: Place
  snapshot: number
  rows: number
}

/** Counts the shown rows of a stretch. */
export async function countStretch(reach: Reach): Promise<Stretch> {
  const [row] = await reach.reading.copy(COUNT, valuesOf(reach))
  return stretchOf(reach, row!)
}

/** Counts the shown rows of a stretch and returns their records. */
export async function readStretch(reach: Reach): Promise<Block> {
  const [row] = await reach.reading.copy(READ, valuesOf(reach))
  const stretch = stretchOf(reach, row!)
  const records = row![5] ?? null
  if (records === null || !booleanOf(row![6])) return { ...stretch, records }
  const { range, place, snapshot } = reach
  const last = bigintOf(row![3])!
  const asOf = Math.min(snapshot, stretch.newest)
  const values = [range.organization, range.object, place.after, last, asOf]
  const [shifted] = await reach.reading.copy(READ_SHIFTED_BLOCK, values)
  const { known, block } = shiftedBlock(shifted!)
  return { ...stretch, known: stretch.known && known, records: block }
}

function valuesOf({ range, place, snapshot, rows }: Reach): WholeNumbers {
  return [range.organization, range.object, place.after, endOf(range, place), snapshot, rows]
}

function endOf({ to }: Range, { after, reachMs }: Place): number {
  return Math.min(to, after + reachMs)
}

function stretchOf({ range, place, rows }: Reach, row: Field[]): Stretch {
  const isFull = bigintOf(row[2]) === rows
  return {
    known: booleanOf(row[0]),
    newest: bigintOf(row[1]) ?? 0,
    standing: bigintOf(row[4])!,
    next: nextPlace(range, place, isFull ? bigintOf(row[3]) : null),
  }
}

/** `last`: the row at which the statement stopped, or null if it reached its end. */
function nextPlace(range: Range, place: Place, last: number | null): Place | null {
  if (last !== null) return { after: last, reachMs: NEAR_MS }
  const end = endOf(range, place)
  return end < range.to ? { after: end, reachMs: place.reachMs * FURTHER } : null
}
