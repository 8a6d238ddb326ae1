import type { Account } from '../../domain/account.ts'
import type { Role } from '../../domain/role.ts'
import type { Work } from '../../tracking/work.ts'
import type { Sql, Value } from './sql.ts'

/** The accounts of a condition with their roles: a row for each role, or one without. */
const accounts = (condition: string) => `
  SELECT accounts.id, email, name, created_at AS "createdAt", disabled_at AS "disabledAt",
    last_sign_in_at AS "lastSignInAt", password IS NOT NULL AS "hasPassword",
    totp IS NOT NULL AS "hasTotp",
    EXISTS (SELECT 1 FROM account_identities WHERE account = accounts.id) AS "isLinked",
    role, organization, is_from_sign_on AS "isFromSignOn"
  FROM accounts LEFT JOIN account_roles ON account_roles.account = accounts.id
  WHERE ${condition} ORDER BY accounts.id, organization, is_from_sign_on`

export const ALL_ACCOUNTS = accounts('true')
export const ACCOUNT = accounts('accounts.id = $1')
export const TWO_ACCOUNTS = accounts('accounts.id IN ($1, $2)')
export const BY_EMAIL = accounts('email = $1')
export const BY_IDENTITY = accounts(
  'accounts.id = (SELECT account FROM account_identities WHERE issuer = $1 AND subject = $2)',
)

type Row = Omit<Account, 'roles'> & {
  role: Role | null
  organization: number
  isFromSignOn: unknown
}

/** SQLite has no booleans. */
export function* accountsBy(
  { all }: Sql,
  statement: string,
  values: readonly Value[] = [],
): Work<Account[]> {
  const found = new Map<number, Account>()
  for (const row of yield* all<Row>(statement, values)) {
    const { role, organization, isFromSignOn, ...rest } = row
    const account = found.get(rest.id) ?? {
      ...rest,
      hasPassword: Boolean(rest.hasPassword),
      hasTotp: Boolean(rest.hasTotp),
      isLinked: Boolean(rest.isLinked),
      roles: [],
    }
    found.set(rest.id, account)
    if (role === null) continue
    const of = organization === OF_DEPLOYMENT ? null : organization
    account.roles.push({ role, organization: of, isFromSignOn: Boolean(isFromSignOn) })
  }
  return [...found.values()]
}

/** The `organization` of a role of the deployment: a column of a key is never NULL. */
export const OF_DEPLOYMENT = 0

export function* accountBy(
  sql: Sql,
  statement: string,
  values: readonly Value[],
): Work<Account | null> {
  return (yield* accountsBy(sql, statement, values))[0] ?? null
}
