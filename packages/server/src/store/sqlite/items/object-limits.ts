import type { DatabaseSync } from 'node:sqlite'
import {
  countedSeconds,
  MAX_NEW_OBJECTS,
  type WithinLimits,
  withinLimits,
} from '../../../domain/object-limits.ts'

/** How many more objects an organization may have, as part of a transaction. */
export function freeObjects(writer: DatabaseSync): (organization: number) => number {
  const free = writer.prepare(
    'SELECT max_objects - object_count AS free FROM organizations WHERE id = ?',
  )
  return (organization) => {
    const row = free.get(organization) as { free: number } | undefined
    if (row === undefined) throw new Error(`there is no organization ${organization}`)
    return Math.max(0, row.free)
  }
}

export type NewObjects = {
  /** How many of the wanted objects may be made just now, which counts them as made. */
  within(
    organization: number,
    feedToken: number | undefined,
    wanted: number,
    now: number,
  ): WithinLimits
}

/** The objects that feed tokens made lately, by the second, as parts of a transaction. */
export function newObjects(writer: DatabaseSync): NewObjects {
  const freeOf = freeObjects(writer)
  const made = writer.prepare(`
    SELECT coalesce(sum(count), 0) AS made FROM new_objects
    WHERE organization = ? AND feed_token = ? AND second BETWEEN ? AND ?
  `)
  const forget = writer.prepare(`
    DELETE FROM new_objects
    WHERE organization = ? AND feed_token = ? AND second NOT BETWEEN ? AND ?
  `)
  const add = writer.prepare(`
    INSERT INTO new_objects (organization, feed_token, second, count) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count
  `)

  return {
    within(organization, feedToken, wanted, now) {
      const objects = freeOf(organization)
      if (feedToken === undefined) return withinLimits(wanted, { objects, newObjects: Infinity })
      const { from, second, to } = countedSeconds(now)
      const lately = made.get(organization, feedToken, from, to)!.made as number
      const within = withinLimits(wanted, { objects, newObjects: MAX_NEW_OBJECTS - lately })
      if (within.count > 0) {
        forget.run(organization, feedToken, from, to)
        add.run(organization, feedToken, second, within.count)
      }
      return within
    },
  }
}
