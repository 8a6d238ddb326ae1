import { LAST_TIME } from '../../base/domain/time/time.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Dialect, Sql, Value } from '../tables/sql.ts'
import type { Blocks, TableRows } from './merged-rows.ts'
import type { Span, StoredBlock, StoredRow } from './stored-blocks.ts'
import { positionWriter, unpackedRows } from './table-rows.ts'

/** The parts of statements on positions that the stores word differently. */
export type PositionForm = {
  /** A row of the table of positions as one value, as `unpackedRows` takes it. */
  readonly packedRow: string
  /** A row of the table of positions, as `readTrackRows` takes it. */
  readonly trackRow: string
  /** A bound number of a LIMIT. */
  atMost(parameter: string): string
  /** The bytes, or the numbers with commas, of a column of all rows in their order. Null: there are no rows. */
  bytes(column: string): string
  numbers(column: string): string
  /** The values of lists of whole numbers of one length, the last ones of a statement. */
  lists(first: readonly number[], ...others: readonly number[][]): Value[]
  /** `wanted`, in a FROM: such lists from a parameter on, by the names of columns, and `place`, counted from 1. */
  wanted(from: number, ...names: string[]): string
  /** The conditions on rows that are within the bounds `$2` and `$3`, before `wanted.at` or from it on, as a key finds them. */
  readonly before: string
  readonly since: string
  /** `found`, in a FROM after `wanted`: rows of the object `wanted.id`, looked up by their key. */
  ofEach(rows: RowsOfEach): string
  /** The number of the newest change that readers of the organization `$1` see. */
  readonly newestChange: string
  /** The best number of fixes for one transaction. */
  readonly appendSize: number
  /** Rows that are read for a late fix before anybody asks for them. A store that may wait reads more at once. */
  readonly ahead: RowsAhead
  /** The best numbers for one transaction of a background task: of rows that are deleted, of blocks that are packed. */
  readonly purgedAtOnce: number
  readonly packedAtOnce: number
  /** The best numbers for one statement: of positions by name, of blocks. */
  readonly namedAtOnce: number
  readonly blocksAtOnce: number
}

/** Rows before a late fix and after it, and those of each further read: at first, and at most. */
export type RowsAhead = { earlier: number; later: number; chunk: number; maxChunk: number }

export type RowsOfEach = {
  table: 'positions' | 'position_blocks'
  columns: string
  /** A condition on the rows and on `wanted`. */
  where: string
  /** The last one by this column. Absent: all of them, in order. */
  lastBy?: string
}

/** The tables of one object. Calls see what the connection's transaction sees. */
export type PositionTables = {
  /** Rows of the table of positions alone. */
  rows: TableRows<StoredRow>
  blocks: Blocks
}

/** The tables of one object in a transaction that writes. */
export type PackTables = PositionTables & {
  /** Removes the rows of a closed range of time from the table of positions. */
  removeRows(first: number, last: number): void
  /** Rows of the same times are replaced. */
  addRows(rows: readonly StoredRow[]): void
  addBlock(block: StoredBlock): void
  removeBlock(block: StoredBlock): void
}

/** The columns of a `StoredBlock`. */
const BLOCK_NAMES = 'organization, object, first, last, rows, shown, "newestChange", block'
export const BLOCK_COLUMNS = `organization, object, first_time AS first, last_time AS last, rows, shown,
  newest_change AS "newestChange", block`
const WHOSE = 'organization = $1 AND object = $2'

/** The first block with a row later than $3 that begins at $4 or earlier. Blocks do not overlap, so it is that of $3 or the next one. */
export const NEXT_IN = `
  FROM position_blocks
  WHERE ${WHOSE} AND last_time > $3 AND first_time <= $4 AND first_time >= coalesce((
    SELECT first_time FROM position_blocks
    WHERE ${WHOSE} AND first_time <= $3 ORDER BY first_time DESC LIMIT 1
  ), $3)
  ORDER BY first_time`
const NEXT = `SELECT ${BLOCK_COLUMNS} ${NEXT_IN} LIMIT 1`
const PREVIOUS = `
  SELECT * FROM (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE ${WHOSE} AND first_time <= $4 ORDER BY first_time DESC LIMIT 1
  ) AS block WHERE last > $3`

/** The blocks of one object. */
export function blocksOf(sql: Pick<Sql, 'one'>, organization: number, object: number): Blocks {
  return {
    next: ({ after, to }) => block(sql, NEXT, [organization, object, after, to]),
    previous: ({ after, to }) => block(sql, PREVIOUS, [organization, object, after, to]),
  }
}

function* block({ one }: Pick<Sql, 'one'>, which: string, values: Value[]) {
  return (yield* one<StoredBlock>(which, values)) ?? null
}

