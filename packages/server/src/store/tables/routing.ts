import {
  DEPLOYMENT,
  type IdentOwner,
  MAX_RULES,
  MAX_WAITING_IDENTS,
  type RoutingRule,
  type WaitingIdent,
} from '../../domain/routing.ts'
import type { Work } from '../../tracking/work.ts'
import type { RoutingStore } from '../key-store.ts'
import { noted } from './audit.ts'
import { identOwners } from './ident-owners.ts'
import type { ItemParts } from './items.ts'
import type { CreateObjects } from './objects.ts'
import { inExisting, type OrganizationSql, plainRows, type Sql, type Tables } from './sql.ts'

const RULES = `
  SELECT id, condition, attribute, any_of AS "anyOf", organizations,
    create_objects AS "createObjects", created_at AS "createdAt",
    placed_idents AS "placedIdents", last_placed_at AS "lastPlacedAt"
  FROM routing_rules ORDER BY rank`
const ADD_RULE = `
  INSERT INTO routing_rules
    (rank, condition, attribute, any_of, organizations, create_objects, created_at,
      placed_idents)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 0) RETURNING id`
const COUNT_PLACED = `
  UPDATE routing_rules SET placed_idents = placed_idents + $2,
    last_placed_at = CASE WHEN last_placed_at > $3 THEN last_placed_at ELSE $3 END
  WHERE id = $1`
const RANK_RULE = 'UPDATE routing_rules SET rank = $2 WHERE id = $1'
const REMOVE_RULE = 'DELETE FROM routing_rules WHERE id = $1'
const ORGANIZATIONS = 'SELECT id FROM organizations'
const OBJECT_OF = 'SELECT id FROM objects WHERE organization = $1 AND ident = $2'
const ADD_WAITING = `
  INSERT INTO waiting_idents (ident, format, packets, first_at, last_at, latitude, longitude,
    device_name, device_group, rule)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (ident) DO UPDATE SET format = excluded.format,
    packets = waiting_idents.packets + excluded.packets, last_at = excluded.last_at,
    latitude = excluded.latitude, longitude = excluded.longitude,
    device_name = excluded.device_name, device_group = excluded.device_group,
    rule = excluded.rule`
const TRIM_WAITING = `
  DELETE FROM waiting_idents WHERE (last_at, ident) < (
    SELECT last_at, ident FROM waiting_idents ORDER BY last_at DESC, ident DESC
    LIMIT 1 OFFSET ${MAX_WAITING_IDENTS - 1}
  )`
const WAITING = `
  SELECT ident, format, packets, first_at AS "firstAt", last_at AS "lastAt", latitude, longitude,
    device_name AS name, device_group AS "group", rule
  FROM waiting_idents
  WHERE NOT EXISTS (SELECT 1 FROM ident_owners WHERE ident_owners.ident = waiting_idents.ident)
  ORDER BY last_at DESC, ident DESC`
const DISMISS = 'DELETE FROM waiting_idents WHERE ident = $1'

export function routingStore(
  tables: Tables,
  parts: Pick<ItemParts, 'freeObjects'>,
  createObjects: CreateObjects,
): RoutingStore {
  const { read, write, change, dialect } = tables
  const owners = identOwners(dialect)

  function* existing(sql: Sql): Work<Set<number>> {
    const rows = yield* sql.all<{ id: number }>(ORGANIZATIONS, [])
    return new Set(rows.map(({ id }) => id))
  }

  return {
    owners: (organization) => ownerPages(tables, organization),
    async ownersOf(ident) {
      return (await read((sql) => owners.owners(sql, [ident]))).get(ident) ?? []
    },
    claim: (wanted, now) =>
      write(function* (sql) {
        const known = yield* existing(sql)
        const placed: [rule: number, idents: number, at: number][] = []
        const byRule = Map.groupBy(wanted.keys(), (ident) => wanted.get(ident)!)
        for (const [{ id, organizations }, idents] of byRule) {
          const [first, ...others] = organizations.filter((each) => known.has(each))
          if (first === undefined) continue
          const claimed = yield* owners.claim(sql, first, idents)
          for (const other of others) owners.shareAll(sql, other, claimed)
          if (claimed.length > 0) placed.push([id, claimed.length, now])
        }
        countPlaced(sql, placed)
        return yield* owners.owners(sql, [...wanted.keys()])
      }),
    assign: (organization, { ident, name }, now, note) =>
      change(organization, function* (sql) {
        const object = yield* sql.one<{ id: number }>(OBJECT_OF, [organization, ident])
        if (object === undefined && (yield* parts.freeObjects(sql)) < 1) return 'limit_of_objects'
        const isNew = yield* owners.share(sql, ident)
        const id =
          object?.id ?? (yield* createObjects(sql, [ident], now, new Map([[ident, name]])))[0]!
        sql.run(DISMISS, [ident])
        const assigned = { id, isCreated: object === undefined }
        if (!isNew && !assigned.isCreated) return assigned
        sql.changed('objects')
        return yield* noted(sql, assigned, note)
      }),
    async release(organization, ident, note) {
      const released = await change(organization, function* (sql) {
        if (!(yield* owners.release(sql, [ident]))) return false
        sql.changed('objects')
        return yield* noted(sql, true, note)
      })
      return released ?? false
    },
    ...ruleWrites(tables, existing),
    ...waitingIdents(tables),
  }
}

