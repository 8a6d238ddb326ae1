import {
  type Delivery,
  KEPT_DELIVERIES,
  type NewDelivery,
  pendingOf,
  type Webhook,
} from '../../base/domain/webhook.ts'
import type { WebhookPatch, WebhookStore } from '../../engine/store/webhook-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit.ts'
import { patched } from './kinds.ts'
import { webhookLeases } from './leases.ts'
import { inExisting, type Sql, type Tables, type Value } from './sql.ts'

/** The columns of `webhooks` and `webhook_deliveries`, which are the same in all stores. */
const WEBHOOK_COLUMNS = `
  id, organization, form, url, types, ids, include, starts_from AS "from", secret, old_secret AS "oldSecret",
  old_secret_until AS "oldSecretUntil", off_at AS "offAt", off_reason AS "offReason", restarts,
  created_at AS "createdAt", updated_at AS "updatedAt"`

const BESIDE_BODY = `
  number, kind, message, created_at AS "createdAt", cursor, entries, tries, tried_at AS "triedAt",
  status, failure, duration_ms AS "durationMs", arrived, delivered_at AS "deliveredAt",
  failing_since AS "failingSince", next_try_at AS "nextTryAt", is_wanted AS "isWanted"`

const DELIVERY_COLUMNS = `${BESIDE_BODY}, body`
const LISTED_COLUMNS = `${BESIDE_BODY}, NULL AS body`

/** A row of `WEBHOOK_COLUMNS`. */
function webhookOf(row: object): Webhook {
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
    secret: secret && Buffer.from(secret),
    oldSecret: oldSecret && Buffer.from(oldSecret),
    restarts: Boolean(restarts),
  }
}

/** A row of `DELIVERY_COLUMNS` or of `LISTED_COLUMNS`. */
function deliveryOf(row: object): Delivery {
  const { isWanted, body, ...rest } = row as Delivery
  return { ...rest, body: body && Buffer.from(body), isWanted: Boolean(isWanted) }
}

/** The webhook after a patch. */
function webhookAfter(before: Webhook, patch: WebhookPatch, now: number): Webhook {
  const after = { ...patched<Webhook>(before, patch), updatedAt: now }
  return { ...after, restarts: before.restarts || !selectsSame(before, after) }
}

/** The stored form of types, ids or include. */
function listText(list: readonly (string | number)[] | null): string | null {
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
function isMended(before: Webhook, after: Webhook): boolean {
  const isChanged = before.url !== after.url || before.secret !== after.secret
  return isChanged || (before.offAt !== null && after.offAt === null)
}

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
const INSERT_DELIVERY = `
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
    duration_ms = $7, arrived = $8, failing_since = $9, next_try_at = $10, is_wanted = false,
    delivered_at = coalesce(delivered_at, $11)
  ${OF_NUMBER}`
const ADVANCE = `UPDATE webhook_deliveries SET cursor = $4 ${OF_NUMBER}`

function deliveryStore({ read, write, change }: Tables): DeliveryStore {
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
        const named = [organization, webhook]
        if ((yield* sql.one(EXISTS, named)) === undefined) return null
        const last = yield* first(sql, NEWEST, named)
        if (pendingOf(last) !== null || (last?.number ?? 0) !== after) return null
        if (delivery.kind === 'resync' || after === 0) sql.run(STARTED, named)
        return yield* insert(sql, named, delivery)
      }),
    addTest: (organization, webhook, test, note) =>
      change(organization, function* (sql) {
        const named = [organization, webhook]
        if ((yield* sql.one(EXISTS, named)) === undefined) return null
        sql.changed('webhooks')
        return yield* noted(sql, yield* insert(sql, named, test), note)
      }),
    want: (organization, webhook, number, note) =>
      change(organization, function* (sql) {
        const found = yield* first(sql, WANT, [organization, webhook, number])
        if (found === null) return null
        sql.changed('webhooks')
        return yield* noted(sql, found, note)
      }),
    async note(organization, webhook, number, tried) {
      const { triedAt, status, failure, durationMs, arrived, isDelivered } = tried
      const { failingSince, nextTryAt } = tried
      const result = [triedAt, status, failure, durationMs, arrived, failingSince, nextTryAt]
      const values = [organization, webhook, number, ...result, isDelivered ? triedAt : null]
      await write(({ count }) => count(NOTE, values))
    },
    async advance(organization, webhook, number, cursor) {
      await write(({ count }) => count(ADVANCE, [organization, webhook, number, cursor]))
    },
  }
}

/** The organization is locked, so nobody else adds a delivery with the same number. */
function* insert(sql: Sql, named: readonly number[], delivery: NewDelivery): Work<Delivery> {
  const { kind, message, createdAt, cursor, entries, body } = delivery
  const { last } = (yield* sql.one<{ last: number }>(LAST, named))!
  const values = [kind, message, createdAt, cursor, entries, body, kind === 'test']
  const added = yield* first(sql, INSERT_DELIVERY, [...named, last + 1, ...values])
  sql.run(TRIM, [...named, last + 1 - KEPT_DELIVERIES])
  return added!
}

function* first(sql: Sql, statement: string, values: readonly Value[]): Work<Delivery | null> {
  const row = yield* sql.one(statement, values)
  return row === undefined ? null : deliveryOf(row)
}

const LIST = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 ORDER BY id`
const FIND = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE organization = $1 AND id = $2`
const INSERT = `
  INSERT INTO webhooks
    (organization, form, url, types, ids, include, starts_from, secret, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
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
    create: (organization, { form, url, types, ids, include, from, secret }, now, note) =>
      inExisting(tables, organization, function* (sql) {
        sql.changed('webhooks')
        const lists = [listText(types), listText(ids), listText(include)]
        const values = [organization, form, url, ...lists, from, secret, now]
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
        const after = webhookAfter(before, patch, now)
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
