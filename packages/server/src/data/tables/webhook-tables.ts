import type { Grant } from '../../base/domain/grant.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import {
  type Delivery,
  KEPT_DELIVERIES,
  type NewDelivery,
  pendingOf,
  type Webhook,
} from '../../base/domain/webhook.ts'
import type { WebhookPatch, WebhookStore } from '../../engine/store/webhook-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import { addDisclosee, discloseeAfter, discloseeColumns } from './disclosees.ts'
import { patched } from './item-columns.ts'
import { webhookLeases } from './leases.ts'
import { inExisting, type OrganizationSql, type Sql, type Tables, type Value } from './sql.ts'

/** The columns of `webhooks` and `webhook_deliveries`, which are the same in all stores. */
const WEBHOOK_COLUMNS = `
  id, organization, form, url, types, grants, disclosee, ${discloseeColumns('disclosee')}, ids, include, starts_from AS "from", secret, old_secret AS "oldSecret",
  old_secret_until AS "oldSecretUntil", off_at AS "offAt", off_reason AS "offReason", restarts,
  created_at AS "createdAt", updated_at AS "updatedAt"`

const BESIDE_BODY = `
  number, kind, message, created_at AS "createdAt", cursor, entries, disclosed, tries, tried_at AS "triedAt",
  status, failure, duration_ms AS "durationMs", arrived, delivered_at AS "deliveredAt",
  failing_since AS "failingSince", next_try_at AS "nextTryAt", is_wanted AS "isWanted"`

const DELIVERY_COLUMNS = `${BESIDE_BODY}, body`
const LISTED_COLUMNS = `${BESIDE_BODY}, NULL AS body`

/** A row of `WEBHOOK_COLUMNS`. */
function webhookOf(row: object): Webhook {
  const { types, grants, ids, include, restarts, secret, oldSecret, ...rest } = row as Webhook & {
    types: string | null
    grants: string | null
    ids: string | null
    include: string | null
  }
  return {
    ...rest,
    types: parsed(types),
    grants: parsed(grants),
    ids: parsed(ids),
    include: parsed(include),
    secret: secret && Buffer.from(secret),
    oldSecret: oldSecret && Buffer.from(oldSecret),
    restarts: Boolean(restarts),
  }
}

/** A row of `DELIVERY_COLUMNS` or of `LISTED_COLUMNS`. */
function deliveryOf(row: object): Delivery {
  const { isWanted, body, disclosed, ...rest } = row as Delivery & { disclosed: string | null }
  const read = { body: body && Buffer.from(body), disclosed: disclosed && JSON.parse(disclosed) }
  return { ...rest, ...read, isWanted: Boolean(isWanted) }
}

/** The webhook after a patch. */
function webhookAfter(before: Webhook, patch: WebhookPatch, now: number): Webhook {
  const after = { ...patched<Webhook>(before, patch), updatedAt: now }
  return { ...after, restarts: before.restarts || !selectsSame(before, after) }
}

/** The stored form of types, grants, ids or include. */
function listText(list: readonly (string | number | Grant)[] | null): string | null {
  return list === null ? null : JSON.stringify(list)
}

function parsed<List>(text: string | null): List | null {
  return text === null ? null : (JSON.parse(text) as List)
}

/** Whether a webhook selects the same changes, in the same form, before and after an update. */
function selectsSame(before: Webhook, after: Webhook): boolean {
  const lists = ['types', 'grants', 'ids', 'include'] as const
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

const RESTARTS = 'SELECT restarts FROM webhooks WHERE organization = $1 AND id = $2'
const LAST = `SELECT coalesce(max(number), 0) AS last ${OF_WEBHOOK}`
const INSERT_DELIVERY = `
  INSERT INTO webhook_deliveries
    (organization, webhook, number, kind, message, created_at, cursor, entries, disclosed, body,
     is_wanted)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
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
  ${OF_NUMBER} AND message = $12`
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
        const isResync = delivery.kind === 'resync'
        const found = yield* sql.one<{ restarts: boolean | number }>(RESTARTS, named)
        if (found === undefined || (found.restarts && !isResync)) return null
        const last = yield* first(sql, NEWEST, named)
        if (pendingOf(last) !== null || (last?.number ?? 0) !== after) return null
        if (isResync) sql.run(STARTED, named)
        return yield* insert(sql, named, delivery)
      }),
    addTest: (organization, webhook, test, note) =>
      change(organization, function* (sql) {
        const named = [organization, webhook]
        if ((yield* sql.one(RESTARTS, named)) === undefined) return null
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
    async note(organization, webhook, { number, message }, tried) {
      const { triedAt, status, failure, durationMs, arrived, isDelivered } = tried
      const { failingSince, nextTryAt } = tried
      const result = [triedAt, status, failure, durationMs, arrived, failingSince, nextTryAt]
      const named = [organization, webhook, number]
      const values = [...named, ...result, isDelivered ? triedAt : null, message]
      await write(({ count }) => count(NOTE, values))
    },
    async advance(organization, webhook, number, cursor) {
      await write(({ count }) => count(ADVANCE, [organization, webhook, number, cursor]))
    },
  }
}

