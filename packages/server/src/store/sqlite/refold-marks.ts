import type { DatabaseSync } from 'node:sqlite'
import { BEGINNING } from '../folding/refold-slice.ts'
import type { MarkWrites } from '../folding/tables.ts'
import type { Scope } from '../store.ts'

export type Mark = { organization: number; object: number; after: number }

/** From where on positions are still to be folded anew. Its calls are parts of a transaction. */
export type RefoldMarks = MarkWrites & {
  /** Puts it forward. */
  move(mark: Mark, after: number): void
  remove(mark: Mark): void
  /** Any one of the scope. */
  next(scope: Scope | null): Mark | null
  /** Marks all of the scope from the beginning; how many objects that are. */
  setAll(scope: Scope): number
}

export function refoldMarks(connection: DatabaseSync): RefoldMarks {
  const set = connection.prepare(`
    INSERT INTO refolds VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET from_time = min(from_time, excluded.from_time)
  `)
  const move = connection.prepare(
    'UPDATE refolds SET from_time = ? WHERE organization = ? AND object = ?',
  )
  const remove = connection.prepare('DELETE FROM refolds WHERE organization = ? AND object = ?')
  const next = connection.prepare(`
    SELECT organization, object, from_time AS after FROM refolds
    WHERE (?1 IS NULL OR organization = ?1) AND (?2 IS NULL OR object = ?2) LIMIT 1
  `)
  const setAll = connection.prepare(`
    INSERT INTO refolds SELECT organization, object, ${BEGINNING} FROM object_states
    WHERE organization = ?1 AND (?2 IS NULL OR object = ?2)
    ON CONFLICT DO UPDATE SET from_time = excluded.from_time
  `)
  return {
    set: (organization, object, after) => void set.run(organization, object, after),
    move: ({ organization, object }, after) => void move.run(after, organization, object),
    remove: ({ organization, object }) => void remove.run(organization, object),
    next: (scope) =>
      (next.get(scope?.organization ?? null, scope?.object ?? null) as Mark | undefined) ?? null,
    setAll: ({ organization, object }) => Number(setAll.run(organization, object).changes),
  }
}
