import { int8Array } from '../connection/binary-arrays.ts'
import { POOL_SIZES, statement } from '../connection/connections.ts'
import { openDatabase } from '../database.ts'

const COUNTS = statement('SELECT organization, states FROM sequences WHERE organization = ANY($1)')

export type StatesCounts = {
  /** The number of changes of states for each existing organization. */
  read(organizations: readonly number[]): Promise<Map<number, number>>
  close(): Promise<void>
}

/** Rejects with `StoreUnavailable` if the database cannot answer. */
export function openStatesCounts(url: string): StatesCounts {
  const database = openDatabase(url, POOL_SIZES.statesCounts)
  return {
    async read(organizations) {
      const rows = await database.query<{ organization: number; states: number }>(COUNTS, [
        int8Array([...organizations]),
      ])
      return new Map(rows.map(({ organization, states }) => [organization, states]))
    },
    close: () => database.close(),
  }
}
