import { DamagedPositions } from '../../tracking/damaged-positions.ts'
import type { Work } from '../../tracking/work.ts'
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
  addRows(rows: readonly StoredRow[]): void
  addBlock(block: StoredBlock): void
  removeBlock(block: StoredBlock): void
}

/** The rows that a step has packed, and the time after which the next step looks. Null: nothing is due after it. */
export type PackedStep = { packed: number; next: number | null }

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
  // A row that lies in a block waits there because the block is damaged.
  if (following !== null && following.first <= oldest.time) {
    return { packed: 0, next: following.last }
  }
  const due = { after: start, to: following === null ? to : following.first - 1 }
  const isEnough = yield* tables.hasRows(due, minRows(blockRows))
  if (!isEnough && following === null) return { packed: 0, next: null }
  const earlier = isEnough ? yield* smallBlockBefore(tables, oldest.time, blockRows) : null
  const rows = yield* tables.rows.first(due, blockRows - (earlier?.rows ?? 0))
  const neighbour = isEnough ? earlier : following
  const read = neighbour === null ? [] : unlessDamaged(neighbour)
  const isDamaged = read instanceof DamagedPositions
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
/** Steps that pack nothing, because a row has to wait, are short. */
const MAX_STEPS = 50

/**
 * Packs an object's first blocks, by steps like `packNext`. `isDone`: there is nothing more to pack now.
 */
export function* packSlice(
  step: (after: number) => Work<PackedStep>,
): Work<{ packed: number; isDone: boolean }> {
  let [packed, blocks] = [0, 0]
  let after: number | null = BEGINNING
  for (let steps = 0; steps < MAX_STEPS && blocks < SLICE_BLOCKS && after !== null; steps += 1) {
    const done: PackedStep = yield* step(after)
    packed += done.packed
    if (done.packed > 0) blocks += 1
    after = done.next
  }
  return { packed, isDone: after === null || packed === 0 }
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

function unlessDamaged(block: StoredBlock): StoredRow[] | DamagedPositions {
  try {
    return unpackRows(block)
  } catch (error) {
    if (error instanceof DamagedPositions) return error
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

/** Puts the rows of a block back into the table of positions, because one of them changes. A damaged one stays: returns that. */
export function unpackBlock(
  tables: Pick<PackTables, 'addRows' | 'removeBlock'>,
  block: StoredBlock,
): DamagedPositions | null {
  const rows = unlessDamaged(block)
  if (rows instanceof DamagedPositions) return rows
  tables.addRows(rows)
  tables.removeBlock(block)
  return null
}

/** Removes the blocks whose rows all are in a stretch, and puts others with rows in it back into the table of positions. */
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
