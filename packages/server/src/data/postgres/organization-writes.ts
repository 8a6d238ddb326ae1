import { addAll } from '../../base/domain/common/any-number.ts'
import type { ChangeEntries, ItemEntry } from '../../engine/store/change-entries.ts'
import type { Change, Topic } from '../../engine/store/store.ts'
import type { StoredStates } from '../tables/sql.ts'
import { ANNOUNCE, type Announcements, announced } from './announcements.ts'
import { addChange } from './change-log/change-rows.ts'
import { statement } from './connection/connection-pool.ts'
import type { Connection, Database } from './connection/database.ts'

/**
 * A transaction with exclusive access to an organization. Its statements need not be awaited: they go to the
 * server in the order of the calls, and the transaction fails if one of them does.
 */
export type OrganizationWrite = Connection & {
  readonly organization: number
  /** The number of this change in its organization. It is used only if a change is noted. */
  readonly change: number
  /** The number that this change gets in the change log, if it gets an entry there. */
  readonly logged: number
  /** The newest change of the objects, and the number of changes of states, before this one. */
  readonly objectsAt: number
  readonly statesAt: number
  /** Notes that topics change. All watchers are notified. */
  changed(...topics: Topic[]): void
  /**
   * Notes the new states. Watchers of this store object get them. Others are not notified, but a later
   * reader sees that there was a change. At most once in a transaction. Returns the number of changes of states.
   */
  stored(states: StoredStates): number
  /** Adds to what the change log will say of this change. `objects` and `retainedBefore` at most once. */
  log(entries: Partial<ChangeEntries>): void
  /** True before the next write of this store object to the organization begins. */
  isCommitted(): boolean
}

type Work<T> = (write: OrganizationWrite) => Promise<T>

/**
 * All writes to an organization's data go through here, one after the other. So changes are numbered in
 * the order in which they become visible, and no two writes can deadlock.
 */
export type OrganizationWrites = {
  /**
   * Begins a transaction, runs `work`, commits, and reports the noted changes to the watchers of this store
   * object. Resolves when their promises have, with the result of `work`. If another transaction was in the
   * way, `work` runs again in a new one. Null, without running `work`, if the organization does not exist.
   */
  write<T>(organization: number, work: Work<T>): Promise<T | null>
}

const LOCK = statement(`
  SELECT newest, objects, states, logged FROM sequences WHERE organization = $1 FOR UPDATE
`)
const ADVANCE = statement(`
  UPDATE sequences SET newest = $2, objects = $3, states = $4, logged = $5 WHERE organization = $1
`)

/** The row of an organization in `sequences`, locked by its write. `logged`: the newest change in the log. */
type Sequences = { newest: number; objects: number; states: number; logged: number }

/** The changes that a write has noted. */
type Notes = {
  topics: Set<Topic>
  stored: StoredStates | undefined
  items: ItemEntry[]
  logged: Partial<ChangeEntries> | undefined
  isCommitted: boolean
}

type Written<T> = { result: T | null; changes: Change[] }

export function organizationWrites(
  database: Database,
  announcements: Announcements,
  now: () => number,
): OrganizationWrites {
  /** The last write of each organization with a write under way. Later ones wait without a connection. */
  const last = new Map<number, Promise<unknown>>()

  async function commit<T>(organization: number, work: Work<T>): Promise<Written<T>> {
    const written = await database.transaction(async (connection) => {
      const [before] = await connection.query<Sequences>(LOCK, [organization])
      if (before === undefined) return null
      const notes = newNotes()
      const result = await work(organizationWrite(connection, organization, before, notes))
      const changes = changesOf(organization, before, notes)
      sendChanges(connection, organization, before, changes, notes)
      return { result, changes, notes }
    }, last.get(organization))
    if (written === null) return { result: null, changes: [] }
    written.notes.isCommitted = true
    // The objects of the organization are cached together with these notes, and would hold the rows as well.
    written.notes.stored = undefined
    return written
  }

  /** These statements go to the server together with COMMIT. */
  function sendChanges(
    connection: Connection,
    organization: number,
    before: Sequences,
    changes: readonly Change[],
    { items, logged }: Notes,
  ): void {
    if (changes.length === 0) return
    const next = before.newest + 1
    const has = (wanted: Topic) => changes.some(({ topic }) => topic === wanted)
    const objects = has('objects') ? next : before.objects
    const states = before.states + Number(has('states'))
    const seq = logged === undefined ? before.logged : before.logged + 1
    connection.run(ADVANCE, [organization, next, objects, states, seq])
    if (seq > before.logged) addChange(connection, organization, seq, now(), { ...logged, items })
    const others = changes.filter(
      (change) => !announcements.isWatched() || change.stored === undefined,
    )
    if (others.length > 0) connection.run(ANNOUNCE, announced(organization, others))
  }

  return {
    async write(organization, work) {
      const committing = commit(organization, work)
      last.set(organization, committing)
      try {
        const { result, changes } = await committing
        await announcements.report(changes)
        return result
      } finally {
        if (last.get(organization) === committing) last.delete(organization)
      }
    },
  }
}

function organizationWrite(
  connection: Connection,
  organization: number,
  before: Sequences,
  notes: Notes,
): OrganizationWrite {
  return {
    ...connection,
    organization,
    change: before.newest + 1,
    logged: before.logged + 1,
    objectsAt: before.objects,
    statesAt: before.states,
    changed(...topics) {
      for (const topic of topics) notes.topics.add(topic)
    },
    stored(states) {
      notes.stored = states
      return before.states + 1
    },
    log({ items = [], ...others }) {
      addAll(notes.items, items)
      notes.logged = { ...notes.logged, ...others }
    },
    isCommitted: () => notes.isCommitted,
  }
}

function newNotes(): Notes {
  return {
    topics: new Set(),
    stored: undefined,
    items: [],
    logged: undefined,
    isCommitted: false,
  }
}

function changesOf(organization: number, before: Sequences, { topics, stored }: Notes): Change[] {
  const sequence = before.newest + 1
  const previous = before.states
  const changes: Change[] = Array.from(topics, (topic) =>
    topic === 'states'
      ? { organization, topic, sequence: previous + 1 }
      : { organization, topic, sequence },
  )
  if (stored === undefined) return changes
  const logged = before.logged + 1
  return [
    ...changes,
    { organization, topic: 'states', sequence: previous + 1, stored: { ...stored, logged } },
  ]
}
