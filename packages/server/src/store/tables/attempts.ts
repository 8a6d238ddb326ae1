import type { AttemptCount } from '../../domain/attempt-count.ts'
import type { Work } from '../../tracking/work.ts'
import type { AttemptStore } from '../attempt-store.ts'
import { lockedAccess } from './access-lock.ts'
import type { Sql, Tables } from './sql.ts'

const PUT = `
  INSERT INTO sign_in_attempts (origin, failures, at, signed_in_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (origin) DO UPDATE SET
    failures = excluded.failures, at = excluded.at, signed_in_at = excluded.signed_in_at`
const FORGET = `
  DELETE FROM sign_in_attempts WHERE at < $1 AND coalesce(signed_in_at, 0) < $2`

export function attemptStore(tables: Tables): AttemptStore {
  const { read, dialect } = tables
  const locked = lockedAccess(tables)
  const counts = `
    SELECT origin, failures, at, signed_in_at AS "signedInAt" FROM sign_in_attempts
    WHERE origin IN (SELECT origin FROM ${dialect.given('$1', { origin: 'text' })})
    ORDER BY origin`

  function* countsOf(sql: Sql, origins: readonly string[]): Work<AttemptCount[]> {
    const asked = JSON.stringify(origins.map((origin) => ({ origin })))
    const rows = yield* sql.all<AttemptCount>(counts, [asked])
    return rows.map((row) => ({ ...row }))
  }

  return {
    of: (origins) => read((sql) => countsOf(sql, origins)),
    change: (origins, change, { attemptsBefore, signInsBefore }) =>
      locked(function* (sql) {
        for (const count of change(yield* countsOf(sql, origins))) {
          sql.run(PUT, [count.origin, count.failures, count.at, count.signedInAt])
        }
        sql.run(FORGET, [attemptsBefore, signInsBefore])
      }),
  }
}
