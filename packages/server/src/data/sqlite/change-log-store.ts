import type { ChangeLogStore, ChangeView } from '../../engine/store/change-log.ts'
import { runAtOnce } from '../../engine/tracking/work.ts'
import { changePurger } from '../tables/purge.ts'
import type { Tables } from '../tables/sql.ts'
import { changeViews } from '../views/change-views.ts'
import { newestChanges } from './changes.ts'
import type { Database } from './database/database.ts'
import { FORM, tablesOf } from './positions/position-form.ts'
import { overlapping } from './records.ts'
import { DIALECT, sqlOf } from './tables.ts'
import { openViewConnections } from './view-connections.ts'

const VIEWS = changeViews(DIALECT, FORM, tablesOf, overlapping)

export function changeLogStore(
  database: Database,
  tables: Tables,
): ChangeLogStore & { close(): Promise<void> } {
  const newest = newestChanges(database.reader)
  const views = openViewConnections(database.connect, (connection) => {
    const sql = sqlOf(connection)
    const read: Tables['read'] = async (work) => runAtOnce(work(sql))
    const epoch = connection.prepare('SELECT epoch FROM deployment')
    return (organization: number): ChangeView | null => {
      const head = runAtOnce(VIEWS.head(sql, organization))
      return head && VIEWS.view(read, head, epoch.get()!.epoch as string)
    }
  })

  return {
    async newest(organizations) {
      return database.read(
        () => new Map(organizations.map((each) => [each, newest(each)] as const)),
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
    purge: changePurger(tables),
    close: views.close,
  }
}
