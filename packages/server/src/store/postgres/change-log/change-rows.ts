import { type ChangeEntries, NO_ENTRIES, packEntries, unpackEntries } from '../../change-entries.ts'
import type { LoggedChange } from '../../change-log.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'

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
export async function listChanges(
  { query }: Connection,
  organization: number,
  after: number,
  limit: number,
): Promise<LoggedChange[]> {
  const rows = await query<Row>(LIST, [organization, after, limit])
  return rows.map(({ seq, at, entries }) => ({ seq, at, entries: unpackEntries(entries, at) }))
}

type Row = { seq: number; at: number; entries: Buffer }
