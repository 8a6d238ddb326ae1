import { maxOf } from '../../base/domain/common/any-number.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import { FIX_RECORD_LIMIT } from '../../base/domain/position/fix-record.ts'
import type { Step } from '../../base/domain/position/fold-state.ts'
import {
  type Owned,
  packRowFold,
  readPosition,
  type StoredPosition,
  visibilityAfter,
  writePosition,
} from '../../engine/tracking/stored-position.ts'
import type { Positions } from '../../engine/tracking/tables.ts'
import { UnreadablePositions, type Work } from '../../engine/tracking/work.ts'
import { unpackNext } from '../positions/packing.ts'
import type { PositionForm, RowsAhead, TablesOf } from '../positions/position-tables.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import { positionWriter, type WrittenRow } from '../positions/table-rows.ts'
import type { Dialect } from '../tables/sql.ts'
import type { FoldWrite } from './fold-targets.ts'
import { type PositionWindow, positionWindow } from './position-window.ts'
import { boundsAround, type ReadAround } from './row-range.ts'
import type { Counts } from './rows-around.ts'
import { rowsStored, type StoredRows } from './stored-rows.ts'

/** The window of an object, and the rows that the transaction has written into it. */
type OpenWindow = { window: PositionWindow; written: Map<number, WrittenRow> }

/** The rows of one transaction: windows over those that it reads, and those that it writes. */
class BufferedRows {
  private readonly write: FoldWrite
  private readonly stored: StoredRows
  private readonly ahead: RowsAhead
  private readonly windows = new Map<number, OpenWindow>()
  /** New rows of objects without a window. */
  private readonly inOrder: WrittenRow[] = []

  constructor(write: FoldWrite, stored: StoredRows, ahead: RowsAhead) {
    this.write = write
    this.stored = stored
    this.ahead = ahead
  }

  windowOf(object: number): PositionWindow {
    const { stored, windows, inOrder } = this
    const open = windows.get(object)
    if (open !== undefined) return open.window
    const read: ReadAround = function* (time, bounds, counts) {
      const moments = new Map([[object, time]])
      return (yield* stored.readAround(moments, bounds, counts)).get(object)!
    }
    const written = new Map<number, WrittenRow>()
    for (const row of inOrder) if (row.object === object) written.set(row.time, row)
    const window = positionWindow(read, newestOf(this.write, object), written, this.ahead)
    windows.set(object, { window, written })
    return window
  }

  put(row: WrittenRow): void {
    const open = this.windows.get(row.object)
    if (open === undefined) this.inOrder.push(row)
    else open.window.put(row)
  }

  /** Whether the transaction inserted the row of that moment. */
  isNew(object: number, time: number): boolean {
    return this.windows.get(object)?.written.get(time)?.isNew ?? false
  }

  allWritten(): WrittenRow[] {
    const { windows, inOrder } = this
    const others = inOrder.filter(({ object }) => !windows.has(object))
    for (const { written } of windows.values()) for (const row of written.values()) others.push(row)
    return others
  }
}

/** The time of an object's newest position, as of the beginning of the transaction. */
function newestOf(write: FoldWrite, object: number): number | null {
  return write.find(object)?.state.fold?.at ?? null
}

/** The positions of one transaction. Writes are collected until the work is complete. */
export type PositionBuffer = Positions & {
  /** Reads in one round trip the rows around a moment for each object that will need them. */
  readAhead(moments: ReadonlyMap<number, number>): Work<void>
  /** Sends the collected writes. */
  flush(): Work<void>
}

/** Rows read ahead for all objects together, and the minimum for each object: about 1 MB. */
const ROWS_AHEAD = 5_000
const MIN_AHEAD: Counts = { earlier: 2, later: 4 }

/** A transaction needs its knowledge of the objects as of its beginning. */
export function positionBuffers(
  { rowWriter }: Dialect,
  form: PositionForm,
  tablesOf: TablesOf,
): (write: FoldWrite) => PositionBuffer {
  const storedIn = rowsStored(form, tablesOf)
  const writeRows = positionWriter(rowWriter)
  return (write) => {
    const { sql } = write
    const { organization } = sql
    const stored = storedIn(sql)
    const buffered = new BufferedRows(write, stored, form.ahead)
    return {
      ...reads(buffered),
      ...writes(buffered),
      prepare: ({ object }, time, count) =>
        unpackNext(tablesOf(sql, organization, object), time, count),
      *readAhead(moments) {
        if (moments.size === 0) return
        const times = [...moments.values()]
        const newest = maxOf(moments.keys().map((object) => newestOf(write, object)!))
        const bounds = boundsAround(times, newest)
        const counts = countsFor(moments.size, form.ahead)
        try {
          const read = yield* stored.readAround(moments, bounds, counts)
          for (const [object, around] of read) {
            buffered.windowOf(object).cover(bounds, counts, around)
          }
        } catch (error) {
          // Each object then reads for itself, so that only the fixes of this one are affected.
          if (!(error instanceof UnreadablePositions)) throw error
        }
      },
      *flush() {
        const rows = buffered.allWritten()
        yield* stored.unpackFor(rows)
        writeRows(sql, organization, rows)
      },
    }
  }
}

function reads(buffered: BufferedRows): Pick<Positions, 'at' | 'before' | 'after' | 'newest'> {
  return {
    *at(owned, time) {
      return read(owned, yield* buffered.windowOf(owned.object).at(time))
    },
    *before(owned, time) {
      return read(owned, yield* buffered.windowOf(owned.object).before(time))
    },
    *after(owned, time, limit) {
      const rows = yield* buffered.windowOf(owned.object).after(time, limit)
      return rows.map((row) => readPosition(owned, row))
    },
    *newest(owned, is) {
      const row = yield* buffered
        .windowOf(owned.object)
        .newest((one) => is(readPosition(owned, one)))
      return read(owned, row)
    },
  }
}

function writes(buffered: BufferedRows): Pick<Positions, 'insert' | 'replace'> {
  return {
    insert(owned, fix, step, change, isLate) {
      const since = visibilityAfter(null, step, change)
      const row = packed(owned, fix, step, isLate)
      buffered.put({ ...row, ...since, object: owned.object, isNew: true })
    },
    replace(owned, existing, fix, step, change) {
      const { object } = owned
      const since = visibilityAfter(existing, step, change)
      const isNew = buffered.isNew(object, fix.timeDevice)
      buffered.put({ ...packed(owned, fix, step, existing.isLate), ...since, object, isNew })
    },
  }
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

function packed(owned: Owned, fix: Fix, step: Step, isLate: boolean) {
  const length = writePosition(scratch, owned, fix, step, isLate)
  return {
    time: fix.timeDevice,
    fix: Buffer.from(scratch.subarray(0, length)),
    track: packRowFold(step.fold, fix),
  }
}
