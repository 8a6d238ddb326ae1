import type { WebhookStore } from '../../webhook-store.ts'
import type { Database } from '../database/database.ts'

export function leaseStore({
  reader,
  writer,
  read,
  write,
}: Database): Pick<WebhookStore, 'organizations' | 'lease' | 'release'> {
  const organizations = reader.prepare(
    'SELECT DISTINCT organization FROM webhooks ORDER BY organization',
  )
  const lease = writer.prepare(`
    INSERT INTO webhook_leases (organization, holder, until)
    SELECT DISTINCT organization, ?1, ?2 + ?3 FROM webhooks WHERE true
    ON CONFLICT (organization) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE holder = excluded.holder OR until < ?2 OR until > ?2 + ?3
    RETURNING organization
  `)
  const release = writer.prepare('DELETE FROM webhook_leases WHERE holder = ?')
  const idsIn = (rows: object[]) =>
    rows.map((row) => (row as { organization: number }).organization)

  return {
    async organizations() {
      return read(() => idsIn(organizations.all()))
    },
    lease: (holder, forMs) =>
      write(() => idsIn(lease.all(holder, Date.now(), forMs)).sort((a, b) => a - b)),
    async release(holder) {
      await write(() => release.run(holder))
    },
  }
}
