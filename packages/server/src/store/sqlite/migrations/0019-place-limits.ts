import type { DatabaseSync } from 'node:sqlite'

/**
 * How many places and vertices an organization may have and has. Triggers count both: to count them for each write
 * would read all its places.
 */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN max_places INTEGER NOT NULL DEFAULT 10000;
ALTER TABLE organizations ADD COLUMN max_vertices INTEGER NOT NULL DEFAULT 1000000;
ALTER TABLE organizations ADD COLUMN place_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN vertex_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE geofences ADD COLUMN vertices INTEGER NOT NULL DEFAULT 0;
UPDATE geofences SET vertices = json_array_length(coordinates);
ALTER TABLE routes ADD COLUMN vertices INTEGER NOT NULL DEFAULT 0;
UPDATE routes SET vertices = json_array_length(points) +
  (SELECT coalesce(sum(json_array_length(value)), 0) FROM json_each(coordinates));

UPDATE organizations SET
  place_count =
    (SELECT count(*) FROM geofences WHERE organization = organizations.id) +
    (SELECT count(*) FROM routes WHERE organization = organizations.id) +
    (SELECT count(*) FROM sites WHERE organization = organizations.id),
  vertex_count =
    (SELECT coalesce(sum(vertices), 0) FROM geofences WHERE organization = organizations.id) +
    (SELECT coalesce(sum(vertices), 0) FROM routes WHERE organization = organizations.id);
${triggers('geofence', 'geofences')}
${triggers('route', 'routes')}
${triggers('site', 'sites')}
`

function triggers(noun: string, table: string): string {
  const isDrawn = table !== 'sites'
  const [added, removed] = isDrawn ? ['new.vertices', 'old.vertices'] : ['0', '0']
  return `
CREATE TRIGGER ${noun}_added AFTER INSERT ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count + 1, vertex_count = vertex_count + ${added}
  WHERE id = new.organization;
END;

CREATE TRIGGER ${noun}_removed AFTER DELETE ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count - 1, vertex_count = vertex_count - ${removed}
  WHERE id = old.organization;
END;
${
  isDrawn
    ? `
CREATE TRIGGER ${noun}_redrawn AFTER UPDATE OF vertices ON ${table} BEGIN
  UPDATE organizations SET vertex_count = vertex_count + ${added} - ${removed}
  WHERE id = new.organization;
END;`
    : ''
}`
}

export function placeLimits(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}
