import type { Client } from 'pg'
import type { ItemKind, ReplicaItems, StoredItem } from '../../replica/replica-store.ts'
import { detailOf } from '../../replica/shown-object.ts'
import type { Cell, Kind } from '../files/kinds.ts'
import type { ItemWrite } from '../net-writes.ts'
import { ITEM_TABLES, RECORD_TABLES } from './tables.ts'

const TABLES = { ...ITEM_TABLES, ...RECORD_TABLES }
type TableKind = keyof typeof TABLES

const PUT = `
  INSERT INTO fleetgate_pull_items
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::bigint[], $5::json[])
  ON CONFLICT (kind, id) DO UPDATE SET generation = excluded.generation, as_of = excluded.as_of, item = excluded.item`
const DELETE = `
  DELETE FROM fleetgate_pull_items i USING unnest($1::text[], $2::bigint[]) AS d (kind, id)
  WHERE i.kind = d.kind AND i.id = d.id`

/** Keeps items as they came, and writes the rows of their tables. */
export async function writeItems(
  client: Client,
  writes: readonly ItemWrite[],
  generation: number,
): Promise<void> {
  const puts = writes.filter((write) => write.write === 'put')
  const deletes = writes.filter((write) => write.write === 'delete')
  if (puts.length > 0) {
    await client.query(PUT, [
      ...[puts.map(({ kind }) => kind), puts.map(({ id }) => id), puts.map(() => generation)],
      ...[puts.map(({ asOf }) => asOf), puts.map(({ item }) => JSON.stringify(item))],
    ])
  }
  if (deletes.length > 0) {
    await client.query(DELETE, [deletes.map(({ kind }) => kind), deletes.map(({ id }) => id)])
  }
  for (const kind of Object.keys(TABLES) as TableKind[]) {
    const isOf = (write: ItemWrite) =>
      write.kind === kind || (kind === 'object' && write.kind === 'state')
    const ids = [...new Set(writes.filter(isOf).map(({ id }) => id))]
    if (ids.length > 0) await writeRows(client, kind, ids)
  }
}

/** Deletes the items that a new start did not name, and the positions with them. */
export async function dropBefore(
  client: Client,
  generation: number,
  hasRecords: boolean,
): Promise<void> {
  await client.query('DELETE FROM fleetgate_pull_items WHERE generation < $1', [generation])
  await client.query('DELETE FROM positions WHERE generation < $1', [generation])
  for (const [kind, { table }] of Object.entries(hasRecords ? TABLES : ITEM_TABLES)) {
    await client.query(
      `DELETE FROM ${table} t WHERE NOT EXISTS
        (SELECT FROM fleetgate_pull_items i WHERE i.kind = $1 AND i.id = t.id)`,
      [kind],
    )
  }
}

/** Items of a kind. `ids` undefined: all. */
export async function readItems<Of extends ItemKind>(
  client: Client,
  kind: Of,
  ids?: readonly number[],
): Promise<Map<number, StoredItem<Of>>> {
  const { rows } = await client.query<{ id: string; asOf: string; item: ReplicaItems[Of] }>(
    `SELECT id, as_of AS "asOf", item FROM fleetgate_pull_items
     WHERE kind = $1 AND ($2::bigint[] IS NULL OR id = ANY ($2))`,
    [kind, ids ?? null],
  )
  return new Map(rows.map(({ id, asOf, item }) => [Number(id), { item, asOf: Number(asOf) }]))
}

/** Makes the rows of these items new in the table of their kind. */
async function writeRows(client: Client, name: TableKind, ids: readonly number[]): Promise<void> {
  const { table, kind } = TABLES[name]
  const { columns, cells } = kind as Kind<unknown>
  const items = await readItems(client, name, ids)
  const states = name === 'object' ? await readItems(client, 'state', ids) : new Map()
  const rows = Array.from(items, ([id, stored]) => {
    const item =
      name === 'object' ? detailOf(stored as StoredItem<'object'>, states.get(id)) : stored.item
    return rowOf(columns, cells(item))
  })
  const gone = ids.filter((id) => !items.has(id))
  if (gone.length > 0) await client.query(`DELETE FROM ${table} WHERE id = ANY ($1)`, [gone])
  const others = columns.map((column) => column.name).filter((column) => column !== 'id')
  await client.query(
    `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)
     ON CONFLICT (id) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [JSON.stringify(rows)],
  )
}

function rowOf(columns: Kind<unknown>['columns'], cells: Cell[]): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, type }, i) => {
      const cell = cells[i]!
      return [name, type === 'json' && cell !== null ? JSON.parse(String(cell)) : cell]
    }),
  )
}
