import type { Webhook } from '../../../domain/webhook.ts'
import { isMended, listText, patched, WEBHOOK_COLUMNS, webhookOf } from '../../webhook-rows.ts'
import type { NewWebhook, WebhookStore } from '../../webhook-store.ts'
import type { Noted } from '../audit.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { deliveryStore } from './deliveries.ts'
import { leaseStore } from './leases.ts'

export function webhookStore(
  database: Database,
  changes: TopicChanges,
  noted: Noted,
): WebhookStore {
  const { reader, writer } = database
  const list = reader.prepare(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = ? ORDER BY id`,
  )
  const one = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = ? AND id = ?`
  const find = reader.prepare(one)

  const existing = writer.prepare(one)
  const insert = writer.prepare(`
    INSERT INTO webhooks
      (organization, url, types, ids, starts_from, secret, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
    RETURNING ${WEBHOOK_COLUMNS}
  `)
  const update = writer.prepare(`
    UPDATE webhooks SET url = ?, types = ?, ids = ?, starts_from = ?, secret = ?, old_secret = ?,
      old_secret_until = ?, off_at = ?, off_reason = ?, restarts = ?, updated_at = ?
    WHERE id = ?
  `)
  const tryAtOnce = writer.prepare(`
    UPDATE webhook_deliveries SET failing_since = NULL, next_try_at = NULL
    WHERE webhook = ? AND delivered_at IS NULL
  `)
  const remove = writer.prepare('DELETE FROM webhooks WHERE organization = ? AND id = ?')

  return {
    create: (organization, webhook, now, note) =>
      database.write(() => {
        const { url, types, ids, from, secret }: NewWebhook = webhook
        const lists = [listText(types), listText(ids)]
        const row = insert.get(organization, url, ...lists, from, secret, now)
        changes.record(organization, ['webhooks'])
        return noted(webhookOf(row!), note)
      }),
    async list(organization) {
      return database.read(() => list.all(organization).map(webhookOf))
    },
    async find(organization, webhook) {
      return database.read(() => {
        const row = find.get(organization, webhook)
        return row === undefined ? null : webhookOf(row)
      })
    },
    update: (organization, webhook, patch, now, note) =>
      database.write(() => {
        const row = existing.get(organization, webhook)
        if (row === undefined) return null
        const before = webhookOf(row)
        const after = patched(before, patch, now)
        update.run(...values(after), webhook)
        if (isMended(before, after)) tryAtOnce.run(webhook)
        changes.record(organization, ['webhooks'])
        return noted(after, note, before)
      }),
    delete: (organization, webhook, note) =>
      database.write(() => {
        if (remove.run(organization, webhook).changes === 0) return false
        changes.record(organization, ['webhooks'])
        return noted(true, note)
      }),
    ...deliveryStore(database, changes, noted),
    ...leaseStore(database),
  }
}

function values(webhook: Webhook) {
  const { url, types, ids, from, secret, oldSecret, oldSecretUntil } = webhook
  const { offAt, offReason, restarts, updatedAt } = webhook
  const settings = [url, listText(types), listText(ids), from, secret, oldSecret, oldSecretUntil]
  return [...settings, offAt, offReason, Number(restarts), updatedAt]
}
