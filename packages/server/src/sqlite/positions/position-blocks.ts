import type { DatabaseSync } from 'node:sqlite'
import type { PositionName } from '../../store/change-log.ts'
import type { PositionStore } from '../../store/position-store.ts'
import type { Blocks, TableRows } from '../../store/positions/merged-rows.ts'
import {
  BLOCK_ROWS,
  minRows,
  type PackTables,
  packNext,
  packSlice,
} from '../../store/positions/packing.ts'
import type { StoredBlock, StoredRow, Stretch } from '../../store/positions/stored-blocks.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { atHand, runAtOnce, runAwaiting, waitFor } from '../../tracking/work.ts'
import { type Database, fixedPlan } from '../database/database.ts'

const COLUMNS = `organization, object, first_time AS first, last_time AS last, rows, shown,
  newest_change AS newestChange, block`
const WHOSE = 'organization = ?1 AND object = ?2'

/** Blocks do not overlap, so this is the only one that can have a row at a time. */
const blockUpTo = (time: string) => `(
  SELECT first_time FROM position_blocks
  WHERE ${WHOSE} AND first_time <= ${time} ORDER BY first_time DESC LIMIT 1
)`

/** Calls see what the connection's transaction sees. */
export type PositionBlocks = {
  next(organization: number, object: number, stretch: Stretch): StoredBlock | null
  previous(organization: number, object: number, stretch: Stretch): StoredBlock | null
  /** The block that has, or would have, a position. */
  at(organization: number, { object, time }: PositionName): StoredBlock | null
  all(organization: number, object: number): Iterable<StoredBlock>
}

export function positionBlocks(connection: DatabaseSync): PositionBlocks {
  const next = connection.prepare(`
    SELECT ${COLUMNS} FROM position_blocks
    WHERE ${WHOSE} AND first_time >= coalesce(${blockUpTo('?3')}, ?3) AND last_time > ?3
      AND first_time <= ?4
    ORDER BY first_time LIMIT 1`)
  const previous = connection.prepare(`
    SELECT ${COLUMNS} FROM position_blocks
    WHERE ${WHOSE} AND first_time = ${blockUpTo('?4')} AND last_time > ?3`)
  const all = connection.prepare(
    `SELECT ${COLUMNS} FROM position_blocks WHERE ${WHOSE} ORDER BY first_time`,
  )
  return {
    all: (organization, object) =>
      all.iterate(organization, object) as unknown as Iterable<StoredBlock>,
    next: (organization, object, { after, to }) =>
      (next.get(organization, object, after, to) as StoredBlock | undefined) ?? null,
    previous: (organization, object, { after, to }) =>
      (previous.get(organization, object, after, to) as StoredBlock | undefined) ?? null,
    at: (organization, { object, time }) =>
      (previous.get(organization, object, time - 1, time) as StoredBlock | undefined) ?? null,
  }
}

/** The blocks of one object for `positions/merged-rows.ts`. */
export function blocksOf(blocks: PositionBlocks, organization: number, object: number): Blocks {
  return {
    next: (stretch) => atHand(blocks.next(organization, object, stretch)),
    previous: (stretch) => atHand(blocks.previous(organization, object, stretch)),
  }
}

/** Rows of the table of positions alone. */
export function tableRows(
  connection: DatabaseSync,
): (organization: number, object: number) => TableRows<StoredRow> {
  const rows = `
    SELECT time_device AS time, change, hidden, fix, track FROM positions
    WHERE ${WHOSE} AND time_device > ?3 AND time_device <= ?4 ORDER BY time_device`
  const last = connection.prepare(`${rows} DESC LIMIT ${fixedPlan('?5')}`)
  // Many rows come in one, because those of SQLite are slow to read.
  const first = connection.prepare(`
    SELECT json_group_array(json_array(time, change, hidden, length(fix), length(track))) AS heads,
      CAST(group_concat(fix, '') AS BLOB) AS fixes, CAST(group_concat(track, '') AS BLOB) AS tracks
    FROM (${rows} LIMIT ${fixedPlan('?5')})`)
  return (organization, object) => ({
    first: ({ after, to }, limit) =>
      atHand(splitRows(first.get(organization, object, after, to, limit) as JoinedRows)),
    last: ({ after, to }, limit) =>
      atHand((last.all(organization, object, after, to, limit) as StoredRow[]).reverse()),
  })
}

/** Rows in three values. Without rows there are no `fixes` and `tracks`. */
type JoinedRows = { heads: string; fixes: Uint8Array; tracks: Uint8Array }
type RowHead = [time: number, change: number, hidden: number | null, fix: number, track: number]

