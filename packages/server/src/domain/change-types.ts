/** The types of entries in the changes of an organization, as the parameter `types` names them. */
export const CHANGE_TYPES = [
  'positions',
  'states',
  ...(['objects', 'geofences', 'routes', 'sites'] as const),
] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Where a reader of changes starts. */
export const CHANGES_FROM = ['snapshot', 'history', 'now'] as const
export type ChangesFrom = (typeof CHANGES_FROM)[number]
