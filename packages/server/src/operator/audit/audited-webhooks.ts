import type { Webhook } from '../../domain/webhook.ts'
import type { WebhookPatch, WebhookStore } from '../../store/webhook-store.ts'
import { changedSettings, type EntryOf } from './entry.ts'

/** Audits what operators do with webhooks. The path of a URL may hold a secret, so entries have its origin. */
export function auditedWebhooks(webhooks: WebhookStore, entryOf: EntryOf): WebhookStore {
  const about = ({ organization, id: target, url }: Webhook) => ({
    ...{ organization, target },
    name: new URL(url).origin,
  })

  /** The note of an action on a webhook that the action does not return. */
  async function noteOn(organization: number, id: number, action: 'delete' | 'test' | 'redeliver') {
    const found = await webhooks.find(organization, id)
    return () => found && entryOf(`webhook.${action}`, about(found))
  }

  return {
    ...webhooks,
    create: (organization, webhook, now) =>
      webhooks.create(organization, webhook, now, (created) =>
        entryOf('webhook.create', about(created)),
      ),
    update: (organization, id, patch, now) =>
      webhooks.update(organization, id, patch, now, (after, before) => {
        const changes = changedSettings(namedIn(patch), shown(before), shown(after))
        return [
          ...(patch.secret === undefined ? [] : entryOf('webhook.rotate', about(after))),
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

type Shown = { url: string; types: unknown; ids: unknown; from: string; on: boolean }

function shown({ url, types, ids, from, offAt }: Webhook): Shown {
  return { url: new URL(url).origin, types, ids, from, on: offAt === null }
}

function namedIn(patch: WebhookPatch): (keyof Shown)[] {
  const settings = (['url', 'types', 'ids', 'from'] as const).filter((key) => key in patch)
  return 'offAt' in patch ? [...settings, 'on'] : settings
}
