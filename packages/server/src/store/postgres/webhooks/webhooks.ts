import type { Webhook } from '../../../domain/webhook.ts'
import { isMended, listText, patched, WEBHOOK_COLUMNS, webhookOf } from '../../webhook-rows.ts'
import type { WebhookStore } from '../../webhook-store.ts'
import { noted } from '../audit.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import type { OrganizationWrites } from '../items/organization-writes.ts'
import { deliveryStore } from './deliveries.ts'
import { leaseStore } from './leases.ts'

const LIST = statement(
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 ORDER BY id`,
)
const FIND = statement(
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 AND id = $2`,
)
const INSERT = statement(`
  INSERT INTO webhooks
    (organization, url, types, ids, starts_from, secret, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
  RETURNING ${WEBHOOK_COLUMNS}
`)
const UPDATE = statement(`
  UPDATE webhooks SET url = $1, types = $2, ids = $3, starts_from = $4, secret = $5,
    old_secret = $6, old_secret_until = $7, off_at = $8, off_reason = $9, restarts = $10,
    updated_at = $11
  WHERE organization = $12 AND id = $13
`)
const TRY_AT_ONCE = statement(`
  UPDATE webhook_deliveries SET failing_since = NULL, next_try_at = NULL
  WHERE organization = $1 AND webhook = $2 AND delivered_at IS NULL
`)
const REMOVE = statement('DELETE FROM webhooks WHERE organization = $1 AND id = $2')
const REMOVE_DELIVERIES = statement(
  'DELETE FROM webhook_deliveries WHERE organization = $1 AND webhook = $2',
)

export function webhookStore(database: Database, writes: OrganizationWrites): WebhookStore {
  return {
    async create(organization, { url, types, ids, from, secret }, now, note) {
      const created = await writes.write(organization, async (write) => {
        write.changed('webhooks')
        const values = [organization, url, listText(types), listText(ids), from, secret, now]
        return noted(write, webhookOf((await write.query(INSERT, values))[0]!), note)
      })
      if (created === null) throw new Error(`there is no organization ${organization}`)
      return created
    },
    async list(organization) {
      return (await database.query(LIST, [organization])).map(webhookOf)
    },
    async find(organization, webhook) {
      const [row] = await database.query(FIND, [organization, webhook])
      return row === undefined ? null : webhookOf(row)
    },
    update: (organization, webhook, patch, now, note) =>
      writes.write(organization, async (write) => {
        const [row] = await write.query(FIND, [organization, webhook])
        if (row === undefined) return null
        const before = webhookOf(row)
        const after = patched(before, patch, now)
        write.run(UPDATE, [...values(after), organization, webhook])
        if (isMended(before, after)) write.run(TRY_AT_ONCE, [organization, webhook])
        write.changed('webhooks')
        return noted(write, after, note, before)
      }),
    async delete(organization, webhook, note) {
      const deleted = await writes.write(organization, async (write) => {
        const count = await write.run(REMOVE, [organization, webhook])
        if (count === 0) return false
        write.run(REMOVE_DELIVERIES, [organization, webhook])
        write.changed('webhooks')
        return noted(write, true, note)
      })
      return deleted === true
    },
    ...deliveryStore(database, writes),
    ...leaseStore(database),
  }
}

function values(webhook: Webhook) {
  const { url, types, ids, from, secret, oldSecret, oldSecretUntil } = webhook
  const { offAt, offReason, restarts, updatedAt } = webhook
  const settings = [url, listText(types), listText(ids), from, secret, oldSecret, oldSecretUntil]
  return [...settings, offAt, offReason, restarts, updatedAt]
}
