import type { Migration } from './migration.ts'

/**
 * The operator of the deployment, the audit log, and the use of the API. The password's row exists before
 * the password does. The subject of an audit entry may be deleted.
 */
const TABLES = `
CREATE TABLE operator_password (
  id int PRIMARY KEY CHECK (id = 1),
  hash text
);
INSERT INTO operator_password VALUES (1, NULL);

CREATE TABLE operator_credentials (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  password text
);

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  organization bigint,
  target bigint,
  name text,
  changes text
);
CREATE INDEX audit_log_by_organization ON audit_log (organization, id);

-- Added to over and over; room beside it keeps that from touching an index.
CREATE TABLE usage (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day int NOT NULL,
  key bigint NOT NULL,
  operation text COLLATE "C" NOT NULL,
  status int NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (organization, day, key, operation, status)
) WITH (fillfactor = 70);
`

export const operator: Migration = { text: TABLES, compatibleFrom: 1 }