/** The last block up to `wanted.until` of each object, if it has a row later than `wanted.since`. Values: `lists` of these. */
export function previousOfEach({ wanted, ofEach }: PositionForm): string {
  const blocks = { table: 'position_blocks', columns: BLOCK_COLUMNS, lastBy: 'first_time' } as const
  return `
    SELECT ${BLOCK_NAMES}
    FROM ${wanted(2, 'id', 'since', 'until')} ${ofEach({ ...blocks, where: 'first_time <= wanted.until' })}
    WHERE last > wanted.since`
}

/** All blocks of each object with rows that are later than `wanted.since`. Values: `lists` of these. */
export function laterOfEach({ wanted, ofEach }: PositionForm): string {
  const where = `last_time > wanted.since AND first_time >= coalesce((
    SELECT first_time FROM position_blocks
    WHERE organization = $1 AND object = wanted.id AND first_time <= wanted.since
    ORDER BY first_time DESC LIMIT 1
  ), wanted.since)`
  const blocks = { table: 'position_blocks', columns: BLOCK_COLUMNS } as const
  return `
    SELECT ${BLOCK_NAMES} FROM ${wanted(2, 'id', 'since')} ${ofEach({ ...blocks, where })}`
}

/** The block that has, or would have, a position. */
export function blockAt(
  sql: Pick<Sql, 'one'>,
  organization: number,
  object: number,
  time: number,
): Work<StoredBlock | null> {
  return blocksOf(sql, organization, object).previous({ after: time - 1, to: time })
}

/** Joining rows takes some time before the first one. */
export const MAX_SINGLE_ROWS = 16

const REMOVE_ROWS = `DELETE FROM positions WHERE ${WHOSE} AND time_device BETWEEN $3 AND $4`
const REMOVE_BLOCK = `DELETE FROM position_blocks WHERE ${WHOSE} AND first_time = $3`
const ADD_BLOCK = `
  INSERT INTO position_blocks
    (organization, object, first_time, last_time, rows, shown, newest_change, block)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
const COUNT_BLOCKS = `
  INSERT INTO block_counts (organization, object, blocks) VALUES ($1, $2, $3)
  ON CONFLICT (organization, object) DO UPDATE SET blocks = block_counts.blocks + excluded.blocks`

/** The tables of one object, in the form of a store. */
export type TablesOf = (sql: Sql, organization: number, object: number) => PackTables

function* reversed(reading: Work<StoredRow[]>): Work<StoredRow[]> {
  return (yield* reading).reverse()
}

export function positionTables(
  { packedRow, bytes, atMost }: PositionForm,
  dialect: Pick<Dialect, 'rowWriter' | 'rowReplacer'>,
): TablesOf {
  const { put } = positionWriter(dialect)
  const rows = (columns: string, order: string) => `
    SELECT ${columns} FROM positions
    WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4
    ORDER BY time_device ${order} LIMIT ${atMost('$5')}`
  const statements = (order: string) => ({
    single: rows('time_device AS time, change, hidden, fix, track', order),
    joined: `SELECT ${bytes('row')} AS rows FROM (${rows(`${packedRow} AS row`, order)}) AS chosen`,
  })
  const [first, last] = [statements(''), statements('DESC')]

  function* read(sql: Sql, which: typeof first, values: Value[], limit: number): Work<StoredRow[]> {
    const all = [...values, limit]
    if (limit <= MAX_SINGLE_ROWS) return yield* sql.all<StoredRow>(which.single, all)
    return unpackedRows((yield* sql.one<{ rows: Uint8Array | null }>(which.joined, all))!.rows)
  }

  return (sql, organization, object) => {
    const within = ({ after, to }: Span) => [organization, object, after, Math.min(to, LAST_TIME)]
    return {
      rows: {
        first: (span, limit) => read(sql, first, within(span), limit),
        last: (span, limit) => reversed(read(sql, last, within(span), limit)),
      },
      blocks: blocksOf(sql, organization, object),
      removeRows: (from, to) => sql.run(REMOVE_ROWS, [organization, object, from, to]),
      addRows: (rows) => put(sql, organization, object, rows),
      removeBlock(block) {
        sql.run(REMOVE_BLOCK, [organization, object, block.first])
        sql.run(COUNT_BLOCKS, [organization, object, -1])
      },
      addBlock(block) {
        const { first, last, rows, shown, newestChange } = block
        const head = [organization, object, first, last, rows, shown, newestChange]
        sql.run(ADD_BLOCK, [...head, block.block])
        sql.run(COUNT_BLOCKS, [organization, object, 1])
      },
    }
  }
}
