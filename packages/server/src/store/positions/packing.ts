import { DAY_MS, LAST_TIME } from '../../domain/time/time.ts'
import { NewerPositions, UnreadablePositions, type Work } from '../../tracking/work.ts'
import { StoreUnavailable } from '../store.ts'
import type { BlockOwner } from './block.ts'
import type { Blocks, TableRows } from './merged-rows.ts'
import {
  packRows,
  type StoredBlock,
  type StoredRow,
  type Stretch,
  unpackRows,
} from './stored-blocks.ts'

/** More rows of a block save little space, and take longer to find one in (`docs/blocks.md`). */
export const BLOCK_ROWS = 500

/** A time before every position. */
export const BEGINNING = -1

/** The tables of one object in a transaction. */
export type PackTables = {
  rows: Pick<TableRows<StoredRow>, 'first'>
  /** Whether the stretch has this many rows. */
  hasRows(stretch: Stretch, count: number): Work<boolean>
  blocks: Blocks
  /** Removes the rows of a closed range of time from the table of positions. */
  removeRows(first: number, last: number): void
  /** Rows of the same times are replaced. */
  addRows(rows: readonly StoredRow[]): void
  addBlock(block: StoredBlock): void
  removeBlock(block: StoredBlock): void
}

/** The rows that a step has packed, and the time after which the next step looks. Null: nothing is due after it. */
type PackedStep = { packed: number; next: number | null }

/** Fewer rows wait until there are more of them, so that an object with few positions is seldom packed. */
export function minRows(blockRows: number): number {
  return Math.ceil(blockRows / 8)
}

/**
 * Packs the first rows later than `after` and older than `before`, if there are enough of them or if a block follows them. A
 * small block next to them becomes one with theirs.
 */
export function* packNext(
  tables: PackTables,
  owner: BlockOwner,
  after: number,
  before: number,
  blockRows = BLOCK_ROWS,
): Work<PackedStep> {
  const to = before - 1
  const [oldest] = yield* tables.rows.first({ after, to }, 1)
  if (oldest === undefined) return { packed: 0, next: null }
  // Retention keeps a hidden one for its counters, however old it is.
  if (after === BEGINNING && oldest.hidden !== null) return { packed: 0, next: oldest.time }
  const start = oldest.time - 1
  const following = yield* tables.blocks.next({ after: start, to })
  // A row within the time of a block waits there because the block is damaged.
  if (following !== null && following.first <= oldest.time) {
    return { packed: 0, next: following.last }
  }
  const due = { after: start, to: following === null ? to : following.first - 1 }
  const isEnough = yield* tables.hasRows(due, minRows(blockRows))
  if (!isEnough && following === null) return { packed: 0, next: null }
  const earlier = isEnough ? yield* smallBlockBefore(tables, oldest.time, blockRows) : null
  const rows = yield* tables.rows.first(due, blockRows - (earlier?.rows ?? 0))
  const neighbour = isEnough ? earlier : following
  const read = neighbour === null ? [] : unlessUnreadable(neighbour)
  // The newer version joins it with these rows. Until then they wait, and the operator learns of it each hour.
  if (read instanceof NewerPositions) throw read
  const isDamaged = read instanceof UnreadablePositions
  const next = isEnough ? rows.at(-1)!.time : following!.last
  if (isDamaged && !isEnough) return { packed: 0, next }
  tables.removeRows(oldest.time, rows.at(-1)!.time)
  if (neighbour !== null && !isDamaged) tables.removeBlock(neighbour)
  const joined = isDamaged ? [] : read
  const all = isEnough ? [...joined, ...rows] : [...rows, ...joined]
  for (const part of inBlocks(all, blockRows)) tables.addBlock(packRows(owner, part))
  return { packed: rows.length, next }
}

/** Blocks that are packed together: some 4 ms each. */
const SLICE_BLOCKS = 4

/**
 * Packs an object's first blocks, by steps like `packNext`. `isDone`: there is nothing more to pack now. The steps over damaged
 * blocks whose rows wait pack nothing, so they do not count.
 */
export function* packSlice(
  step: (after: number) => Work<PackedStep>,
): Work<{ packed: number; isDone: boolean }> {
  let [packed, blocks] = [0, 0]
  let after: number | null = BEGINNING
  while (blocks < SLICE_BLOCKS && after !== null) {
    const done: PackedStep = yield* step(after)
    packed += done.packed
    if (done.packed > 0) blocks += 1
    after = done.next
  }
  return { packed, isDone: after === null }
}

/** The block that ends before a row, if it is small and no other row is between. */
function* smallBlockBefore(
  { blocks, rows }: PackTables,
  time: number,
  blockRows: number,
): Work<StoredBlock | null> {
  const block = yield* blocks.previous({ after: BEGINNING, to: time })
  if (block === null || block.rows >= blockRows / 2) return null
  const between = yield* rows.first({ after: block.last, to: time - 1 }, 1)
  return between.length === 0 ? block : null
}

function unlessUnreadable(block: StoredBlock): StoredRow[] | UnreadablePositions {
  try {
    return unpackRows(block)
  } catch (error) {
    if (error instanceof UnreadablePositions) return error
    throw error
  }
}

