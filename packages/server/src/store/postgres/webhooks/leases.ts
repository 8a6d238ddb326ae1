import type { WebhookStore } from '../../webhook-store.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'

const ORGANIZATIONS = statement('SELECT DISTINCT organization FROM webhooks ORDER BY organization')
/** The clock of the server, because the clocks of processes differ. */
const NOW = statement('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now')
/** In the order of the organizations, so that two holders never wait for each other. */
const LEASE = statement(`
  INSERT INTO webhook_leases (organization, holder, until)
  SELECT organization, $1::text, $2::bigint + $3::bigint
  FROM (SELECT DISTINCT organization FROM webhooks ORDER BY organization) AS needed
  ON CONFLICT (organization) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE webhook_leases.holder = excluded.holder OR webhook_leases.until < $2::bigint
    OR webhook_leases.until > $2::bigint + $3::bigint
  RETURNING organization
`)
const RELEASE = statement('DELETE FROM webhook_leases WHERE holder = $1')

type Row = { organization: number }

export function leaseStore(
  database: Database,
): Pick<WebhookStore, 'organizations' | 'lease' | 'release'> {
  return {
    async organizations() {
      return (await database.query<Row>(ORGANIZATIONS)).map(({ organization }) => organization)
    },
    lease: (holder, forMs) =>
      database.transaction(async (connection) => {
        const [{ now }] = (await connection.query<{ now: number }>(NOW)) as [{ now: number }]
        const rows = await connection.query<Row>(LEASE, [holder, now, forMs])
        return rows.map(({ organization }) => organization).sort((a, b) => a - b)
      }),
    async release(holder) {
      await database.run(RELEASE, [holder])
    },
  }
}
