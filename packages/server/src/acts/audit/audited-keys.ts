import { passedOn } from '../../base/domain/common/passed-on.ts'
import type { Credential } from '../../base/domain/credential.ts'
import { type KeyScope, scopeDocument } from '../../base/domain/key-scope.ts'
import { DEPLOYMENT, type RoutingRule } from '../../base/domain/routing-rule.ts'
import type { NotedEntry } from '../../engine/store/audit-store.ts'
import type {
  ApiKeyStore,
  Assigned,
  KeyStore,
  LinkStore,
  RoutingStore,
} from '../../engine/store/key-store.ts'
import { type Changes, changedSettings, type EntryOf, givenSettings } from './entry.ts'

/*
 * The audited acts on keys and tokens, and on the routing of idents.
 */

/** Audits issuing, revoking and rotating, never the secret. `noun`: `key` in `key.issue`. */
export function auditedKeys(
  keys: KeyStore,
  noun: 'key' | 'feed_token' | 'deployment_token' | 'link',
  entryOf: EntryOf,
): KeyStore {
  const entry = (
    action: 'issue' | 'rotate' | 'revoke',
    { organization, name }: Credential,
    target: number,
    changes?: Changes | null,
  ) =>
    entryOf(`${noun}.${action}`, {
      organization: organization === DEPLOYMENT ? null : organization,
      ...{ target, name, changes: changes ?? null },
    })
  return {
    ...passedOn(keys, ['find', 'list', 'active', 'all', 'touch']),
    issue: (organization, key, now) =>
      keys.issue(organization, key, now, (issued) => {
        const scenario = issued.scenario && { scenario: { to: issued.scenario } }
        const client = issued.client && { client: { to: issued.client } }
        const way = issued.waySince !== null && { shows_way: { to: true } }
        const changes = { ...scenario, ...client, ...way, ...changesOf(NOTHING, issued) }
        const isPlain = Object.keys(changes).length === 0
        return entry('issue', issued, issued.id, isPlain ? null : changes)
      }),
    revoke: (organization, key, now) =>
      keys.revoke(organization, key, now, (revoked) => entry('revoke', revoked, key)),
    rotate: (organization, key, replacement, oldExpiresAt, now) =>
      keys.rotate(organization, key, replacement, oldExpiresAt, now, (issued) =>
        entry('rotate', issued, key, { id: { from: key, to: issued.id } }),
      ),
  }
}

/** Audits changes of scopes and disclosees too. */
export function auditedApiKeys(keys: ApiKeyStore, entryOf: EntryOf): ApiKeyStore {
  return {
    ...passedOn(keys, ['disclosees']),
    ...auditedKeys(keys, 'key', entryOf),
    update: (organization, target, patch, now) =>
      keys.update(organization, target, patch, now, (after, before) => {
        const { name } = after
        const changes = changesOf(before, after)
        return changes && entryOf('key.update', { organization, target, name, changes })
      }),
  }
}

export function auditedLinks(links: LinkStore, entryOf: EntryOf): LinkStore {
  return { ...passedOn(links, ['purge', 'trim']), ...auditedKeys(links, 'link', entryOf) }
}

const NO_SCOPE: KeyScope = { operations: null, grants: null, windowShare: null }
/** A document has only some of them. */
const NO_LIMITS = {
  objects: null,
  data_from: null,
  data_until: null,
  attributes: null,
  grants: null,
}

type Opened = Pick<Credential, 'scope' | 'recipient' | 'purpose'>
const NOTHING: Opened = { scope: null, recipient: null, purpose: null }

function changesOf(before: Opened, after: Opened): Changes | null {
  const [from, to] = [before, after].map(({ scope, recipient, purpose }) => ({
    ...NO_LIMITS,
    ...scopeDocument(scope ?? NO_SCOPE)!,
    ...{ recipient, purpose },
  }))
  return changedSettings(Object.keys(from!), from!, to!)
}

/** Audits rules, and what operators do with idents. The feed's own work has no entries. */
export function auditedRouting(routing: RoutingStore, entryOf: EntryOf): RoutingStore {
  const ofRule = (
    action: 'create' | 'move' | 'delete',
    { id: target }: RoutingRule,
    changes: Changes | null = null,
  ) => entryOf(`routing_rule.${action}`, { organization: null, target, changes })
  return {
    ...passedOn(
      routing,
      ['owners', 'ownersOf', 'claim', 'settle', 'rules', 'noteMatches'],
      ['waiting', 'addWaiting'],
    ),
    assign: (assignment) =>
      routing.assign(assignment, (assigned) => assignedEntries(assigned, entryOf)),
    dismiss: (ident) =>
      routing.dismiss(ident, () => entryOf('ident.dismiss', { organization: null, name: ident })),
    addRule: (rule, before, now) =>
      routing.addRule(rule, before, now, (added) => ofRule('create', added, settingsOf(added))),
    moveRule: (id, before) =>
      routing.moveRule(id, before, (moved) => ofRule('move', moved, { before: { to: before } })),
    removeRule: (id) => routing.removeRule(id, (removed) => ofRule('delete', removed)),
  }
}

/** Each organization that owns the ident before or after learns of it, but not who the others are. */
function assignedEntries(
  { ident: name, given, released, kept }: Assigned,
  entryOf: EntryOf,
): NotedEntry[] {
  const added = given.filter(({ isNew }) => isNew).length
  const owners = { from: kept.length + released.length, to: kept.length + added }
  const isOwnedAlike = added + released.length === 0
  return [
    ...given
      .filter(({ isNew, object }) => isNew || object === null)
      .flatMap(({ organization, object: target }) =>
        entryOf('ident.assign', { organization, target, name }),
      ),
    ...released.flatMap((organization) => entryOf('ident.release', { organization, name })),
    ...(isOwnedAlike ? [] : kept).flatMap((organization) =>
      entryOf('ident.update', { organization, name, changes: { owners } }),
    ),
  ]
}

function settingsOf({ condition, attribute, anyOf, organizations, createObjects }: RoutingRule) {
  return givenSettings({
    ...{ condition, attribute },
    any_of: anyOf.length === 1 ? anyOf[0]! : `${anyOf.length} values`,
    organizations: organizations.join(', '),
    create_objects: createObjects,
  })
}
