import { maxOf } from '../../domain/common/any-number.ts'
import type { Fix } from '../../domain/position/fix.ts'
import { FIX_RECORD_LIMIT } from '../../domain/position/fix-record.ts'
import type { Step } from '../../domain/position/fold-state.ts'
import type { TimeRange } from '../../domain/time/time.ts'
import { storedRows } from '../../store/positions/merged-rows.ts'
import { unpackBlock, unpackNext } from '../../store/positions/packing.ts'
import type { WrittenRow } from '../../store/positions/position-tables.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import {
  type Owned,
  packRowFold,
  readPosition,
  type StoredPosition,
  visibilityAfter,
  writePosition,
} from '../../tracking/stored-position.ts'
import type { Positions } from '../../tracking/tables.ts'
import { runAwaiting, UnreadablePositions } from '../../tracking/work.ts'
import type { OrganizationWrite } from '../organization-writes.ts'
import { sqlOf } from '../tables.ts'
import type { FoldTargetWrite } from './fold-targets.ts'
import { blocksWith } from './position-blocks.ts'
import { FORM, tablesOf } from './position-form.ts'
import { type Around, type Counts, readTableAround } from './position-rows.ts'
import { type PositionWindow, positionWindow } from './position-window.ts'
import { AROUND, boundsAround, type ReadAround } from './row-range.ts'

/** The rows of one write, whether they are in the table of positions or in blocks. */
type PackedRows = {
  /** Reads, for several objects, the rows next to a moment within bounds: all at once if none of them is in a block. */
  readAround(
    moments: ReadonlyMap<number, number>,
    bounds: TimeRange,
    counts: Counts,
  ): Promise<Map<number, Around>>
  /** Puts the blocks in which these rows change back into the table of positions. Their places were read before. */
  unpackFor(rows: readonly WrittenRow[]): Promise<void>
}

function packedRows(write: OrganizationWrite): PackedRows {
  const { organization } = write
  const sql = sqlOf(write)
  /** The last time of the last block that was found of each object. Rows that are written later are in no block. */
  const packedUpTo = new Map<number, number>()

  async function packedAround(
    object: number,
    time: number,
    { from, to }: TimeRange,
    { earlier, later }: Counts,
  ): Promise<Around> {
    const { rows: table, blocks } = tablesOf(sql, organization, object)
    const rows = storedRows(table, blocks)
    const [before, since] = await Promise.all([
      runAwaiting(rows.last({ after: from - 1, to: Math.min(to, time - 1) }, earlier)),
      runAwaiting(rows.first({ after: Math.max(from, time) - 1, to }, later)),
    ])
    return { earlier: before, later: since }
  }

  return {
    async readAround(moments, bounds, counts) {
      const around: Map<number, Around> = new Map()
      const reading = await readTableAround(write, organization, moments, bounds, counts)
      await Promise.all(
        Array.from(reading, async ([object, { earlier, later, packedUpTo: last }]) => {
          around.set(object, { earlier, later })
          if (last === null) return
          packedUpTo.set(object, Math.max(last, packedUpTo.get(object) ?? 0))
          const time = moments.get(object)!
          if (last < startOf({ earlier, later }, time, bounds, counts)) return
          around.set(object, await packedAround(object, time, bounds, counts))
        }),
      )
      return around
    },
    async unpackFor(rows) {
      const packed = rows.filter(({ object, time }) => time <= (packedUpTo.get(object) ?? -1))
      if (packed.length === 0) return
      for (const block of await blocksWith(write, organization, packed)) {
        unpackBlock(tablesOf(sql, organization, block.object), block)
      }
    },
  }
}

/** The time from which the rows that were asked for are all in the table, if it has no block after it. */
function startOf({ earlier }: Around, time: number, { from }: TimeRange, counts: Counts): number {
  if (counts.earlier === 0) return Math.max(from, time)
  return earlier.length < counts.earlier ? from : earlier[0]!.time
}

