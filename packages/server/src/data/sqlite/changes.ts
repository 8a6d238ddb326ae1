import type { DatabaseSync } from 'node:sqlite'
import {
  type ChangeEntries,
  NOTHING_NAMED,
  packEntries,
} from '../../engine/store/change-entries.ts'
import { type NewestChange, RECENT_CHANGES } from '../../engine/store/change-log.ts'
import type { Change, ChangeListener, Topic, Watch } from '../../engine/store/store.ts'
import type { Database } from './database/database.ts'

/*
 * This file numbers the changes of the deployment for its watchers, and keeps the log of each organization's
 * changes.
 */

/** The deployment's single sequence of changes. Calls are part of a transaction of the writer. */
export type TopicChanges = {
  /**
   * Notes that topics of an organization change in this transaction. At most once for each organization.
   * `sequence`: one more than that of the newest change, if the caller has read it. Watchers find the change when
   * they next catch up (`watchChanges`); only states and records are reported at once.
   */
  record(organization: number, topics: readonly Topic[], sequence?: number): void
  /** Adds a change of an organization to its log. At most once in a transaction. Returns its number there. */
  log(organization: number, entries: ChangeEntries): number
  /** Reports a committed change to all watchers. Resolves when they have handled it. */
  report(change: Change): Promise<unknown> | undefined
  listen(listener: ChangeListener): () => void
}

export function topicChanges({ writer }: Database, now: () => number): TopicChanges {
  const newest = newestSequence(writer)
  const note = writer.prepare(`
    INSERT INTO changes (organization, topic, sequence) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence
  `)
  const listeners = new Set<ChangeListener>()
  return {
    report(change) {
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
    record(organization, topics, sequence = newest() + 1) {
      for (const topic of topics) note.run(organization, topic, sequence)
    },
    log: changeAdder(writer, now),
  }
}

/**
 * The newest sequence: as the reader sees it, or the writer in its transaction. Readers of a history show the
 * positions as of a committed one.
 */
export function newestSequence(connection: DatabaseSync): () => number {
  const newest = connection.prepare('SELECT sequence FROM newest_change')
  return () => (newest.get() as { sequence: number }).sequence
}

/** `data_version` says within a microsecond whether anything was committed since the last call. */
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

/** Adds a change of an organization to the log. Calls are part of a transaction of the writer. */
function changeAdder(
  writer: DatabaseSync,
  now: () => number,
): (organization: number, entries: ChangeEntries) => number {
  const add = writer.prepare(`
    INSERT INTO change_log (organization, seq, at, entries) VALUES (
      ?1, coalesce((SELECT max(seq) FROM change_log WHERE organization = ?1), 0) + 1, ?2, ?3
    ) RETURNING seq
  `)
  return (organization, entries) => {
    const at = now()
    return add.get(organization, at, packEntries(entries, at))!.seq as number
  }
}

/** The newest change of an organization, and the newest one that is not of derived records alone. */
export function newestChanges(reader: DatabaseSync): (organization: number) => NewestChange {
  const isBesidesRecords = `(substr(entries, 1, ${NOTHING_NAMED.length}) <> ?2 OR entries = ?2)`
  const last = reader.prepare(`
    SELECT seq, ${isBesidesRecords} AS isBesidesRecords FROM change_log
    WHERE organization = ?1 ORDER BY seq DESC LIMIT 1
  `)
  const lastBesidesRecords = reader.prepare(`
    SELECT seq FROM change_log WHERE organization = ?1 AND seq > ?3 AND ${isBesidesRecords}
    ORDER BY seq DESC LIMIT 1
  `)
  return (organization) => {
    const row = last.get(organization, NOTHING_NAMED) as LastRow | undefined
    if (row === undefined) return { seq: 0, besidesRecords: 0 }
    const { seq } = row
    if (row.isBesidesRecords === 1) return { seq, besidesRecords: seq }
    const looked = Math.max(0, seq - RECENT_CHANGES)
    const found = lastBesidesRecords.get(organization, NOTHING_NAMED, looked)
    return { seq, besidesRecords: (found?.seq as number | undefined) ?? looked }
  }
}

type LastRow = { seq: number; isBesidesRecords: 0 | 1 }
