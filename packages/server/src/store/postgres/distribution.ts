/**
 * How the tables lie where the schema is distributed over several servers, as Citus and YugabyteDB
 * can: these whole on each of them (Citus: `create_reference_table`) …
 */
export const REFERENCE_TABLES = [
  'deployment',
  'organizations',
  'api_keys',
  'feed_tokens',
  'changes',
  'ids',
  'purges',
  'refolds',
  'operator_password',
  'operator_credentials',
  'sign_in_attempts',
  'audit_log',
] as const

/** … and these by their column `organization` (`create_distributed_table`), which every statement names. */
export const DISTRIBUTED_TABLES = [
  'sequences',
  'objects',
  'object_states',
  'positions',
  'counter_shifts',
  'object_rejects',
  'geofences',
  'routes',
  'sites',
  'quota_counts',
  'usage',
  'new_objects',
  'refused_idents',
] as const
