import type { Database } from './database/database.ts'

/** The leases of one purpose, with the rules of `WebhookStore.lease`. */
export type Leases = {
  /** Renews and takes leases. `values` are those of the query of organizations, from `?4` on. */
  take(holder: string, forMs: number, ...values: string[]): Promise<number[]>
  release(holder: string): Promise<void>
}

/**
 * `table` has the columns `organization`, `holder` and `until`. `needed` selects the organizations of which
 * leases are taken.
 */
export function leases({ writer, write }: Database, table: string, needed: string): Leases {
  const take = writer.prepare(`
    INSERT INTO ${table} (organization, holder, until)
    SELECT organization, ?1, ?2 + ?3 FROM (${needed}) WHERE true
    ON CONFLICT (organization) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE holder = excluded.holder OR until < ?2 OR until > ?2 + 2 * ?3
    RETURNING organization
  `)
  const release = writer.prepare(`DELETE FROM ${table} WHERE holder = ?`)
  return {
    take: (holder, forMs, ...values) =>
      write(() =>
        take
          .all(holder, Date.now(), forMs, ...values)
          .map(({ organization }) => organization as number)
          .sort((a, b) => a - b),
      ),
    async release(holder) {
      await write(() => release.run(holder))
    },
  }
}
