import type { ItemKind } from '../../kinds.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'

/** Above this, later ids could exceed the safe integers. */
const LARGEST_GIVEN_ID = 2 ** 52

const TAKEN = statement('SELECT id FROM ids WHERE kind = $1 AND id = ANY($2::bigint[])')
/** Fails if another organization was faster. The transaction then runs again. */
const CLAIM = statement('INSERT INTO ids (kind, id, organization) VALUES ($1, $2, $3)')
const RELEASE = statement('DELETE FROM ids WHERE kind = $1 AND id = $2')

/** Marks the ids up to $1 as used. */
const skip = (kind: ItemKind<object>['table']) =>
  statement(
    `SELECT setval('${kind}_id', $1) FROM ${kind}_id WHERE NOT is_called OR last_value < $1`,
  )
const next = (kind: ItemKind<object>['table']) =>
  statement(`SELECT nextval('${kind}_id') AS id FROM generate_series(1, $1::int)`)

/** The ids of one kind, within a transaction. */
export type Ids = {
  /** The free ones of some given ids. */
  free(connection: Connection, given: readonly number[]): Promise<Set<number>>
  /** New ids that were never used. */
  next(connection: Connection, count: number): Promise<number[]>
  /** Assigns an id to an organization. Send it without awaiting it. */
  claim(connection: Connection, organization: number, id: number, isGiven: boolean): void
  release(connection: Connection, id: number): void
}

export function idsOf(kind: ItemKind<object>['table']): Ids {
  const [skipTo, nextOnes] = [skip(kind), next(kind)]
  return {
    async free(connection, given) {
      const possible = new Set(given.filter(isPossible))
      if (possible.size === 0) return possible
      const taken = await connection.query<{ id: number }>(TAKEN, [kind, [...possible]])
      return possible.difference(new Set(taken.map(({ id }) => id)))
    },
    async next(connection, count) {
      if (count === 0) return []
      return (await connection.query<{ id: number }>(nextOnes, [count])).map(({ id }) => id)
    },
    claim(connection, organization, id, isGiven) {
      connection.run(CLAIM, [kind, id, organization])
      if (isGiven) connection.run(skipTo, [id])
    },
    release(connection, id) {
      connection.run(RELEASE, [kind, id])
    },
  }
}

/** Throws a `RangeError` if it cannot be an id. */
export function assertPossibleId(id: number): void {
  if (isPossible(id)) return
  throw new RangeError(`an id must be a whole number from 1 to ${LARGEST_GIVEN_ID}, not ${id}`)
}

function isPossible(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1 && id <= LARGEST_GIVEN_ID
}
