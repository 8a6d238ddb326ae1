import type { Work } from '../../tracking/work.ts'
import type { Sql, Tables } from './sql.ts'

export const SETTINGS = 'SELECT requires_totp AS "requiresTotp" FROM access_settings'

/**
 * Runs work alone among all that changes people or ways in, in every process: what it reads of them does not change until
 * the end of the transaction.
 */
export function lockedAccess({ dialect, write }: Tables) {
  const lock = `${SETTINGS} ${dialect.forUpdate}`
  return <Result>(work: (sql: Sql) => Work<Result>): Promise<Result> =>
    write(function* (sql) {
      yield* sql.one(lock, [])
      return yield* work(sql)
    })
}

/** Whether an organization exists. It stays until the end of the transaction. */
export function* organizationExists(
  sql: Sql,
  { forKeyShare }: Tables['dialect'],
  organization: number,
): Work<boolean> {
  const found = yield* sql.one(`SELECT id FROM organizations WHERE id = $1 ${forKeyShare}`, [
    organization,
  ])
  return found !== undefined
}
