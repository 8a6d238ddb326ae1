import type { ObjectState } from '../../domain/object-state.ts'
import type { Change, Topic } from '../store.ts'
import { ANNOUNCE, announced, type ChangeFeed } from './change-feed.ts'
import type { Connection, Database } from './database.ts'
import { statement } from './statement.ts'

/** A transaction with exclusive access to an organization. */
export type OrganizationWrite = Connection & {
  readonly organization: number
  /** The number of this change in its organization. It is used only if a change is noted. */
  readonly change: number
  /** The newest change of the objects, and the number of changes of states, before this one. */
  readonly objectsAt: number
  readonly statesAt: number
  /** Notes that topics change. All watchers are notified. */
  changed(...topics: Topic[]): void
  /**
   * Notes the new states. Watchers of this store object get them. Others are not notified, but a later
   * reader sees that there was a change. At most once in a transaction.
   */
  stored(states: Map<number, ObjectState>): void
}

/**
 * All writes to an organization's data go through here, one after the other. So changes are numbered in
 * the order in which they become visible, and no two writes can deadlock.
 */
export type OrganizationWrites = {
  /**
   * Resolves to null without running `work` if the organization does not exist. Watchers of this store
   * are notified first, and their promises are awaited.
   */
  write<T>(organization: number, work: (write: OrganizationWrite) => Promise<T>): Promise<T | null>
}

const LOCK = statement(
  'SELECT newest, objects, states FROM sequences WHERE organization = $1 FOR UPDATE',
)
const ADVANCE = statement(`
  UPDATE sequences SET newest = $2, objects = $3, states = $4 WHERE organization = $1
`)

type Sequences = { newest: number; objects: number; states: number }

export function organizationWrites(database: Database, feed: ChangeFeed): OrganizationWrites {
  /** The last write of each organization with a write under way. Later ones wait without a connection. */
  const last = new Map<number, Promise<unknown>>()

  async function run<T>(
    organization: number,
    connection: Connection,
    work: (write: OrganizationWrite) => Promise<T>,
  ): Promise<{ result: T | null; changes: Change[] }> {
    const [before] = await connection.query<Sequences>(LOCK, [organization])
    if (before === undefined) return { result: null, changes: [] }
    const topics = new Set<Topic>()
    let stored: Map<number, ObjectState> | undefined
    const result = await work({
      ...connection,
      organization,
      change: before.newest + 1,
      objectsAt: before.objects,
      statesAt: before.states,
      changed(...more) {
        for (const topic of more) topics.add(topic)
      },
      stored(states) {
        stored = states
      },
    })
    const changes = changesOf(organization, before, topics, stored)
    if (changes.length === 0) return { result, changes }
    const after = [
      before.newest + 1,
      topics.has('objects') ? before.newest + 1 : before.objects,
      before.states + Number(topics.has('states') || stored !== undefined),
    ]
    // These statements go to the server together with COMMIT.
    connection.run(ADVANCE, [organization, ...after])
    const others = changes.filter((change) => !feed.isWatched() || change.stored === undefined)
    if (others.length > 0) connection.run(ANNOUNCE, announced(organization, others))
    return { result, changes }
  }

  return {
    async write(organization, work) {
      const writing = database.transaction(
        (connection) => run(organization, connection, work),
        last.get(organization),
      )
      last.set(organization, writing)
      try {
        const { result, changes } = await writing
        await feed.tell(changes)
        return result
      } finally {
        if (last.get(organization) === writing) last.delete(organization)
      }
    },
  }
}

function changesOf(
  organization: number,
  before: Sequences,
  topics: ReadonlySet<Topic>,
  stored: Map<number, ObjectState> | undefined,
): Change[] {
  const sequence = before.newest + 1
  const changes: Change[] = Array.from(topics, (topic) =>
    topic === 'states'
      ? { organization, topic, sequence: before.states + 1 }
      : { organization, topic, sequence },
  )
  if (stored === undefined) return changes
  const previous = before.states
  const states = { organization, topic: 'states', sequence: previous + 1 } as const
  return [...changes, { ...states, stored: { states: stored, previous } }]
}
