import { LAST_TIME } from '../../base/domain/time/time.ts'
import { NewerPositions, UnreadablePositions, type Work } from '../../engine/tracking/work.ts'
import type { BlockOwner } from './block.ts'
import type { PackTables } from './position-tables.ts'
import {
  packRows,
  type Span,
  type StoredBlock,
  type StoredRow,
  unpackRows,
} from './stored-blocks.ts'

/** More rows of a block save little space, and take longer to find one in (`docs/blocks.md`). */
export const BLOCK_ROWS = 500

/** A time before every position. */
export const BEGINNING = -1

/** The rows that a step has packed, and the time after which the next step looks. Null: nothing is due after it. */
export type Packed = { packed: number; next: number | null }

/** Fewer rows wait until there are more of them, so that an object with few positions is seldom packed. */
export function minRows(blockRows: number): number {
  return Math.ceil(blockRows / 8)
}

/**
 * Packs the first rows later than `after` and older than `before`, if there are enough of them or if a block follows them. A
 * small block next to them becomes one with theirs.
 */
function* packNext(
  tables: PackTables,
  owner: BlockOwner,
  after: number,
  before: number,
  blockRows: number,
): Work<Packed> {
  const to = before - 1
  const coming = yield* tables.rows.first({ after, to }, blockRows)
  const [oldest] = coming
  if (oldest === undefined) return { packed: 0, next: null }
  // Retention keeps a hidden one for its counters, however old it is.
  if (after === BEGINNING && oldest.hidden !== null) return { packed: 0, next: oldest.time }
  const following = yield* tables.blocks.next({ after: oldest.time - 1, to })
  // A row within the time of a block waits there because the block is damaged.
  if (following !== null && following.first <= oldest.time) {
    return { packed: 0, next: following.last }
  }
  const due = following === null ? coming : coming.filter(({ time }) => time < following.first)
  const isEnough = due.length >= minRows(blockRows)
  if (!isEnough && following === null) return { packed: 0, next: null }
  const earlier = isEnough ? yield* smallBlockBefore(tables, oldest.time, blockRows) : null
  const rows = due.slice(0, blockRows - (earlier?.rows ?? 0))
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

/**
 * Packs an object's next blocks, as many as `blocks`, each like `packNext`. The steps over damaged blocks whose rows wait pack
 * nothing, so they do not count.
 */
export function* packBlocks(
  tables: PackTables,
  owner: BlockOwner,
  after: number,
  before: number,
  blockRows: number,
  blocks: number,
): Work<Packed> {
  let packed = 0
  let next: number | null = after
  for (let left = blocks; left > 0 && next !== null; ) {
    const done: Packed = yield* packNext(tables, owner, next, before, blockRows)
    packed += done.packed
    if (done.packed > 0) left -= 1
    next = done.next
  }
  return { packed, next }
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
 * Removes the blocks that are entirely in a span, and moves the rows of other blocks that overlap it back into the
 * table of positions.
 */
export function* clearOfBlocks(tables: PackTables, span: Span): Work<void> {
  for (let rest = span; ; ) {
    const block = yield* tables.blocks.next(rest)
    if (block === null) return
    const isWhole = span.after < block.first && block.last <= span.to
    if (isWhole) tables.removeBlock(block)
    else unpackBlock(tables, block)
    rest = { ...rest, after: block.last }
  }
}
