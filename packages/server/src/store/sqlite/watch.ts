import type { Change, ChangeListener, Watch } from '../store.ts'
import { newestSequence, type TopicChanges } from './changes.ts'
import type { Database } from './database/database.ts'

/** `data_version` tells within a microsecond whether anything was committed since the last call. */
export function watchChanges(
  database: Database,
  changes: TopicChanges,
  listener: ChangeListener,
): Watch {
  const { reader } = database
  const dataVersion = reader.prepare('PRAGMA data_version')
  const later = reader.prepare(
    'SELECT organization, topic, sequence FROM changes WHERE sequence > ? ORDER BY sequence',
  )
  const versionNow = () => (dataVersion.get() as { data_version: number }).data_version

  let version = database.read(versionNow)
  const since = database.read(newestSequence(database.reader))
  let reported = since
  let closed = false
  const forget = changes.listen(listener)
  return {
    since,
    reportsAll: true,
    catchUp() {
      if (closed) return
      database.read(() => {
        const current = versionNow()
        if (current === version) return
        const committed = later.all(reported) as unknown as Change[]
        for (const change of committed) void listener({ ...change })
        reported = committed.at(-1)?.sequence ?? reported
        version = current
      })
    },
    close() {
      closed = true
      forget()
    },
  }
}
