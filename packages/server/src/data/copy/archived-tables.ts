import { packEntries, unpackEntries } from '../../engine/store/change-entries.ts'
import type { Value } from './tuples.ts'

/*
 * The rows of an archive, table by table. A table that is not listed here aborts the copy.
 */

/** An organization, or, unless `object` is null, one object of it. */
export type Archived = { organization: number; object: number | null }

/** The ids and names to which rows of an archive refer. Those after `ownMembers` belong to an object. */
export type Referred = Archived & {
  /** The accounts with a role in the organization. */
  members: ReadonlySet<Value>
  /** The members to whom a person gave the role, not only single sign-on. */
  ownMembers: ReadonlySet<Value>
  ident: Value
  /** The names of its attributes. */
  attributes: ReadonlySet<Value>
  /** The places that it visited: `geofences 7`. */
  places: ReadonlySet<string>
  /** The recipients and purposes of its disclosures. */
  disclosees: ReadonlySet<Value>
}

export type Row = Readonly<Record<string, Value>>
/** The row as it is archived. Null: the archive leaves it out. */
export type Take = (row: Row, referred: Referred) => Row | null

/** The row as it is. */
export const all: Take = (row) => row
const none: Take = () => null
const those =
  (isTaken: (row: Row, referred: Referred) => boolean): Take =>
  (row, referred) =>
    isTaken(row, referred) ? row : null

const ofObject = those((row, { object }) => row.object === object)
const visited = (topic: string) => those(({ id }, { places }) => places.has(`${topic} ${id}`))

/** The row with the values of only these columns. A new column is NULL until it is listed. */
function only(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, columns.includes(name) ? value : null]),
  )
}

const NAMED = ['id', 'organization', 'name', 'prefix', 'last_four', 'created_at', 'expires_at']
const KEY = [...NAMED, 'revoked_at', 'last_used_at', 'scope', 'scenario', 'disclosee', 'client']

/** A text in place of the hash. No secret has this hash, because it is not base64url. */
const withoutSecret = (row: Row, columns: readonly string[]) => ({
  ...only(row, columns),
  hash: `archived ${row.id}`,
})
const key: Take = (row) => withoutSecret(row, [...KEY, 'requests', 'way_since'])

const TOKEN = [...NAMED, 'kind', 'last_used_at', 'role']
/** The tokens of the organization. Without the hash, nobody can sign in with them. */
const token: Take = (row, { organization }) =>
  row.kind === 'token' && row.organization === organization
    ? { ...withoutSecret(row, TOKEN), is_sign_on: 0 }
    : null

/** Without the addresses of the deployment. */
const settings: Take = (row) => only(row, ['id', 'requires_totp'])

const PERSON = ['id', 'email', 'name', 'created_at', 'disabled_at', 'last_sign_in_at']
const person: Take = (row, { members }) => (members.has(row.id!) ? only(row, PERSON) : null)

/** An archive has no identities: roles by single sign-on become roles by a person, who can take them back. */
const role: Take = (row, { organization, ownMembers }) => {
  if (row.organization !== organization) return null
  if (!row.is_from_sign_on) return row
  return ownMembers.has(row.account!) ? null : { ...row, is_from_sign_on: 0 }
}

const WEBHOOK = [
  ...['id', 'organization', 'form', 'url', 'types', 'grants', 'disclosee', 'ids', 'include'],
  ...['starts_from', 'off_at', 'off_reason', 'created_at', 'updated_at'],
]
/** It is off until somebody gives it a secret, and then begins with a resync: nobody can open its cursor. */
const webhook: Take = (row) => ({
  ...only(row, WEBHOOK),
  ...(row.off_at === null && { off_at: row.updated_at!, off_reason: 'operator' }),
  restarts: 1,
})
/** Without the body, which may have positions that were deleted since. One that did not arrive is not repeated. */
const delivery: Take = (row) =>
  row.delivered_at === null ? null : { ...row, cursor: null, body: null, is_wanted: 0 }

const rule: Take = (row, { organization }) =>
  JSON.parse(String(row.organizations)).includes(organization)
    ? { ...row, organizations: JSON.stringify([organization]) }
    : null

/** The whole log, so that no number is missing. Entries about other objects and places are left out. */
const change: Take = (row, { object, places }) => {
  const at = row.at as number
  const { items, attributes, retainedBefore, objects, records } = unpackEntries(
    row.entries as Uint8Array,
    at,
  )
  const isTaken = (topic: string, id: number) =>
    topic === 'objects' ? id === object : places.has(`${topic} ${id}`)
  const entries = {
    items: items.filter(({ topic, id }) => isTaken(topic, id)),
    objects: objects.filter((each) => each.object === object),
    records: records.filter((each) => each.object === object),
    ...{ attributes, retainedBefore },
  }
  return { ...row, entries: packEntries(entries, at) }
}

const OF_OBJECT = /^(object|positions|ident)\./

/** The rows of each table in the archive of an organization, and those in the archive of an object. */
export const ARCHIVED: Readonly<Record<string, readonly [Take, Take]>> = {
  organizations: [all, all],
  disclosees: [all, those(({ id }, { disclosees }) => disclosees.has(id!))],
  api_keys: [key, none],
  feed_tokens: [key, none],
  links: [key, none],
  ident_owners: [all, those((row, { ident }) => row.ident === ident)],
  changes: [all, all],
  sequences: [all, all],
  change_log: [all, change],
  records: [all, ofObject],
  ids: [
    all,
    those(({ kind, id }, { object, places }) =>
      kind === 'objects' ? id === object : places.has(`${kind} ${id}`),
    ),
  ],
  objects: [all, those(({ id }, { object }) => id === object)],
  erasures: [all, ofObject],
  object_states: [all, ofObject],
  counter_shifts: [all, ofObject],
  object_rejects: [all, ofObject],
  reject_counts: [all, ofObject],
  refused_idents: [all, none],
  saved_mappings: [all, none],
  attributes: [all, all],
  attribute_names: [
    all,
    (row, { attributes }) => (attributes.has(row.name!) ? { ...row, objects: 1 } : null),
  ],
  refolds: [all, ofObject],
  tracker_moves: [all, none],
  coverage_states: [all, all],
  coverage_days: [all, ofObject],
  geofences: [all, visited('geofences')],
  routes: [all, none],
  sites: [all, visited('sites')],
  quota_counts: [all, ofObject],
  disclosures: [all, ofObject],
  usage: [all, none],
  webhooks: [webhook, none],
  webhook_deliveries: [delivery, none],
  record_progress: [all, all],
  record_tails: [all, ofObject],
  record_tasks: [all, those(({ kind, id }, { object }) => kind !== 'object' || id === object)],
  access_settings: [settings, settings],
  accounts: [person, none],
  account_identities: [none, none],
  account_roles: [role, none],
  access_credentials: [token, none],
  sign_in_attempts: [none, none],
  audit_log: [
    those((row, { organization }) => row.organization === organization),
    those(
      ({ organization: owner, target, action }, { organization, object }) =>
        owner === organization && target === object && OF_OBJECT.test(String(action)),
    ),
  ],
  deployment_tokens: [none, none],
  routing_rules: [rule, none],
  /** No organization owns them. */
  waiting_idents: [none, none],
}
