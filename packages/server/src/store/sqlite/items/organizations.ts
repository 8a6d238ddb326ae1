import { plainOrganization, settingValues } from '../../organization-rows.ts'
import { type OrganizationStore, TOPICS } from '../../store.ts'
import { noted } from '../../tables/audit.ts'
import { INSERT_ORGANIZATION, organizationSettings } from '../../tables/organizations.ts'
import { CHANGE_LOG, type Purges } from '../../tables/purge.ts'
import type { Tables } from '../../tables/sql.ts'
import { type TopicChanges, topicVersions } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { sliceRemover } from '../slice-remover.ts'

/**
 * Tables that may have millions of rows of an organization, with the rest of their keys. They are emptied before it is
 * deleted, because the transaction that deletes it keeps everybody waiting.
 */
const LONG_TABLES = {
  coverage_days: 'object, day',
  reject_counts: 'object, day, reason',
  disclosures: 'day, key, object, granted, data',
}
/** Foreign keys delete all else. */
const REMOVALS = [
  `INSERT INTO purges (organization, object)
    SELECT organization, id FROM objects WHERE organization = $1 UNION ALL SELECT $1, ${CHANGE_LOG}`,
  'DELETE FROM organizations WHERE id = $1',
  'DELETE FROM access_credentials WHERE organization = $1',
  'DELETE FROM account_roles WHERE organization = $1',
]

export function organizationStore(
  database: Database,
  changes: TopicChanges,
  tables: Tables,
  purge: Purges['purge'],
): OrganizationStore {
  const { writer } = database
  const versions = topicVersions(database)
  const removals = Object.entries(LONG_TABLES).map(([table, key]) =>
    sliceRemover(writer, table, key),
  )

  return {
    ...organizationSettings(tables),
    create: (settings, now, note) =>
      tables.write(function* (sql) {
        const row = yield* sql.one(INSERT_ORGANIZATION, [now, ...settingValues(settings)])
        const created = plainOrganization(row)!
        changes.record(created.id, ['organization'])
        return yield* noted(sql, created, note)
      }),
    async delete(organization, note) {
      for (const removeSlice of removals) {
        while (await database.write(() => removeSlice(organization)));
      }
      const deleted = await tables.change(organization, function* (sql) {
        for (const removal of REMOVALS) sql.run(removal, [organization])
        for (const topic of TOPICS) sql.changed(topic)
        return yield* noted(sql, true, note)
      })
      if (deleted) await purge(organization)
      return deleted ?? false
    },
    async versions(organization) {
      return database.read(() => versions(organization))
    },
  }
}
