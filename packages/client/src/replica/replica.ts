import { LISTED, RECORDS } from '../changes/change-kinds.ts'
import { changes } from '../changes/changes.ts'
import type { ChangesOptions } from '../changes/changes-options.ts'
import type { ChangesPage } from '../changes/changes-page.ts'
import type { Connection } from '../connection.ts'
import type { AskedAttributes } from '../history.ts'
import { memoryStore } from './memory-store.ts'
import { pageWrites } from './page-writes.ts'
import { type ReplicaData, replicaData } from './replica-data.ts'
import type { ReplicaProgress, ReplicaStore } from './replica-store.ts'

export type ReplicaOptions = {
  /** Where to keep the data. Default: in memory. */
  store?: ReplicaStore
  /** Whether to keep all positions, for histories. Default: false. */
  positions?: boolean
  /** Whether to keep trips, stops, visits and changes of levels. The server derives them from then on. Default: false. */
  records?: boolean
  /**
   * The attributes of states, and of positions if they are kept. Default: none. After a change of their catalogue the
   * replica starts again.
   */
  attributes?: AskedAttributes
  /** Only these objects, at most 1,000. Default: all. */
  ids?: Iterable<number>
} & Pick<ChangesOptions, 'skipExhausted' | 'pageSize'>

/** The data of a fleet, kept equal to the server's. Reading them asks the server nothing. */
export type Replica = ReplicaData & {
  /**
   * Follows the fleet, from where the store is. Gives each page after it was committed. Ends and rejects as
   * `changes` does.
   */
  follow(
    options?: Pick<ChangesOptions, 'live' | 'signal'>,
  ): AsyncGenerator<ChangesPage, void, undefined>
  /** Reads all that is new. Then the replica is equal to the fleet. */
  sync(options?: Pick<ChangesOptions, 'signal'>): Promise<void>
  /** The place that the replica has reached. Undefined before its first page. */
  progress(): Promise<ReplicaProgress | undefined>
}

const TYPES = ['objects', 'states', ...Object.values(LISTED)]
const RECORD_TYPES = Object.values(RECORDS)

/** `now`: milliseconds since the epoch, for the retention. */
export function replica(
  connection: Connection,
  { store = memoryStore(), positions = false, records = false, ...others }: ReplicaOptions,
  now: () => number,
): Replica {
  const { ids, attributes, ...reading } = others
  const query: ChangesOptions = {
    from: positions ? 'history' : 'snapshot',
    types: [...TYPES, ...(positions ? ['positions'] : []), ...(records ? RECORD_TYPES : [])],
    ...(positions && { include: ['exact'] }),
    ...(ids !== undefined && { ids: [...ids] }),
    ...(attributes !== undefined && { attributes }),
  }
  const options = JSON.stringify(query)
  let isFollowed = false

  async function* follow(following: Pick<ChangesOptions, 'live' | 'signal'> = {}) {
    if (isFollowed) throw new Error('the replica is already being followed')
    isFollowed = true
    try {
      const kept = await store.load()
      let last = kept?.options === options ? kept : undefined
      const all = { ...query, ...reading, ...following, cursor: last?.cursor }
      for await (const page of changes(connection, all)) {
        const made = pageWrites(page, last, { options, hasRecords: records }, now())
        if (made === undefined) continue
        await store.commit(made.writes, made.progress)
        last = made.progress
        yield page
      }
    } finally {
      isFollowed = false
    }
  }

  return {
    ...replicaData(store, now),
    follow,
    async sync({ signal } = {}) {
      for await (const _ of follow({ live: false, signal }));
    },
    progress: async () => store.load(),
  }
}
