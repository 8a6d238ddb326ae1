import type { DatabaseSync } from 'node:sqlite'
import type { Fix } from '../../domain/position/fix.ts'
import { FIX_RECORD_LIMIT } from '../../domain/position/fix-record.ts'
import type { Step } from '../../domain/position/fold-state.ts'
import { LAST_TIME } from '../../domain/time/time.ts'
import type { RefoldSubject } from '../../store/position-store.ts'
import { storedRows } from '../../store/positions/merged-rows.ts'
import { unpackBlock, unpackNext } from '../../store/positions/packing.ts'
import { blockAt } from '../../store/positions/position-tables.ts'
import { type StoredRow, unpackRows } from '../../store/positions/stored-blocks.ts'
import { nameReader } from '../../store/tables/attributes.ts'
import type { Sql } from '../../store/tables/sql.ts'
import { type ObjectShifts, objectShifts, type Shift } from '../../tracking/object-shifts.ts'
import { BEGINNING } from '../../tracking/refold-slice.ts'
import {
  type Owned,
  packRowFold,
  readPosition,
  visibilityAfter,
  writePosition,
} from '../../tracking/stored-position.ts'
import {
  dayOfReject,
  type MarkWrites,
  type Positions,
  type Reject,
  type RejectWrites,
  type ShiftWrites,
  type Tables,
  withReject,
} from '../../tracking/tables.ts'
import { atHand, runAtOnce } from '../../tracking/work.ts'
import { DIALECT, sqlOf } from '../tables.ts'
import { tablesOf } from './position-form.ts'

/** The tables that the fold reads and writes. Calls are part of a transaction of the writer. */
export function foldTables(writer: DatabaseSync): Omit<Tables, 'notes'> {
  const addName = writer.prepare(`
    INSERT INTO attribute_names VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET objects = objects + excluded.objects`)
  return {
    positions: storedPositions(writer),
    shifts: shiftWrites(writer),
    refoldMarks: refoldMarks(writer),
    rejects: rejectRows(writer),
    names: nameReader(sqlOf(writer), DIALECT, (organization, added) => {
      for (const [name, objects] of added) addName.run(organization, name, objects)
    }),
  }
}

const scratch = Buffer.alloc(FIX_RECORD_LIMIT)

/** Positions over the writer, inside its transactions. Nothing waits. */
function storedPositions(writer: DatabaseSync): Positions {
  const sql = sqlOf(writer)
  return { ...positionReads(writer, sql), ...positionWrites(writer, sql) }
}

type PositionWrites = Pick<Positions, 'prepare' | 'insert' | 'replace'>

function positionReads(writer: DatabaseSync, sql: Sql): Omit<Positions, keyof PositionWrites> {
  const find = writer.prepare(`
    SELECT time_device AS time, change, fix, track, hidden FROM positions
    WHERE organization = ? AND object = ? AND time_device = ?`)
  const rowsOf = ({ organization, object }: Owned) => {
    const { rows, blocks } = tablesOf(sql, organization, object)
    return storedRows(rows, blocks)
  }

  function at({ organization, object }: Owned, time: number): StoredRow | undefined {
    const row = find.get(organization, object, time) as StoredRow | undefined
    if (row !== undefined) return row
    const block = runAtOnce(blockAt(sql, organization, object, time))
    return block === null ? undefined : unpackRows(block, { after: time - 1, to: time })[0]
  }

  const one = (owned: Owned, row: StoredRow | undefined) =>
    row === undefined ? null : readPosition(owned, row)

  return {
    at: (owned, time) => atHand(one(owned, at(owned, time))),
    *before(owned, time) {
      const [row] = yield* rowsOf(owned).last({ after: BEGINNING, to: time - 1 }, 1)
      return one(owned, row)
    },
    *after(owned, time, limit) {
      const rows = yield* rowsOf(owned).first({ after: time, to: LAST_TIME }, limit)
      return rows.map((row) => readPosition(owned, row))
    },
    *newest(owned, is) {
      for (let to = LAST_TIME; ; ) {
        const rows = yield* rowsOf(owned).last({ after: BEGINNING, to }, NEWEST_ROWS)
        for (const row of rows.reverse()) {
          const position = readPosition(owned, row)
          if (is(position)) return position
        }
        if (rows.length < NEWEST_ROWS) return null
        to = rows.at(-1)!.time - 1
      }
    },
  }
}

/** Rows read at once by the search for the newest row of some kind. Most often it is the last one. */
const NEWEST_ROWS = 16