function splitRows({ heads, fixes, tracks }: JoinedRows): StoredRow[] {
  let [fixEnd, trackEnd] = [0, 0]
  return (JSON.parse(heads) as RowHead[]).map(([time, change, hidden, fixBytes, trackBytes]) => {
    const fix = fixes.subarray(fixEnd, fixEnd + fixBytes)
    const track = tracks.subarray(trackEnd, trackEnd + trackBytes)
    fixEnd += fixBytes
    trackEnd += trackBytes
    return { time, change, hidden, fix, track }
  })
}

/** The tables of one object, inside a transaction of the writer. */
export function packTables(
  writer: DatabaseSync,
): (organization: number, object: number) => PackTables {
  const blocks = positionBlocks(writer)
  const rowsOf = tableRows(writer)
  const nth = writer.prepare(`
    SELECT 1 FROM positions WHERE ${WHOSE} AND time_device > ?3 AND time_device <= ?4
    ORDER BY time_device LIMIT 1 OFFSET ?5`)
  const removeRows = writer.prepare(
    `DELETE FROM positions WHERE ${WHOSE} AND time_device BETWEEN ?3 AND ?4`,
  )
  const addRow = writer.prepare(`
    INSERT OR REPLACE INTO positions (organization, object, time_device, change, hidden, fix, track)
    VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const removeBlock = writer.prepare(
    `DELETE FROM position_blocks WHERE ${WHOSE} AND first_time = ?3`,
  )
  const addBlock = writer.prepare(`
    INSERT INTO position_blocks
      (organization, object, first_time, last_time, rows, shown, newest_change, block)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)

  return (organization, object) => ({
    rows: rowsOf(organization, object),
    hasRows: ({ after, to }, count) =>
      atHand(nth.get(organization, object, after, to, count - 1) !== undefined),
    blocks: blocksOf(blocks, organization, object),
    removeRows: (first, last) => void removeRows.run(organization, object, first, last),
    addRows(rows) {
      for (const { time, change, hidden, fix, track } of rows) {
        addRow.run(organization, object, time, change, hidden, fix, track)
      }
    },
    removeBlock: ({ first }) => void removeBlock.run(organization, object, first),
    addBlock({ first, last, rows, shown, newestChange, block }) {
      addBlock.run(organization, object, first, last, rows, shown, newestChange, block)
    },
  })
}

const SLICE_OBJECTS = 50

export function packer(database: Database): PositionStore['pack'] {
  const { reader, writer } = database
  const slice = reader.prepare(`
    SELECT id FROM objects WHERE organization = ?1 AND id > ?2 ORDER BY id LIMIT ${SLICE_OBJECTS}`)
  /** The object has enough rows, or rows that a block follows. */
  const isDue = reader.prepare(`
    SELECT 1 WHERE EXISTS (
      SELECT 1 FROM positions WHERE organization = ?1 AND object = ?2 AND time_device < ?3
      ORDER BY time_device LIMIT 1 OFFSET ?4 - 1
    ) OR EXISTS (
      SELECT 1 FROM position_blocks WHERE organization = ?1 AND object = ?2 AND first_time > (
        SELECT time_device FROM positions
        WHERE organization = ?1 AND object = ?2 AND time_device < ?3 AND hidden IS NULL
        ORDER BY time_device LIMIT 1
      )
    )`)
  const tablesOf = packTables(writer)

  /** Each block is a transaction of its own, so others write in between. */
  function packObject(organization: number, object: number, before: number, blockRows: number) {
    const tables = tablesOf(organization, object)
    const owner = { organization, object }
    const step = (after: number) =>
      waitFor(database.write(() => runAtOnce(packNext(tables, owner, after, before, blockRows))))
    return runAwaiting(packSlice(step))
  }

  return async (organization, before, after, blockRows = BLOCK_ROWS) => {
    const [ids, due] = database.read(() => {
      const ids = (slice.all(organization, after) as { id: number }[]).map(({ id }) => id)
      return [
        ids,
        ids.find((id) => isDue.get(organization, id, before, minRows(blockRows)) !== undefined),
      ]
    })
    if (due === undefined) {
      return { packed: 0, next: ids.length < SLICE_OBJECTS ? null : ids.at(-1)! }
    }
    try {
      const { packed, isDone } = await packObject(organization, due, before, blockRows)
      return { packed, next: isDone ? due : due - 1 }
    } catch (failure) {
      if (failure instanceof StoreUnavailable) throw failure
      return { packed: 0, next: due, failure }
    }
  }
}
