import { type ObjectShifts, objectShifts } from '../../../tracking/object-shifts.ts'
import type { Reject } from '../../../tracking/outcome.ts'
import type { MarkWrites, RejectWrites, ShiftWrites, Tables } from '../../../tracking/tables.ts'
import { statement } from '../connection/connections.ts'
import { givenStatement, int8Array } from '../connection/given-rows.ts'
import type { OrganizationWrite } from '../organization-writes.ts'
import type { FoldTargetWrite } from './fold-targets.ts'
import { type PositionBuffer, positionBuffer } from './position-buffer.ts'
import { addRejects } from './rejects.ts'

/** The tables of one transaction. Writes are collected until the work is complete. */
export type FoldBuffer = Tables & {
  positions: PositionBuffer
  /** Sends the collected writes. */
  flush(): Promise<void>
}

export function foldBuffer(write: FoldTargetWrite): FoldBuffer {
  const positions = positionBuffer(write)
  const shifts = shiftBuffer(write)
  const refoldMarks = markBuffer(write)
  const rejects = rejectBuffer(write)
  return {
    positions,
    shifts,
    refoldMarks,
    rejects,
    notes: write.notes,
    async flush() {
      await positions.flush()
      shifts.flush()
      refoldMarks.flush()
      await rejects.flush()
    },
  }
}

const REMOVE_SHIFTS = statement(`
  DELETE FROM counter_shifts USING unnest($2::int8[], $3::int8[]) AS gone (id, since)
  WHERE organization = $1 AND object = gone.id AND from_time >= gone.since
`)
const ADD_SHIFTS = givenStatement(
  (given) => `
  INSERT INTO counter_shifts (organization, object, from_time, odometer, engine_hours)
  ${given.rows('unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[])')}
`,
)

function shiftBuffer({ organization, run }: OrganizationWrite): ShiftWrites & { flush(): void } {
  /** The new shifts of objects, and the time from which they differ from the old ones. */
  const written = new Map<number, { since: number; now: ObjectShifts }>()
  return {
    replaceSince({ object, shifts }, since, later) {
      const earliest = Math.min(since, written.get(object)?.since ?? since)
      const now = objectShifts([...shifts.before(since).all, ...later])
      written.set(object, { since: earliest, now })
    },
    flush() {
      if (written.size === 0) return
      const changed = [...written]
      const since = changed.map(([, each]) => each.since)
      run(REMOVE_SHIFTS, [
        organization,
        int8Array(changed.map(([object]) => object)),
        int8Array(since),
      ])
      const added = changed.flatMap(([object, { since, now }]) =>
        now.all.filter(({ from }) => from >= since).map((shift) => ({ object, ...shift })),
      )
      if (added.length === 0) return
      run(ADD_SHIFTS, [
        organization,
        int8Array(added.map(({ object }) => object)),
        int8Array(added.map(({ from }) => from)),
        int8Array(added.map(({ odometer }) => odometer)),
        int8Array(added.map(({ engineHours }) => engineHours)),
      ])
    },
  }
}

const SET_MARKS = givenStatement(
  (given) => `
  INSERT INTO refolds (organization, object, from_time)
  ${given.rows('unnest($2::int8[], $3::int8[])')}
  ON CONFLICT (organization, object)
    DO UPDATE SET from_time = least(refolds.from_time, excluded.from_time)
`,
)

function markBuffer({ organization, run }: OrganizationWrite): MarkWrites & { flush(): void } {
  const written = new Map<number, number>()
  return {
    set(_organization, object, after) {
      written.set(object, Math.min(after, written.get(object) ?? after))
    },
    flush() {
      if (written.size === 0) return
      run(SET_MARKS, [
        organization,
        int8Array([...written.keys()]),
        int8Array([...written.values()]),
      ])
    },
  }
}

function rejectBuffer(write: OrganizationWrite): RejectWrites & { flush(): Promise<void> } {
  /** By object, in the order in which they came. */
  const written = new Map<number, Reject[]>()
  return {
    add(_organization, object, reject) {
      const mine = written.get(object)
      if (mine === undefined) written.set(object, [reject])
      else mine.push(reject)
    },
    async flush() {
      if (written.size > 0) await addRejects(write, written)
    },
  }
}
