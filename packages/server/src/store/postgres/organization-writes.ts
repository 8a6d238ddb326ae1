import type { ObjectState } from '../../domain/object-state.ts'
import type { Change, Topic } from '../store.ts'
import { ANNOUNCE, announced, type ChangeFeed } from './change-feed.ts'
import type { Connection, Database } from './database.ts'
import { statement } from './statement.ts'

/** A transaction that has an organization to itself. */
export type OrganizationWrite = Connection & {
  readonly organization: number
  /** The number of the change that it is, in its organization; it stands only where one is noted. */
  readonly change: number
  /** The newest change of the objects, and how many changes there were of states, before this one. */
  readonly objectsAt: number
  readonly statesAt: number
  /** Says that topics change with it, of which everybody is told. */
  changed(...topics: Topic[]): void
  /**
   * Says that these states change with it and are these from now on. Who watches this very store is
   * told them; others are told nothing, but where nobody watches it they are told that there was such
   * a change. At most once in a transaction.
   */
  stored(states: Map<number, ObjectState>): void
}

/**
 * All that writes an organization's data goes through here, one after the other: so its changes are
 * numbered in the order in which they can be seen, and no two can lock each other out.
 */
export type OrganizationWrites = {
  /**
   * Resolves to null, without running `work`, where there is no such organization. Those who watch
   * this store are told before it resolves, and what they return is awaited.
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
  /** The last write of each organization that has one under way: they wait without a connection. */
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
    // These go to the server together with what ends the transaction.
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
