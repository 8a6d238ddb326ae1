import {
  type Organization,
  type OrganizationSettings,
  showsTheSame,
} from '../../../domain/organization.ts'
import { NO_ENTRIES } from '../../change-entries.ts'
import {
  ORGANIZATION_COLUMNS,
  plainOrganization,
  SETTING_COLUMNS,
  settingValues,
} from '../../organization-rows.ts'
import { type OrganizationStore, TOPICS } from '../../store.ts'
import type { Noted } from '../audit.ts'
import { type TopicChanges, topicVersions } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { CHANGE_LOG, purge } from '../positions/purge.ts'
import { sliceRemover } from '../slice-remover.ts'

/**
 * Tables that may have millions of rows of an organization, with the rest of their keys. They are emptied before it is
 * deleted, because the transaction that deletes it keeps everybody waiting.
 */
const LONG_TABLES = {
  coverage_days: 'object, day',
  reject_counts: 'object, day, reason',
  disclosures: 'day, key, object',
}
export const FIND_ORGANIZATION = `SELECT ${ORGANIZATION_COLUMNS} FROM organizations WHERE id = ?`

export function organizationStore(
  database: Database,
  changes: TopicChanges,
  noted: Noted,
): OrganizationStore {
  const { reader, writer } = database
  const list = reader.prepare(`SELECT ${ORGANIZATION_COLUMNS} FROM organizations ORDER BY id`)
  const find = reader.prepare(FIND_ORGANIZATION)
  const versions = topicVersions(database)

  const existing = writer.prepare(FIND_ORGANIZATION)
  const insert = writer.prepare(`
    INSERT INTO organizations (${SETTING_COLUMNS.join(', ')}, created_at, updated_at)
    VALUES (${SETTING_COLUMNS.map(() => '?').join(', ')}, ?, ?)
    RETURNING ${ORGANIZATION_COLUMNS}
  `)
  const update = writer.prepare(`
    UPDATE organizations
    SET ${SETTING_COLUMNS.map((column) => `${column} = ?`).join(', ')}, updated_at = ?
    WHERE id = ?
    RETURNING ${ORGANIZATION_COLUMNS}
  `)
  const purgeObjects = writer.prepare(
    `INSERT INTO purges SELECT organization, id FROM objects WHERE organization = ?1
      UNION ALL SELECT ?1, ${CHANGE_LOG}`,
  )
  const removals = Object.entries(LONG_TABLES).map(([table, key]) =>
    sliceRemover(writer, table, key),
  )
  const remove = writer.prepare('DELETE FROM organizations WHERE id = ?')
  const removeTokens = writer.prepare('DELETE FROM operator_credentials WHERE organization = ?')

  return {
    create: (settings, now, note) =>
      database.write(() => {
        const created = plainOrganization(insert.get(...values(settings), now, now))!
        changes.record(created.id, ['organization'])
        return noted(created, note)
      }),
    async list() {
      return database.read(() => Array.from(list.iterate(), (row) => plainOrganization(row)!))
    },
    async find(organization) {
      return database.read(() => plainOrganization(find.get(organization)))
    },
    update: (organization, patch, now, note) =>
      database.write(() => {
        const before = plainOrganization(existing.get(organization))
        if (before === null) return null
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const after: Organization = { ...before, ...Object.fromEntries(given) }
        const wanted = values(after)
        if (values(before).every((value, index) => value === wanted[index])) return before
        changes.record(organization, ['organization'])
        if (after.retentionDays !== before.retentionDays) {
          changes.log(organization, { ...NO_ENTRIES, retainedBefore: before.retentionDays })
        } else if (!showsTheSame(before, after)) {
          // Wakes waiting readers.
          changes.log(organization, NO_ENTRIES)
        }
        return noted(plainOrganization(update.get(...wanted, now, organization))!, note, before)
      }),
    async delete(organization, note) {
      for (const removeSlice of removals) {
        while (await database.write(() => removeSlice(organization)));
      }
      const deleted = await database.write(() => {
        if (existing.get(organization) === undefined) return false
        purgeObjects.run(organization)
        remove.run(organization)
        removeTokens.run(organization)
        changes.record(organization, TOPICS)
        return noted(true, note)
      })
      if (deleted) await purge(database)
      return deleted
    },
    async versions(organization) {
      return database.read(() => versions(organization))
    },
  }
}

/** SQLite has no booleans. */
function values(settings: OrganizationSettings): (string | number | null)[] {
  return settingValues(settings).map((value) =>
    typeof value === 'boolean' ? Number(value) : value,
  )
}
