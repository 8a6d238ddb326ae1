import type { DatabaseSync } from 'node:sqlite'
import { newEpoch } from '../../change-log.ts'

/**
 * The changes of each organization by number (`store/change-log.ts`), and the epoch of the numbers. The newest
 * change of all topics is among those that `changes` notes, so an append need not write `deployment`. Only
 * after a copy, or a release before this table, `deployment` has a newer one.
 */
const TABLES = `
CREATE TABLE change_log (
  organization INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY (organization, seq)
) STRICT, WITHOUT ROWID;

ALTER TABLE deployment ADD COLUMN epoch TEXT NOT NULL DEFAULT '';

CREATE VIEW newest_change AS
SELECT max(sequence, coalesce((SELECT max(sequence) FROM changes), 0)) AS sequence FROM deployment;
`

export function changeLog(writer: DatabaseSync): void {
  writer.exec(TABLES)
  writer.prepare('UPDATE deployment SET epoch = ?').run(newEpoch())
}
