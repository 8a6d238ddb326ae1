import {
  countedSeconds,
  MAX_NEW_OBJECTS,
  type WithinLimits,
  withinLimits,
} from '../../base/domain/limits.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import type { Ensured, ObjectMaker, ObjectStore } from '../../engine/store/item-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import { identOwners } from './ident-owners.ts'
import { itemForm, OBJECTS } from './item-columns.ts'
import {
  type ClaimIdents,
  type ItemParts,
  insertionOf,
  itemStore,
  noteItems,
} from './item-tables.ts'
import { inExisting, type OrganizationSql, type Tables } from './sql.ts'
import { trackerMoves } from './tracker-moves.ts'

const OF_TOKEN = 'organization = $1 AND feed_token = $2'
const MADE = `
  SELECT CAST(coalesce(sum(count), 0) AS bigint) AS made FROM new_objects
  WHERE ${OF_TOKEN} AND second BETWEEN $3 AND $4`
const FORGET = `DELETE FROM new_objects WHERE ${OF_TOKEN} AND second NOT BETWEEN $3 AND $4`
const ADD = `
  INSERT INTO new_objects (organization, feed_token, second, count) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization, feed_token, second)
    DO UPDATE SET count = new_objects.count + excluded.count`

/**
 * Creates objects with default settings in a transaction, in the order of the idents, which no object has. `names`: by
 * ident; without them, idents are the names.
 */
export type CreateObjects = (
  sql: OrganizationSql,
  idents: readonly string[],
  now: number,
  names?: ReadonlyMap<string, string>,
) => Work<number[]>

export function objectCreator(parts: ItemParts): CreateObjects {
  const { values } = itemForm(OBJECTS)
  const insert = insertionOf(OBJECTS)
  return function* (sql, idents, now, names) {
    const fresh = yield* parts.next(sql, idents.length)
    for (const [index, id] of fresh.entries()) {
      const ident = idents[index]!
      parts.claim(sql, id, false)
      const settings = { ...OBJECT_DEFAULTS, name: names?.get(ident) ?? ident, ident }
      sql.run(insert, [sql.organization, id, now, ...values(settings)])
    }
    noteItems(sql, 'objects', fresh)
    return fresh
  }
}

export function objectStore(tables: Tables, parts: ItemParts): Omit<ObjectStore, 'list' | 'pages'> {
  const { claimFree, claimUnruled } = identOwners(tables.dialect)
  return {
    ...itemStore(tables, parts, OBJECTS, claimFree),
    ensure: objectEnsurer(tables, parts, claimFree),
    ...trackerMoves(tables, parts, claimFree),
    ofOrganization: {
      ...itemStore(tables, parts, OBJECTS, claimUnruled),
      ensure: objectEnsurer(tables, parts, claimUnruled),
      moveTracker: trackerMoves(tables, parts, claimUnruled).moveTracker,
    },
  }
}

/** `claim`: for people and programs, and not for feed tokens. */
function objectEnsurer(
  tables: Tables,
  parts: ItemParts,
  claim: ClaimIdents,
): ObjectStore['ensure'] {
  const { isIn, list } = tables.dialect
  const { owned, foreign, claimUnruled } = identOwners(tables.dialect)
  const create = objectCreator(parts)
  const byIdents = `
    SELECT id, ident FROM objects WHERE organization = $1 AND ${isIn('ident', '$2', 'text')}`

  /** Those of the idents that the maker may not make into objects. */
  function* barred(
    sql: OrganizationSql,
    maker: ObjectMaker | undefined,
    idents: readonly string[],
  ): Work<ReadonlySet<string>> {
    if (maker === undefined || idents.length === 0) return NONE
    if (typeof maker === 'number') return yield* foreign(sql, idents)
    return new Set(idents).difference(yield* owned(sql, idents))
  }

  /** Claims the idents. Returns those that another organization has just claimed, if that bars the maker. */
  function* claimFor(
    sql: OrganizationSql,
    maker: ObjectMaker | undefined,
    idents: readonly string[],
  ): Work<ReadonlySet<string>> {
    if (maker === undefined) yield* claim(sql, idents)
    if (typeof maker === 'number') yield* claimUnruled(sql, idents)
    return yield* barred(sql, maker, idents)
  }

  return (organization, wanted, now, maker, note) =>
    inExisting(tables, organization, function* (sql) {
      const names = 'get' in wanted ? wanted : new Map(wanted.map((ident) => [ident, ident]))
      const idents = [...names.keys()]
      const existing = yield* sql.all<{ id: number; ident: string }>(byIdents, [
        organization,
        list(idents, 'text'),
      ])
      const ids = new Map(existing.map(({ id, ident }) => [ident, id]))
      const missing = idents.filter((ident) => !ids.has(ident))
      const before = yield* barred(sql, maker, missing)
      const possible = missing.filter((ident) => !before.has(ident))
      if (possible.length === 0) return { ids, created: 0, beyond: null, foreign: before }
      const within = yield* objectsWithinLimits(sql, parts, maker, possible.length, now)
      const allowed = possible.slice(0, within.count)
      const lost = yield* claimFor(sql, maker, allowed)
      const claimed = allowed.filter((ident) => !lost.has(ident))
      const fresh = yield* create(sql, claimed, now, names)
      for (const [index, id] of fresh.entries()) ids.set(claimed[index]!, id)
      const ensured: Ensured = {
        ids,
        created: fresh.length,
        beyond: within.beyond,
        foreign: before.union(lost),
      }
      return yield* noted(sql, ensured, note)
    })
}

/** How many of the wanted objects may be made now. Counts them as made. */
function* objectsWithinLimits(
  sql: OrganizationSql,
  parts: Pick<ItemParts, 'freeObjects'>,
  maker: ObjectMaker | undefined,
  wanted: number,
  now: number,
): Work<WithinLimits> {
  const objects = yield* parts.freeObjects(sql)
  if (maker === undefined) return withinLimits(wanted, { objects, newObjects: Infinity })
  const token = [sql.organization, countedToken(maker)]
  const { from, second, to } = countedSeconds(now)
  const { made } = (yield* sql.one<{ made: number }>(MADE, [...token, from, to]))!
  const within = withinLimits(wanted, { objects, newObjects: MAX_NEW_OBJECTS - made })
  if (within.count > 0) {
    sql.run(FORGET, [...token, from, to])
    sql.run(ADD, [...token, second, within.count])
  }
  return within
}

const NONE: ReadonlySet<string> = new Set()

/** The tokens of the deployment and those of organizations have ids of their own. */
function countedToken(maker: ObjectMaker): number {
  return typeof maker === 'number' ? maker : -maker.deploymentToken
}
