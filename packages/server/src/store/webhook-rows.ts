import type { Delivery, Webhook } from '../domain/webhook.ts'
import type { WebhookPatch } from './webhook-store.ts'

/** The columns of `webhooks` and `webhook_deliveries`, which are the same in all stores. */
export const WEBHOOK_COLUMNS = `
  id, organization, url, types, ids, include, starts_from AS "from", secret, old_secret AS "oldSecret",
  old_secret_until AS "oldSecretUntil", off_at AS "offAt", off_reason AS "offReason", restarts,
  created_at AS "createdAt", updated_at AS "updatedAt"`

const BESIDE_BODY = `
  number, kind, message, created_at AS "createdAt", cursor, entries, tries, tried_at AS "triedAt",
  status, failure, duration_ms AS "durationMs", delivered_at AS "deliveredAt",
  failing_since AS "failingSince", next_try_at AS "nextTryAt", is_wanted AS "isWanted"`

export const DELIVERY_COLUMNS = `${BESIDE_BODY}, body`
export const LISTED_COLUMNS = `${BESIDE_BODY}, NULL AS body`

/** A row of `WEBHOOK_COLUMNS`. */
export function webhookOf(row: object): Webhook {
  const { types, ids, include, restarts, secret, oldSecret, ...rest } = row as Webhook & {
    types: string | null
    ids: string | null
    include: string | null
  }
  return {
    ...rest,
    types: parsed(types),
    ids: parsed(ids),
    include: parsed(include),
    secret: Buffer.from(secret),
    oldSecret: oldSecret && Buffer.from(oldSecret),
    restarts: Boolean(restarts),
  }
}

/** A row of `DELIVERY_COLUMNS` or of `LISTED_COLUMNS`. */
export function deliveryOf(row: object): Delivery {
  const { isWanted, body, ...rest } = row as Delivery
  return { ...rest, body: body && Buffer.from(body), isWanted: Boolean(isWanted) }
}

/** The webhook after a patch. */
export function patched(before: Webhook, patch: WebhookPatch, now: number): Webhook {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  const after: Webhook = { ...before, ...given, updatedAt: now }
  return { ...after, restarts: before.restarts || !selectsSame(before, after) }
}

/** The stored form of types, ids or include. */
export function listText(list: readonly (string | number)[] | null): string | null {
  return list === null ? null : JSON.stringify(list)
}

function parsed<List>(text: string | null): List | null {
  return text === null ? null : (JSON.parse(text) as List)
}

/** Whether a webhook selects the same changes, in the same form, before and after an update. */
function selectsSame(before: Webhook, after: Webhook): boolean {
  const lists = ['types', 'ids', 'include'] as const
  return lists.every((name) => listText(before[name]) === listText(after[name]))
}

/** Whether the pending delivery may arrive now, though it did not before. */
export function isMended(before: Webhook, after: Webhook): boolean {
  return before.url !== after.url || (before.offAt !== null && after.offAt === null)
}
