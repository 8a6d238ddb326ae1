import { type Change, type ChangeListener, TOPICS, type Topic, type Watch } from '../store.ts'
import type { Database } from './database.ts'

/** The deployment's single sequence of changes. Calls are part of a transaction of the writer. */
export type ChangeLog = {
  /** The sequence number for this transaction's changes. It is used once they are recorded. */
  upcoming(): number
  /**
   * Notes that topics of an organization change in this transaction. At most once for each organization.
   */
  record(organization: number, ...topics: Topic[]): void
  /** Reports a committed change to all watchers. Resolves when they have handled it. */
  tell(change: Change): Promise<unknown> | undefined
  listen(listener: ChangeListener): () => void
}

export function changeLog({ writer }: Database): ChangeLog {
  const newest = writer.prepare('SELECT sequence FROM deployment')
  const advance = writer.prepare('UPDATE deployment SET sequence = sequence + 1')
  const note = writer.prepare(`
    INSERT INTO changes (organization, topic, sequence)
    VALUES (?, ?, (SELECT sequence FROM deployment))
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence
  `)
  const listeners = new Set<ChangeListener>()
  return {
    tell(change) {
      const taken: Promise<void>[] = []
      for (const listener of listeners) {
        const taking = listener(change)
        if (taking !== undefined) taken.push(taking)
      }
      return taken.length === 0 ? undefined : Promise.all(taken)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    upcoming: () => (newest.get() as { sequence: number }).sequence + 1,
    record(organization, ...topics) {
      advance.run()
      for (const topic of topics) note.run(organization, topic)
    },
  }
}

/** The newest committed sequence. It names a snapshot of the positions. */
export function newestSequence({ reader }: Database): () => number {
  const newest = reader.prepare('SELECT sequence FROM deployment')
  return () => (newest.get() as { sequence: number }).sequence
}

export function topicVersions(database: Database): (organization: number) => Record<Topic, number> {
  const rows = database.reader.prepare('SELECT topic, sequence FROM changes WHERE organization = ?')
  return (organization) => {
    const versions = Object.fromEntries(TOPICS.map((topic) => [topic, 0])) as Record<Topic, number>
    for (const { topic, sequence } of rows.all(organization) as unknown as Omit<
      Change,
      'organization'
    >[]) {
      versions[topic] = sequence
    }
    return versions
  }
}

/** `data_version` tells within a microsecond whether anything was committed since the last call. */
export function watchChanges(database: Database, log: ChangeLog, listener: ChangeListener): Watch {
  const { reader } = database
  const dataVersion = reader.prepare('PRAGMA data_version')
  const later = reader.prepare(
    'SELECT organization, topic, sequence FROM changes WHERE sequence > ? ORDER BY sequence',
  )
  const versionNow = () => (dataVersion.get() as { data_version: number }).data_version

  let version = database.read(versionNow)
  const since = database.read(newestSequence(database))
  let told = since
  let closed = false
  const forget = log.listen(listener)
  return {
    since,
    catchUp() {
      if (closed) return
      database.read(() => {
        const current = versionNow()
        if (current === version) return
        const changes = later.all(told) as unknown as Change[]
        for (const change of changes) void listener({ ...change })
        told = changes.at(-1)?.sequence ?? told
        version = current
      })
    },
    close() {
      closed = true
      forget()
    },
  }
}
