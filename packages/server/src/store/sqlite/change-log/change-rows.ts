import type { DatabaseSync } from 'node:sqlite'
import {
  type ChangeEntries,
  NOTHING_NAMED,
  packEntries,
  unpackEntries,
} from '../../change-entries.ts'
import { type LoggedChange, type NewestChange, RECENT_CHANGES } from '../../change-log.ts'

/** Adds a change of an organization to the log. Calls are part of a transaction of the writer. */
export function changeAdder(
  writer: DatabaseSync,
  now: () => number,
): (organization: number, entries: ChangeEntries) => void {
  const add = writer.prepare(`
    INSERT INTO change_log (organization, seq, at, entries) VALUES (
      ?1, coalesce((SELECT max(seq) FROM change_log WHERE organization = ?1), 0) + 1, ?2, ?3
    )
  `)
  return (organization, entries) => {
    const at = now()
    add.run(organization, at, packEntries(entries, at))
  }
}

export type ChangeRows = {
  /** The number of the oldest change of an organization; 0 if it has none. */
  oldest(organization: number): number
  /** The number of the newest change of an organization; 0 if it has none. */
  newest(organization: number): number
  /** The newest change, and the newest one that is not of derived records alone. */
  recent(organization: number): NewestChange
  /** The changes after number `after`, in order, at most `limit`. */
  list(organization: number, after: number, limit: number): LoggedChange[]
}

export function changeRows(reader: DatabaseSync): ChangeRows {
  const newest = reader.prepare('SELECT max(seq) AS seq FROM change_log WHERE organization = ?')
  const oldest = reader.prepare('SELECT min(seq) AS seq FROM change_log WHERE organization = ?')
  const list = reader.prepare(`
    SELECT seq, at, entries FROM change_log WHERE organization = ? AND seq > ? ORDER BY seq LIMIT ?
  `)
  const isBesidesRecords = `(substr(entries, 1, ${NOTHING_NAMED.length}) <> ?2 OR entries = ?2)`
  const last = reader.prepare(`
    SELECT seq, ${isBesidesRecords} AS isBesidesRecords FROM change_log
    WHERE organization = ?1 ORDER BY seq DESC LIMIT 1
  `)
  const lastBesidesRecords = reader.prepare(`
    SELECT seq FROM change_log WHERE organization = ?1 AND seq > ?3 AND ${isBesidesRecords}
    ORDER BY seq DESC LIMIT 1
  `)
  return {
    recent(organization) {
      const row = last.get(organization, NOTHING_NAMED) as LastRow | undefined
      if (row === undefined) return { seq: 0, besidesRecords: 0 }
      const { seq } = row
      if (row.isBesidesRecords === 1) return { seq, besidesRecords: seq }
      const looked = Math.max(0, seq - RECENT_CHANGES)
      const found = lastBesidesRecords.get(organization, NOTHING_NAMED, looked)
      return { seq, besidesRecords: (found?.seq as number | undefined) ?? looked }
    },
    oldest: (organization) => (oldest.get(organization)!.seq as number | null) ?? 0,
    newest: (organization) => (newest.get(organization)!.seq as number | null) ?? 0,
    list: (organization, after, limit) =>
      (list.all(organization, after, limit) as Row[]).map(({ seq, at, entries }) => ({
        seq,
        at,
        entries: unpackEntries(entries, at),
      })),
  }
}

type LastRow = { seq: number; isBesidesRecords: 0 | 1 }
type Row = { seq: number; at: number; entries: Uint8Array }
