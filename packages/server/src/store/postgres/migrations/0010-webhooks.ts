import type { Migration } from './migration.ts'

/** Endpoints that get the changes of an organization, the deliveries to them, and who delivers. */
const TABLES = `
CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  url text NOT NULL,
  types text,
  ids text,
  starts_from text NOT NULL,
  secret bytea NOT NULL,
  old_secret bytea,
  old_secret_until bigint,
  off_at bigint,
  off_reason text,
  restarts boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX webhooks_by_organization ON webhooks (organization);

CREATE TABLE webhook_deliveries (
  organization bigint NOT NULL,
  webhook bigint NOT NULL,
  number bigint NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  created_at bigint NOT NULL,
  cursor text,
  entries int NOT NULL,
  body bytea,
  tries int NOT NULL DEFAULT 0,
  tried_at bigint,
  status int,
  failure text,
  duration_ms bigint,
  delivered_at bigint,
  failing_since bigint,
  next_try_at bigint,
  is_wanted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization, webhook, number)
);

CREATE TABLE webhook_leases (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  holder text NOT NULL,
  until bigint NOT NULL
);
`

export const webhooks: Migration = { text: TABLES, compatibleFrom: 1 }
