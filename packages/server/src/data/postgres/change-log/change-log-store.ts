import { ITEM_TOPICS, type Items, type ItemTopic } from '../../../base/domain/items.ts'
import type { Organization } from '../../../base/domain/organization.ts'
import { NOTHING_NAMED } from '../../../engine/store/change-entries.ts'
import {
  type ChangeLogStore,
  type ChangeView,
  type NewestChange,
  RECENT_CHANGES,
} from '../../../engine/store/change-log.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { runAwaiting } from '../../../engine/tracking/work.ts'
import { statesReader } from '../../fold/object-states.ts'
import { rangeReader } from '../../history/range.ts'
import { shownPositions } from '../../positions/shown-positions.ts'
import { trackRows } from '../../positions/track-rows.ts'
import { itemsOf, ofKinds } from '../../tables/kinds.ts'
import { FIND_ORGANIZATION } from '../../tables/organizations.ts'
import { recordViews } from '../../tables/records.ts'
import { type Dialect, inParts, inSlices, type Tables } from '../../tables/sql.ts'
import { POOL_SIZES, statement } from '../connection/connections.ts'
import { type Connection, type Database, openDatabase } from '../connection/database.ts'
import { isWorkerDown } from '../connection/unavailable.ts'
import { type ItemRows, itemRows } from '../items.ts'
import { FORM, tablesOf } from '../positions/position-form.ts'
import { overlapping } from '../records.ts'
import { sqlOf } from '../tables.ts'
import { listChanges, readEpoch, renewEpoch } from './change-rows.ts'
import { sharedTransactions } from './shared-transactions.ts'

/** Things that one statement reads. More of them would keep others waiting while they are unpacked. */
const SLICE = 500

const ROWS: { [Topic in ItemTopic]: ItemRows<Items[Topic]> } = ofKinds(ITEM_TOPICS, itemRows)

/** Views of organizations, each over a transaction that sees one moment. */
function changeViews(
  dialect: Dialect,
): (
  connection: Connection,
  owner: Organization,
  log: Pick<ChangeView, 'asOf' | 'oldest' | 'epoch'>,
) => ChangeView {
  const records = recordViews(dialect, overlapping)
  const tracks = trackRows(dialect, FORM)
  const shown = shownPositions(dialect, FORM, tablesOf)
  const ranges = rangeReader(FORM)
  return (connection, owner, log) => {
    const { query } = connection
    const organization = owner.id
    const read: Tables['read'] = (work) => runAwaiting(work(sqlOf(connection)))
    const states = statesReader({ dialect, read })
    return {
      ...log,
      organization: owner,
      changes: (after, limit) =>
        inSlices(limit, SLICE, (size, last) =>
          listChanges(connection, organization, last?.seq ?? after, size),
        ),
      async items(topic, ids) {
        const found = await inParts(ids, SLICE, (part) =>
          query<object>(ROWS[topic].listed, [organization, part]),
        )
        const items = (await itemsOf(ROWS[topic], found)) as Items[typeof topic][]
        return items.sort((a, b) => a.id - b.id)
      },
      itemsAfter: (topic, after, limit) =>
        inSlices(limit, SLICE, async (size, last) => {
          const rows = await query(ROWS[topic].after, [organization, last?.id ?? after, size])
          return (await itemsOf(ROWS[topic], rows)) as Items[typeof topic][]
        }),
      states: (objects) => states(organization, objects),
      ...shown(read, organization),
      ...ranges(read, organization),
      ...records(read, organization, tracks(read, organization)),
    }
  }
}

/** A view needs two of them after a restore. */
const MAX_ATTEMPTS = 3
/** Rows deleted in one transaction: some milliseconds. */
const SLICE_ROWS = 5_000

