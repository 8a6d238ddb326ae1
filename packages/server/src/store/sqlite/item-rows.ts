import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ItemOf, Kind } from '../kinds.ts'

/** Reads the rows of a kind as items over one connection, and turns settings into the values of a row. */
export type ItemRows<Settings> = {
  /** By id, ascending. */
  list(organization: number): ItemOf<Settings>[]
  find(organization: number, id: number): ItemOf<Settings> | null
  /** In the order of the kind's columns. */
  values(settings: Settings): SQLInputValue[]
}

export function itemRows<Settings extends object>(
  connection: DatabaseSync,
  kind: Kind<Settings>,
): ItemRows<Settings> {
  const settings = Object.keys(kind.columns) as (keyof Settings & string)[]
  const columns = settings.map((setting) => `${kind.columns[setting]} AS ${setting}`).join(', ')
  const select = `
    SELECT id, organization, ${columns}, created_at AS createdAt, updated_at AS updatedAt
    FROM ${kind.table} WHERE organization = ?`
  const list = connection.prepare(`${select} ORDER BY id`)
  const find = connection.prepare(`${select} AND id = ?`)

  function item(row: object): ItemOf<Settings> {
    const read: Record<keyof never, unknown> = { ...row }
    for (const setting of kind.json) read[setting] = JSON.parse(read[setting] as string)
    return read as ItemOf<Settings>
  }

  return {
    list: (organization) => list.all(organization).map(item),
    find(organization, id) {
      const row = find.get(organization, id)
      return row === undefined ? null : item(row)
    },
    values: (from) =>
      settings.map((setting) => {
        const value = from[setting]
        return (kind.json.includes(setting) ? JSON.stringify(value) : value) as SQLInputValue
      }),
  }
}