/** Parts of about `blockRows`, all of one size but the last. */
function inBlocks(rows: readonly StoredRow[], blockRows: number): StoredRow[][] {
  const size = Math.ceil(rows.length / Math.max(1, Math.round(rows.length / blockRows)))
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) =>
    rows.slice(i * size, (i + 1) * size),
  )
}

/**
 * Puts the rows of a block back into the table of positions, because one of them changes. They replace late rows of the same
 * times, which came while the block was damaged. One that cannot be read stays: returns why.
 */
export function unpackBlock(
  tables: Pick<PackTables, 'addRows' | 'removeBlock'>,
  block: StoredBlock,
): UnreadablePositions | null {
  const rows = unlessUnreadable(block)
  if (rows instanceof UnreadablePositions) return rows
  tables.addRows(rows)
  tables.removeBlock(block)
  return null
}

/**
 * Unpacks the blocks with the next rows, at least `count` of them, because all of these change. Rows that came while such a
 * block was damaged are then among them. Ends before a damaged block.
 */
export function* unpackNext(tables: PackTables, after: number, count: number): Work<void> {
  let [from, left] = [after, count]
  while (left > 0) {
    const block = yield* tables.blocks.next({ after: from, to: LAST_TIME })
    if (block === null || unpackBlock(tables, block) !== null) return
    // The block of `after` has rows before it too.
    if (block.first > after) left -= block.rows
    from = block.last
  }
}

/**
 * Removes the blocks that are entirely in a stretch, and moves the rows of other blocks that overlap it back into the
 * table of positions.
 */
export function* clearOfBlocks(tables: PackTables, stretch: Stretch): Work<void> {
  for (let rest = stretch; ; ) {
    const block = yield* tables.blocks.next(rest)
    if (block === null) return
    const isWhole = stretch.after < block.first && block.last <= stretch.to
    if (isWhole) tables.removeBlock(block)
    else unpackBlock(tables, block)
    rest = { ...rest, after: block.last }
  }
}

/**
 * How long an object keeps expired positions if its oldest ones are packed. To remove some rows of a block, it is unpacked and
 * packed again.
 */
export const MAX_LATER_MS = DAY_MS

/** A block takes as long as this many rows. */
const ROWS_OF_BLOCK = 50

/**
 * Removes the first expired blocks of an object: as many as take as long as `atMost` rows. A block goes back into the table of
 * positions if some of its rows stay, or if later counters build on its last row. `until`: the moment from which rows stay after
 * this slice. The caller removes the older rows of the table, except the newest. `cost`: the number of deleted rows that take as long.
 * `damaged`: the block that had to be unpacked. It stays as a whole until its last row has expired; one of a newer version
 * stays after that, because that version can read the counters that later ones build on.
 */
export function* removeExpired(
  tables: PackTables,
  before: number,
  atMost: number,
): Work<{ until: number; cost: number; damaged: UnreadablePositions | null }> {
  let left = Math.ceil(atMost / ROWS_OF_BLOCK)
  let cost = 0
  for (let after = BEGINNING; ; left -= 1) {
    const block = yield* tables.blocks.next({ after, to: before - 1 })
    if (block === null) return { until: before, cost, damaged: null }
    const isLast =
      left === 0 || block.last >= before || !(yield* hasRows(tables, block.last, before))
    if (!isLast) {
      tables.removeBlock(block)
      cost += ROWS_OF_BLOCK
      after = block.last
      continue
    }
    const damaged = unpackBlock(tables, block)
    const stays = damaged instanceof NewerPositions || (damaged !== null && block.last >= before)
    if (damaged !== null && !stays) tables.removeBlock(block)
    return {
      until: left === 0 ? block.first + 1 : before,
      // One that stays costs nothing. Otherwise its object would use up each slice, and no other would have its turn.
      cost: stays ? cost : cost + block.rows,
      damaged: stays ? damaged : null,
    }
  }
}

/** Whether there are expired rows after a moment. */
function* hasRows({ rows, blocks }: PackTables, after: number, before: number): Work<boolean> {
  const later = { after, to: before - 1 }
  return (yield* rows.first(later, 1)).length > 0 || (yield* blocks.next(later)) !== null
}

/** A try to purge a slice of objects in one transaction. */
export type PurgeTry = {
  /** Objects that failed in a try before. */
  readonly skipped: ReadonlySet<number>
  /** The one that is purged now. Null: none yet. */
  object: number | null
  /** The damage that was found. */
  readonly failures: unknown[]
}

/** Purges a slice of objects, without those that cannot be purged. `failed` gets the reasons. */
export async function passingOver<T>(
  purge: (attempt: PurgeTry) => Promise<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  const skipped = new Set<number>()
  for (;;) {
    const attempt: PurgeTry = { skipped, object: null, failures: [] }
    try {
      const result = await purge(attempt)
      for (const failure of attempt.failures) failed(failure)
      return result
    } catch (error) {
      if (error instanceof StoreUnavailable || attempt.object === null) throw error
      failed(error)
      skipped.add(attempt.object)
    }
  }
}
