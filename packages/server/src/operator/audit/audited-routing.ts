import type { RoutingRule } from '../../domain/routing.ts'
import type { RoutingStore } from '../../store/key-store.ts'
import { type Changes, type EntryOf, givenSettings } from './entry.ts'

/** Audits rules, and what operators do with idents. The feed's own work has no entries. */
export function auditedRouting(routing: RoutingStore, entryOf: EntryOf): RoutingStore {
  const ofRule = (
    action: 'create' | 'move' | 'delete',
    { id: target }: RoutingRule,
    changes: Changes | null = null,
  ) => entryOf(`routing_rule.${action}`, { organization: null, target, changes })
  return {
    ...routing,
    assign: (organization, assigned, now) =>
      routing.assign(organization, assigned, now, ({ id: target }) =>
        entryOf('ident.assign', { organization, target, name: assigned.ident }),
      ),
    release: (organization, ident) =>
      routing.release(organization, ident, () =>
        entryOf('ident.release', { organization, name: ident }),
      ),
    dismiss: (ident) =>
      routing.dismiss(ident, () => entryOf('ident.dismiss', { organization: null, name: ident })),
    addRule: (rule, before, now) =>
      routing.addRule(rule, before, now, (added) => ofRule('create', added, settingsOf(added))),
    moveRule: (id, before) =>
      routing.moveRule(id, before, (moved) => ofRule('move', moved, { before: { to: before } })),
    removeRule: (id) => routing.removeRule(id, (removed) => ofRule('delete', removed)),
  }
}

function settingsOf({ condition, attribute, anyOf, organizations, createObjects }: RoutingRule) {
  return givenSettings({
    ...{ condition, attribute },
    any_of: anyOf.length === 1 ? anyOf[0]! : `${anyOf.length} values`,
    organizations: organizations.join(', '),
    create_objects: createObjects,
  })
}
