import type { PositionStore } from '../../store/position-store.ts'
import { nameReader } from '../../store/tables/attributes.ts'
import { type ObjectShifts, objectShifts } from '../../tracking/object-shifts.ts'
import { takeAddresses } from '../../tracking/object-state.ts'
import {
  dayOfReject,
  type FindFoldTarget,
  type MarkWrites,
  type NewFix,
  type Reject,
  type RejectWrites,
  type ShiftWrites,
  type Tables,
  withReject,
} from '../../tracking/tables.ts'
import { takeBatch } from '../../tracking/take-batch.ts'
import { runAwaiting } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { givenStatement, int8Array } from '../connection/given-rows.ts'
import type { OrganizationWrite, OrganizationWrites } from '../organization-writes.ts'
import { LISTS, noted, sqlOf } from '../tables.ts'
import type { FoldTargets, FoldTargetWrite } from './fold-targets.ts'
import { type PositionBuffer, positionBuffer } from './position-buffer.ts'

const FIND = statement(`
  SELECT object, rejects FROM object_rejects WHERE organization = $1 AND object = ANY($2::int8[])
`)
const SAVE = givenStatement(
  (given) => `
  INSERT INTO object_rejects (organization, object, rejects)
  ${given.rows('unnest($2::int8[], $3::text[])')}
  ON CONFLICT (organization, object) DO UPDATE SET rejects = excluded.rejects
`,
)

const COUNT = givenStatement(
  (given) => `
  INSERT INTO reject_counts (organization, object, day, reason, packets)
  SELECT ${given.organization}, object, day, reason, count(*)
  ${given.from('unnest($2::int8[], $3::int8[], $4::text[]) AS rejected (object, day, reason)')}
  GROUP BY 1, object, day, reason
  ON CONFLICT (organization, object, day, reason)
    DO UPDATE SET packets = reject_counts.packets + excluded.packets
`,
)

async function find(
  connection: Connection,
  organization: number,
  objects: Iterable<number>,
): Promise<Map<number, Reject[]>> {
  const rows = await connection.query<{ object: number; rejects: string }>(FIND, [
    organization,
    int8Array([...objects]),
  ])
  return new Map(rows.map(({ object, rejects }) => [object, JSON.parse(rejects) as Reject[]]))
}

/** The last rejected packets of an object. */
export function rejectReader(connection: Connection): PositionStore['rejects'] {
  return async (organization, object) =>
    (await find(connection, organization, [object])).get(object) ?? []
}

/** Adds rejects of several objects, for each object in the order in which they came. */
async function addRejects(
  write: OrganizationWrite,
  rejected: ReadonlyMap<number, readonly Reject[]>,
): Promise<void> {
  const { organization } = write
  const existing = await find(write, organization, rejected.keys())
  const now = Array.from(rejected, ([object, rejects]) =>
    JSON.stringify(rejects.reduce<Reject[]>(withReject, existing.get(object) ?? [])),
  )
  write.run(SAVE, [organization, int8Array([...rejected.keys()]), now])
  const all = Array.from(rejected, ([object, rejects]) =>
    rejects
      .filter(({ isStored }) => isStored === undefined)
      .map((reject) => ({ object, day: dayOfReject(reject), reason: reject.reason })),
  ).flat()
  if (all.length === 0) return
  write.run(COUNT, [
    organization,
    int8Array(all.map(({ object }) => object)),
    int8Array(all.map(({ day }) => day)),
    all.map(({ reason }) => reason),
  ])
}

const ADD_NAMES = givenStatement(
  (given) => `
  INSERT INTO attribute_names (organization, name, objects)
  ${given.rows('unnest($2::text[], $3::int8[])')}
  ON CONFLICT (organization, name)
    DO UPDATE SET objects = attribute_names.objects + excluded.objects
`,
)

/** The tables of one transaction. Writes are collected until the work is complete. */
type FoldBuffer = Tables & {
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
    names: nameReader(sqlOf(write), LISTS, (organization, added) => {
      write.run(ADD_NAMES, [organization, [...added.keys()], int8Array([...added.values()])])
    }),
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

/** Objects whose late fixes are read together. */
const MAX_OBJECTS_AHEAD = 5_000

/** A transaction costs as much as 100 fixes in it, and the process mostly waits meanwhile. */
export const APPEND_SIZE = 200

/** Begins, reads, folds and writes here. `OrganizationWrites` then commits, and reports to the watchers. */
export function appender(
  writes: OrganizationWrites,
  targets: FoldTargets,
): PositionStore['append'] {
  return async (organization, batch, rules, note) => {
    const objects = batch.map(({ object }) => object)
    const outcomes = await writes.write(organization, async (begun) => {
      const write = await targets.begin(begun, objects)
      const tables = foldBuffer(write)
      await tables.positions.readAhead(lateMoments(batch, write.find))
      const taking = takeBatch(tables, write.find, batch, write.change, rules)
      const { outcomes, touched } = await runAwaiting(taking)
      await tables.flush()
      write.save(touched)
      return noted(begun, outcomes, note)
    })
    return outcomes ?? batch.map(() => 'unknown_object')
  }
}

/** Stores addresses in the states of objects. */
export function addressWriter(
  writes: OrganizationWrites,
  targets: FoldTargets,
): PositionStore['address'] {
  return async (organization, addresses) => {
    await writes.write(organization, async (begun) => {
      const write = await targets.begin(begun, addresses.keys())
      write.save(takeAddresses(write.find, addresses))
    })
  }
}

/** For each object with late fixes, the time of the first one. */
function lateMoments(batch: readonly NewFix[], find: FindFoldTarget): Map<number, number> {
  const moments = new Map<number, number>()
  for (const { object, fix } of batch) {
    const newest = find(object)?.state.fold?.at
    if (newest === undefined || fix.timeDevice > newest) continue
    const first = moments.get(object)
    if (first === undefined && moments.size === MAX_OBJECTS_AHEAD) continue
    moments.set(object, Math.min(fix.timeDevice, first ?? fix.timeDevice))
  }
  return moments
}
