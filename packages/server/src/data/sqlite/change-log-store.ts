import type { DatabaseSync } from 'node:sqlite'
import { ITEM_TOPICS, type Items, type ItemTopic } from '../../base/domain/items.ts'
import type { ChangeLogStore, ChangeView } from '../../engine/store/change-log.ts'
import { runAtOnce } from '../../engine/tracking/work.ts'
import { statesReader } from '../fold/object-states.ts'
import { rangeReader } from '../history/range.ts'
import { shownPositions } from '../positions/shown-positions.ts'
import { trackRows } from '../positions/track-rows.ts'
import { itemsOf, ofKinds } from '../tables/kinds.ts'
import { ORGANIZATION_COLUMNS, plainOrganization } from '../tables/organizations.ts'
import { recordViews } from '../tables/records.ts'
import { everyItem, inParts, inSlices, type Tables } from '../tables/sql.ts'
import { changeRows } from './changes.ts'
import type { Database } from './database/database.ts'
import { type ItemRows, itemPages, itemRows } from './items.ts'
import { FORM, tablesOf } from './positions/position-form.ts'
import { overlapping } from './records.ts'
import { DIALECT, sqlOf } from './tables.ts'
import { openViewConnections } from './view-connections.ts'

/** Rows read at once: some 0.2 ms. Then others have their turn. */
const READ_ROWS = 250
const RECORDS = recordViews(DIALECT, overlapping)
const RANGES = rangeReader(FORM)
const TRACKS = trackRows(DIALECT, FORM)
const SHOWN = shownPositions(DIALECT, FORM, tablesOf)

/** The statements of a view, for any organization. Null if the organization does not exist. */
type ChangeViews = (organization: number) => ChangeView | null

function changeViews(connection: DatabaseSync): ChangeViews {
  const organizations = connection.prepare(
    `SELECT ${ORGANIZATION_COLUMNS} FROM organizations WHERE id = ?`,
  )
  const epoch = connection.prepare('SELECT epoch FROM deployment')
  const log = changeRows(connection)
  const sql = sqlOf(connection)
  const read: Tables['read'] = async (work) => runAtOnce(work(sql))
  const states = statesReader({ dialect: DIALECT, read })
  const items: { [Topic in ItemTopic]: ItemRows<Items[Topic]> } = ofKinds(ITEM_TOPICS, (kind) =>
    itemRows(connection, kind),
  )

  return (organization) => {
    const owner = plainOrganization(organizations.get(organization))
    if (owner === null) return null
    return {
      asOf: log.newest(organization),
      epoch: epoch.get()!.epoch as string,
      oldest: log.oldest(organization),
      organization: owner,
      changes: (after, limit) =>
        inSlices(limit, READ_ROWS, (size, last) =>
          log.list(organization, last?.seq ?? after, size),
        ),
      items: async (topic, ids) => {
        const rows = await inParts(ids, READ_ROWS, (part) =>
          items[topic].listed(organization, part),
        )
        const found = await itemsOf(items[topic], rows)
        return (found as Items[typeof topic][]).sort((a, b) => a.id - b.id)
      },
      itemsAfter: (topic, after, limit) =>
        everyItem(itemPages(items[topic], atOnce, organization, after, limit)) as Promise<
          Items[typeof topic][]
        >,
      states: (objects) => states(organization, objects),
      ...RANGES(read, organization),
      ...SHOWN(read, organization),
      ...RECORDS(read, organization, TRACKS(read, organization)),
    }
  }
}

function atOnce<Result>(work: () => Result): Result {
  return work()
}

/** Rows deleted in one transaction: some milliseconds. */
const SLICE_ROWS = 5_000

export function changeLogStore(database: Database): ChangeLogStore & { close(): Promise<void> } {
  const { reader, writer } = database
  const log = changeRows(reader)
  const written = changeRows(writer)
  const views = openViewConnections(database.connect, changeViews)
  // An organization whose oldest change is old, and not its newest one.
  const due = reader.prepare(`
    SELECT id AS organization FROM organizations
    WHERE (
      SELECT at < ? AND seq < (SELECT max(seq) FROM change_log WHERE organization = organizations.id)
      FROM change_log WHERE organization = organizations.id ORDER BY seq LIMIT 1
    )
    LIMIT 1
  `)
  const oldest = writer.prepare(`
    SELECT seq, at FROM change_log WHERE organization = ? ORDER BY seq LIMIT ${SLICE_ROWS}
  `)
  const remove = writer.prepare('DELETE FROM change_log WHERE organization = ? AND seq <= ?')

  /** The newest change of an organization stays, because the next one gets the number after it. */
  function purgeSlice(organization: number, before: number): void {
    const rows = oldest.all(organization) as { seq: number; at: number }[]
    const newest = written.newest(organization)
    const isKept = ({ seq, at }: { seq: number; at: number }) => at >= before || seq === newest
    const kept = rows.findIndex(isKept)
    const last = rows.at(kept === -1 ? -1 : kept - 1)
    if (kept !== 0 && last !== undefined) remove.run(organization, last.seq)
  }

  return {
    async newest(organizations) {
      return database.read(
        () => new Map(organizations.map((each) => [each, log.recent(each)] as const)),
      )
    },
    async view(organization, work, signal) {
      const result = await views.use(async (viewOf) => {
        const view = viewOf(organization)
        return view === null ? null : work(view)
      }, signal)
      await database.synced()
      return result
    },
    async purge(before) {
      const found = database.read(() => due.get(before))
      if (found === undefined) return false
      await database.write(() => purgeSlice(found.organization as number, before))
      return true
    },
    close: views.close,
  }
}