/** The rows of one transaction by object: windows over those that it reads, and those that it writes. */
class BufferedRows {
  private readonly write: FoldTargetWrite
  private readonly stored: PackedRows
  private readonly windows = new Map<number, PositionWindow>()
  private readonly written = new Map<number, Map<number, WrittenRow>>()

  constructor(write: FoldTargetWrite, stored: PackedRows) {
    this.write = write
    this.stored = stored
  }

  windowOf(object: number): PositionWindow {
    let window = this.windows.get(object)
    if (window === undefined) {
      const read: ReadAround = async (time, bounds, counts) => {
        const moments = new Map([[object, time]])
        return (await this.stored.readAround(moments, bounds, counts)).get(object)!
      }
      window = positionWindow(read, newestOf(this.write, object), this.writtenOf(object))
      this.windows.set(object, window)
    }
    return window
  }

  put(row: WrittenRow): void {
    const window = this.windows.get(row.object)
    if (window === undefined) this.writtenOf(row.object).set(row.time, row)
    else window.put(row)
  }

  /** Whether the transaction inserted the row of that moment. */
  isNew(object: number, time: number): boolean {
    return this.written.get(object)?.get(time)?.isNew ?? false
  }

  allWritten(): WrittenRow[] {
    return Array.from(this.written.values(), (mine) => [...mine.values()]).flat()
  }

  private writtenOf(object: number): Map<number, WrittenRow> {
    let mine = this.written.get(object)
    if (mine === undefined) {
      mine = new Map()
      this.written.set(object, mine)
    }
    return mine
  }
}

/** The time of an object's newest position, as of the beginning of the transaction. */
function newestOf(write: FoldTargetWrite, object: number): number | null {
  return write.find(object)?.state.fold?.at ?? null
}

/** The positions of one transaction. Writes are collected until the work is complete. */
export type PositionBuffer = Positions & {
  /** Reads in one round trip the rows around a moment for each object that will need them. */
  readAhead(moments: ReadonlyMap<number, number>): Promise<void>
  /** Sends the collected writes. */
  flush(): Promise<void>
}

/** Rows read ahead for all objects together, and the minimum for each object: about 1 MB. */
const ROWS_AHEAD = 5_000
const MIN_AHEAD: Counts = { earlier: 2, later: 4 }

/** `write` needs its knowledge of the objects as of the beginning of the transaction. */
export function positionBuffer(write: FoldTargetWrite): PositionBuffer {
  const { organization } = write
  const sql = sqlOf(write)
  const stored = packedRows(write)
  const buffered = new BufferedRows(write, stored)

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
    prepare: ({ object }, time, count) =>
      unpackNext(tablesOf(sql, organization, object), time, count),
    *newest(owned, is) {
      const row = yield* buffered
        .windowOf(owned.object)
        .newest((one) => is(readPosition(owned, one)))
      return read(owned, row)
    },
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
    async readAhead(moments) {
      if (moments.size === 0) return
      const times = [...moments.values()]
      const newest = maxOf(moments.keys().map((object) => newestOf(write, object)!))
      const bounds = boundsAround(times, newest)
      const counts = countsFor(moments.size)
      try {
        const read = await stored.readAround(moments, bounds, counts)
        for (const [object, around] of read) buffered.windowOf(object).cover(bounds, counts, around)
      } catch (error) {
        // Each object then reads for itself, so that only the fixes of this one are affected.
        if (!(error instanceof UnreadablePositions)) throw error
      }
    },
    async flush() {
      const rows = buffered.allWritten()
      await stored.unpackFor(rows)
      FORM.write(sql, organization, rows)
    },
  }
}

/** For few objects, as many rows as each may need. For many objects, as many as most need. */
function countsFor(objects: number): Counts {
  const share = Math.floor(ROWS_AHEAD / objects)
  return {
    earlier: Math.max(MIN_AHEAD.earlier, Math.min(AROUND.earlier, share)),
    later: Math.max(MIN_AHEAD.later, Math.min(AROUND.later, share)),
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
