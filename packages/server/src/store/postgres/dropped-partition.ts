/**
 * What drops a partition with all that lies in it, but for what the counters of later positions build
 * on: of each object the newest row of it, which goes on hidden in the default partition, in the place
 * of the one that lay there so far. An object that waits to be folded anew from there on has no such
 * row yet, and fails the whole.
 *
 * Until the partition is detached others only wait where they write into it. What follows locks the
 * positions for the moment that the kept rows take, which are as many as have objects in it.
 */
export function dropPartition(name: string, from: number, to: number): string[] {
  return [
    `LOCK TABLE ${name} IN SHARE MODE`,
    `DO $$ BEGIN IF EXISTS (SELECT FROM refolds WHERE from_time < ${to}) THEN
      RAISE EXCEPTION 'positions wait to be folded anew' USING ERRCODE = 'lock_not_available';
    END IF; END $$`,
    `CREATE TEMPORARY TABLE bases ON COMMIT DROP AS
      SELECT newest.* FROM objects, LATERAL (
        SELECT * FROM ${name} AS positions
        WHERE positions.organization = objects.organization AND positions.object = objects.id
        ORDER BY time_device DESC LIMIT 1
      ) AS newest`,
    'ANALYZE bases',
    `DELETE FROM positions USING bases
      WHERE positions.organization = bases.organization AND positions.object = bases.object
        AND positions.time_device < ${from}`,
    `ALTER TABLE positions DETACH PARTITION ${name}`,
    `INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
      SELECT organization, object, time_device, change, coalesce(hidden, newest), fix, track
      FROM bases JOIN sequences USING (organization)`,
    `DROP TABLE ${name}`,
  ]
}
