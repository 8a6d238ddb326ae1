import type { DatabaseSync } from 'node:sqlite'
import { BEGINNING } from '../folding/refold-slice.ts'
import type { MarkWrites } from '../folding/tables.ts'
import type { Scope } from '../store.ts'

export type Mark = { organization: number; object: number; after: number }

/** Marks of the positions that still have to be folded. Calls are part of a transaction. */
export type RefoldMarks = MarkWrites & {
  /** Moves a mark forward. */
  move(mark: Mark, after: number): void
  remove(mark: Mark): void
  /** Any mark of the scope. */
  next(scope: Scope | null): Mark | null
  /** Marks the whole scope from the beginning. Returns their number. */
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
