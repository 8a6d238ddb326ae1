import type { ChangeLogStore } from '../../change-log.ts'
import type { Database } from '../database/database.ts'
import { changeRows } from './change-rows.ts'
import { changeViews } from './change-views.ts'
import { openViewConnections } from './view-connections.ts'

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
