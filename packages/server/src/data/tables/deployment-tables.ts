import { leaseTable, type Table, TIMES, TOKENS } from './table.ts'

/* The tables of webhooks, people, routing and logs. */

/** Webhooks, their deliveries, and the leases of the processes that deliver. */
export const WEBHOOKS: readonly Table[] = [
  {
    name: 'webhooks',
    columns: {
      id: 'int8',
      organization: 'int8',
      form: 'text',
      url: 'text',
      types: 'text?',
      grants: 'text?',
      disclosee: 'int8',
      ids: 'text?',
      include: 'text?',
      starts_from: 'text',
      secret: 'bytea?',
      old_secret: 'bytea?',
      old_secret_until: 'int8?',
      off_at: 'int8?',
      off_reason: 'text?',
      restarts: 'bool',
      ...TIMES,
    },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    defaults: ['restarts'],
    indexes: { webhooks_by_organization: '(organization)' },
  },
  {
    name: 'webhook_deliveries',
    columns: {
      organization: 'int8',
      webhook: 'int8',
      number: 'int8',
      kind: 'text',
      message: 'text',
      created_at: 'int8',
      cursor: 'text?',
      entries: 'int4',
      disclosed: 'text?',
      body: 'bytea?',
      tries: 'int4',
      tried_at: 'int8?',
      status: 'int4?',
      failure: 'text?',
      duration_ms: 'int8?',
      arrived: 'int4',
      delivered_at: 'int8?',
      failing_since: 'int8?',
      next_try_at: 'int8?',
      is_wanted: 'bool',
    },
    key: ['organization', 'webhook', 'number'],
    defaults: ['tries', 'arrived', 'is_wanted'],
    sqlite: {
      key: ['webhook', 'number'],
      references: { webhook: 'webhooks' },
      hasLongRows: true,
    },
  },
  leaseTable('webhook_leases'),
]

/** People, their roles, and their credentials. */
export const ACCESS: readonly Table[] = [
  /** There is one row. Changes of people or credentials lock it. The addresses are those of `PublicAddresses`. */
  {
    name: 'access_settings',
    columns: {
      ...{ id: 'int4', requires_totp: 'bool' },
      ...{ api_url: 'text?', console_url: 'text?', feed_url: 'text?' },
    },
    key: ['id'],
    isSingle: true,
  },
  /** `totp_step` is the time step of the last accepted code. `recovery_codes` is a JSON list of hashes. */
  {
    name: 'accounts',
    columns: {
      id: 'int8',
      email: 'text',
      name: 'text',
      created_at: 'int8',
      disabled_at: 'int8?',
      last_sign_in_at: 'int8?',
      password: 'text?',
      totp: 'text?',
      totp_step: 'int8?',
      recovery_codes: 'text?',
    },
    key: ['id'],
    ids: 'own',
    unique: ['email'],
  },
  {
    name: 'account_identities',
    columns: { issuer: 'text', subject: 'text', account: 'int8' },
    key: ['issuer', 'subject'],
    references: { account: 'accounts' },
    indexes: { identities_by_account: '(account)' },
    postgres: { bytewise: ['issuer', 'subject'] },
  },
  /** `organization` is 0 for a role of the deployment. */
  {
    name: 'account_roles',
    columns: { account: 'int8', organization: 'int8', is_from_sign_on: 'bool', role: 'text' },
    key: ['account', 'organization', 'is_from_sign_on'],
    references: { account: 'accounts' },
  },
  /** The columns are those of `AccessCredential`. */
  {
    name: 'access_credentials',
    columns: {
      id: 'int8',
      kind: 'text',
      name: 'text',
      hash: 'text',
      prefix: 'text',
      last_four: 'text',
      created_at: 'int8',
      expires_at: 'int8?',
      last_used_at: 'int8?',
      account: 'int8?',
      role: 'text?',
      organization: 'int8?',
      issued_by: 'int8?',
      issuer: 'int8?',
      is_sign_on: 'bool',
      sid: 'text?',
    },
    key: ['id'],
    ids: 'own',
    unique: ['hash'],
    references: { account: 'accounts', issued_by: 'accounts', issuer: 'access_credentials' },
    indexes: { credentials_by_account: '(account)' },
  },
  /** Attempts to sign in, by origin. */
  {
    name: 'sign_in_attempts',
    columns: { origin: 'text', failures: 'int8', at: 'int8', signed_in_at: 'int8?' },
    key: ['origin'],
    postgres: { bytewise: ['origin'] },
  },
]

/** The owners of idents, and what the deployment's feed tokens need (`key-store.ts`). */
export const ROUTING: readonly Table[] = [
  /** The unique index lets one organization be the first, if two claim an ident at once. */
  {
    name: 'ident_owners',
    columns: { ident: 'text', organization: 'int8', is_first: 'bool' },
    key: ['ident', 'organization'],
    of: 'organizations',
    defaults: ['is_first'],
    indexes: { ident_owners_by_organization: '(organization, ident)' },
    uniqueIndexes: { first_ident_owners: '(ident) WHERE is_first' },
    postgres: { bytewise: ['ident'] },
  },
  { name: 'deployment_tokens', columns: TOKENS, key: ['id'], ids: 'own', unique: ['hash'] },
  /** `any_of` and `organizations` are lists in JSON. */
  {
    name: 'routing_rules',
    columns: {
      ...{ id: 'int8', rank: 'int8', condition: 'text', attribute: 'text?', any_of: 'text' },
      ...{ organizations: 'text', create_objects: 'bool', created_at: 'int8' },
      ...{ placed_idents: 'int8', last_placed_at: 'int8?' },
    },
    key: ['id'],
    ids: 'own',
  },
  {
    name: 'waiting_idents',
    columns: {
      ...{ ident: 'text', format: 'text', packets: 'int8', first_at: 'int8', last_at: 'int8' },
      ...{ latitude: 'float8?', longitude: 'float8?' },
      ...{ device_name: 'text?', device_group: 'text?', rule: 'int8?' },
    },
    key: ['ident'],
    indexes: { waiting_idents_by_time: '(last_at, ident)' },
    postgres: { bytewise: ['ident'] },
  },
]

/** The audit log, the usage of the API, and disclosures. */
export const LOGS: readonly Table[] = [
  /** The subject of an entry may be deleted. */
  {
    name: 'audit_log',
    columns: {
      id: 'int8',
      at: 'int8',
      actor: 'text',
      action: 'text',
      organization: 'int8?',
      target: 'int8?',
      name: 'text?',
      changes: 'text?',
    },
    key: ['id'],
    ids: 'own',
    indexes: { audit_log_by_organization: '(organization, id)' },
  },
  /** The use of the API. */
  {
    name: 'usage',
    columns: {
      organization: 'int8',
      day: 'int4',
      key: 'int8',
      operation: 'text',
      status: 'int4',
      requests: 'int8',
    },
    key: ['organization', 'day', 'key', 'operation', 'status'],
    of: 'organizations',
    postgres: { bytewise: ['operation'], fillfactor: 70 },
  },
  /** The rows of each object in the answers to each reader, by its disclosee at that time (0: none) and the kind of data. */
  {
    name: 'disclosures',
    columns: {
      organization: 'int8',
      day: 'int4',
      source: 'text',
      reader: 'int8',
      object: 'int8',
      disclosee: 'int8',
      data: 'text',
      requests: 'int8',
      rows: 'int8',
    },
    key: ['organization', 'day', 'source', 'reader', 'object', 'disclosee', 'data'],
    of: 'organizations',
    postgres: { bytewise: ['source', 'data'], fillfactor: 70 },
  },
]
