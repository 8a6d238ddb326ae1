import type { Migration } from './migration.ts'

/** How many places and vertices an organization may have, and how many vertices each place has. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN max_places int NOT NULL DEFAULT 10000;
ALTER TABLE organizations ADD COLUMN max_vertices int NOT NULL DEFAULT 1000000;
ALTER TABLE geofences ADD COLUMN vertices int NOT NULL DEFAULT 0;
UPDATE geofences SET vertices = json_array_length(coordinates::json);
ALTER TABLE routes ADD COLUMN vertices int NOT NULL DEFAULT 0;
UPDATE routes SET vertices = json_array_length(points::json) +
  (SELECT coalesce(sum(json_array_length(line)), 0) FROM json_array_elements(coordinates::json) AS line);
`

export const placeLimits: Migration = { text: CHANGES, compatibleFrom: 1 }
