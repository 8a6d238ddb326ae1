import { isDeepStrictEqual } from 'node:util'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import type { ITEM_NOUNS, ItemTopic } from '../../base/domain/item-rules.ts'
import { originOf, type Webhook } from '../../base/domain/webhook.ts'
import type {
  AttributeStore,
  Attributes,
  ItemStore,
  PutOutcome,
  SavedMappingStore,
} from '../../engine/store/item-store.ts'
import type { OrganizationStore } from '../../engine/store/store.ts'
import type { WebhookPatch, WebhookStore } from '../../engine/store/webhook-store.ts'
import {
  type Changes,
  changedSettings,
  type Descriptions,
  type EntryOf,
  givenSettings,
} from './entry.ts'

/*
 * The audited acts on organizations, on their items and on their webhooks.
 */

/** Audits creations, updates and deletions. */
export function auditedOrganizations(
  organizations: OrganizationStore,
  entryOf: EntryOf,
): OrganizationStore {
  const about = (id: number, name: string | null) => ({ organization: id, target: id, name })
  return {
    ...passedOn(organizations, ['list', 'find', 'versions']),
    create: (settings, now) =>
      organizations.create(settings, now, ({ id, name }) =>
        entryOf('organization.create', about(id, name)),
      ),
    update: (id, patch, now) =>
      organizations.update(id, patch, now, (after, before) => {
        const changes = changedSettings(Object.keys(patch), before, after)
        return changes && entryOf('organization.update', { ...about(id, after.name), changes })
      }),
    async delete(id) {
      const { name = null } = (await organizations.find(id)) ?? {}
      return organizations.delete(id, () => entryOf('organization.delete', about(id, name)))
    },
  }
}

/** Audits that operators rename or delete mappings. An import that saves one has an entry of its own. */
export function auditedMappings(mappings: SavedMappingStore, entryOf: EntryOf): SavedMappingStore {
  const nameOf = async (organization: number, target: number) =>
    (await mappings.list(organization)).find(({ id }) => id === target)?.name ?? null
  return {
    ...passedOn(mappings, ['list', 'put']),
    async rename(organization, target, name) {
      const from = await nameOf(organization, target)
      if (from === name) return true
      return mappings.rename(organization, target, name, () =>
        entryOf('mapping.update', {
          ...{ organization, target, name },
          changes: { name: { from, to: name } },
        }),
      )
    },
    async delete(organization, target) {
      const name = await nameOf(organization, target)
      return mappings.delete(organization, target, () =>
        entryOf('mapping.delete', { organization, target, name }),
      )
    },
  }
}

/** Audits changes of catalogues of attributes. Several at once are one action with the names. */
export function auditedAttributes(attributes: AttributeStore, entryOf: EntryOf): AttributeStore {
  return {
    ...passedOn(attributes, ['list']),
    change: (organization, change) =>
      attributes.change(organization, change, (after, before) => {
        const { added, changed, removed } = differences(before, after)
        const [name = null, ...others] = [...added, ...changed, ...removed]
        if (others.length > 0) {
          const changes = givenSettings({ added, changed, removed })
          return entryOf('attributes.update', { organization, changes })
        }
        if (added.length > 0) return entryOf('attribute.create', { organization, name })
        if (removed.length > 0) return entryOf('attribute.delete', { organization, name })
        const [from, to] = [before, after].map(
          (entries) => entries.find((each) => each.name === name)!,
        )
        const changes = changedSettings(Object.keys(to!), from!, to!)
        return entryOf('attribute.update', { organization, name, changes })
      }),
  }
}

function differences(before: Attributes, after: Attributes) {
  const old = new Map(before.map((entry) => [entry.name, entry]))
  const kept = new Set(after.map(({ name }) => name))
  const isChanged = (entry: Attributes[number]) => !isDeepStrictEqual(old.get(entry.name), entry)
  const namesOf = (entries: Attributes) => entries.map(({ name }) => name)
  return {
    added: namesOf(after.filter(({ name }) => !old.has(name))),
    changed: namesOf(after.filter((entry) => old.has(entry.name) && isChanged(entry))),
    removed: namesOf(before.filter(({ name }) => !kept.has(name))),
  }
}

/** `noun`: the beginning of the actions, such as `object` in `object.update`. */
type Kind<Settings> = {
  noun: (typeof ITEM_NOUNS)[ItemTopic]
  descriptions?: Descriptions<Settings>
}

/**
 * Audits puts, updates and deletions. Several entries put together, as by an import, are one action with
 * the numbers of created, updated and unchanged items.
 */
