/**
 * Citus and YugabyteDB can distribute the schema over several servers. Each server then has these tables
 * whole (Citus: `create_reference_table`).
 */
export const REFERENCE_TABLES = [
  'deployment',
  'change_epoch',
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
  'webhooks',
  'webhook_leases',
  'record_leases',
] as const

/** These are distributed by their column `organization` (`create_distributed_table`), which every statement names. */
export const DISTRIBUTED_TABLES = [
  'sequences',
  'objects',
  'object_states',
  'positions',
  'counter_shifts',
  'change_log',
  'object_rejects',
  'geofences',
  'routes',
  'sites',
  'quota_counts',
  'usage',
  'new_objects',
  'refused_idents',
  'webhook_deliveries',
  'records',
  'record_progress',
  'record_tails',
  'record_tasks',
  'coverage_states',
  'coverage_days',
  'reject_counts',
] as const
