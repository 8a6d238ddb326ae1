import { OBJECT_DEFAULTS } from '../../domain/monitored-object.ts'
import {
  countedSeconds,
  MAX_NEW_OBJECTS,
  type WithinLimits,
  withinLimits,
} from '../../domain/object-limits.ts'
import type { Work } from '../../fold/work.ts'
import { OBJECTS } from '../kinds.ts'
import type { ObjectStore } from '../store.ts'
import { noted } from './audit.ts'
import { itemForm } from './item-form.ts'
import { type ItemParts, insertionOf, itemStore, noteItems } from './items.ts'
import { inExisting, type OrganizationSql, type Tables } from './sql.ts'

const OF_TOKEN = 'organization = $1 AND feed_token = $2'
const MADE = `
  SELECT CAST(coalesce(sum(count), 0) AS bigint) AS made FROM new_objects
  WHERE ${OF_TOKEN} AND second BETWEEN $3 AND $4`
const FORGET = `DELETE FROM new_objects WHERE ${OF_TOKEN} AND second NOT BETWEEN $3 AND $4`
const ADD = `
  INSERT INTO new_objects (organization, feed_token, second, count) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization, feed_token, second)
    DO UPDATE SET count = new_objects.count + excluded.count`

export function objectStore(tables: Tables, parts: ItemParts): Omit<ObjectStore, 'list' | 'pages'> {
  const { isIn, list } = tables.dialect
  const { values } = itemForm(OBJECTS)
  const insert = insertionOf(OBJECTS)
  const byIdents = `
    SELECT id, ident FROM objects WHERE organization = $1 AND ${isIn('ident', '$2', 'text')}`

  /** How many of the wanted objects may be made just now, which counts them as made. */
  function* objectsWithinLimits(
    sql: OrganizationSql,
    feedToken: number | undefined,
    wanted: number,
    now: number,
  ): Work<WithinLimits> {
    const objects = yield* parts.freeObjects(sql)
    if (feedToken === undefined) return withinLimits(wanted, { objects, newObjects: Infinity })
    const token = [sql.organization, feedToken]
    const { from, second, to } = countedSeconds(now)
    const { made } = (yield* sql.one<{ made: number }>(MADE, [...token, from, to]))!
    const within = withinLimits(wanted, { objects, newObjects: MAX_NEW_OBJECTS - made })
    if (within.count > 0) {
      sql.run(FORGET, [...token, from, to])
      sql.run(ADD, [...token, second, within.count])
    }
    return within
  }

  return {
    ...itemStore(tables, parts, OBJECTS),
    ensure: (organization, wanted, now, feedToken, note) =>
      inExisting(tables, organization, function* (sql) {
        const names = 'get' in wanted ? wanted : new Map(wanted.map((ident) => [ident, ident]))
        const idents = [...names.keys()]
        const existing = yield* sql.all<{ id: number; ident: string }>(byIdents, [
          organization,
          list(idents, 'text'),
        ])
        const ids = new Map(existing.map(({ id, ident }) => [ident, id]))
        const missing = idents.filter((ident) => !ids.has(ident))
        if (missing.length === 0) return { ids, created: 0, beyond: null }
        const within = yield* objectsWithinLimits(sql, feedToken, missing.length, now)
        const { count: created, beyond } = within
        const fresh = yield* parts.next(sql, created)
        for (const [index, id] of fresh.entries()) {
          const ident = missing[index]!
          parts.claim(sql, id, false)
          const settings = { ...OBJECT_DEFAULTS, name: names.get(ident)!, ident }
          sql.run(insert, [organization, id, now, ...values(settings)])
          ids.set(ident, id)
        }
        noteItems(sql, 'objects', fresh)
        return yield* noted(sql, { ids, created, beyond }, note)
      }),
  }
}
