import type { Migration } from './migration.ts'

/**
 * The tables of a database. Times are milliseconds since the epoch. There are two sorts of tables, so that they can be
 * distributed over several servers unchanged (`distribution/tables.ts`): small ones that are copied to each server, and
 * those whose keys and statements begin with the organization. Tables that are updated over and over have a low fill
 * factor: room in their pages keeps an update from touching an index.
 */

/**
 * `scope` of a key is JSON, and NULL if the key opens everything. `scenario` is NULL if it opens its organization.
 * `new_objects` has how many objects each feed token made in a second, `refused_idents` the idents that no object has.
 */
const ORGANIZATIONS = `
CREATE TABLE organizations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  distance_unit text NOT NULL,
  language text NOT NULL,
  subscription text NOT NULL,
  daily_quota bigint,
  create_objects boolean NOT NULL,
  max_objects int NOT NULL,
  max_places int NOT NULL,
  max_vertices int NOT NULL,
  retention_days int,
  signal_timeout_hours int NOT NULL,
  time_zone text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  scope text,
  scenario text
);
CREATE INDEX api_keys_by_organization ON api_keys (organization);

CREATE TABLE feed_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
CREATE INDEX feed_tokens_by_organization ON feed_tokens (organization);

CREATE TABLE new_objects (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  feed_token bigint NOT NULL,
  second bigint NOT NULL,
  count int NOT NULL,
  PRIMARY KEY (organization, feed_token, second)
);

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

/** `change_log`: see `store/change-log.ts`. `epoch_of` names the database for which the epoch was made. */
const CHANGES = `
-- What was announced of an organization outlives it.
CREATE TABLE changes (
  organization bigint NOT NULL,
  topic text NOT NULL,
  sequence bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization, topic)
);
CREATE INDEX changes_by_xid ON changes (xid);

-- Updated with every write.
CREATE TABLE sequences (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  newest bigint NOT NULL DEFAULT 0,
  objects bigint NOT NULL DEFAULT 0,
  states bigint NOT NULL DEFAULT 0,
  logged bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE change_log (
  organization bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  entries bytea NOT NULL,
  PRIMARY KEY (organization, seq)
);

CREATE TABLE change_epoch (
  id int PRIMARY KEY CHECK (id = 1),
  epoch text NOT NULL,
  epoch_of text NOT NULL
);
INSERT INTO change_epoch VALUES (1, '', '');
`

const OBJECTS = `
-- The ids that are taken, in the whole deployment: a key of a distributed table cannot tell.
CREATE TABLE ids (
  kind text NOT NULL,
  id bigint NOT NULL,
  organization bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX ids_by_organization ON ids (organization);
CREATE SEQUENCE objects_id;
CREATE SEQUENCE geofences_id;
CREATE SEQUENCE routes_id;
CREATE SEQUENCE sites_id;

CREATE TABLE objects (
  organization bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  ident text NOT NULL,
  vin text,
  plate_number text,
  engine_hours_type text NOT NULL,
  odometer_type text NOT NULL,
  odometer_offset double precision NOT NULL,
  accuracy text NOT NULL,
  engine_hours double precision,
  odometer double precision,
  mileage double precision,
  address text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, id),
  UNIQUE (organization, ident)
);
`

/**
 * Each position has its part of the fold (`track`, see `fold/stored-position.ts`), and the change that hid it. Positions
 * have no foreign key to their object, so that an object can be deleted at once and its positions in slices: `purges`
 * lists them. `refolds` has the objects that are folded again in the background, and where that begins.
 */
const POSITIONS = `
-- A history is read from the key's index alone. One partition a week, made ahead by upkeep.
CREATE TABLE positions (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  time_device bigint NOT NULL,
  change bigint NOT NULL,
  hidden bigint,
  fix bytea NOT NULL,
  track bytea NOT NULL,
  PRIMARY KEY (organization, object, time_device) INCLUDE (change, hidden, fix)
) PARTITION BY RANGE (time_device);
ALTER TABLE positions ALTER COLUMN fix SET STORAGE PLAIN;
CREATE TABLE positions_default PARTITION OF positions DEFAULT;

CREATE TABLE object_states (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  last_fix bytea,
  numbers bytea NOT NULL,
  address text,
  address_at bigint,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE counter_shifts (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  from_time bigint NOT NULL,
  odometer bigint NOT NULL,
  engine_hours bigint NOT NULL,
  PRIMARY KEY (organization, object, from_time),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
);

CREATE TABLE refolds (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  from_time bigint NOT NULL,
  PRIMARY KEY (organization, object)
);

CREATE TABLE object_rejects (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  rejects text NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
);

CREATE TABLE purges (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  PRIMARY KEY (organization, object)
);
`

const PLACES = `
CREATE TABLE geofences (
  organization bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  description text,
  color text,
  coordinates text NOT NULL,
  vertices int NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, id)
);
CREATE INDEX geofences_by_name ON geofences (organization, name);

CREATE TABLE routes (
  organization bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  description text,
  color text,
  deviation double precision,
  points text NOT NULL,
  coordinates text NOT NULL,
  vertices int NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, id)
);
CREATE INDEX routes_by_name ON routes (organization, name);