/** The organization is locked, so nobody else adds a delivery with the same number. */
function* insert(sql: Sql, named: readonly number[], delivery: NewDelivery): Work<Delivery> {
  const { kind, message, createdAt, cursor, entries, disclosed, body } = delivery
  const { last } = (yield* sql.one<{ last: number }>(LAST, named))!
  const shown = disclosed && JSON.stringify(disclosed)
  const values = [kind, message, createdAt, cursor, entries, shown, body, kind === 'test']
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
    (organization, form, url, types, grants, disclosee, ids, include, starts_from, secret,
     created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
  RETURNING id`
const UPDATE = `
  UPDATE webhooks SET url = $3, types = $4, grants = $5, disclosee = $6, ids = $7, include = $8,
    starts_from = $9, secret = $10, old_secret = $11, old_secret_until = $12, off_at = $13,
    off_reason = $14, restarts = $15, updated_at = $16
  WHERE organization = $1 AND id = $2`
const TRY_AT_ONCE = `
  UPDATE webhook_deliveries SET failing_since = NULL, next_try_at = NULL
  WHERE organization = $1 AND webhook = $2 AND delivered_at IS NULL`
/** With other grants, nothing that was made under those before is sent. */
const DROP_PENDING = `
  DELETE FROM webhook_deliveries
  WHERE organization = $1 AND webhook = $2 AND delivered_at IS NULL AND kind <> 'test'`
const DROP_BODIES = `
  UPDATE webhook_deliveries SET body = NULL, is_wanted = false
  WHERE organization = $1 AND webhook = $2`
/** The webhooks whose pending delivery is made again, and has no cursor before it. */
const WITHOUT_PLACE = `
  SELECT webhook FROM webhook_deliveries AS pending
  WHERE organization = $1 AND kind = 'changes' AND created_at >= $2 AND delivered_at IS NULL AND (
    SELECT cursor FROM webhook_deliveries AS earlier
    WHERE earlier.organization = $1 AND earlier.webhook = pending.webhook
      AND earlier.number < pending.number AND earlier.kind <> 'test'
    ORDER BY earlier.number DESC LIMIT 1
  ) IS NULL`
/** Another start from now would skip the changes since that delivery. */
const RESTART = `
  UPDATE webhooks SET restarts = true
  WHERE organization = $1 AND id = $2 AND starts_from = 'now'`
/** Bodies of changes that were made since a moment, and whole deliveries of those that did not arrive. */
const FORGET = [
  `DELETE FROM webhook_deliveries
   WHERE organization = $1 AND kind = 'changes' AND created_at >= $2 AND delivered_at IS NULL`,
  `UPDATE webhook_deliveries SET body = NULL, is_wanted = false
   WHERE organization = $1 AND kind = 'changes' AND created_at >= $2`,
]
const REMOVE = 'DELETE FROM webhooks WHERE organization = $1 AND id = $2'
const REMOVE_DELIVERIES = 'DELETE FROM webhook_deliveries WHERE organization = $1 AND webhook = $2'

/** As `WebhookStore.forget`. A position may be a day ahead of the clock by which its delivery was made. */
export function* forgetDeliveries(sql: OrganizationSql, from: number): Work<void> {
  const since = [sql.organization, from - DAY_MS]
  for (const { webhook } of yield* sql.all<{ webhook: number }>(WITHOUT_PLACE, since)) {
    sql.run(RESTART, [sql.organization, webhook])
  }
  for (const statement of FORGET) sql.run(statement, since)
  // Those who hold a delivery in memory read again.
  sql.changed('webhooks')
}

export function webhookStore(tables: Tables): WebhookStore {
  const { read, change } = tables
  return {
    create: (organization, webhook, now, note) =>
      inExisting(tables, organization, function* (sql) {
        sql.changed('webhooks')
        const disclosee = yield* addDisclosee(sql, organization, webhook, now)
        const { form, url, from, secret } = webhook
        const values = [
          organization,
          form,
          url,
          ...lists({ ...webhook, disclosee }),
          from,
          secret,
          now,
        ]
        // A distributed database does not look into other tables while it inserts.
        const { id } = (yield* sql.one<{ id: number }>(INSERT, values))!
        const row = yield* sql.one(FIND, [organization, id])
        return yield* noted(sql, webhookOf(row!), note)
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
        const changed = webhookAfter(before, patch, now)
        const disclosee = yield* discloseeAfter(sql, organization, before, changed, now)
        const after = { ...changed, disclosee }
        sql.run(UPDATE, [organization, webhook, ...values(after)])
        if (listText(before.grants) !== listText(after.grants)) {
          sql.run(DROP_PENDING, [organization, webhook])
          sql.run(DROP_BODIES, [organization, webhook])
        }
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
    async forget(organization, from) {
      await change(organization, (sql) => forgetDeliveries(sql, from))
    },
    ...deliveryStore(tables),
    ...webhookLeases(tables),
  }
}

function values(webhook: Webhook): Value[] {
  const { url, from, secret, oldSecret, oldSecretUntil } = webhook
  const { offAt, offReason, restarts, updatedAt } = webhook
  const secrets = [secret, oldSecret, oldSecretUntil]
  return [url, ...lists(webhook), from, ...secrets, offAt, offReason, restarts, updatedAt]
}

type Lists = Pick<Webhook, 'types' | 'grants' | 'disclosee' | 'ids' | 'include'>

function lists({ types, grants, disclosee, ids, include }: Lists): Value[] {
  return [listText(types), listText(grants), disclosee, listText(ids), listText(include)]
}