/** A block with a row that changes is unpacked. */
function positionWrites(writer: DatabaseSync, sql: Sql): PositionWrites {
  const insert = writer.prepare(`
    INSERT INTO positions (organization, object, time_device, change, fix, track, hidden)
    VALUES (?, ?, ?, ?, ?, ?, ?)
  `)
  const replace = writer.prepare(`
    UPDATE positions SET change = ?, fix = ?, track = ?, hidden = ?
    WHERE organization = ? AND object = ? AND time_device = ?
  `)

  /** Valid until the next call: values bound to a statement are copied. */
  function record(owned: Owned, fix: Fix, step: Step, isLate: boolean): Buffer {
    return scratch.subarray(0, writePosition(scratch, owned, fix, step, isLate))
  }

  /** Unpacks the block in which a row changes. Whether there was one. */
  function unpackAt({ organization, object }: Owned, time: number): boolean {
    const block = runAtOnce(blockAt(sql, organization, object, time))
    if (block !== null) unpackBlock(tablesOf(sql, organization, object), block)
    return block !== null
  }

  return {
    prepare: ({ organization, object }, time, count) =>
      unpackNext(tablesOf(sql, organization, object), time, count),
    insert(owned, fix, step, change, isLate) {
      const { organization, object } = owned
      if (isLate) unpackAt(owned, fix.timeDevice)
      const { hidden } = visibilityAfter(null, step, change)
      const fixRecord = record(owned, fix, step, isLate)
      const track = packRowFold(step.fold, fix)
      insert.run(organization, object, fix.timeDevice, change, fixRecord, track, hidden)
    },
    replace(owned, existing, fix, step, change) {
      const { organization, object } = owned
      const since = visibilityAfter(existing, step, change)
      const fixRecord = record(owned, fix, step, existing.isLate)
      const track = packRowFold(step.fold, fix)
      const time = fix.timeDevice
      const values = [since.change, fixRecord, track, since.hidden, organization, object, time]
      const isRow = replace.run(...values).changes > 0
      if (!isRow && unpackAt(owned, time)) replace.run(...values)
    },
  }
}

/** The shifts of one object, by time. */
export function shiftReader(
  connection: DatabaseSync,
): (organization: number, object: number) => ObjectShifts {
  const list = connection.prepare(`
    SELECT from_time AS "from", odometer, engine_hours AS engineHours FROM counter_shifts
    WHERE organization = ? AND object = ? ORDER BY from_time
  `)
  return (organization, object) => objectShifts(list.all(organization, object) as Shift[])
}

/** Calls are part of a transaction of the writer. */
function shiftWrites(writer: DatabaseSync): ShiftWrites {
  const insert = writer.prepare('INSERT INTO counter_shifts VALUES (?, ?, ?, ?, ?)')
  const remove = writer.prepare(
    'DELETE FROM counter_shifts WHERE organization = ? AND object = ? AND from_time >= ?',
  )
  return {
    replaceSince({ organization, object, shifts }, since, later) {
      if (shifts.all.some(({ from }) => from >= since)) remove.run(organization, object, since)
      for (const { from, odometer, engineHours } of later) {
        insert.run(organization, object, from, odometer, engineHours)
      }
    },
  }
}

export type Mark = { organization: number; object: number; after: number }

/** Marks of the positions that still have to be folded. Calls are part of a transaction. */
export type RefoldMarks = MarkWrites & {
  /** Moves a mark forward. */
  move(mark: Mark, after: number): void
  remove(mark: Mark): void
  /** Any mark of the subject. */
  next(subject: RefoldSubject | null): Mark | null
  /** Marks each object of the subject from the beginning. Returns the number of objects. */
  setAll(subject: RefoldSubject): number
}

export function refoldMarks(connection: DatabaseSync): RefoldMarks {
  const set = connection.prepare(`
    INSERT INTO refolds VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET from_time = min(from_time, excluded.from_time)
  `)
  const move = connection.prepare(
    'UPDATE refolds SET from_time = ? WHERE organization = ? AND object = ?',
  )
  const remove = connection.prepare('DELETE FROM refolds WHERE organization = ? AND object = ?')
  const next = connection.prepare(`
    SELECT organization, object, from_time AS after FROM refolds
    WHERE (?1 IS NULL OR organization = ?1) AND (?2 IS NULL OR object = ?2) LIMIT 1
  `)
  const setAll = connection.prepare(`
    INSERT INTO refolds SELECT organization, object, ${BEGINNING} FROM object_states
    WHERE organization = ?1 AND (?2 IS NULL OR object = ?2)
    ON CONFLICT DO UPDATE SET from_time = excluded.from_time
  `)
  return {
    set: (organization, object, after) => void set.run(organization, object, after),
    move: ({ organization, object }, after) => void move.run(after, organization, object),
    remove: ({ organization, object }) => void remove.run(organization, object),
    next: (subject) =>
      (next.get(subject?.organization ?? null, subject?.object ?? null) as Mark | undefined) ??
      null,
    setAll: ({ organization, object }) => Number(setAll.run(organization, object).changes),
  }
}

/** The last rejected packets of each object, newest first. */
export function rejectRows(
  connection: DatabaseSync,
): RejectWrites & { list(organization: number, object: number): Reject[] } {
  const find = connection.prepare(
    'SELECT rejects FROM object_rejects WHERE organization = ? AND object = ?',
  )
  const save = connection.prepare(`
    INSERT INTO object_rejects VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rejects = excluded.rejects
  `)
  const count = connection.prepare(`
    INSERT INTO reject_counts VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET packets = packets + 1
  `)
  function list(organization: number, object: number): Reject[] {
    const row = find.get(organization, object) as { rejects: string } | undefined
    return row === undefined ? [] : (JSON.parse(row.rejects) as Reject[])
  }
  return {
    list,
    add(organization, object, reject) {
      const rejects = withReject(list(organization, object), reject)
      save.run(organization, object, JSON.stringify(rejects))
      if (reject.isStored === undefined) {
        count.run(organization, object, dayOfReject(reject), reject.reason)
      }
    },
  }
}
