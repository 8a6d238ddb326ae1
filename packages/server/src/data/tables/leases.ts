import type { RecordStore } from '../../engine/store/record-store.ts'
import type { WebhookStore } from '../../engine/store/webhook-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Sql, Tables, Value } from './sql.ts'

/** The leases of one purpose, with the rules of `WebhookStore.lease`. */
type Leases = {
  /** Renews and takes leases. `values` are those of the query of organizations, from `$4` on. */
  take(holder: string, forMs: number, ...values: Value[]): Promise<number[]>
  release(holder: string): Promise<void>
}

/**
 * `table` has the columns `organization`, `holder` and `until`. `needed` selects the organizations of which
 * leases are taken, in their order, so that two holders never wait for each other. A lease that ends later than
 * two from now was taken before the clock was set back. One that ends a little later than one from now was taken
 * by a holder who read the clock later and wrote first.
 */
function leases({ dialect, write }: Tables, table: string, needed: string): Leases {
  const clock = `SELECT ${dialect.now} AS now`
  const taking = `
    INSERT INTO ${table} (organization, holder, until)
    SELECT organization, CAST($1 AS text), CAST($2 AS bigint) + CAST($3 AS bigint)
    FROM (${needed}) AS needed WHERE true
    ON CONFLICT (organization) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE ${table}.holder = excluded.holder OR ${table}.until < CAST($2 AS bigint)
      OR ${table}.until > CAST($2 AS bigint) + 2 * CAST($3 AS bigint)
    RETURNING organization`

  function* take(
    sql: Sql,
    holder: string,
    forMs: number,
    values: readonly Value[],
  ): Work<number[]> {
    const { now } = (yield* sql.one<{ now: number }>(clock, []))!
    const given = [holder, now, forMs, ...values]
    const rows = yield* sql.all<{ organization: number }>(taking, given)
    return rows.map(({ organization }) => organization).sort((a, b) => a - b)
  }

  return {
    take: (holder, forMs, ...values) => write((sql) => take(sql, holder, forMs, values)),
    async release(holder) {
      await write(({ count }) => count(`DELETE FROM ${table} WHERE holder = $1`, [holder]))
    },
  }
}

/** The leases of the organizations whose records a process derives. */
export function recordLeases(tables: Tables): Pick<RecordStore, 'lease' | 'release'> {
  const { isIn, list } = tables.dialect
  const needed = `
    SELECT id AS organization FROM organizations WHERE ${isIn('id', '$4')} ORDER BY id`
  const { take, release } = leases(tables, 'record_leases', needed)
  return {
    lease: (holder, forMs, organizations) => take(holder, forMs, list(organizations)),
    release,
  }
}

/** The leases of the organizations with webhooks. */
export function webhookLeases(
  tables: Tables,
): Pick<WebhookStore, 'organizations' | 'lease' | 'release'> {
  const needed = 'SELECT DISTINCT organization FROM webhooks ORDER BY organization'
  const { take, release } = leases(tables, 'webhook_leases', needed)
  return {
    async organizations() {
      const rows = await tables.read(({ all }) => all<{ organization: number }>(needed, []))
      return rows.map(({ organization }) => organization)
    },
    lease: (holder, forMs) => take(holder, forMs),
    release,
  }
}
