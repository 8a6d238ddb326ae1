import { dayOfReject, type Reject, withReject } from '../../../tracking/outcome.ts'
import type { PositionStore } from '../../position-store.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { givenStatement, int8Array } from '../connection/given-rows.ts'
import type { OrganizationWrite } from '../organization-writes.ts'

const FIND = statement(`
  SELECT object, rejects FROM object_rejects WHERE organization = $1 AND object = ANY($2::int8[])
`)
const SAVE = givenStatement(
  (given) => `
  INSERT INTO object_rejects (organization, object, rejects)
  ${given.rows('unnest($2::int8[], $3::text[])')}
  ON CONFLICT (organization, object) DO UPDATE SET rejects = excluded.rejects
`,
)

const COUNT = givenStatement(
  (given) => `
  INSERT INTO reject_counts (organization, object, day, reason, packets)
  SELECT ${given.organization}, object, day, reason, count(*)
  ${given.from('unnest($2::int8[], $3::int8[], $4::text[]) AS rejected (object, day, reason)')}
  GROUP BY 1, object, day, reason
  ON CONFLICT (organization, object, day, reason)
    DO UPDATE SET packets = reject_counts.packets + excluded.packets
`,
)

async function find(
  connection: Connection,
  organization: number,
  objects: Iterable<number>,
): Promise<Map<number, Reject[]>> {
  const rows = await connection.query<{ object: number; rejects: string }>(FIND, [
    organization,
    int8Array([...objects]),
  ])
  return new Map(rows.map(({ object, rejects }) => [object, JSON.parse(rejects) as Reject[]]))
}

/** The last rejected packets of an object. */
export function rejectReader(connection: Connection): PositionStore['rejects'] {
  return async (organization, object) =>
    (await find(connection, organization, [object])).get(object) ?? []
}

/** Adds rejects of several objects, for each object in the order in which they came. */
export async function addRejects(
  write: OrganizationWrite,
  rejected: ReadonlyMap<number, readonly Reject[]>,
): Promise<void> {
  const { organization } = write
  const existing = await find(write, organization, rejected.keys())
  const now = Array.from(rejected, ([object, rejects]) =>
    JSON.stringify(rejects.reduce<Reject[]>(withReject, existing.get(object) ?? [])),
  )
  write.run(SAVE, [organization, int8Array([...rejected.keys()]), now])
  const all = Array.from(rejected, ([object, rejects]) =>
    rejects
      .filter(({ isStored }) => isStored === undefined)
      .map((reject) => ({ object, day: dayOfReject(reject), reason: reject.reason })),
  ).flat()
  if (all.length === 0) return
  write.run(COUNT, [
    organization,
    int8Array(all.map(({ object }) => object)),
    int8Array(all.map(({ day }) => day)),
    all.map(({ reason }) => reason),
  ])
}
