import { MAX_REFUSED_IDENTS, type RefusedIdent } from '../../../domain/refused-ident.ts'
import type { RefusedIdentStore } from '../../store.ts'
import type { Database } from '../database/database.ts'

export function refusedIdentStore(database: Database): RefusedIdentStore {
  const { reader, writer } = database
  const list = reader.prepare(`
    SELECT ident, reason, packets, last_at AS lastAt, latitude, longitude FROM refused_idents
    WHERE organization = ?1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = ?1)
    ORDER BY last_at DESC, ident
  `)

  const organizationExists = writer.prepare('SELECT 1 FROM organizations WHERE id = ?')
  const add = writer.prepare(`
    INSERT INTO refused_idents
      (organization, ident, reason, packets, last_at, latitude, longitude)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason, packets = packets + excluded.packets,
      last_at = excluded.last_at, latitude = excluded.latitude, longitude = excluded.longitude
  `)
  const trim = writer.prepare(`
    DELETE FROM refused_idents WHERE organization = ?1 AND ident NOT IN (
      SELECT ident FROM refused_idents
      WHERE organization = ?1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = ?1)
      ORDER BY last_at DESC, ident LIMIT ${MAX_REFUSED_IDENTS}
    )
  `)

  return {
    add: (organization, idents) =>
      database.write(() => {
        if (organizationExists.get(organization) === undefined) return
        for (const { ident, reason, packets, lastAt, latitude, longitude } of idents) {
          add.run(organization, ident, reason, packets, lastAt, latitude, longitude)
        }
        trim.run(organization)
      }),
    async list(organization) {
      return database.read(() =>
        list.all(organization).map((row) => ({ ...(row as RefusedIdent) })),
      )
    },
  }
}
