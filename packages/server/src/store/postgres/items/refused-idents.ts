import { MAX_REFUSED_IDENTS, type RefusedIdent } from '../../../domain/refused-ident.ts'
import type { RefusedIdentStore } from '../../store.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import { givenStatement } from './given-rows.ts'
import type { OrganizationWrites } from './organization-writes.ts'

const LIST = statement(`
  SELECT ident, reason, packets, last_at AS "lastAt", latitude, longitude FROM refused_idents
  WHERE organization = $1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = $1)
  ORDER BY last_at DESC, ident COLLATE "C"
`)
const ADD = givenStatement(
  (given) => `
  INSERT INTO refused_idents (organization, ident, reason, packets, last_at, latitude, longitude)
  ${given.rows('unnest($2::text[], $3::text[], $4::int8[], $5::int8[], $6::float8[], $7::float8[])')}
  ON CONFLICT (organization, ident) DO UPDATE SET reason = excluded.reason,
    packets = refused_idents.packets + excluded.packets, last_at = excluded.last_at,
    latitude = excluded.latitude, longitude = excluded.longitude
`,
)
const TRIM = statement(`
  DELETE FROM refused_idents WHERE organization = $1 AND ident NOT IN (
    SELECT ident FROM refused_idents
    WHERE organization = $1 AND ident NOT IN (SELECT ident FROM objects WHERE organization = $1)
    ORDER BY last_at DESC, ident COLLATE "C" LIMIT ${MAX_REFUSED_IDENTS}
  )
`)

export function refusedIdentStore(
  database: Database,
  writes: OrganizationWrites,
): RefusedIdentStore {
  return {
    async add(organization, idents) {
      await writes.write(organization, async (write) => {
        write.run(ADD, [
          organization,
          idents.map(({ ident }) => ident),
          idents.map(({ reason }) => reason),
          int8Array(idents.map(({ packets }) => packets)),
          int8Array(idents.map(({ lastAt }) => lastAt)),
          idents.map(({ latitude }) => latitude),
          idents.map(({ longitude }) => longitude),
        ])
        write.run(TRIM, [organization])
      })
    },
    list: (organization) => database.query<RefusedIdent>(LIST, [organization]),
  }
}
