import type { Webhook } from '../../domain/webhook.ts'
import { isMended, listText, patched, WEBHOOK_COLUMNS, webhookOf } from '../webhook-rows.ts'
import type { WebhookStore } from '../webhook-store.ts'
import { noted } from './audit.ts'
import { deliveryStore } from './deliveries.ts'
import { webhookLeases } from './leases.ts'
import { inExisting, type Tables, type Value } from './sql.ts'

const LIST = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 ORDER BY id`
const FIND = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 AND id = $2`
const INSERT = `
  INSERT INTO webhooks
    (organization, url, types, ids, include, starts_from, secret, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
  RETURNING ${WEBHOOK_COLUMNS}`
const UPDATE = `
  UPDATE webhooks SET url = $3, types = $4, ids = $5, include = $6, starts_from = $7,
    secret = $8, old_secret = $9, old_secret_until = $10, off_at = $11, off_reason = $12,
    restarts = $13, updated_at = $14
  WHERE organization = $1 AND id = $2`
const TRY_AT_ONCE = `
  UPDATE webhook_deliveries SET failing_since = NULL, next_try_at = NULL
  WHERE organization = $1 AND webhook = $2 AND delivered_at IS NULL`
const REMOVE = 'DELETE FROM webhooks WHERE organization = $1 AND id = $2'
const REMOVE_DELIVERIES = 'DELETE FROM webhook_deliveries WHERE organization = $1 AND webhook = $2'

export function webhookStore(tables: Tables): WebhookStore {
  const { read, change } = tables
  return {
    create: (organization, { url, types, ids, include, from, secret }, now, note) =>
      inExisting(tables, organization, function* (sql) {
        sql.changed('webhooks')
        const lists = [listText(types), listText(ids), listText(include)]
        const values = [organization, url, ...lists, from, secret, now]
        return yield* noted(sql, webhookOf((yield* sql.one(INSERT, values))!), note)
      }),
    async list(organization) {
      return (await read(({ all }) => all(LIST, [organization]))).map(webhookOf)
    },
    async find(organization, webhook) {
      const row = await read(({ one }) => one(FIND, [organization, webhook]))
      return row === undefined ? null : webhookOf(row)
    },
    update: (organization, webhook, patch, now, note) =>
      change(organization, function* (sql) {
        const row = yield* sql.one(FIND, [organization, webhook])
        if (row === undefined) return null
        const before = webhookOf(row)
        const after = patched(before, patch, now)
        sql.run(UPDATE, [organization, webhook, ...values(after)])
        if (isMended(before, after)) sql.run(TRY_AT_ONCE, [organization, webhook])
        sql.changed('webhooks')
        return yield* noted(sql, after, note, before)
      }),
    async delete(organization, webhook, note) {
      const deleted = await change(organization, function* (sql) {
        if ((yield* sql.count(REMOVE, [organization, webhook])) === 0) return false
        sql.run(REMOVE_DELIVERIES, [organization, webhook])
        sql.changed('webhooks')
        return yield* noted(sql, true, note)
      })
      return deleted === true
    },
    ...deliveryStore(tables),
    ...webhookLeases(tables),
  }
}

function values(webhook: Webhook): Value[] {
  const { url, types, ids, include, from, secret, oldSecret, oldSecretUntil } = webhook
  const { offAt, offReason, restarts, updatedAt } = webhook
  const lists = [listText(types), listText(ids), listText(include)]
  const secrets = [secret, oldSecret, oldSecretUntil]
  return [url, ...lists, from, ...secrets, offAt, offReason, restarts, updatedAt]
}
