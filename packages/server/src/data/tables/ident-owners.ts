import {
  type IdentOwner,
  MAX_REFUSED_IDENTS,
  type RefusedIdent,
} from '../../base/domain/routing-rule.ts'
import type { RefusedIdentStore } from '../../engine/store/item-store.ts'
import { atHand, type Work } from '../../engine/tracking/work.ts'
import { withoutForeignRule } from './routing-rules.ts'
import { type Dialect, type OrganizationSql, plainRows, type Sql, type Tables } from './sql.ts'

/** The work on the owners of idents (`key-store.ts`) in a transaction of an organization, or of the deployment. */
type IdentOwners = {
  /** Makes the organization the owner of those of the idents that no organization owns. */
  claimFree(sql: OrganizationSql, idents: readonly string[]): Work<void>
  /** As `claimFree`, without those that a rule of the deployment gives to other organizations. */
  claimUnruled(sql: OrganizationSql, idents: readonly string[]): Work<void>
  /** The same. Returns the idents. */
  claim(sql: Sql, organization: number, idents: readonly string[]): Work<string[]>
  /** Makes an organization an owner of idents, in addition to other owners. */
  shareAll(sql: Sql, organization: number, idents: readonly string[]): void
  /** Returns whether the organization owned one of the idents. */
  release(sql: OrganizationSql, idents: readonly string[]): Work<boolean>
  /** Those of the idents that the organization owns. */
  owned(sql: OrganizationSql, idents: readonly string[]): Work<Set<string>>
  /** Those of the idents that only others own. */
  foreign(sql: OrganizationSql, idents: readonly string[]): Work<Set<string>>
  /** The owners of the idents, ascending. `lock`: `forUpdate` of the dialect, if they must stay. */
  owners(sql: Sql, idents: readonly string[], lock?: string): Work<Map<string, number[]>>
}

export function identOwners(dialect: Pick<Dialect, 'given'>): IdentOwners {
  const { given } = dialect
  const listed = `SELECT given.ident FROM ${given('$2', { ident: 'text' })}`
  const known = 'SELECT 1 FROM ident_owners AS known WHERE known.ident = given.ident'
  const mine = `EXISTS (${known} AND known.organization = $1)`
  const insert = (isFirst: boolean, condition: string) => `
    INSERT INTO ident_owners (ident, organization, is_first)
    SELECT given.ident, CAST($1 AS bigint), ${isFirst} FROM ${given('$2', { ident: 'text' })}
    WHERE ${condition} ORDER BY given.ident ON CONFLICT DO NOTHING`
  // In the order of the idents, so that two transactions seldom wait for each other.
  const claim = insert(true, `NOT EXISTS (${known})`)
  const share = insert(false, 'true')
  const release = `
    DELETE FROM ident_owners WHERE organization = $1 AND ident IN (${listed})`
  const owned = `${listed} WHERE ${mine}`
  const foreign = `${listed} WHERE NOT ${mine} AND EXISTS (${known})`
  const owners = `
    SELECT ident, organization FROM ident_owners
    WHERE ident IN (SELECT given.ident FROM ${given('$1', { ident: 'text' })})
    ORDER BY ident, organization`

  function* identsBy(sql: OrganizationSql, statement: string, idents: readonly string[]) {
    const rows = yield* sql.all<{ ident: string }>(statement, [
      sql.organization,
      givenIdents(idents),
    ])
    return new Set(rows.map(({ ident }) => ident))
  }

  function claimFree({ organization, run }: OrganizationSql, idents: readonly string[]) {
    if (idents.length > 0) run(claim, [organization, givenIdents(idents)])
    return atHand(undefined)
  }

  return {
    claimFree,
    *claimUnruled(sql, idents) {
      yield* claimFree(sql, yield* withoutForeignRule(sql, idents))
    },
    *claim({ all }, organization, idents) {
      const values = [organization, givenIdents(idents)]
      const rows = yield* all<{ ident: string }>(`${claim} RETURNING ident`, values)
      return rows.map(({ ident }) => ident)
    },
    shareAll({ run }, organization, idents) {
      if (idents.length > 0) run(share, [organization, givenIdents(idents)])
    },
    *release({ organization, count }, idents) {
      if (idents.length === 0) return false
      return (yield* count(release, [organization, givenIdents(idents)])) > 0
    },
    owned: (sql, idents) => identsBy(sql, owned, idents),
    foreign: (sql, idents) => identsBy(sql, foreign, idents),
    *owners({ all }, idents, lock = '') {
      const found = new Map<string, number[]>()
      const statement = `${owners} ${lock}`
      const rows = yield* all<IdentOwner>(statement, [givenIdents(idents)])
      for (const { ident, organization } of rows) {
        const known = found.get(ident)
        if (known === undefined) found.set(ident, [organization])
        else known.push(organization)
      }
      return found
    },
  }
}

function givenIdents(idents: readonly string[]): string {
  return JSON.stringify(idents.map((ident) => ({ ident })))
}

const OF_NO_OBJECT = `
  organization = $1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = $1)`
const ADD_REFUSED = `
  INSERT INTO refused_idents (organization, ident, reason, packets, last_at, latitude, longitude)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization, ident) DO UPDATE SET reason = excluded.reason,
    packets = refused_idents.packets + excluded.packets, last_at = excluded.last_at,
    latitude = excluded.latitude, longitude = excluded.longitude`

export function refusedIdentStore(tables: Tables): RefusedIdentStore {
  const { dialect, change } = tables
  const newestFirst = `ORDER BY last_at DESC, ident ${dialect.bytewise}`
  const list = `
    SELECT ident, reason, packets, last_at AS "lastAt", latitude, longitude FROM refused_idents
    WHERE ${OF_NO_OBJECT} ${newestFirst}`
  const trim = `
    DELETE FROM refused_idents WHERE organization = $1 AND ident NOT IN (
      SELECT ident FROM refused_idents WHERE ${OF_NO_OBJECT} ${newestFirst}
      LIMIT ${MAX_REFUSED_IDENTS}
    )`

  return {
    async add(organization, idents) {
      await change(organization, function* ({ run, count }) {
        for (const { ident, reason, packets, lastAt, latitude, longitude } of idents) {
          run(ADD_REFUSED, [organization, ident, reason, packets, lastAt, latitude, longitude])
        }
        yield* count(trim, [organization])
      })
    },
    list: (organization) => plainRows<RefusedIdent>(tables, list, [organization]),
  }
}
