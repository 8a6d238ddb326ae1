import type { DatabaseSync } from 'node:sqlite'
import { type ObjectState, UNSEEN } from '../../domain/object-state.ts'
import type { FindTracked, Tracked } from '../folding/tracked.ts'
import { OBJECTS } from '../kinds.ts'
import type { Change } from '../store.ts'
import type { ChangeLog } from './changes.ts'
import { shiftReader } from './counter-shifts.ts'
import type { Database } from './database.ts'
import { itemRows } from './item-rows.ts'
import { stateRows } from './object-states.ts'

/**
 * Caches the objects that the writer last read or wrote, so that a live feed reads nothing. The cache is
 * valid only while no other process has changed the organization's objects or states; each transaction
 * checks that first.
 */
export type TrackedObjects = {
  /** The organization's objects by id. Call once in each transaction. */
  of(organization: number): OrganizationObjects
  /**
   * A transaction that changes states. It gets the number of its change, and all watchers are notified
   * after the commit.
   */
  write<T>(work: (sequence: number) => { result: T; change: Change | null }): Promise<T>
}

export type OrganizationObjects = {
  find: FindTracked
  /** Saves changed objects as this change. Null if there are none. */
  save(touched: ReadonlyMap<number, Tracked>, sequence: number): Change | null
}

/** The cache holds this many objects of all organizations. Beyond that it is emptied. */
const MOST = 200_000

type Kept = { objectsAt: number; statesAt: number; byId: Map<number, Tracked> }

export function trackedObjects(database: Database, changes: ChangeLog): TrackedObjects {
  const { writer } = database
  const objects = itemRows(writer, OBJECTS)
  const states = stateRows(writer)
  const shiftsOf = shiftReader(writer)
  const versions = topicVersions(writer)
  const kept = new Map<number, Kept>()
  let size = 0
  let rollbacks = database.rollbacks()

  function keptOf(organization: number): Kept {
    if (size > MOST || rollbacks !== database.rollbacks()) {
      kept.clear()
      size = 0
      rollbacks = database.rollbacks()
    }
    const now = versions(organization)
    const standing = kept.get(organization)
    if (standing?.objectsAt === now.objects && standing.statesAt === now.states) return standing
    const fresh = { objectsAt: now.objects, statesAt: now.states, byId: new Map() }
    kept.set(organization, fresh)
    size -= standing?.byId.size ?? 0
    return fresh
  }

  return {
    write: (work) =>
      database
        .write(
          () => work(changes.upcoming()),
          ({ change }) => (change === null ? undefined : changes.tell(change)),
        )
        .then(({ result }) => result),
    of(organization) {
      const mine = keptOf(organization)
      return {
        find(id) {
          const standing = mine.byId.get(id)
          if (standing !== undefined) return standing
          const object = objects.find(organization, id)
          if (object === null) return null
          const state = states.find(organization, id) ?? UNSEEN
          const tracked = { object, state, shifts: shiftsOf(organization, id) }
          mine.byId.set(id, tracked)
          size += 1
          return tracked
        },
        save(touched, sequence) {
          if (touched.size === 0) return null
          const changed = new Map<number, ObjectState>()
          for (const [id, now] of touched) {
            states.save(organization, id, now.state)
            mine.byId.set(id, now)
            changed.set(id, now.state)
          }
          changes.record(organization, 'states')
          const previous = mine.statesAt
          mine.statesAt = sequence
          return { organization, topic: 'states', sequence, stored: { states: changed, previous } }
        },
      }
    },
  }
}

/** The newest changes of an organization's objects and states; 0 if there was none. */
function topicVersions(writer: DatabaseSync) {
  const newest = writer.prepare(`
    SELECT
      (SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'objects') AS objects,
      (SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'states') AS states
  `)
  return (organization: number): { objects: number; states: number } => {
    const { objects, states } = newest.get(organization) as Record<string, number | null>
    return { objects: objects ?? 0, states: states ?? 0 }
  }
}
