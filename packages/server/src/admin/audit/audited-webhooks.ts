import type { Webhook } from '../../domain/webhook.ts'
import type { WebhookPatch, WebhookStore } from '../../store/webhook-store.ts'
import { changedSettings, type Note } from './note.ts'

/** Audits what operators do with webhooks. The path of a URL may hold a secret, so entries have its origin. */
export function auditedWebhooks(webhooks: WebhookStore, note: Note): WebhookStore {
  async function noteFor(organization: number, target: number, deed: string): Promise<void> {
    const found = await webhooks.find(organization, target)
    const name = found && originOf(found)
    await note({ action: `webhook.${deed}`, organization, target, name })
  }

  return {
    ...webhooks,
    async create(organization, webhook, now) {
      const created = await webhooks.create(organization, webhook, now)
      const { id: target } = created
      await note({ action: 'webhook.create', organization, target, name: originOf(created) })
      return created
    },
    async update(organization, id, patch, now) {
      const before = await webhooks.find(organization, id)
      const after = await webhooks.update(organization, id, patch, now)
      if (before === null || after === null) return after
      const of = { organization, target: id, name: originOf(after) }
      if (patch.secret !== undefined) await note({ ...of, action: 'webhook.rotate' })
      const changes = changedSettings(namedIn(patch), shown(before), shown(after))
      if (changes !== null) await note({ ...of, action: 'webhook.update', changes })
      return after
    },
    async delete(organization, id) {
      const before = await webhooks.find(organization, id)
      const isDeleted = await webhooks.delete(organization, id)
      const name = before && originOf(before)
      if (isDeleted) await note({ action: 'webhook.delete', organization, target: id, name })
      return isDeleted
    },
    async addTest(organization, id, test) {
      const added = await webhooks.addTest(organization, id, test)
      if (added !== null) await noteFor(organization, id, 'test')
      return added
    },
    async want(organization, id, number) {
      const wanted = await webhooks.want(organization, id, number)
      if (wanted !== null) await noteFor(organization, id, 'redeliver')
      return wanted
    },
  }
}

function originOf({ url }: Webhook): string {
  return new URL(url).origin
}

type Shown = { url: string; types: unknown; ids: unknown; from: string; on: boolean }

function shown(webhook: Webhook): Shown {
  const { types, ids, from, offAt } = webhook
  return { url: originOf(webhook), types, ids, from, on: offAt === null }
}

function namedIn(patch: WebhookPatch): (keyof Shown)[] {
  const settings = (['url', 'types', 'ids', 'from'] as const).filter((key) => key in patch)
  return 'offAt' in patch ? [...settings, 'on'] : settings
}
