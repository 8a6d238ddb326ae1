import { NOTHING_NAMED } from '../../../engine/store/change-entries.ts'
import {
  type ChangeLogStore,
  type ChangeView,
  type NewestChange,
  RECENT_CHANGES,
} from '../../../engine/store/change-log.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { runAwaiting } from '../../../engine/tracking/work.ts'
import { changePurger } from '../../tables/purge.ts'
import type { Tables } from '../../tables/sql.ts'
import { changeViews } from '../../views/change-views.ts'
import { POOL_SIZES, statement } from '../connection/connection-pool.ts'
import { type Connection, type Database, openDatabase } from '../connection/database.ts'
import { isWorkerDown } from '../connection/unavailable.ts'
import { FORM, tablesOf } from '../positions/position-form.ts'
import { overlapping } from '../records.ts'
import { sqlOf } from '../tables.ts'
import { readEpoch, renewEpoch } from './change-rows.ts'
import { sharedTransactions } from './shared-transactions.ts'

/** A view needs two of them after a restore. */
const MAX_ATTEMPTS = 3

const newestWhere = (organizations: string, log: string) =>
  statement(`
  SELECT organization, logged AS seq, coalesce((
    SELECT seq FROM change_log
    WHERE change_log.organization = ${log} AND seq <= logged
      AND seq > logged - ${RECENT_CHANGES}
      AND (substr(entries, 1, ${NOTHING_NAMED.length}) <> $2 OR entries = $2)
    ORDER BY seq DESC LIMIT 1
  ), greatest(logged - ${RECENT_CHANGES}, 0)) AS "besidesRecords"
  FROM sequences WHERE organization ${organizations}
`)
const NEWEST = newestWhere('= ANY($1)', 'sequences.organization')
/** Citus sends it to one worker. */
const NEWEST_OF_ONE = newestWhere('= $1', '$1')
const NO_CHANGE: NewestChange = { seq: 0, besidesRecords: 0 }

type NewestRow = NewestChange & { organization: number }
type Newest = Map<number, NewestChange>

type Seen<T> = { result: T | null } | 'no_epoch'

export function changeLogStore(
  database: Database,
  tables: Tables,
): ChangeLogStore & { close(): Promise<void> } {
  const views = openDatabase(database.url, POOL_SIZES.views)
  const { head, view } = changeViews(tables.dialect, FORM, tablesOf, overlapping)
  const share = sharedTransactions(views)
  /** The views of a transaction share its epoch. */
  const epochs = new WeakMap<Connection, ReturnType<typeof readEpoch>>()

  /** Runs `work` on a view, unless the database has no epoch of its own. */
  function look<T>(
    organization: number,
    work: (view: ChangeView) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<Seen<T>> {
    const looking = async (connection: Connection): Promise<Seen<T>> => {
      const sql = sqlOf(connection)
      const read: Tables['read'] = (work) => runAwaiting(work(sql))
      const epochRead = epochs.get(connection) ?? readEpoch(connection)
      epochs.set(connection, epochRead)
      const [found, epoch] = await Promise.all([runAwaiting(head(sql, organization)), epochRead])
      if (found === null) return { result: null }
      if (epoch === null) return 'no_epoch'
      return { result: await work(view(read, found, epoch)) }
    }
    return share(looking, signal)
  }

  return {
    newest: newestChanges(views, database),
    async view(organization, work, signal) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        signal?.throwIfAborted()
        const seen = await look(organization, work, signal)
        if (seen !== 'no_epoch') return seen.result
        await renewEpoch(database)
      }
      throw new StoreUnavailable('The change log got no epoch.')
    },
    purge: changePurger(tables),
    close: views.close,
  }
}

/** Looks up the newest changes of organizations. While a worker of a Citus cluster is down, those of the others. */
function newestChanges(views: Database, writes: Database): ChangeLogStore['newest'] {
  async function newestOf(on: Database, organizations: readonly number[]): Promise<Newest> {
    const nothing = Buffer.from(NOTHING_NAMED)
    const rows = await (organizations.length === 1
      ? on.query<NewestRow>(NEWEST_OF_ONE, [organizations[0], nothing])
      : on.query<NewestRow>(NEWEST, [organizations, nothing]))
    const found = new Map(rows.map(({ organization, ...newest }) => [organization, newest]))
    return new Map(organizations.map((each) => [each, found.get(each) ?? NO_CHANGE]))
  }

  return async (organizations) => {
    try {
      return await newestOf(views, organizations)
    } catch (error) {
      if (organizations.length === 1 || !isWorkerDown(error)) throw error
    }
    // Readers of organizations on other workers continue, and their pages find a connection of views.
    const each = await Promise.allSettled(organizations.map((one) => newestOf(writes, [one])))
    return new Map(each.flatMap((one) => (one.status === 'fulfilled' ? [...one.value] : [])))
  }
}