const OWNER = statement(FIND_ORGANIZATION)
const ENDS = statement(`
  SELECT logged AS "asOf", (
    SELECT coalesce(min(seq), 0) FROM change_log WHERE organization = $1
  ) AS oldest
  FROM sequences WHERE organization = $1
`)
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
/** Organizations that are looked at together. */
const SLICE_ORGANIZATIONS = 200
const NEXT = statement(`
  SELECT id FROM organizations WHERE id > $1 ORDER BY id LIMIT ${SLICE_ORGANIZATIONS}
`)
/** Those whose oldest change is old, and not the newest one. */
const DUE = statement(`
  SELECT organization, logged FROM sequences
  WHERE organization = ANY($1) AND (
    SELECT at < $2 AND seq < logged FROM change_log
    WHERE change_log.organization = sequences.organization ORDER BY seq LIMIT 1
  )
`)
/** The first changes of an organization, up to one that was made later or is the newest. */
const PURGE = statement(`
  WITH oldest AS MATERIALIZED (
    SELECT seq, at FROM change_log WHERE organization = $1 ORDER BY seq LIMIT ${SLICE_ROWS}
  )
  DELETE FROM change_log WHERE organization = $1 AND seq <= (SELECT max(seq) FROM oldest)
    AND seq < coalesce((SELECT min(seq) FROM oldest WHERE at >= $2 OR seq = $3), $3)
`)

type Ends = { asOf: number; oldest: number }

type NewestRow = NewestChange & { organization: number }
type Newest = Map<number, NewestChange>

type Seen<T> = { result: T | null } | 'no_epoch'

export function changeLogStore(
  database: Database,
  dialect: Dialect,
): ChangeLogStore & { close(): Promise<void> } {
  const views = openDatabase(database.url, POOL_SIZES.views)
  const viewOf = changeViews(dialect)
  const share = sharedTransactions(views)

  /** Runs `work` on a view, unless the database has no epoch of its own. */
  function look<T>(
    organization: number,
    work: (view: ChangeView) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<Seen<T>> {
    const looking = async (connection: Connection): Promise<Seen<T>> => {
      const [[ends], [owner], epoch] = await Promise.all([
        connection.query<Ends>(ENDS, [organization]),
        connection.query<Organization>(OWNER, [organization]),
        readEpoch(connection),
      ])
      if (ends === undefined || owner === undefined) return { result: null }
      if (epoch === null) return 'no_epoch'
      return { result: await work(viewOf(connection, owner, { ...ends, epoch })) }
    }
    return share(looking, signal)
  }

  return {
    newest: newestChanges(database),
    async view(organization, work, signal) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        signal?.throwIfAborted()
        const seen = await look(organization, work, signal)
        if (seen !== 'no_epoch') return seen.result
        await renewEpoch(database)
      }
      throw new StoreUnavailable('The change log got no epoch.')
    },
    purge: changePurger(database),
    close: views.close,
  }
}

/** Looks up the newest changes of organizations. While a worker of a Citus is down, those of the others. */
function newestChanges(database: Database): ChangeLogStore['newest'] {
  async function newestOf(organizations: readonly number[]): Promise<Newest> {
    const nothing = Buffer.from(NOTHING_NAMED)
    const rows = await (organizations.length === 1
      ? database.query<NewestRow>(NEWEST_OF_ONE, [organizations[0], nothing])
      : database.query<NewestRow>(NEWEST, [organizations, nothing]))
    const found = new Map(rows.map(({ organization, ...newest }) => [organization, newest]))
    return new Map(organizations.map((each) => [each, found.get(each) ?? NO_CHANGE]))
  }

  return async (organizations) => {
    try {
      return await newestOf(organizations)
    } catch (error) {
      if (organizations.length === 1 || !isWorkerDown(error)) throw error
    }
    // Readers of organizations on other workers continue.
    const each = await Promise.allSettled(organizations.map((one) => newestOf([one])))
    return new Map(each.flatMap((one) => (one.status === 'fulfilled' ? [...one.value] : [])))
  }
}

type Due = { organization: number; logged: number }

/** Deletes old changes, of some organizations in each call. */
function changePurger(database: Database): ChangeLogStore['purge'] {
  /** The organizations up to this id have been purged in the present pass. */
  let purgedUpTo = 0
  return async (before) => {
    const next = await database.query<{ id: number }>(NEXT, [purgedUpTo])
    const ids = next.map(({ id }) => id)
    const due = await database.query<Due>(DUE, [ids, before])
    for (const { organization, logged } of due) {
      await database.run(PURGE, [organization, before, logged])
    }
    // The same organizations again, until they have no old changes.
    if (due.length === 0) purgedUpTo = ids.at(-1) ?? 0
    return ids.length > 0
  }
}