function waitingIdents(tables: Tables): Pick<RoutingStore, 'waiting' | 'addWaiting' | 'dismiss'> {
  const { write } = tables
  return {
    waiting: () => plainRows<WaitingIdent>(tables, WAITING),
    async addWaiting(idents) {
      await write(function* ({ run, count }) {
        for (const each of idents.toSorted((a, b) => (a.ident < b.ident ? -1 : 1))) {
          const { ident, format, packets, firstAt, lastAt, latitude, longitude } = each
          const { name, group, rule } = each
          const values = [ident, format, packets, firstAt, lastAt, latitude, longitude]
          run(ADD_WAITING, [...values, name, group, rule])
        }
        yield* count(TRIM_WAITING, [])
      })
    },
    dismiss: (ident, note) =>
      write(function* (sql) {
        if ((yield* sql.count(DISMISS, [ident])) === 0) return false
        return yield* noted(sql, true, note)
      }),
  }
}

/** Counts idents that rules placed, in the order of the rules' ids, so that two transactions seldom wait for each other. */
function countPlaced(
  { run }: Pick<Sql, 'run'>,
  placed: readonly (readonly [rule: number, idents: number, at: number])[],
): void {
  for (const each of placed.toSorted(([a], [b]) => a - b)) run(COUNT_PLACED, each)
}

type RuleRow = Omit<RoutingRule, 'anyOf' | 'organizations' | 'createObjects'> & {
  anyOf: string
  organizations: string
  createObjects: boolean | number
}

function* rulesIn(sql: Sql): Work<RoutingRule[]> {
  const rows = yield* sql.all<RuleRow>(RULES, [])
  return rows.map((row) => ({
    ...row,
    anyOf: JSON.parse(row.anyOf),
    organizations: JSON.parse(row.organizations),
    createObjects: Boolean(row.createObjects),
  }))
}

function ruleWrites(
  tables: Tables,
  existing: (sql: Sql) => Work<Set<number>>,
): Pick<RoutingStore, 'rules' | 'addRule' | 'moveRule' | 'removeRule' | 'noteMatches'> {
  /** Runs work on the rules alone, and reports that they change if it returns a rule. */
  async function onRules<Result>(
    work: (sql: OrganizationSql, rules: RoutingRule[]) => Work<Result>,
  ): Promise<Result> {
    const { result } = await inExisting(tables, DEPLOYMENT, function* (sql) {
      const result = yield* work(sql, yield* rulesIn(sql))
      if (result !== null && typeof result === 'object') sql.changed('feed_tokens')
      return { result }
    })
    return result
  }

  return {
    rules: () => tables.read(rulesIn),
    async noteMatches(lastAt) {
      await tables.write(function* (sql) {
        countPlaced(
          sql,
          Array.from(lastAt, ([id, at]) => [id, 0, at] as const),
        )
      })
    },
    addRule: (rule, before, now, note) =>
      onRules(function* (sql, rules) {
        const { condition, attribute, anyOf, organizations, createObjects } = rule
        const known = yield* existing(sql)
        if (!organizations.every((id) => known.has(id))) return 'no_organization'
        if (rules.length >= MAX_RULES) return 'too_many_rules'
        if (!isPlace(rules, before)) return 'no_such_before'
        const lists = [JSON.stringify(anyOf), JSON.stringify(organizations)]
        const values = [rules.length, condition, attribute, ...lists, createObjects, now]
        const { id } = (yield* sql.one<{ id: number }>(ADD_RULE, values))!
        const added = { ...rule, id, createdAt: now, placedIdents: 0, lastPlacedAt: null }
        rank(sql, inserted(rules, added, before))
        return yield* noted(sql, added, note)
      }),
    moveRule: (id, before, note) =>
      onRules(function* (sql, rules) {
        const rule = rules.find((each) => each.id === id)
        if (rule === undefined) return null
        if (!isPlace(rules, before)) return 'no_such_before'
        const others = rules.filter((each) => each !== rule)
        if (before !== id) rank(sql, inserted(others, rule, before))
        return yield* noted(sql, rule, note)
      }),
    removeRule: (id, note) =>
      onRules(function* (sql, rules) {
        const rule = rules.find((each) => each.id === id)
        if (rule === undefined) return null
        sql.run(REMOVE_RULE, [id])
        return yield* noted(sql, rule, note)
      }),
  }
}

function isPlace(rules: readonly RoutingRule[], before: number | null): boolean {
  return before === null || rules.some(({ id }) => id === before)
}

function inserted(
  rules: readonly RoutingRule[],
  rule: RoutingRule,
  before: number | null,
): RoutingRule[] {
  const found = rules.findIndex(({ id }) => id === before)
  return rules.toSpliced(found === -1 ? rules.length : found, 0, rule)
}

function rank({ run }: Sql, rules: readonly RoutingRule[]): void {
  for (const [index, { id }] of rules.entries()) run(RANK_RULE, [id, index])
}

/** Owners that one statement reads. More of them hold up others. */
const PAGE = 5_000

const PAGE_OF_ALL = `
  SELECT ident, organization FROM ident_owners WHERE (ident, organization) > ($1, $2)
  ORDER BY ident, organization LIMIT ${PAGE}`
const PAGE_OF_ONE = `
  SELECT owner.ident, owner.organization FROM ident_owners AS own
    JOIN ident_owners AS owner ON owner.ident = own.ident
  WHERE own.organization = $3 AND own.ident >= $1 AND (owner.ident, owner.organization) > ($1, $2)
  ORDER BY own.ident, owner.organization LIMIT ${PAGE}`

async function* ownerPages({ read }: Tables, organization?: number): AsyncGenerator<IdentOwner[]> {
  const statement = organization === undefined ? PAGE_OF_ALL : PAGE_OF_ONE
  const of = organization === undefined ? [] : [organization]
  for (let last: IdentOwner = { ident: '', organization: 0 }; ; ) {
    const page = await read(({ all }) =>
      all<IdentOwner>(statement, [last.ident, last.organization, ...of]),
    )
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    last = page.at(-1)!
  }
}
