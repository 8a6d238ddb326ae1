import type { Migration } from './migration.ts'

/** The idents that trackers send and that no object has. */
const TABLES = `
CREATE TABLE refused_idents (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  ident text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  packets bigint NOT NULL,
  last_at bigint NOT NULL,
  latitude double precision,
  longitude double precision,
  PRIMARY KEY (organization, ident)
);
`

export const refusedIdents: Migration = { text: TABLES, compatibleFrom: 1 }
