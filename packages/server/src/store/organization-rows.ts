import {
  ORGANIZATION_RULES,
  type Organization,
  type OrganizationSettings,
} from '../domain/organization.ts'
import { documentedName } from '../domain/settings/rule.ts'

const SETTINGS = Object.keys(ORGANIZATION_RULES) as (keyof OrganizationSettings)[]
const BOOLEANS = SETTINGS.filter((key) => ORGANIZATION_RULES[key].schema.type === 'boolean')
const FIELDS: readonly (keyof Organization)[] = ['id', ...SETTINGS, 'createdAt', 'updatedAt']

/** The column of each setting: `distance_unit` of `distanceUnit`. */
export const SETTING_COLUMNS = SETTINGS.map(documentedName)

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
