import { UNSEEN } from '../../domain/object-state.ts'
import { packState, type StateParts, unpackState } from '../../domain/state-record.ts'
import { objectShifts, type Shift } from '../folding/object-shifts.ts'
import type { FindTracked, Tracked } from '../folding/tracked.ts'
import { OBJECTS } from '../kinds.ts'
import { byteaArray, int8Array } from './binary-arrays.ts'
import { itemRows } from './item-rows.ts'
import type { OrganizationWrite, OrganizationWrites } from './organization-writes.ts'
import { statement } from './statement.ts'

/** Transactions on an organization that provide the named objects to the fold. */
export type TrackedObjects = {
  /** Null if the organization does not exist. */
  write<T>(
    organization: number,
    objects: Iterable<number>,
    work: (write: TrackedWrite) => Promise<T>,
  ): Promise<T | null>
}

export type TrackedWrite = OrganizationWrite & {
  /** One of the named objects. */
  find: FindTracked
  /** Saves changed objects. At most once. */
  save(touched: ReadonlyMap<number, Tracked>): void
}

/** The cache holds this many objects of all organizations. Beyond that it is emptied. */
const MOST = 200_000

/** The cached objects of an organization, and the changes as of which they are valid. */
type Kept = { objectsAt: number; statesAt: number; byId: Map<number, Tracked> }

/**
 * Caches the objects that this process last read or wrote, so that a live feed reads nothing. The cache
 * is valid only while no other process has changed the organization's objects or states; each transaction
 * learns that when it begins.
 */
export function trackedObjects(writes: OrganizationWrites): TrackedObjects {
  const kept = new Map<number, Kept>()
  let size = 0

  function forget(organization: number): void {
    size -= kept.get(organization)?.byId.size ?? 0
    kept.delete(organization)
  }

  function keptOf({ organization, objectsAt, statesAt }: OrganizationWrite): Kept {
    if (size > MOST) {
      kept.clear()
      size = 0
    }
    const standing = kept.get(organization)
    if (standing?.objectsAt === objectsAt && standing.statesAt === statesAt) return standing
    forget(organization)
    const fresh = { objectsAt, statesAt, byId: new Map() }
    kept.set(organization, fresh)
    return fresh
  }

  async function begin(write: OrganizationWrite, ids: Iterable<number>): Promise<TrackedWrite> {
    const mine = keptOf(write)
    const missing = [...new Set(ids)].filter((id) => !mine.byId.has(id))
    if (missing.length > 0) {
      const read = await readTracked(write, missing)
      for (const each of read) mine.byId.set(each.object.id, each)
      size += read.length
    }
    return {
      ...write,
      find: (object) => mine.byId.get(object) ?? null,
      save(touched) {
        if (touched.size === 0) return
        saveStates(write, touched)
        write.stored(new Map(Array.from(touched, ([id, { state }]) => [id, state])))
        for (const [id, now] of touched) mine.byId.set(id, now)
        // Update the cache before the commit: the next transaction may begin before the result of this
        // one arrives.
        mine.statesAt = write.statesAt + 1
      },
    }
  }

  return {
    async write(organization, objects, work) {
      let isFirst = true
      try {
        return await writes.write(organization, async (write) => {
          // Drop what an attempt saved that was rolled back.
          if (!isFirst) forget(organization)
          isFirst = false
          return work(await begin(write, objects))
        })
      } catch (error) {
        forget(organization)
        throw error
      }
    },
  }
}

const { matching: FIND_OBJECTS, item } = itemRows(OBJECTS)
const FIND_STATES = statement(`
  SELECT object, last_fix AS "lastFix", numbers, address, address_at AS "addressAt"
  FROM object_states WHERE organization = $1 AND object = ANY($2::int8[])
`)
const FIND_SHIFTS = statement(`
  SELECT object, from_time AS "from", odometer, engine_hours AS "engineHours" FROM counter_shifts
  WHERE organization = $1 AND object = ANY($2::int8[]) ORDER BY object, from_time
`)
const SAVE_STATES = statement(`
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at)
  SELECT $1, * FROM unnest($2::int8[], $3::bytea[], $4::bytea[], $5::text[], $6::int8[])
  ON CONFLICT (organization, object) DO UPDATE SET last_fix = excluded.last_fix,
    numbers = excluded.numbers, address = excluded.address, address_at = excluded.address_at
`)

type StateRow = StateParts & { object: number }

async function readTracked(
  { organization, query }: OrganizationWrite,
  ids: readonly number[],
): Promise<Tracked[]> {
  const wanted = int8Array(ids)
  const [objects, stateRows, shiftRows] = await Promise.all([
    query<object>(FIND_OBJECTS, [organization, wanted, []]),
    query<StateRow>(FIND_STATES, [organization, wanted]),
    query<Shift & { object: number }>(FIND_SHIFTS, [organization, wanted]),
  ])
  const states = new Map(stateRows.map((row) => [row.object, unpackState(row)]))
  const shifts = Map.groupBy(shiftRows, ({ object }) => object)
  return objects.map((row) => {
    const object = item(row)
    const mine = (shifts.get(object.id) ?? []).map(({ object: _, ...shift }) => shift)
    return { object, state: states.get(object.id) ?? UNSEEN, shifts: objectShifts(mine) }
  })
}

function saveStates(
  { organization, run }: OrganizationWrite,
  touched: ReadonlyMap<number, Tracked>,
): void {
  const states = Array.from(touched.values(), ({ state }) => packState(state))
  run(SAVE_STATES, [
    organization,
    int8Array([...touched.keys()]),
    byteaArray(states.map(({ lastFix }) => lastFix)),
    byteaArray(states.map(({ numbers }) => numbers)),
    states.map(({ address }) => address),
    int8Array(states.map(({ addressAt }) => addressAt)),
  ])
}
