import {
  type Delivery,
  KEPT_DELIVERIES,
  type NewDelivery,
  pendingOf,
} from '../../domain/webhook.ts'
import type { Work } from '../../tracking/work.ts'
import { DELIVERY_COLUMNS, deliveryOf, LISTED_COLUMNS } from '../webhook-rows.ts'
import type { WebhookStore } from '../webhook-store.ts'
import { noted } from './audit.ts'
import type { Sql, Tables, Value } from './sql.ts'

type DeliveryStore = Pick<
  WebhookStore,
  'newest' | 'deliveries' | 'wanted' | 'add' | 'addTest' | 'want' | 'note' | 'advance'
>

const OF_WEBHOOK = 'FROM webhook_deliveries WHERE organization = $1 AND webhook = $2'
const NEWEST = `
  SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND kind <> 'test' ORDER BY number DESC LIMIT 1`
const LISTED = `SELECT ${LISTED_COLUMNS} ${OF_WEBHOOK} ORDER BY number DESC`
const WANTED = `SELECT ${DELIVERY_COLUMNS} ${OF_WEBHOOK} AND is_wanted ORDER BY number`

const EXISTS = 'SELECT id FROM webhooks WHERE organization = $1 AND id = $2'
const LAST = `SELECT coalesce(max(number), 0) AS last ${OF_WEBHOOK}`
const INSERT = `
  INSERT INTO webhook_deliveries
    (organization, webhook, number, kind, message, created_at, cursor, entries, body, is_wanted)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  RETURNING ${DELIVERY_COLUMNS}`
const STARTED = 'UPDATE webhooks SET restarts = false WHERE organization = $1 AND id = $2'
const TRIM = `
  DELETE FROM webhook_deliveries
  WHERE organization = $1 AND webhook = $2 AND number <= $3 AND number <> (
    SELECT max(number) ${OF_WEBHOOK} AND kind <> 'test'
  )`
const OF_NUMBER = 'WHERE organization = $1 AND webhook = $2 AND number = $3'
const WANT = `
  UPDATE webhook_deliveries SET is_wanted = true ${OF_NUMBER} AND body IS NOT NULL
  RETURNING ${DELIVERY_COLUMNS}`
const NOTE = `
  UPDATE webhook_deliveries SET tries = tries + 1, tried_at = $4, status = $5, failure = $6,
    duration_ms = $7, failing_since = $8, next_try_at = $9, is_wanted = false,
    delivered_at = coalesce(delivered_at, $10)
  ${OF_NUMBER}`
const ADVANCE = `UPDATE webhook_deliveries SET cursor = $4 ${OF_NUMBER}`

export function deliveryStore({ read, write, change }: Tables): DeliveryStore {
  return {
    newest: (...webhook) => read((sql) => first(sql, NEWEST, webhook)),
    async deliveries(...webhook) {
      return (await read(({ all }) => all(LISTED, webhook))).map(deliveryOf)
    },
    async wanted(...webhook) {
      return (await read(({ all }) => all(WANTED, webhook))).map(deliveryOf)
    },
    add: (organization, webhook, after, delivery) =>
      change(organization, function* (sql) {
        const of = [organization, webhook]
        if ((yield* sql.one(EXISTS, of)) === undefined) return null
        const last = yield* first(sql, NEWEST, of)
        if (pendingOf(last) !== null || (last?.number ?? 0) !== after) return null
        if (delivery.kind === 'resync' || after === 0) sql.run(STARTED, of)
        return yield* insert(sql, of, delivery)
      }),
    addTest: (organization, webhook, test, note) =>
      change(organization, function* (sql) {
        const of = [organization, webhook]
        if ((yield* sql.one(EXISTS, of)) === undefined) return null
        sql.changed('webhooks')
        return yield* noted(sql, yield* insert(sql, of, test), note)
      }),
    want: (organization, webhook, number, note) =>
      change(organization, function* (sql) {
        const found = yield* first(sql, WANT, [organization, webhook, number])
        if (found === null) return null
        sql.changed('webhooks')
        return yield* noted(sql, found, note)
      }),
    async note(organization, webhook, number, tried) {
      const { triedAt, status, failure, durationMs, failingSince, nextTryAt, isDelivered } = tried
      const result = [triedAt, status, failure, durationMs, failingSince, nextTryAt]
      const values = [organization, webhook, number, ...result, isDelivered ? triedAt : null]
      await write(({ count }) => count(NOTE, values))
    },
    async advance(organization, webhook, number, cursor) {
      await write(({ count }) => count(ADVANCE, [organization, webhook, number, cursor]))
    },
  }
}

/** The organization is locked, so nobody else adds a delivery with the same number. */
function* insert(sql: Sql, of: readonly number[], delivery: NewDelivery): Work<Delivery> {
  const { kind, message, createdAt, cursor, entries, body } = delivery
  const { last } = (yield* sql.one<{ last: number }>(LAST, of))!
  const values = [kind, message, createdAt, cursor, entries, body, kind === 'test']
  const added = yield* first(sql, INSERT, [...of, last + 1, ...values])
  sql.run(TRIM, [...of, last + 1 - KEPT_DELIVERIES])
  return added!
}

function* first(sql: Sql, statement: string, values: readonly Value[]): Work<Delivery | null> {
  const row = yield* sql.one(statement, values)
  return row === undefined ? null : deliveryOf(row)
}
