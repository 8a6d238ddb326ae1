import {
  dayOfReject,
  type MarkWrites,
  type Reject,
  type RejectWrites,
  type ShiftWrites,
  type Tables,
  withReject,
} from '../../engine/tracking/fold-tables.ts'
import { type ObjectShifts, objectShifts } from '../../engine/tracking/object-shifts.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { PositionForm, TablesOf } from '../positions/position-tables.ts'
import { nameReader } from '../tables/attribute-tables.ts'
import type { Dialect, OrganizationSql } from '../tables/sql.ts'
import type { FoldWrite } from './fold-targets.ts'
import { bufferParts, PositionBuffer } from './position-buffer.ts'
import { rejectRows } from './rejected-packets.ts'

/** The tables of one transaction. Writes are collected until the work is complete. */
export type FoldBuffer = Tables & {
  positions: PositionBuffer
  /** Sends the collected writes. */
  flush(): Work<void>
}

export function foldBuffers(
  dialect: Dialect,
  form: PositionForm,
  tablesOf: TablesOf,
): (write: FoldWrite) => FoldBuffer {
  const parts = bufferParts(dialect, form, tablesOf)
  const shiftsOf = shiftBuffers(dialect)
  const marksOf = markBuffers(dialect)
  const rejectsOf = rejectBuffers(dialect)
  const namesOf = nameReader(dialect)
  return (write) => {
    const { sql } = write
    const positions = new PositionBuffer(write, parts)
    const [shifts, refoldMarks, rejects] = [shiftsOf(sql), marksOf(sql), rejectsOf(sql)]
    return {
      ...{ positions, shifts, refoldMarks, rejects },
      notes: write.notes,
      names: namesOf(sql),
      flush: () => flushed(positions, shifts, refoldMarks, rejects),
    }
  }
}

function* flushed(
  positions: PositionBuffer,
  shifts: { flush(): void },
  marks: { flush(): void },
  rejects: { flush(): Work<void> },
): Work<void> {
  yield* positions.flush()
  shifts.flush()
  marks.flush()
  yield* rejects.flush()
}

const REMOVE_SHIFTS = `
  DELETE FROM counter_shifts WHERE organization = $1 AND object = $2 AND from_time >= $3`

function shiftBuffers({ rowWriter }: Dialect) {
  const add = rowWriter('counter_shifts', {
    ...{ object: 'bigint', from_time: 'bigint', odometer: 'bigint', engine_hours: 'bigint' },
  })
  return (sql: OrganizationSql): ShiftWrites & { flush(): void } => {
    const { organization } = sql
    /** The shifts of objects before and now, and the time from which they differ. */
    const written = new Map<number, { since: number; before: ObjectShifts; now: ObjectShifts }>()
    return {
      replaceSince({ object, shifts }, since, later) {
        const earlier = written.get(object)
        const earliest = Math.min(since, earlier?.since ?? since)
        const now = objectShifts([...shifts.before(since).all, ...later])
        written.set(object, { since: earliest, before: earlier?.before ?? shifts, now })
      },
      flush() {
        const added = Array.from(written, ([object, { since, before, now }]) => {
          const isGone = before.all.some(({ from }) => from >= since)
          if (isGone) sql.run(REMOVE_SHIFTS, [organization, object, since])
          return now.all
            .filter(({ from }) => from >= since)
            .map(({ from, odometer, engineHours }) => [object, from, odometer, engineHours])
        })
        add(sql, organization, added.flat())
      },
    }
  }
}

const EARLIER_MARK = `
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time
  WHERE excluded.from_time < refolds.from_time`

function markBuffers({ rowWriter }: Dialect) {
  const add = rowWriter('refolds', { object: 'bigint', from_time: 'bigint' }, EARLIER_MARK)
  return (sql: OrganizationSql): MarkWrites & { flush(): void } => {
    const written = new Map<number, number>()
    return {
      set(_organization, object, after) {
        written.set(object, Math.min(after, written.get(object) ?? after))
      },
      flush: () => add(sql, sql.organization, [...written]),
    }
  }
}

const MORE_REJECTS = `
  ON CONFLICT (organization, object, day, reason)
    DO UPDATE SET packets = reject_counts.packets + excluded.packets`

function rejectBuffers(dialect: Dialect) {
  const rows = rejectRows(dialect)
  const columns = { object: 'bigint', day: 'bigint', reason: 'text', packets: 'bigint' } as const
  const count = dialect.rowWriter('reject_counts', columns, MORE_REJECTS)

  function countAll(sql: OrganizationSql, written: ReadonlyMap<number, readonly Reject[]>): void {
    const counts = new Map<string, [object: number, day: number, reason: string, packets: number]>()
    for (const [object, rejects] of written) {
      for (const reject of rejects) {
        if (reject.isStored !== undefined) continue
        const [day, { reason }] = [dayOfReject(reject), reject]
        const key = `${object} ${day} ${reason}`
        const packets = counts.get(key)?.[3] ?? 0
        counts.set(key, [object, day, reason, packets + 1])
      }
    }
    count(sql, sql.organization, [...counts.values()])
  }

  function* save(sql: OrganizationSql, written: ReadonlyMap<number, Reject[]>): Work<void> {
    if (written.size === 0) return
    const { organization } = sql
    const existing = yield* rows.listed(sql, organization, [...written.keys()])
    const now = Array.from(written, ([object, rejects]) => {
      const all = rejects.reduce<Reject[]>(withReject, existing.get(object) ?? [])
      return [object, all] as const
    })
    rows.save(sql, organization, now)
    countAll(sql, written)
  }

  return (sql: OrganizationSql): RejectWrites & { flush(): Work<void> } => {
    /** By object, in the order in which they came. */
    const written = new Map<number, Reject[]>()
    return {
      add(_organization, object, reject) {
        const mine = written.get(object)
        if (mine === undefined) written.set(object, [reject])
        else mine.push(reject)
      },
      flush: () => save(sql, written),
    }
  }
}
