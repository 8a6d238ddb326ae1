import type { DatabaseSync } from 'node:sqlite'
import { type OrganizationStore, TOPICS, type Topic } from '../../engine/store/store.ts'
import { noted } from '../tables/audit-tables.ts'
import {
  INSERT_ORGANIZATION,
  organizationSettings,
  plainOrganization,
  settingValues,
  versionsOf,
} from '../tables/organization-tables.ts'
import { CHANGE_LOG, type Purges } from '../tables/purge.ts'
import type { Tables } from '../tables/sql.ts'
import type { TopicChanges } from './changes.ts'
import type { Database } from './database/database.ts'

/** Some milliseconds. */
const SLICE_ROWS = 2_000

/**
 * Deletes rows of an organization from a table, as part of a transaction: all of them would keep others waiting. Returns
 * whether there may be more. `key`: the rest of the table's key.
 */
function sliceRemover(
  writer: DatabaseSync,
  table: string,
  key: string,
): (organization: number) => boolean {
  const remove = writer.prepare(`
    DELETE FROM ${table} WHERE organization = ?1 AND (${key}) IN (
      SELECT ${key} FROM ${table} WHERE organization = ?1 LIMIT ${SLICE_ROWS}
    )
  `)
  return (organization) => remove.run(organization).changes === SLICE_ROWS
}

/**
 * Tables that may have millions of rows of an organization, with the rest of their keys. They are emptied before it is
 * deleted, because the transaction that deletes it keeps everybody waiting.
 */
const LONG_TABLES = {
  coverage_days: 'object, day',
  reject_counts: 'object, day, reason',
  disclosures: 'day, source, reader, object, disclosee, data',
}
/** Foreign keys delete all else. */
const REMOVALS = [
  `INSERT INTO purges (organization, object)
    SELECT organization, id FROM objects WHERE organization = $1 UNION ALL SELECT $1, ${CHANGE_LOG}`,
  'DELETE FROM organizations WHERE id = $1',
  'DELETE FROM access_credentials WHERE organization = $1',
  'DELETE FROM account_roles WHERE organization = $1',
]

type TopicVersion = { topic: Topic; sequence: number }

export function organizationStore(
  database: Database,
  changes: TopicChanges,
  tables: Tables,
  purge: Purges['purge'],
): OrganizationStore {
  const { reader, writer } = database
  const versions = reader.prepare('SELECT topic, sequence FROM changes WHERE organization = ?')
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
      return database.read(() => versionsOf(versions.all(organization) as TopicVersion[]))
    },
  }
}
