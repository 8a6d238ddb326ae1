import {
  countedSeconds,
  MAX_NEW_OBJECTS,
  type WithinLimits,
  withinLimits,
} from '../../../domain/object-limits.ts'
import { statement } from '../connection/connections.ts'
import type { OrganizationWrite } from './organization-writes.ts'

const MAX = statement('SELECT max_objects AS max FROM organizations WHERE id = $1')
const COUNT = statement('SELECT count(*)::int AS count FROM objects WHERE organization = $1')
const MADE = statement(`
  SELECT coalesce(sum(count), 0)::int AS made FROM new_objects
  WHERE organization = $1 AND feed_token = $2 AND second BETWEEN $3 AND $4
`)
const FORGET = statement(`
  DELETE FROM new_objects
  WHERE organization = $1 AND feed_token = $2 AND second NOT BETWEEN $3 AND $4
`)
const ADD = statement(`
  INSERT INTO new_objects (organization, feed_token, second, count) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization, feed_token, second)
  DO UPDATE SET count = new_objects.count + excluded.count
`)

/** How many more objects the organization may have. */
export async function freeObjects(write: OrganizationWrite): Promise<number> {
  const [[limit], [existing]] = await Promise.all([
    write.query<{ max: number }>(MAX, [write.organization]),
    write.query<{ count: number }>(COUNT, [write.organization]),
  ])
  return Math.max(0, limit!.max - existing!.count)
}

/** How many of the wanted objects may be made just now, which counts them as made. */
export async function objectsWithinLimits(
  write: OrganizationWrite,
  feedToken: number | undefined,
  wanted: number,
  now: number,
): Promise<WithinLimits> {
  const objects = await freeObjects(write)
  if (feedToken === undefined) return withinLimits(wanted, { objects, newObjects: Infinity })
  const token = [write.organization, feedToken]
  const { from, second, to } = countedSeconds(now)
  const [lately] = await write.query<{ made: number }>(MADE, [...token, from, to])
  const within = withinLimits(wanted, { objects, newObjects: MAX_NEW_OBJECTS - lately!.made })
  if (within.count > 0) {
    write.run(FORGET, [...token, from, to])
    write.run(ADD, [...token, second, within.count])
  }
  return within
}
