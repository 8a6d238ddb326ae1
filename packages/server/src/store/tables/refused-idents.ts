import { MAX_REFUSED_IDENTS, type RefusedIdent } from '../../domain/refused-ident.ts'
import type { RefusedIdentStore } from '../store.ts'
import type { Tables } from './sql.ts'

const OF_NO_OBJECT = `
  organization = $1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = $1)`
const ADD = `
  INSERT INTO refused_idents (organization, ident, reason, packets, last_at, latitude, longitude)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization, ident) DO UPDATE SET reason = excluded.reason,
    packets = refused_idents.packets + excluded.packets, last_at = excluded.last_at,
    latitude = excluded.latitude, longitude = excluded.longitude`

export function refusedIdentStore({ dialect, read, change }: Tables): RefusedIdentStore {
  const newestFirst = `ORDER BY last_at DESC, ident ${dialect.bytewise}`
  const list = `
    SELECT ident, reason, packets, last_at AS "lastAt", latitude, longitude FROM refused_idents
    WHERE ${OF_NO_OBJECT} ${newestFirst}`
  const trim = `
    DELETE FROM refused_idents WHERE organization = $1 AND ident NOT IN (
      SELECT ident FROM refused_idents WHERE ${OF_NO_OBJECT} ${newestFirst}
      LIMIT ${MAX_REFUSED_IDENTS}
    )`

  return {
    async add(organization, idents) {
      await change(organization, function* ({ run, count }) {
        for (const { ident, reason, packets, lastAt, latitude, longitude } of idents) {
          run(ADD, [organization, ident, reason, packets, lastAt, latitude, longitude])
        }
        yield* count(trim, [organization])
      })
    },
    async list(organization) {
      const rows = await read(({ all }) => all<RefusedIdent>(list, [organization]))
      return rows.map((row) => ({ ...row }))
    },
  }
}
