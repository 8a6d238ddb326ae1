import { KEPT_DELIVERIES, type NewDelivery, pendingOf } from '../../../domain/webhook.ts'
import { DELIVERY_COLUMNS, deliveryOf, LISTED_COLUMNS } from '../../webhook-rows.ts'
import type { WebhookStore } from '../../webhook-store.ts'
import type { Noted } from '../audit.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'

type DeliveryStore = Pick<
  WebhookStore,
  'newest' | 'deliveries' | 'wanted' | 'add' | 'addTest' | 'want' | 'note' | 'advance'
>

const OF_WEBHOOK = 'FROM webhook_deliveries WHERE organization = ?1 AND webhook = ?2'
const NEWEST = `
  SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND kind <> 'test' ORDER BY number DESC LIMIT 1`

export function deliveryStore(
  database: Database,
  changes: TopicChanges,
  noted: Noted,
): DeliveryStore {
  const { reader, writer } = database
  const newest = reader.prepare(NEWEST)
  const listed = reader.prepare(`SELECT ${LISTED_COLUMNS} ${OF_WEBHOOK} ORDER BY number DESC`)
  const wanted = reader.prepare(
    `SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND is_wanted = 1 ORDER BY number`,
  )

  const exists = writer.prepare('SELECT 1 FROM webhooks WHERE organization = ? AND id = ?')
  const newestWritten = writer.prepare(NEWEST)
  const insert = writer.prepare(`
    INSERT INTO webhook_deliveries
      (organization, webhook, number, kind, message, created_at, cursor, entries, body, is_wanted)
    SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9
    FROM webhook_deliveries WHERE webhook = ?2
    RETURNING ${DELIVERY_COLUMNS}
  `)
  const started = writer.prepare('UPDATE webhooks SET restarts = 0 WHERE id = ?')
  const trim = writer.prepare(`
    DELETE FROM webhook_deliveries WHERE webhook = ?1 AND number <= ?2 AND number <> (
      SELECT max(number) FROM webhook_deliveries WHERE webhook = ?1 AND kind <> 'test'
    )
  `)
  const want = writer.prepare(`
    UPDATE webhook_deliveries SET is_wanted = 1
    WHERE organization = ? AND webhook = ? AND number = ? AND body IS NOT NULL
    RETURNING ${DELIVERY_COLUMNS}
  `)
  const note = writer.prepare(`
    UPDATE webhook_deliveries SET tries = tries + 1, tried_at = ?4, status = ?5, failure = ?6,
      duration_ms = ?7, failing_since = ?8, next_try_at = ?9, is_wanted = 0,
      delivered_at = coalesce(delivered_at, ?10)
    WHERE organization = ?1 AND webhook = ?2 AND number = ?3
  `)
  const advance = writer.prepare(`
    UPDATE webhook_deliveries SET cursor = ?4
    WHERE organization = ?1 AND webhook = ?2 AND number = ?3
  `)

  const optional = (row: object | undefined) => (row === undefined ? null : deliveryOf(row))

  function insertRow(organization: number, webhook: number, delivery: NewDelivery) {
    const { kind, message, createdAt, cursor, entries, body } = delivery
    const values = [kind, message, createdAt, cursor, entries, body, Number(kind === 'test')]
    const added = deliveryOf(insert.get(organization, webhook, ...values)!)
    trim.run(webhook, added.number - KEPT_DELIVERIES)
    return added
  }

  return {
    async newest(organization, webhook) {
      return database.read(() => optional(newest.get(organization, webhook)))
    },
    async deliveries(organization, webhook) {
      return database.read(() => listed.all(organization, webhook).map(deliveryOf))
    },
    async wanted(organization, webhook) {
      return database.read(() => wanted.all(organization, webhook).map(deliveryOf))
    },
    add: (organization, webhook, after, delivery) =>
      database.write(() => {
        if (exists.get(organization, webhook) === undefined) return null
        const last = optional(newestWritten.get(organization, webhook))
        if ((last?.number ?? 0) !== after || pendingOf(last) !== null) return null
        if (delivery.kind === 'resync' || after === 0) started.run(webhook)
        return insertRow(organization, webhook, delivery)
      }),
    addTest: (organization, webhook, test, note) =>
      database.write(() => {
        if (exists.get(organization, webhook) === undefined) return null
        changes.record(organization, ['webhooks'])
        return noted(insertRow(organization, webhook, test), note)
      }),
    want: (organization, webhook, number, note) =>
      database.write(() => {
        const found = optional(want.get(organization, webhook, number))
        if (found === null) return null
        changes.record(organization, ['webhooks'])
        return noted(found, note)
      }),
    async note(organization, webhook, number, tried) {
      const { triedAt, status, failure, durationMs, failingSince, nextTryAt, isDelivered } = tried
      const result = [triedAt, status, failure, durationMs, failingSince, nextTryAt]
      const deliveredAt = isDelivered ? triedAt : null
      await database.write(() => note.run(organization, webhook, number, ...result, deliveredAt))
    },
    async advance(organization, webhook, number, cursor) {
      await database.write(() => advance.run(organization, webhook, number, cursor))
    },
  }
}
