import type { Migration } from './migration.ts'

/**
 * Times are milliseconds since the epoch. There are two sorts of tables, so that they can be distributed
 * over several servers unchanged (`distribution.ts`): small ones that are copied to each server, and
 * those whose keys and statements begin with the organization. Positions have no foreign key to their
 * object, so that an object can be deleted at once and its positions in slices (`purges` lists them).
 */
const TABLES = `
CREATE TABLE organizations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  distance_unit text NOT NULL,
  language text NOT NULL,
  subscription text NOT NULL,
  daily_quota bigint,
  create_objects boolean NOT NULL,
  retention_days int,
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
  last_used_at bigint
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

-- What was announced of an organization outlives it.
CREATE TABLE changes (
  organization bigint NOT NULL,
  topic text NOT NULL,
  sequence bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization, topic)
);
CREATE INDEX changes_by_xid ON changes (xid);

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

CREATE TABLE purges (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  PRIMARY KEY (organization, object)
);

CREATE TABLE refolds (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  from_time bigint NOT NULL,
  PRIMARY KEY (organization, object)
);

-- Updated with every write; room beside it keeps that from touching an index.
CREATE TABLE sequences (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  newest bigint NOT NULL DEFAULT 0,
  objects bigint NOT NULL DEFAULT 0,
  states bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

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

CREATE TABLE object_rejects (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  rejects text NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
);

-- A history is read from the key's index alone. One partition a week, made ahead by upkeep.
CREATE TABLE positions (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  time_device bigint NOT NULL,
  change bigint NOT NULL,
  hidden bigint,
  fix bytea NOT NULL,
  track bytea,
  PRIMARY KEY (organization, object, time_device) INCLUDE (change, hidden, fix)
) PARTITION BY RANGE (time_device);
ALTER TABLE positions ALTER COLUMN fix SET STORAGE PLAIN;
CREATE TABLE positions_default PARTITION OF positions DEFAULT;

CREATE TABLE geofences (
  organization bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  description text,
  color text,
  coordinates text NOT NULL,
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

CREATE TABLE quota_counts (
  organization bigint NOT NULL,
  day int NOT NULL,
  object bigint NOT NULL,
  count int NOT NULL,
  PRIMARY KEY (organization, day, object)
);
`

export const firstTables: Migration = { text: TABLES, compatibleFrom: 1 }
