import { maxOf } from '../../base/domain/common/any-number.ts'
import type { Attribute } from '../../base/domain/position/attribute.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import {
  FIX_RECORD_LIMIT,
  readCounters,
  readMarks,
  unpackFix,
  writeFix,
} from '../../base/domain/position/fix-record.ts'
import type { Step } from '../../base/domain/position/fold-state.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import {
  type Owned,
  packRowFold,
  readPosition,
  type StoredPosition,
  type Visibility,
  visibilityAfter,
  writePosition,
} from '../../engine/tracking/stored-position.ts'
import type { Reworded } from '../../engine/tracking/take-values.ts'
import { UnreadablePositions, type Work } from '../../engine/tracking/work.ts'
import { clearOfBlocks, unpackNext } from '../positions/packing.ts'
import type { PositionForm, RowsAhead, TablesOf } from '../positions/position-tables.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import { positionWriter, type WrittenRow } from '../positions/table-rows.ts'
import type { Dialect } from '../tables/sql.ts'
import type { FoldWrite } from './fold-targets.ts'
import { type PositionWindow, positionWindow } from './position-window.ts'
import { boundsAround, type ReadAround } from './row-range.ts'
import { type Counts, type TableReader, tableReader } from './rows-around.ts'
import { StoredRows } from './stored-rows.ts'

/** The window of an object, and the rows that the transaction has written into it. */
type OpenWindow = { window: PositionWindow; written: Map<number, WrittenRow> }

/** The time of an object's newest position, as of the beginning of the transaction. */
function newestOf(write: FoldWrite, object: number): number | null {
  return write.find(object)?.state.fold?.at ?? null
}

/** Rows read ahead for all objects together, and the minimum for each object: about 1 MB. */
const ROWS_AHEAD = 5_000
const MIN_AHEAD: Counts = { earlier: 2, later: 4 }

/**
 * The positions of one transaction: windows over those that it reads, and those that it writes, which are collected until the
 * work is complete. It needs its knowledge of the objects as of its beginning.
 */
export class PositionBuffer implements Reworded {
  private readonly write: FoldWrite
  private readonly parts: BufferParts
  private readonly stored: StoredRows
  private readonly windows = new Map<number, OpenWindow>()
  /** New rows of objects without a window. */
  private readonly inOrder: WrittenRow[] = []
  /** The objects of which the rows of a range are removed. */
  private readonly removed = new Map<number, TimeRange>()

  constructor(write: FoldWrite, parts: BufferParts) {
    this.write = write
    this.parts = parts
    this.stored = new StoredRows(write.sql, parts.tablesOf, parts.readTable)
  }

  *at(owned: Owned, time: number): Work<StoredPosition | null> {
    return read(owned, yield* this.windowOf(owned.object).at(time))
  }

  *before(owned: Owned, time: number): Work<StoredPosition | null> {
    return read(owned, yield* this.windowOf(owned.object).before(time))
  }

  *after(owned: Owned, time: number, limit: number): Work<StoredPosition[]> {
    const rows = yield* this.windowOf(owned.object).after(time, limit)
    return rows.map((row) => readPosition(owned, row))
  }

  *newest(owned: Owned, is: (position: StoredPosition) => boolean): Work<StoredPosition | null> {
    const isOne = (row: StoredRow) => is(readPosition(owned, row))
    return read(owned, yield* this.windowOf(owned.object).newest(isOne))
  }

  prepare({ object }: Owned, time: number, count: number): Work<void> {
    const { sql } = this.write
    // One read returns all of them, the row of that time, and the one that shows whether more follow.
    const rows = count + 2
    this.windowOf(object, { ...this.parts.ahead, later: rows, chunk: rows })
    return unpackNext(this.parts.tablesOf(sql, sql.organization, object), time, count)
  }

  insert(owned: Owned, fix: Fix, step: Step, change: number, isLate: boolean): void {
    this.put(owned, fix, step, isLate, visibilityAfter(null, step, change), true)
  }

  replace(owned: Owned, existing: StoredPosition, fix: Fix, step: Step, change: number): void {
    const written = this.windows.get(owned.object)?.written.get(fix.timeDevice)
    const since = visibilityAfter(existing, step, change)
    this.put(owned, fix, step, existing.isLate, since, written?.isNew ?? false)
  }