CREATE TABLE sites (
  organization bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  description text,
  icon text,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  radius double precision,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, id)
);
CREATE INDEX sites_by_name ON sites (organization, name);
`

/**
 * Trips, stops and visits (`store/record-store.ts`), and how far they are derived. The kinds are those of `STORED_KIND`;
 * `place` is 0 without a place. `failed_at` and `error` of a task are NULL if it was not tried, or was not finished.
 */
const RECORDS = `
CREATE TABLE records (
  organization bigint NOT NULL,
  kind int NOT NULL,
  object bigint NOT NULL,
  start_time bigint NOT NULL,
  place bigint NOT NULL,
  id bigint NOT NULL,
  revision bigint NOT NULL,
  updated_at bigint NOT NULL,
  end_time bigint,
  duration bigint NOT NULL,
  fields bytea NOT NULL,
  checkpoint bytea,
  PRIMARY KEY (organization, kind, object, start_time, place)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX records_by_id ON records (organization, id);
CREATE INDEX records_by_place ON records (organization, kind, place, object, start_time)
  WHERE place > 0;
CREATE INDEX open_records ON records (organization, object) WHERE end_time IS NULL;

CREATE TABLE record_progress (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  last_id bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE record_leases (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  holder text NOT NULL,
  until bigint NOT NULL
);

CREATE TABLE record_tails (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  progress bytea NOT NULL,
  longest_visit bigint NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE record_tasks (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL,
  id bigint NOT NULL,
  after bigint NOT NULL,
  failed_at bigint,
  error text,
  PRIMARY KEY (organization, kind, id)
);
`

/** Computed days of objects (`store/coverage-store.ts`), and the counts of their rejected packets. */
const COVERAGE = `
CREATE TABLE coverage_states (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  form text NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE coverage_days (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  day bigint NOT NULL,
  seq bigint NOT NULL,
  content text NOT NULL,
  is_outdated boolean NOT NULL,
  changed_at bigint,
  PRIMARY KEY (organization, object, day),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE reject_counts (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  day bigint NOT NULL,
  reason text NOT NULL,
  packets bigint NOT NULL,
  PRIMARY KEY (organization, object, day, reason),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);
`

/** Endpoints that get the changes of an organization, the deliveries to them, and who delivers. */
const WEBHOOKS = `
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

/**
 * The operator of the deployment, and the attempts at the password by origin. The password's row exists before the
 * password does. `scope` of a token is how far it reaches, `issuer` the token that issued it.
 */
const OPERATOR = `
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
  password text,
  scope text NOT NULL,
  organization bigint,
  issuer bigint,
  CONSTRAINT operator_credentials_issuer
    FOREIGN KEY (issuer) REFERENCES operator_credentials (id) ON DELETE CASCADE
);

CREATE TABLE sign_in_attempts (
  origin text COLLATE "C" PRIMARY KEY,
  failures bigint NOT NULL,
  at bigint NOT NULL,
  signed_in_at bigint
);
`

/**
 * The audit log, the use of the API, the rows of each object in the answers to each key (`disclosures`), and the lasting
 * copy of the quota counters. The subject of an audit entry may be deleted.
 */
const ACCOUNTS = `
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

CREATE TABLE usage (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day int NOT NULL,
  key bigint NOT NULL,
  operation text COLLATE "C" NOT NULL,
  status int NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (organization, day, key, operation, status)
) WITH (fillfactor = 70);

CREATE TABLE disclosures (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day int NOT NULL,
  key bigint NOT NULL,
  object bigint NOT NULL,
  requests bigint NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (organization, day, key, object)
) WITH (fillfactor = 70);

CREATE TABLE quota_counts (
  organization bigint NOT NULL,
  day int NOT NULL,
  object bigint NOT NULL,
  hundredths bigint NOT NULL,
  PRIMARY KEY (organization, day, object)
);
`

/** The first migration: makes the tables of an empty database. */
export const schema: Migration = {
  text: [
    ...[ORGANIZATIONS, CHANGES, OBJECTS, POSITIONS, PLACES],
    ...[RECORDS, COVERAGE, WEBHOOKS, OPERATOR, ACCOUNTS],
  ].join(''),
  compatibleFrom: 1,
}
