import { KEPT_DELIVERIES, type NewDelivery, pendingOf } from '../../../domain/webhook.ts'
import { DELIVERY_COLUMNS, deliveryOf, LISTED_COLUMNS } from '../../webhook-rows.ts'
import type { WebhookStore } from '../../webhook-store.ts'
import { noted } from '../audit.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import type { OrganizationWrite, OrganizationWrites } from '../items/organization-writes.ts'

type DeliveryStore = Pick<
  WebhookStore,
  'newest' | 'deliveries' | 'wanted' | 'add' | 'addTest' | 'want' | 'note' | 'advance'
>

const OF_WEBHOOK = 'FROM webhook_deliveries WHERE organization = $1 AND webhook = $2'
const NEWEST = statement(
  `SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND kind <> 'test' ORDER BY number DESC LIMIT 1`,
)
const LISTED = statement(`SELECT ${LISTED_COLUMNS} ${OF_WEBHOOK} ORDER BY number DESC`)
const WANTED = statement(`SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND is_wanted ORDER BY number`)

const EXISTS = statement('SELECT id FROM webhooks WHERE organization = $1 AND id = $2')
const LAST = statement(`SELECT coalesce(max(number), 0) AS last ${OF_WEBHOOK}`)
const INSERT = statement(`
  INSERT INTO webhook_deliveries
    (organization, webhook, number, kind, message, created_at, cursor, entries, body, is_wanted)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  RETURNING ${DELIVERY_COLUMNS}
`)
const STARTED = statement(
  'UPDATE webhooks SET restarts = false WHERE organization = $1 AND id = $2',
)
const TRIM = statement(`
  DELETE FROM webhook_deliveries
  WHERE organization = $1 AND webhook = $2 AND number <= $3 AND number <> (
    SELECT max(number) ${OF_WEBHOOK} AND kind <> 'test'
  )
`)
const WANT = statement(`
  UPDATE webhook_deliveries SET is_wanted = true
  WHERE organization = $1 AND webhook = $2 AND number = $3 AND body IS NOT NULL
  RETURNING ${DELIVERY_COLUMNS}
`)
const NOTE = statement(`
  UPDATE webhook_deliveries SET tries = tries + 1, tried_at = $4, status = $5, failure = $6,
    duration_ms = $7, failing_since = $8, next_try_at = $9, is_wanted = false,
    delivered_at = coalesce(delivered_at, $10)
  WHERE organization = $1 AND webhook = $2 AND number = $3
`)
const ADVANCE = statement(`
  UPDATE webhook_deliveries SET cursor = $4
  WHERE organization = $1 AND webhook = $2 AND number = $3
`)

export function deliveryStore(database: Database, writes: OrganizationWrites): DeliveryStore {
  return {
    async newest(...webhook) {
      return firstOf(await database.query(NEWEST, webhook))
    },
    async deliveries(...webhook) {
      return (await database.query(LISTED, webhook)).map(deliveryOf)
    },
    async wanted(...webhook) {
      return (await database.query(WANTED, webhook)).map(deliveryOf)
    },
    add: (organization, webhook, after, delivery) =>
      writes.write(organization, async (write) => {
        const of = [organization, webhook]
        const [found, newest] = await Promise.all([
          write.query(EXISTS, of),
          write.query(NEWEST, of),
        ])
        const last = firstOf(newest)
        if (found.length === 0 || pendingOf(last) !== null) return null
        if ((last?.number ?? 0) !== after) return null
        if (delivery.kind === 'resync' || after === 0) write.run(STARTED, of)
        return insert(write, webhook, delivery)
      }),
    addTest: (organization, webhook, test, note) =>
      writes.write(organization, async (write) => {
        const found = await write.query(EXISTS, [organization, webhook])
        if (found.length === 0) return null
        write.changed('webhooks')
        return noted(write, await insert(write, webhook, test), note)
      }),
    want: (organization, webhook, number, note) =>
      writes.write(organization, async (write) => {
        const found = firstOf(await write.query(WANT, [organization, webhook, number]))
        if (found === null) return null
        write.changed('webhooks')
        return noted(write, found, note)
      }),
    async note(organization, webhook, number, tried) {
      const { triedAt, status, failure, durationMs, failingSince, nextTryAt, isDelivered } = tried
      const result = [triedAt, status, failure, durationMs, failingSince, nextTryAt]
      const values = [organization, webhook, number, ...result, isDelivered ? triedAt : null]
      await database.run(NOTE, values)
    },
    async advance(organization, webhook, number, cursor) {
      await database.run(ADVANCE, [organization, webhook, number, cursor])
    },
  }
}

/** The organization is locked, so nobody else adds a delivery with the same number. */
async function insert(write: OrganizationWrite, webhook: number, delivery: NewDelivery) {
  const { organization } = write
  const { kind, message, createdAt, cursor, entries, body } = delivery
  const [{ last }] = (await write.query<{ last: number }>(LAST, [organization, webhook])) as [
    { last: number },
  ]
  const values = [kind, message, createdAt, cursor, entries, body, kind === 'test']
  const adding = write.query(INSERT, [organization, webhook, last + 1, ...values])
  write.run(TRIM, [organization, webhook, last + 1 - KEPT_DELIVERIES])
  return deliveryOf((await adding)[0]!)
}

function firstOf(rows: object[]) {
  return rows[0] === undefined ? null : deliveryOf(rows[0])
}
