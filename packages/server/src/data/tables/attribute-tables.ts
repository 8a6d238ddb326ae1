import { isDeepStrictEqual } from 'node:util'
import {
  ATTRIBUTE_DEFAULTS,
  type StoredAttribute,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import { sourceNames } from '../../base/domain/attributes/attribute-source.ts'
import { ATTRIBUTE_LIMITS, byName } from '../../base/domain/position/attribute.ts'
import { addedNames, unpackCurrent } from '../../base/domain/position/current-attributes.ts'
import type { AttributeStore, Attributes, GivenAttributes } from '../../engine/store/item-store.ts'
import type { Tables as FoldTables, NameRows } from '../../engine/tracking/fold-tables.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import type { Dialect, OrganizationSql, Sql, Tables } from './sql.ts'

const LIST_ATTRIBUTES = 'SELECT name, settings FROM attributes WHERE organization = $1'
const PUT_ATTRIBUTE = `
  INSERT INTO attributes (organization, name, settings) VALUES ($1, $2, $3)
  ON CONFLICT (organization, name) DO UPDATE SET settings = excluded.settings`
const REMOVE_ATTRIBUTE = 'DELETE FROM attributes WHERE organization = $1 AND name = $2'

type AttributeRow = { name: string; settings: string }

export function attributeStore({ read, change }: Tables): AttributeStore {
  return {
    list: (organization) => read((sql) => readAttributes(sql, organization)),
    change: (organization, make, note) =>
      change(organization, function* (sql) {
        const before = yield* readAttributes(sql, organization)
        const after = numbered(make(before), before, (yield* sql.versions()).change)
        const known = new Map(before.map((entry) => [entry.name, entry]))
        const changed = after.filter((entry) => !isDeepStrictEqual(known.get(entry.name), entry))
        const kept = new Set(after.map(({ name }) => name))
        const gone = before.filter(({ name }) => !kept.has(name))
        if (changed.length + gone.length === 0) return after
        for (const { name } of gone) sql.run(REMOVE_ATTRIBUTE, [organization, name])
        for (const { name, ...settings } of changed) {
          sql.run(PUT_ATTRIBUTE, [organization, name, JSON.stringify(settings)])
        }
        sql.changed('attributes')
        const levels = [...gone, ...changed].filter(
          (entry) => entry.isLevel || known.get(entry.name)?.isLevel,
        )
        if (levels.length > 0) sql.log({ attributes: levels.map(({ id }) => id) })
        return yield* noted(sql, after, note, before)
      }),
  }
}

/** More than the entries of a catalogue. */
const IDS_OF_A_CHANGE = 1_024

/** The entries by name, with their ids. New ones get those of this change, whose number no other change has. */
function numbered(given: GivenAttributes, before: Attributes, change: number): StoredAttribute[] {
  const ids = new Map(before.map(({ name, id }) => [name, id]))
  return [...given].sort(byName).map((entry, index) => {
    const id = ids.get(entry.name) ?? change * IDS_OF_A_CHANGE + index
    return { ...entry, id }
  })
}

/** The catalogue of an organization, by name. */
export function* readAttributes({ all }: Pick<Sql, 'all'>, organization: number) {
  return entriesOf(yield* all<AttributeRow>(LIST_ATTRIBUTES, [organization]))
}

/** A setting that is newer than a row has its default. */
function entriesOf(rows: readonly AttributeRow[]): StoredAttribute[] {
  return rows
    .map(({ name, settings }) => ({ ...ATTRIBUTE_DEFAULTS, name, ...JSON.parse(settings) }))
    .sort(byName)
}

const COUNT_NAMES = `
  SELECT count(*) AS count, CAST(coalesce(sum(objects), 0) AS bigint) AS total
  FROM attribute_names WHERE organization = $1`

const NAME_COLUMNS = { name: 'text', objects: 'bigint' } as const
const MORE_OBJECTS = `
  ON CONFLICT (organization, name)
    DO UPDATE SET objects = attribute_names.objects + excluded.objects`

/** Finds names of attributes in transactions of the fold, and counts the objects that have each. */
export function nameReader({ isIn, list, rowWriter }: Dialect): (sql: Sql) => FoldTables['names'] {
  const find = `SELECT name FROM attribute_names WHERE organization = $1 AND ${isIn('name', '$2', 'text')}`
  const save = rowWriter('attribute_names', NAME_COLUMNS, MORE_OBJECTS)
  return (sql) =>
    function* (organization, wanted): Work<NameRows> {
      const entries = yield* readAttributes(sql, organization)
      const sources = new Set(entries.flatMap(sourceNames))
      const values = [organization, list([...sources.union(wanted)], 'text')]
      const known = new Set(
        (yield* sql.all<{ name: string }>(find, values)).map(({ name }) => name),
      )
      const counts = yield* sql.one<{ count: number; total: number }>(COUNT_NAMES, [organization])
      let { count, total } = counts!
      let free = ATTRIBUTE_LIMITS.namesOfOrganization - count + known.intersection(sources).size
      const added = new Map<string, number>()
      return {
        has: (name) => known.has(name) || sources.has(name),
        sources,
        get free() {
          return free
        },
        get total() {
          return total
        },
        add(names) {
          for (const name of names) {
            if (!known.has(name) && !sources.has(name)) free -= 1
            known.add(name)
            total += 1
            added.set(name, (added.get(name) ?? 0) + 1)
          }
        },
        save: () => save(sql, organization, [...added]),
      }
    }
}

const ATTRIBUTES_OF = 'SELECT attributes FROM object_states WHERE organization = $1 AND object = $2'
const FREE_NAMES = 'DELETE FROM attribute_names WHERE organization = $1 AND objects < 1'

/** Frees the names of an object that is deleted in this transaction. */
export function* freeNames(sql: OrganizationSql, dialect: Dialect, object: number): Work<void> {
  const { organization } = sql
  const state = yield* sql.one<{ attributes: Uint8Array | null }>(ATTRIBUTES_OF, [
    organization,
    object,
  ])
  const names = addedNames([], unpackCurrent(state?.attributes ?? null))
  nameCounts(dialect)(sql, new Map(names.map((name) => [name, -1])))
}

/** Adds to the number of objects that have each name, or takes from it. An organization gives up names that no object has. */
export function nameCounts({ rowWriter }: Dialect) {
  const add = rowWriter('attribute_names', NAME_COLUMNS, MORE_OBJECTS)
  return (sql: OrganizationSql, counts: ReadonlyMap<string, number>): void => {
    if (counts.size === 0) return
    add(sql, sql.organization, [...counts])
    sql.run(FREE_NAMES, [sql.organization])
  }
}
