import { type Organization, showsTheSame } from '../../domain/organization.ts'
import {
  ORGANIZATION_COLUMNS,
  plainOrganization,
  SETTING_COLUMNS,
  settingValues,
} from '../organization-rows.ts'
import type { OrganizationStore } from '../store.ts'
import { noted } from './audit.ts'
import type { Tables } from './sql.ts'

const LIST = `SELECT ${ORGANIZATION_COLUMNS} FROM organizations ORDER BY id`
export const FIND_ORGANIZATION = `SELECT ${ORGANIZATION_COLUMNS} FROM organizations WHERE id = $1`
/** Adds an organization, made at the moment $1, with the settings from $2 on. */
export const INSERT_ORGANIZATION = `
  INSERT INTO organizations (created_at, updated_at, ${SETTING_COLUMNS.join(', ')})
  VALUES ($1, $1, ${SETTING_COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})
  RETURNING ${ORGANIZATION_COLUMNS}`
const UPDATE = `
  UPDATE organizations
  SET updated_at = $2, ${SETTING_COLUMNS.map((column, index) => `${column} = $${index + 3}`).join(', ')}
  WHERE id = $1
  RETURNING ${ORGANIZATION_COLUMNS}`

/** The part of the store that does not make or delete organizations. */
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
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const after: Organization = { ...before, ...Object.fromEntries(given) }
        const wanted = settingValues(after)
        if (settingValues(before).every((value, index) => value === wanted[index])) return before
        sql.changed('organization')
        // Writers keep objects as they are folded, with what they take from their organization.
        if (after.maximumGap !== before.maximumGap) sql.changed('objects')
        const retainedBefore = before.retentionDays
        if (after.retentionDays !== retainedBefore) sql.log({ retainedBefore })
        // Wakes waiting readers.
        else if (!showsTheSame(before, after)) sql.log({})
        const updated = yield* sql.one(UPDATE, [organization, now, ...wanted])
        return yield* noted(sql, plainOrganization(updated)!, note, before)
      }),
  }
}