  *reword(
    { object, names }: Owned,
    time: number,
    attributes: readonly Attribute[] | null,
  ): Work<void> {
    const window = this.windowOf(object)
    const existing = (yield* window.at(time))!
    const record = Buffer.from(existing.fix)
    const reworded = { ...unpackFix(record, 0, names), attributes }
    const length = writeFix(scratch, reworded, readCounters(record), readMarks(record), names)
    const fix = Buffer.from(scratch.subarray(0, length))
    const isNew = this.windows.get(object)!.written.get(time)?.isNew ?? false
    const row = { ...existing, object, fix, isNew }
    window.put(row)
  }

  remove({ object }: Owned, range: TimeRange): void {
    this.windowOf(object).remove(range)
    this.removed.set(object, range)
  }

  /** Reads in one round trip the rows around a moment for each object that will need them. */
  *readAhead(moments: ReadonlyMap<number, number>): Work<void> {
    if (moments.size === 0) return
    const { ahead } = this.parts
    const newest = maxOf(moments.keys().map((object) => newestOf(this.write, object)!))
    const bounds = boundsAround([...moments.values()], newest)
    const counts = countsFor(moments.size, ahead)
    try {
      const read = yield* this.stored.readAround(moments, bounds, counts)
      for (const [object, around] of read) this.windowOf(object).cover(bounds, counts, around)
    } catch (error) {
      // Each object then reads for itself, so that only the fixes of this one are affected.
      if (!(error instanceof UnreadablePositions)) throw error
    }
  }

  /** Sends the collected writes. */
  *flush(): Work<void> {
    const { sql } = this.write
    for (const [object, { from, to }] of this.removed) {
      const tables = this.parts.tablesOf(sql, sql.organization, object)
      yield* clearOfBlocks(tables, { after: from - 1, to })
      tables.removeRows(from, to)
    }
    const rows = this.written()
    yield* this.stored.unpackFor(rows)
    this.parts.writeRows(sql, sql.organization, rows)
  }

  private windowOf(object: number, ahead = this.parts.ahead): PositionWindow {
    const { stored, windows, inOrder } = this
    const open = windows.get(object)
    if (open !== undefined) return open.window
    const read: ReadAround = (time, bounds, counts) => stored.around(object, time, bounds, counts)
    const written = new Map<number, WrittenRow>()
    for (const row of inOrder) if (row.object === object) written.set(row.time, row)
    const newest = newestOf(this.write, object)
    const window = positionWindow(read, newest, written, ahead)
    windows.set(object, { window, written })
    return window
  }

  private put(
    owned: Owned,
    fix: Fix,
    step: Step,
    isLate: boolean,
    { change, hidden }: Visibility,
    isNew: boolean,
  ): void {
    const { object } = owned
    const length = writePosition(scratch, owned, fix, step, isLate)
    const record = Buffer.from(scratch.subarray(0, length))
    const track = packRowFold(step.fold, fix)
    const row = { object, time: fix.timeDevice, change, hidden, fix: record, track, isNew }
    const open = this.windows.get(object)
    if (open === undefined) this.inOrder.push(row)
    else open.window.put(row)
  }

  /** The rows that the transaction has written. */
  written(): WrittenRow[] {
    const { windows, inOrder } = this
    if (windows.size === 0) return inOrder
    const others = inOrder.filter(({ object }) => !windows.has(object))
    for (const { written } of windows.values()) for (const row of written.values()) others.push(row)
    return others
  }
}

/** Parts that the buffers of a store share. */
export type BufferParts = {
  readonly ahead: RowsAhead
  readonly tablesOf: TablesOf
  readonly readTable: TableReader
  readonly writeRows: ReturnType<typeof positionWriter>['write']
}

export function bufferParts(dialect: Dialect, form: PositionForm, tablesOf: TablesOf): BufferParts {
  const { write: writeRows } = positionWriter(dialect)
  return { ahead: form.ahead, tablesOf, readTable: tableReader(form), writeRows }
}

/** For few objects, as many rows as each may need. For many objects, as many as most need. */
function countsFor(objects: number, ahead: RowsAhead): Counts {
  const share = Math.floor(ROWS_AHEAD / objects)
  return {
    earlier: Math.max(MIN_AHEAD.earlier, Math.min(ahead.earlier, share)),
    later: Math.max(MIN_AHEAD.later, Math.min(ahead.later, share)),
  }
}

function read(owned: Owned, row: StoredRow | null): StoredPosition | null {
  return row === null ? null : readPosition(owned, row)
}

const scratch = Buffer.alloc(FIX_RECORD_LIMIT)
