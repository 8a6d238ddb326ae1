import { maxOf } from '../../../domain/common/numbers.ts'
import type { Fix } from '../../../domain/position/fix.ts'
import { FIX_RECORD_LIMIT } from '../../../domain/position/fix-record.ts'
import type { Step } from '../../../domain/position/fold-state.ts'
import { DamagedPositions } from '../../../tracking/damaged-positions.ts'
import {
  type Owned,
  packRowFold,
  readPosition,
  type StoredPosition,
  visibilityAfter,
  writePosition,
} from '../../../tracking/stored-position.ts'
import type { Positions } from '../../../tracking/tables.ts'
import type { StoredRow } from '../../positions/stored-blocks.ts'
import type { FoldTargetWrite } from './fold-targets.ts'
import { packedRows } from './packed-rows.ts'
import { type Counts, type WrittenRow, writeRows } from './position-rows.ts'
import { type PositionWindow, positionWindow } from './position-window.ts'
import { AROUND, boundsAround, type ReadAround } from './row-range.ts'

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
  const stored = packedRows(write)
  const windows = new Map<number, PositionWindow>()
  const written = new Map<number, Map<number, WrittenRow>>()

  const newestOf = (object: number) => write.find(object)?.state.fold?.at ?? null

  function writtenOf(object: number): Map<number, WrittenRow> {
    let mine = written.get(object)
    if (mine === undefined) {
      mine = new Map()
      written.set(object, mine)
    }
    return mine
  }

  function windowOf(object: number): PositionWindow {
    let window = windows.get(object)
    if (window === undefined) {
      const read: ReadAround = async (time, bounds, counts) => {
        const moments = new Map([[object, time]])
        return (await stored.readAround(moments, bounds, counts)).get(object)!
      }
      window = positionWindow(read, newestOf(object), writtenOf(object))
      windows.set(object, window)
    }
    return window
  }

  function put(row: WrittenRow): void {
    const window = windows.get(row.object)
    if (window === undefined) writtenOf(row.object).set(row.time, row)
    else window.put(row)
  }

  return {
    *at(owned, time) {
      return read(owned, yield* windowOf(owned.object).at(time))
    },
    *before(owned, time) {
      return read(owned, yield* windowOf(owned.object).before(time))
    },
    *after(owned, time, limit) {
      const rows = yield* windowOf(owned.object).after(time, limit)
      return rows.map((row) => readPosition(owned, row))
    },
    *newest(owned, is) {
      const row = yield* windowOf(owned.object).newest((one) => is(readPosition(owned, one)))
      return read(owned, row)
    },
    insert(owned, fix, step, change, isLate) {
      const since = visibilityAfter(null, step, change)
      put({ ...packed(owned, fix, step, isLate), ...since, object: owned.object, isNew: true })
    },
    replace(owned, existing, fix, step, change) {
      const { object } = owned
      const since = visibilityAfter(existing, step, change)
      const isNew = written.get(object)?.get(fix.timeDevice)?.isNew ?? false
      put({ ...packed(owned, fix, step, existing.isLate), ...since, object, isNew })
    },
    async readAhead(moments) {
      if (moments.size === 0) return
      const times = [...moments.values()]
      const newest = maxOf(moments.keys().map((object) => newestOf(object)!))
      const bounds = boundsAround(times, newest)
      const counts = countsFor(moments.size)
      try {
        const read = await stored.readAround(moments, bounds, counts)
        for (const [object, around] of read) windowOf(object).cover(bounds, counts, around)
      } catch (error) {
        // Each object then reads for itself, so that only the fixes of this one are affected.
        if (!(error instanceof DamagedPositions)) throw error
      }
    },
    async flush() {
      const rows = Array.from(written.values(), (mine) => [...mine.values()]).flat()
      await stored.unpackFor(rows)
      writeRows(write, organization, rows)
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
