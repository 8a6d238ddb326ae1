import { ITEM_TOPICS, type Items, type ItemTopic } from '../../../domain/items.ts'
import type { Organization } from '../../../domain/organization.ts'
import { runAwaiting } from '../../../tracking/work.ts'
import {
  type ChangeEntries,
  NO_ENTRIES,
  NOTHING_NAMED,
  packEntries,
  unpackEntries,
} from '../../change-entries.ts'
import {
  type ChangeLogStore,
  type ChangeView,
  type LoggedChange,
  type NewestChange,
  newEpoch,
  RECENT_CHANGES,
} from '../../change-log.ts'
import { StoreUnavailable } from '../../store.ts'
import { itemsOf, ofKinds } from '../../tables/kinds.ts'
import { FIND_ORGANIZATION } from '../../tables/organizations.ts'
import { recordViews } from '../../tables/records.ts'
import { type Dialect, inParts, inSlices, type Tables } from '../../tables/sql.ts'
import { POOL_SIZES, statement } from '../connection/connections.ts'
import { type Connection, type Database, openDatabase } from '../connection/database.ts'
import { isWorkerDown } from '../connection/unavailable.ts'
import { type ItemRows, itemRows } from '../items.ts'
import { readStates } from '../positions/object-states.ts'
import { shownPositions } from '../positions/shown-positions.ts'
import { overlapping } from '../records.ts'
import { sqlOf } from '../tables.ts'
import { trackRows } from '../track-rows.ts'
import { sharedTransactions } from './shared-transactions.ts'

const ADD = statement(`
  INSERT INTO change_log (organization, seq, at, entries) VALUES ($1, $2, $3, $4)
`)
const LIST = statement(`
  SELECT seq, at, entries FROM change_log WHERE organization = $1 AND seq > $2 ORDER BY seq LIMIT $3
`)

/** Adds a change to the log. The statement need not be awaited. */
export function addChange(
  { run }: Connection,
  organization: number,
  seq: number,
  at: number,
  entries: Partial<ChangeEntries>,
): void {
  const packed = Buffer.from(packEntries({ ...NO_ENTRIES, ...entries }, at))
  run(ADD, [organization, seq, at, packed])
}

/** The changes after number `after`, in order, at most `limit`. */
async function listChanges(
  { query }: Connection,
  organization: number,
  after: number,
  limit: number,
): Promise<LoggedChange[]> {
  const rows = await query<Row>(LIST, [organization, after, limit])
  return rows.map(({ seq, at, entries }) => ({ seq, at, entries: unpackEntries(entries, at) }))
}

type Row = { seq: number; at: number; entries: Buffer }

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
  return (connection, owner, log) => {
    const { query } = connection
    const organization = owner.id
    const read: Tables['read'] = (work) => runAwaiting(work(sqlOf(connection)))
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
      states: async (objects) =>
        new Map(
          await inParts(objects, SLICE, (part) => readStates(connection, organization, part)),
        ),
      ...shownPositions(connection, organization),
      ...records(read, organization, trackRows(connection, organization)),
    }
  }
}

/**
 * Names the database and its history: another cluster, database or timeline has another name. A restored
 * backup has a new timeline or lies in another database, so it gets an epoch of its own. The statement
 * names no table of ours, so that the coordinator of a distributed engine answers it and not one of its
 * workers.
 */
const HERE = statement(`
  SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS here
`)
const READ = statement('SELECT epoch, epoch_of AS "epochOf" FROM change_epoch')
const SET = statement('UPDATE change_epoch SET epoch = $1, epoch_of = $2')
const RENEW = statement('UPDATE change_epoch SET epoch = $1, epoch_of = $2 WHERE epoch_of <> $2')

/** Null if the database has the epoch of another one. */
export async function readEpoch({ query }: Pick<Connection, 'query'>): Promise<string | null> {
  const [[stored], [place]] = await Promise.all([
    query<{ epoch: string; epochOf: string }>(READ),
    query<{ here: string }>(HERE),
  ])
  return stored!.epochOf === place!.here ? stored!.epoch : null
}

/** Gives the database an epoch of its own, if it has that of another one. */
async function renewEpoch({ query, run }: Connection): Promise<void> {
  const [place] = await query<{ here: string }>(HERE)
  await run(RENEW, [newEpoch(), place!.here])
}

/** Continues the epoch of the deployment whose log was copied. */
export async function setEpoch({ query, run }: Connection, epoch: string): Promise<void> {
  const [place] = await query<{ here: string }>(HERE)
  await run(SET, [epoch, place!.here])
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
  /** The organizations up to this id have been purged in the present pass. */
  let purgedUpTo = 0

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

  async function newestOf(organizations: readonly number[]): Promise<Newest> {
    const nothing = Buffer.from(NOTHING_NAMED)
    const rows = await (organizations.length === 1
      ? database.query<NewestRow>(NEWEST_OF_ONE, [organizations[0], nothing])
      : database.query<NewestRow>(NEWEST, [organizations, nothing]))
    const found = new Map(rows.map(({ organization, ...newest }) => [organization, newest]))
    return new Map(organizations.map((each) => [each, found.get(each) ?? NO_CHANGE]))
  }

  return {
    async newest(organizations) {
      try {
        return await newestOf(organizations)
      } catch (error) {
        if (organizations.length === 1 || !isWorkerDown(error)) throw error
      }
      // Readers of organizations on other workers go on.
      const each = await Promise.allSettled(organizations.map((one) => newestOf([one])))
      return new Map(each.flatMap((one) => (one.status === 'fulfilled' ? [...one.value] : [])))
    },
    async view(organization, work, signal) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        signal?.throwIfAborted()
        const seen = await look(organization, work, signal)
        if (seen !== 'no_epoch') return seen.result
        await renewEpoch(database)
      }
      throw new StoreUnavailable('The change log got no epoch.')
    },
    async purge(before) {
      const next = await database.query<{ id: number }>(NEXT, [purgedUpTo])
      const ids = next.map(({ id }) => id)
      const due = await database.query<Due>(DUE, [ids, before])
      for (const { organization, logged } of due) {
        await database.run(PURGE, [organization, before, logged])
      }
      // The same organizations again, until they have no old changes.
      if (due.length === 0) purgedUpTo = ids.at(-1) ?? 0
      return ids.length > 0
    },
    close: views.close,
  }
}

type Due = { organization: number; logged: number }
