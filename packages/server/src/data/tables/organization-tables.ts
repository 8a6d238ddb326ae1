import { MAX_MAPPINGS, type SavedMapping } from '../../base/domain/import-formats.ts'
import {
  ORGANIZATION_RULES,
  type Organization,
  type OrganizationSettings,
  showsTheSame,
} from '../../base/domain/organization.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import type { SavedMappingStore } from '../../engine/store/item-store.ts'
import { type OrganizationStore, TOPICS, type Topic } from '../../engine/store/store.ts'
import { noted } from './audit-tables.ts'
import { patched } from './item-columns.ts'
import type { Tables } from './sql.ts'

const SETTINGS = Object.keys(ORGANIZATION_RULES) as (keyof OrganizationSettings)[]
const BOOLEANS = SETTINGS.filter((key) => ORGANIZATION_RULES[key].schema.type === 'boolean')
const FIELDS: readonly (keyof Organization)[] = ['id', ...SETTINGS, 'createdAt', 'updatedAt']

/** The column of each setting: `distance_unit` of `distanceUnit`. */
const SETTING_COLUMNS = SETTINGS.map(documentedName)

/** An organization, as a part of a SELECT. */
export const ORGANIZATION_COLUMNS = FIELDS.map(
  (field) => `${documentedName(field)} AS "${field}"`,
).join(', ')

/** The values of the columns of settings. */
export function settingValues(
  settings: OrganizationSettings,
): (string | number | boolean | null)[] {
  return SETTINGS.map((setting) => settings[setting])
}

/** A SQLite row is not an ordinary object: a copy would be as large and as slow to read. */
export function plainOrganization(row: object | undefined): Organization | null {
  if (row === undefined) return null
  const plain: Record<string, unknown> = {}
  for (const field of FIELDS) plain[field] = (row as Record<string, unknown>)[field]
  for (const setting of BOOLEANS) plain[setting] = Boolean(plain[setting])
  return plain as Organization
}

const LIST = `SELECT ${ORGANIZATION_COLUMNS} FROM organizations ORDER BY id`
export const FIND_ORGANIZATION = `SELECT ${ORGANIZATION_COLUMNS} FROM organizations WHERE id = $1`
/** Adds an organization that is created at the time $1, with the settings from $2 on. */
export const INSERT_ORGANIZATION = `
  INSERT INTO organizations (created_at, updated_at, ${SETTING_COLUMNS.join(', ')})
  VALUES ($1, $1, ${SETTING_COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})
  RETURNING ${ORGANIZATION_COLUMNS}`
const UPDATE = `
  UPDATE organizations
  SET updated_at = $2, ${SETTING_COLUMNS.map((column, index) => `${column} = $${index + 3}`).join(', ')}
  WHERE id = $1
  RETURNING ${ORGANIZATION_COLUMNS}`

/** `OrganizationStore.versions` of the topics that have changed. */
export function versionsOf(
  changed: Iterable<{ topic: Topic; sequence: number }>,
): Record<Topic, number> {
  const versions = Object.fromEntries(TOPICS.map((topic) => [topic, 0])) as Record<Topic, number>
  for (const { topic, sequence } of changed) versions[topic] = sequence
  return versions
}

/** The part of the store that does not create or delete organizations. */
export function organizationSettings({
  read,
  change,
}: Tables): Pick<OrganizationStore, 'list' | 'find' | 'update'> {
  return {
    async list() {
      return (await read(({ all }) => all(LIST, []))).map((row) => plainOrganization(row)!)
    },
    async find(organization) {
      return plainOrganization(await read(({ one }) => one(FIND_ORGANIZATION, [organization])))
    },
    update: (organization, patch, now, note) =>
      change(organization, function* (sql) {
        const before = plainOrganization(yield* sql.one(FIND_ORGANIZATION, [organization]))!
        const after = patched<Organization>(before, patch)
        const wanted = settingValues(after)
        if (settingValues(before).every((value, index) => value === wanted[index])) return before
        sql.changed('organization')
        // Writers keep folded objects in memory, with these settings of their organization.
        const isOfObjects =
          after.maximumGap !== before.maximumGap || after.timeZone !== before.timeZone
        if (isOfObjects) sql.changed('objects')
        const retainedBefore = before.retentionDays
        if (after.retentionDays !== retainedBefore) sql.log({ retainedBefore })
        // Wakes waiting readers.
        else if (!showsTheSame(before, after)) sql.log({})
        const updated = yield* sql.one(UPDATE, [organization, now, ...wanted])
        return yield* noted(sql, plainOrganization(updated)!, note, before)
      }),
  }
}

const LIST_MAPPINGS = `
  SELECT id, kind, headings, name, settings, saved_at AS "savedAt" FROM saved_mappings
  WHERE organization = $1 ORDER BY saved_at DESC, id`
const PUT_MAPPING = `
  INSERT INTO saved_mappings (organization, id, kind, headings, name, settings, saved_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization, id) DO UPDATE
  SET settings = excluded.settings, saved_at = excluded.saved_at`
const TRIM = `
  DELETE FROM saved_mappings WHERE organization = $1 AND id NOT IN (
    SELECT id FROM saved_mappings WHERE organization = $1 ORDER BY saved_at DESC, id
    LIMIT ${MAX_MAPPINGS}
  )`
const RENAME_MAPPING = 'UPDATE saved_mappings SET name = $3 WHERE organization = $1 AND id = $2'
const REMOVE_MAPPING = 'DELETE FROM saved_mappings WHERE organization = $1 AND id = $2'

type MappingRow = Omit<SavedMapping, 'headings' | 'settings'> & {
  headings: string
  settings: string
}

export function savedMappingStore({ read, change }: Tables): SavedMappingStore {
  return {
    async list(organization) {
      const rows = await read(({ all }) => all<MappingRow>(LIST_MAPPINGS, [organization]))
      return rows.map(
        ({ headings, settings, ...row }): SavedMapping => ({
          ...row,
          headings: JSON.parse(headings),
          settings: JSON.parse(settings),
        }),
      )
    },
    async put(organization, { id, kind, headings, name, settings, savedAt }, note) {
      const texts = [JSON.stringify(headings), name, JSON.stringify(settings)]
      await change(organization, function* (sql) {
        sql.run(PUT_MAPPING, [organization, id, kind, ...texts, savedAt])
        yield* sql.count(TRIM, [organization])
        return yield* noted(sql, true, note)
      })
    },
    async rename(organization, id, name, note) {
      const renamed = await change(organization, function* (sql) {
        if ((yield* sql.count(RENAME_MAPPING, [organization, id, name])) === 0) return false
        return yield* noted(sql, true, note)
      })
      return renamed === true
    },
    async delete(organization, id, note) {
      const deleted = await change(organization, function* (sql) {
        if ((yield* sql.count(REMOVE_MAPPING, [organization, id])) === 0) return false
        return yield* noted(sql, true, note)
      })
      return deleted === true
    },
  }
}
