import { statement } from './connection/connections.ts'
import type { Database } from './database.ts'

/** The leases of one purpose, with the rules of `WebhookStore.lease`. */
export type Leases = {
  /** Renews and takes leases. `values` are those of the query of organizations, from `$4` on. */
  take(holder: string, forMs: number, ...values: unknown[]): Promise<number[]>
  release(holder: string): Promise<void>
}

/** The clock of the server, because the clocks of processes differ. */
const NOW = statement('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now')

/**
 * `table` has the columns `organization`, `holder` and `until`. `needed` selects the organizations of which
 * leases are taken, in their order, so that two holders never wait for each other. A lease that ends later than
 * two from now was taken before the clock was set back. One that ends a little later than one from now was taken
 * by a holder who read the clock later and wrote first.
 */
export function leases(database: Database, table: string, needed: string): Leases {
  const take = statement(`
    INSERT INTO ${table} (organization, holder, until)
    SELECT organization, $1::text, $2::bigint + $3::bigint FROM (${needed}) AS needed
    ON CONFLICT (organization) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE ${table}.holder = excluded.holder OR ${table}.until < $2::bigint
      OR ${table}.until > $2::bigint + 2 * $3::bigint
    RETURNING organization
  `)
  const release = statement(`DELETE FROM ${table} WHERE holder = $1`)
  return {
    take: (holder, forMs, ...values) =>
      database.transaction(async (connection) => {
        const [{ now }] = (await connection.query<{ now: number }>(NOW)) as [{ now: number }]
        const rows = await connection.query<{ organization: number }>(take, [
          holder,
          now,
          forMs,
          ...values,
        ])
        return rows.map(({ organization }) => organization).sort((a, b) => a - b)
      }),
    async release(holder) {
      await database.run(release, [holder])
    },
  }
}
