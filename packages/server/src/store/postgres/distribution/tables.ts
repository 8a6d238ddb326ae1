import { LIST_TOPICS } from '../../../domain/items.ts'

/** Citus has these tables whole on each server, because distributed tables refer to them (`create_reference_table`). */
export const REFERENCE_TABLES = ['organizations'] as const

/**
 * The coordinator alone has these tables, so that writes to them go on while a worker is down. Citus knows
 * them (`citus_add_local_table_to_metadata`): a transaction that writes to one of them and to a worker is
 * committed on both servers or on none.
 */
export const COORDINATOR_TABLES = [
  'grants',
  'api_keys',
  'feed_tokens',
  'ident_owners',
  'waiting_idents',
  'changes',
  'ids',
  'purges',
  'webhooks',
  'webhook_leases',
  'record_leases',
  'audit_log',
] as const

/** These stay as they are on the coordinator: no transaction writes to one of them and to a worker. */
export const UNTOUCHED_TABLES = [
  'deployment',
  'change_epoch',
  'access_settings',
  'accounts',
  'account_identities',
  'account_roles',
  'access_credentials',
  'sign_in_attempts',
  'deployment_tokens',
  'routing_rules',
] as const

/** These are distributed by their column `organization` (`create_distributed_table`), which every statement names. */
export const DISTRIBUTED_TABLES = [
  'sequences',
  'objects',
  'object_states',
  'positions',
  'position_blocks',
  'counter_shifts',
  'change_log',
  'object_rejects',
  ...LIST_TOPICS,
  'quota_counts',
  'usage',
  'disclosures',
  'new_objects',
  'refused_idents',
  'saved_mappings',
  'attributes',
  'refolds',
  'webhook_deliveries',
  'records',
  'record_progress',
  'record_tails',
  'record_tasks',
  'coverage_states',
  'coverage_days',
  'reject_counts',
] as const
