import {
  type Assignment,
  DEPLOYMENT,
  type IdentOwner,
  MAX_WAITING_IDENTS,
  type WaitingIdent,
} from '../../base/domain/routing-rule.ts'
import type { Assigned, AssignRefusal, RoutingStore } from '../../engine/store/key-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { organizationExists } from './accounts.ts'
import { noted } from './audit-tables.ts'
import { identOwners } from './ident-owners.ts'
import type { ItemParts } from './item-tables.ts'
import type { CreateObjects } from './object-tables.ts'
import { countPlaced, existingOrganizations, ruleWrites } from './routing-rules.ts'
import { inExisting, type OrganizationSql, plainRows, type Sql, type Tables } from './sql.ts'

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
const NAME_OF_WAITING = 'SELECT device_name AS name FROM waiting_idents WHERE ident = $1'
const DISMISS = 'DELETE FROM waiting_idents WHERE ident = $1'

export function routingStore(
  tables: Tables,
  parts: Pick<ItemParts, 'freeObjects'>,
  createObjects: CreateObjects,
): RoutingStore {
  const { read, write, dialect } = tables
  const owners = identOwners(dialect)

  return {
    owners: (organization) => ownerPages(tables, organization),
    async ownersOf(ident) {
      return (await read((sql) => owners.owners(sql, [ident]))).get(ident) ?? []
    },
    claim: (wanted, now) =>
      write(function* (sql) {
        const known = yield* existingOrganizations(sql)
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
    ...assignments(tables, parts, createObjects),
    ...ruleWrites(tables),
    ...waitingIdents(tables),
  }
}

/** The writes of `assign` and `settle`. */
function assignments(
  { dialect, change }: Tables,
  parts: Pick<ItemParts, 'freeObjects'>,
  createObjects: CreateObjects,
): Pick<RoutingStore, 'assign' | 'settle'> {
  const owners = identOwners(dialect)

  /** The owners of an ident, which stay as they are until the end of the transaction. An ident without any is claimed. */
  function* claimedOrOwned(sql: Sql, organization: number, ident: string): Work<number[]> {
    for (;;) {
      if ((yield* owners.claim(sql, organization, [ident])).length > 0) return []
      const found = (yield* owners.owners(sql, [ident], dialect.forUpdate)).get(ident)
      // They may have lost it in between.
      if (found !== undefined) return found
    }
  }

  /** The objects of an ident. `full`: the first organization that has none, and no room for one. */
  function* objectsOf(sql: OrganizationSql, { ident, organizations }: Assignment) {
    const objects = new Map<number, number | null>()
    for (const organization of organizations) {
      if (!(yield* organizationExists(sql, dialect, organization))) return 'no_organization'
      const { id = null } = (yield* sql.one<{ id: number }>(OBJECT_OF, [organization, ident])) ?? {}
      const isFull = id === null && (yield* parts.freeObjects({ ...sql, organization })) < 1
      if (isFull) return { full: organization }
      objects.set(organization, id)
    }
    return objects
  }

  return {
    async assign(assignment, note) {
      const { ident, organizations, ifOwned } = assignment
      return inExisting({ change }, DEPLOYMENT, function* (sql): Work<Assigned | AssignRefusal> {
        const objects = yield* objectsOf(sql, assignment)
        if (!(objects instanceof Map)) return objects
        const before = yield* claimedOrOwned(sql, organizations[0]!, ident)
        const others = before.filter((id) => !organizations.includes(id))
        if (others.length > 0 && ifOwned === 'refuse') return { ownedBy: others }
        for (const id of organizations) owners.shareAll(sql, id, [ident])
        const released = ifOwned === 'move' ? others : []
        for (const organization of released) {
          yield* owners.release({ ...sql, organization }, [ident])
        }
        // Other processes must learn of it even if this one ends before it settles.
        const added = organizations.filter((id) => !before.includes(id))
        for (const id of [...added, ...released]) sql.identsChanged(id)
        const waiting = yield* sql.one<{ name: string | null }>(NAME_OF_WAITING, [ident])
        sql.run(DISMISS, [ident])
        const given = organizations.map((organization) => ({
          organization,
          object: objects.get(organization)!,
          isNew: !before.includes(organization),
        }))
        const kept = before.filter((id) => !released.includes(id))
        const isUnknown = before.length === 0 && waiting === undefined
        const assigned = { ident, given, released, kept, name: waiting?.name ?? null, isUnknown }
        return yield* noted(sql, assigned, note)
      })
    },
    settle: (organization, { ident, name }, now) =>
      change(organization, function* (sql) {
        const isOwner = (yield* owners.owned(sql, [ident])).size > 0
        const object = yield* sql.one<object>(OBJECT_OF, [organization, ident])
        if (!isOwner || object !== undefined || (yield* parts.freeObjects(sql)) < 1) return
        yield* createObjects(sql, [ident], now, new Map([[ident, name]]))
      }),
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

/** Owners that one statement reads. With more, other work would wait too long. */
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
