import { withOwnSettings } from '../../domain/monitored-object.ts'
import { packState, UNSEEN } from '../../domain/position/object-state.ts'
import { takeNotes } from '../../store/change-entries.ts'
import { OBJECTS } from '../../store/tables/kinds.ts'
import { NO_SHIFTS, type ShiftOfObject, shiftsByObject } from '../../tracking/object-shifts.ts'
import type { ChangeNotes, FindFoldTarget, FoldTarget } from '../../tracking/tables.ts'
import { statement } from '../connection/connections.ts'
import { byteaArray, givenStatement, int8Array } from '../connection/given-rows.ts'
import { itemRows } from '../items.ts'
import type { OrganizationWrite } from '../organization-writes.ts'
import { readStates, SHIFTS_OF } from './object-states.ts'

/**
 * Caches the objects that this process last read or wrote, so that a live feed reads nothing. The cache
 * is valid only while no other process has changed the organization's objects or states; each transaction
 * learns that when it begins.
 */
export type FoldTargets = {
  /** Adds the objects to a write. Reads those that are not in the cache. Call it at most once. */
  begin(write: OrganizationWrite, objects: Iterable<number>): Promise<FoldTargetWrite>
}

export type FoldTargetWrite = OrganizationWrite & {
  /** Takes what changes of the positions of objects that are saved afterwards. */
  readonly notes: ChangeNotes
  /** Finds one of the named objects. */
  find: FindFoldTarget
  /** Saves changed objects. Call it at most once. */
  save(touched: ReadonlyMap<number, FoldTarget>): void
}

/** The cache holds this many objects of all organizations. Beyond that it is emptied. */
const MAX_CACHED_OBJECTS = 200_000

/** The cached objects of an organization, and the changes as of which they are valid. */
type Cached = {
  objectsAt: number
  statesAt: number
  byId: Map<number, FoldTarget>
  /** The write that saved objects last. If it was not committed, they are wrong. */
  saved: OrganizationWrite | undefined
}

export function foldTargets(): FoldTargets {
  const cached = new Map<number, Cached>()
  let size = 0

  function cachedFor({ organization, objectsAt, statesAt }: OrganizationWrite): Cached {
    if (size > MAX_CACHED_OBJECTS) {
      cached.clear()
      size = 0
    }
    const existing = cached.get(organization)
    const isCurrent = existing?.objectsAt === objectsAt && existing.statesAt === statesAt
    if (isCurrent && existing.saved?.isCommitted() !== false) return existing
    size -= existing?.byId.size ?? 0
    const fresh = { objectsAt, statesAt, byId: new Map(), saved: undefined }
    cached.set(organization, fresh)
    return fresh
  }

  return {
    async begin(write, objects) {
      const mine = cachedFor(write)
      const missing = [...new Set(objects)].filter((id) => !mine.byId.has(id))
      if (missing.length > 0) {
        const read = await readTargets(write, missing)
        for (const each of read) mine.byId.set(each.object.id, each)
        size += read.length
      }
      const notes = takeNotes()
      return {
        ...write,
        notes,
        find: (object) => mine.byId.get(object) ?? null,
        save(touched) {
          if (touched.size === 0) return
          saveStates(write, touched)
          write.log({ objects: notes.entries(touched.keys(), (id) => mine.byId.get(id)) })
          write.stored(new Map(Array.from(touched, ([id, { state }]) => [id, state])))
          for (const [id, now] of touched) mine.byId.set(id, now)
          mine.statesAt = write.statesAt + 1
          mine.saved = write
        },
      }
    },
  }
}

const { listed: FIND_OBJECTS, itemAtOnce } = itemRows(OBJECTS)
/** The setting that the fold takes from the organization. */
const FIND_MAXIMUM_GAP = statement(`
  SELECT maximum_gap AS "maximumGap" FROM organizations WHERE id = $1
`)
const SAVE_STATES = givenStatement(
  (given) => `
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at, attributes)
  ${given.rows('unnest($2::int8[], $3::bytea[], $4::bytea[], $5::text[], $6::int8[], $7::bytea[])')}
  ON CONFLICT (organization, object) DO UPDATE SET last_fix = excluded.last_fix,
    numbers = excluded.numbers, address = excluded.address, address_at = excluded.address_at,
    attributes = excluded.attributes
`,
)

async function readTargets(
  { organization, query }: OrganizationWrite,
  ids: readonly number[],
): Promise<FoldTarget[]> {
  const wanted = int8Array(ids)
  const [[owner], objects, states, shiftRows] = await Promise.all([
    query<{ maximumGap: number }>(FIND_MAXIMUM_GAP, [organization]),
    query<object>(FIND_OBJECTS, [organization, wanted]),
    readStates({ query }, organization, ids),
    query<ShiftOfObject>(SHIFTS_OF, [organization, wanted]),
  ])
  const shifts = shiftsByObject(shiftRows)
  return objects.map((row) => {
    const object = withOwnSettings(itemAtOnce(row), owner!)
    const { id } = object
    return { object, state: states.get(id) ?? UNSEEN, shifts: shifts.get(id) ?? NO_SHIFTS }
  })
}

function saveStates(
  { organization, run }: OrganizationWrite,
  touched: ReadonlyMap<number, FoldTarget>,
): void {
  const states = Array.from(touched.values(), ({ state }) => packState(state))
  run(SAVE_STATES, [
    organization,
    int8Array([...touched.keys()]),
    byteaArray(states.map(({ lastFix }) => lastFix)),
    byteaArray(states.map(({ numbers }) => numbers)),
    states.map(({ address }) => address),
    int8Array(states.map(({ addressAt }) => addressAt)),
    byteaArray(states.map(({ attributes }) => attributes)),
  ])
}
