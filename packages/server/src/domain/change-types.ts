import { ITEM_TOPICS } from './items.ts'

/** The types of derived records. */
export const RECORD_TYPES = ['trips', 'stops', 'visits'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** The types of entries that every organization has in its changes. */
export const GIVEN_TYPES = ['positions', 'states', ...ITEM_TOPICS] as const

/** The types of entries in the changes of an organization, as the parameter `types` names them. */
export const CHANGE_TYPES = [...GIVEN_TYPES, ...RECORD_TYPES] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Whether a reader of these types gets derived records. */
export function includesRecords(types: ReadonlySet<ChangeType>): boolean {
  return RECORD_TYPES.some((type) => types.has(type))
}

/** The start of a reader of changes. */
export const CHANGES_FROM = ['snapshot', 'history', 'now'] as const
export type ChangesFrom = (typeof CHANGES_FROM)[number]
