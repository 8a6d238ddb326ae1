import type { Organization, OrganizationSettings } from '../../domain/organization.ts'
import { type OrganizationStore, TOPICS } from '../store.ts'
import { type ChangeLog, topicVersions } from './changes.ts'
import type { Database } from './database.ts'
import { purge } from './purge.ts'

const COLUMNS = `
  id, name, distance_unit AS distanceUnit, language, subscription, daily_quota AS dailyQuota,
  create_objects AS createObjects, max_objects AS maxObjects, retention_days AS retentionDays,
  created_at AS createdAt, updated_at AS updatedAt`

export function organizationStore(database: Database, changes: ChangeLog): OrganizationStore {
  const { reader, writer } = database
  const list = reader.prepare(`SELECT ${COLUMNS} FROM organizations ORDER BY id`)
  const find = reader.prepare(`SELECT ${COLUMNS} FROM organizations WHERE id = ?`)
  const versions = topicVersions(database)

  const standing = writer.prepare(`SELECT ${COLUMNS} FROM organizations WHERE id = ?`)
  const insert = writer.prepare(`
    INSERT INTO organizations
      (name, distance_unit, language, subscription, daily_quota, create_objects, max_objects,
        retention_days, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    RETURNING ${COLUMNS}
  `)
  const update = writer.prepare(`
    UPDATE organizations
    SET name = ?, distance_unit = ?, language = ?, subscription = ?, daily_quota = ?,
      create_objects = ?, max_objects = ?, retention_days = ?, updated_at = ?
    WHERE id = ?
    RETURNING ${COLUMNS}
  `)
  const purgeObjects = writer.prepare(
    'INSERT INTO purges SELECT organization, id FROM objects WHERE organization = ?',
  )
  const remove = writer.prepare('DELETE FROM organizations WHERE id = ?')
  const removeTokens = writer.prepare('DELETE FROM operator_credentials WHERE organization = ?')

  return {
    create: (settings, now) =>
      database.write(() => {
        const created = plain(insert.get(...values(settings), now, now))!
        changes.record(created.id, 'organization')
        return created
      }),
    async list() {
      return database.read(() => Array.from(list.iterate(), (row) => plain(row)!))
    },
    async find(organization) {
      return database.read(() => plain(find.get(organization)))
    },
    update: (organization, patch, now) =>
      database.write(() => {
        const before = plain(standing.get(organization))
        if (before === null) return null
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const after: Organization = { ...before, ...Object.fromEntries(given) }
        const wanted = values(after)
        if (values(before).every((value, index) => value === wanted[index])) return before
        changes.record(organization, 'organization')
        return plain(update.get(...wanted, now, organization))
      }),
    async delete(organization) {
      const deleted = await database.write(() => {
        purgeObjects.run(organization)
        if (remove.run(organization).changes === 0) return false
        removeTokens.run(organization)
        changes.record(organization, ...TOPICS)
        return true
      })
      if (deleted) await purge(database)
      return deleted
    },
    async versions(organization) {
      return database.read(() => versions(organization))
    },
  }
}

function values(settings: OrganizationSettings): (string | number | null)[] {
  const { name, distanceUnit, language, subscription, dailyQuota } = settings
  const { createObjects, maxObjects, retentionDays } = settings
  return [
    name,
    distanceUnit,
    language,
    subscription,
    dailyQuota,
    Number(createObjects),
    maxObjects,
    retentionDays,
  ]
}

/** A SQLite row is not an ordinary object: a copy would be as large and as slow to read. */
function plain(row: object | undefined): Organization | null {
  if (row === undefined) return null
  const { id, name, distanceUnit, language, subscription, dailyQuota } = row as Organization
  const { createObjects, maxObjects, retentionDays, createdAt, updatedAt } = row as Organization
  return {
    id,
    name,
    distanceUnit,
    language,
    subscription,
    dailyQuota,
    createObjects: Boolean(createObjects),
    maxObjects,
    retentionDays,
    createdAt,
    updatedAt,
  }
}
