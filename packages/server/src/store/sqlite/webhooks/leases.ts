import type { WebhookStore } from '../../webhook-store.ts'
import type { Database } from '../database/database.ts'
import { leases } from '../leases.ts'

const ORGANIZATIONS = 'SELECT DISTINCT organization FROM webhooks ORDER BY organization'

export function leaseStore(
  database: Database,
): Pick<WebhookStore, 'organizations' | 'lease' | 'release'> {
  const organizations = database.reader.prepare(ORGANIZATIONS)
  const { take, release } = leases(database, 'webhook_leases', ORGANIZATIONS)
  return {
    async organizations() {
      return database.read(() =>
        organizations.all().map(({ organization }) => organization as number),
      )
    },
    lease: (holder, forMs) => take(holder, forMs),
    release,
  }
}