export function auditedItems<
  Item extends Settings & { name: string },
  Settings extends { name: string },
>(
  items: ItemStore<Item, Settings>,
  { noun, descriptions }: Kind<Settings>,
  entryOf: EntryOf,
): ItemStore<Item, Settings> {
  return {
    ...passedOn(items, ['list', 'pages', 'find', 'named']),
    put: (organization, entries, now) =>
      items.put(organization, entries, now, (outcomes) => {
        const changes = counted(outcomes)
        if (changes === null) return null
        if (outcomes.length > 1) return entryOf(`${noun}.import`, { organization, changes })
        const { outcome, id: target } = outcomes[0] as Changed
        const act = outcome === 'created' ? 'create' : 'update'
        return entryOf(`${noun}.${act}`, { organization, target, name: entries[0]!.name })
      }),
    update: (organization, target, patch, now) =>
      items.update(organization, target, patch, now, (after, before) => {
        const changes = changedSettings<Settings>(Object.keys(patch), before, after, descriptions)
        const about = { organization, target, name: after.name, changes }
        return changes && entryOf(`${noun}.update`, about)
      }),
    async delete(organization, target) {
      const { name = null } = (await items.find(organization, target)) ?? {}
      return items.delete(organization, target, () =>
        entryOf(`${noun}.delete`, { organization, target, name }),
      )
    },
  }
}

type Changed = Extract<PutOutcome, { id: number }>

/** Null if nothing changed. */
function counted(outcomes: readonly PutOutcome[]): Changes | null {
  const count = (sort: PutOutcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === sort).length
  const [created, updated] = [count('created'), count('updated')]
  if (created + updated === 0) return null
  return {
    created: { to: created },
    updated: { to: updated },
    unchanged: { to: count('unchanged') },
  }
}

/** Audits what operators do with webhooks. The path of a URL may hold a secret, so entries have its origin. */
export function auditedWebhooks(webhooks: WebhookStore, entryOf: EntryOf): WebhookStore {
  const about = ({ organization, id: target, url }: Webhook) => ({
    ...{ organization, target },
    name: originOf(url),
  })

  /** The note of an action on a webhook that the action does not return. */
  async function noteOn(organization: number, id: number, action: 'delete' | 'test' | 'redeliver') {
    const found = await webhooks.find(organization, id)
    return () => found && entryOf(`webhook.${action}`, about(found))
  }

  return {
    ...passedOn(
      webhooks,
      ['list', 'find', 'organizations', 'lease', 'release', 'newest', 'deliveries'],
      ['wanted', 'add', 'note', 'advance', 'forget'],
    ),
    create: (organization, webhook, now) =>
      webhooks.create(organization, webhook, now, (created) =>
        entryOf('webhook.create', { ...about(created), changes: givenSettings(shown(created)) }),
      ),
    update: (organization, id, patch, now) =>
      webhooks.update(organization, id, patch, now, (after, before) => {
        const changes = changedSettings(namedIn(patch), shown(before), shown(after))
        return [
          ...(patch.secret === undefined ? [] : entryOf(secretAction(after), about(after))),
          ...(changes === null ? [] : entryOf('webhook.update', { ...about(after), changes })),
        ]
      }),
    delete: async (organization, id) =>
      webhooks.delete(organization, id, await noteOn(organization, id, 'delete')),
    addTest: async (organization, id, test) =>
      webhooks.addTest(organization, id, test, await noteOn(organization, id, 'test')),
    want: async (organization, id, number) =>
      webhooks.want(organization, id, number, await noteOn(organization, id, 'redeliver')),
  }
}

/** A relay has credentials in place of a secret. */
function secretAction({ form }: Webhook) {
  return form === 'changes' ? 'webhook.rotate' : 'webhook.credentials'
}

type Shown = Pick<
  Webhook,
  'form' | 'url' | 'types' | 'grants' | 'ids' | 'include' | 'from' | 'recipient' | 'purpose'
> & {
  on: boolean
}

function shown({ url, offAt, ...webhook }: Webhook): Shown {
  const { form, types, grants, ids, include, from, recipient, purpose } = webhook
  const settings = { form, types, grants, ids, include, from, recipient, purpose }
  return { url: originOf(url), ...settings, on: offAt === null }
}

function namedIn(patch: WebhookPatch): (keyof Shown)[] {
  const named = [
    ...(['url', 'types', 'grants', 'ids', 'include', 'from', 'recipient', 'purpose'] as const),
  ]
  const settings = named.filter((key) => key in patch)
  return 'offAt' in patch ? [...settings, 'on'] : settings
}
