import type { WebhookStore } from '../../webhook-store.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import { leases } from '../leases.ts'

const ORGANIZATIONS = statement('SELECT DISTINCT organization FROM webhooks ORDER BY organization')

export function leaseStore(
  database: Database,
): Pick<WebhookStore, 'organizations' | 'lease' | 'release'> {
  const { take, release } = leases(database, 'webhook_leases', ORGANIZATIONS.text)
  return {
    async organizations() {
      const rows = await database.query<{ organization: number }>(ORGANIZATIONS)
      return rows.map(({ organization }) => organization)
    },
    lease: (holder, forMs) => take(holder, forMs),
    release,
  }
}
