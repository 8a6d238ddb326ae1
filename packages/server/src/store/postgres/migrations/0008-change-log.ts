import type { Migration } from './migration.ts'

/**
 * The changes of each organization by number (`store/change-log.ts`). `log_knows` is the newest change of
 * which the log knows: programs of earlier releases write without a log. Before the change
 * `log_whole_from` it has a hole, and lacks a number. `epoch_of` names the database for which the epoch was made.
 */
const CHANGES = `
CREATE TABLE change_log (
  organization bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  entries bytea NOT NULL,
  PRIMARY KEY (organization, seq)
);

ALTER TABLE sequences
  ADD COLUMN logged bigint NOT NULL DEFAULT 0,
  ADD COLUMN log_knows bigint NOT NULL DEFAULT 0,
  ADD COLUMN log_whole_from bigint NOT NULL DEFAULT 0;
UPDATE sequences SET log_knows = newest;

CREATE TABLE change_epoch (
  id int PRIMARY KEY CHECK (id = 1),
  epoch text NOT NULL,
  epoch_of text NOT NULL
);
INSERT INTO change_epoch VALUES (1, '', '');
`

export const changeLog: Migration = { text: CHANGES, compatibleFrom: 1 }
