import { LAST_TIME } from '../../domain/time/time.ts'
import type { PositionName } from '../../store/change-log.ts'
import type { Blocks, TableRows } from '../../store/positions/merged-rows.ts'
import type { PackTables } from '../../store/positions/packing.ts'
import type { StoredBlock, StoredRow, Stretch } from '../../store/positions/stored-blocks.ts'
import { type Work, waitFor } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'
import { PACKED, unpackedRows, writeRows } from './position-rows.ts'

/** The columns of a `StoredBlock`. */
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

const NEXT = statement(`SELECT ${BLOCK_COLUMNS} ${NEXT_IN} LIMIT 1`)
const PREVIOUS = statement(`
  SELECT * FROM (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE ${WHOSE} AND first_time <= $4 ORDER BY first_time DESC LIMIT 1
  ) AS block WHERE last > $3`)

/** The blocks of one object for `positions/merged-rows.ts`. */
export function blocksOf(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  object: number,
): Blocks {
  function* one(which: typeof NEXT, { after, to }: Stretch): Work<StoredBlock | null> {
    const [block] = yield* waitFor(query<StoredBlock>(which, [organization, object, after, to]))
    return block ?? null
  }
  return {
    next: (stretch) => one(NEXT, stretch),
    previous: (stretch) => one(PREVIOUS, stretch),
  }
}

/** Each block once, however many of the positions it has. `OFFSET 0` keeps the server from reading all blocks of the organization. */
const WITH_POSITIONS = statement(`
  SELECT block.* FROM (
    SELECT DISTINCT wanted.object, found.first_time
    FROM unnest($2::int8[], $3::int8[]) AS wanted (object, time)
    CROSS JOIN LATERAL (
      SELECT first_time, last_time FROM position_blocks
      WHERE organization = $1 AND object = wanted.object AND first_time <= wanted.time
      ORDER BY first_time DESC LIMIT 1
    ) AS found
    WHERE found.last_time >= wanted.time
  ) AS named
  CROSS JOIN LATERAL (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE organization = $1 AND object = named.object AND first_time = named.first_time OFFSET 0
  ) AS block`)

/** The blocks that have, or would have, one of the positions. */
export function blocksWith(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  wanted: readonly PositionName[],
): Promise<StoredBlock[]> {
  return query<StoredBlock>(WITH_POSITIONS, [
    organization,
    int8Array(wanted.map(({ object }) => object)),
    int8Array(wanted.map(({ time }) => time)),
  ])
}

const PREVIOUS_OF_EACH = statement(`
  SELECT block.* FROM unnest($2::int8[], $3::int8[], $4::int8[]) AS wanted (object, after, last)
  CROSS JOIN LATERAL (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE organization = $1 AND object = wanted.object AND first_time <= wanted.last
    ORDER BY first_time DESC LIMIT 1
  ) AS block
  WHERE block.last > wanted.after`)

/** `Blocks.previous` of each object in a stretch of its own. */
export function previousBlocks(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  wanted: readonly ({ object: number } & Stretch)[],
): Promise<StoredBlock[]> {
  return query<StoredBlock>(PREVIOUS_OF_EACH, [
    organization,
    int8Array(wanted.map(({ object }) => object)),
    int8Array(wanted.map(({ after }) => after)),
    int8Array(wanted.map(({ to }) => to)),
  ])
}

const LATER_THAN = statement(`
  SELECT block.* FROM unnest($2::int8[], $3::int8[]) AS wanted (object, after)
  CROSS JOIN LATERAL (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE organization = $1 AND object = wanted.object AND last_time > wanted.after
      AND first_time >= coalesce((
        SELECT first_time FROM position_blocks
        WHERE organization = $1 AND object = wanted.object AND first_time <= wanted.after
        ORDER BY first_time DESC LIMIT 1
      ), wanted.after) OFFSET 0
  ) AS block`)

/** All blocks with rows that are later than a time of each object. */
export function blocksAfter(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  after: ReadonlyMap<number, number>,
): Promise<StoredBlock[]> {
  const times = int8Array([...after.values()])
  return query<StoredBlock>(LATER_THAN, [organization, int8Array([...after.keys()]), times])
}

const rowsOf = (order: string) =>
  statement(`
    SELECT string_agg(one, '') AS rows FROM (
      SELECT ${PACKED} AS one FROM positions
      WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4 ORDER BY time_device ${order} LIMIT $5
    ) AS chosen`)
const FIRST = rowsOf('')
const LAST = rowsOf('DESC')

/** Rows of the table of positions alone. */
export function tableRows(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  object: number,
): TableRows<StoredRow> {
  function* read(which: typeof FIRST, { after, to }: Stretch, limit: number): Work<StoredRow[]> {
    const values = [organization, object, after, Math.min(to, LAST_TIME), limit]
    const [found] = yield* waitFor(query<{ rows: Buffer | null }>(which, values))
    return unpackedRows(found!.rows)
  }
  return {
    first: (stretch, limit) => read(FIRST, stretch, limit),
    *last(stretch, limit) {
      return (yield* read(LAST, stretch, limit)).reverse()
    },
  }
}

const NTH = statement(`
  SELECT FROM positions WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4
  ORDER BY time_device LIMIT 1 OFFSET $5`)
const REMOVE_ROWS = statement(
  `DELETE FROM positions WHERE ${WHOSE} AND time_device BETWEEN $3 AND $4`,
)
const REMOVE_BLOCK = statement(`DELETE FROM position_blocks WHERE ${WHOSE} AND first_time = $3`)
const ADD_BLOCK = statement(`
  INSERT INTO position_blocks
    (organization, object, first_time, last_time, rows, shown, newest_change, block)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`)

/** The tables of one object, inside a transaction with the lock of its organization. */
export function packTables(
  connection: Connection,
  organization: number,
  object: number,
): PackTables {
  const { query, run } = connection
  return {
    rows: tableRows(connection, organization, object),
    *hasRows({ after, to }, count) {
      const nth = query(NTH, [organization, object, after, to, count - 1])
      return (yield* waitFor(nth)).length > 0
    },
    blocks: blocksOf(connection, organization, object),
    removeRows: (first, last) => void run(REMOVE_ROWS, [organization, object, first, last]),
    addRows(rows) {
      const added = rows.map((row) => ({ ...row, object, isNew: false }))
      writeRows(connection, organization, added)
    },
    removeBlock: ({ first }) => void run(REMOVE_BLOCK, [organization, object, first]),
    addBlock({ first, last, rows, shown, newestChange, block }) {
      const head = [organization, object, first, last, rows, shown, newestChange]
      run(ADD_BLOCK, [...head, block])
    },
  }
}
