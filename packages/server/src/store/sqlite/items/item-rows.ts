import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type ItemKind, type ItemOf, settingsStoredAs } from '../../kinds.ts'

/** Reads the rows of a kind as items over one connection, and turns settings into the values of a row. */
export type ItemRows<Settings> = {
  find(organization: number, id: number): ItemOf<Settings> | null
  /** Those of the ids that exist, by id. */
  listed(organization: number, ids: readonly number[]): ItemOf<Settings>[]
  /** By id, ascending, from the first id above `after` on, at most `limit`. */
  after(organization: number, after: number, limit: number): ItemOf<Settings>[]
  /** In the order of the kind's written columns. */
  values(settings: Settings): SQLInputValue[]
}

export function itemRows<Settings extends object>(
  connection: DatabaseSync,
  kind: ItemKind<Settings>,
): ItemRows<Settings> {
  const settings = Object.keys(kind.columns) as (keyof Settings & string)[]
  const json = settingsStoredAs('json', kind)
  const booleans = settingsStoredAs('boolean', kind)
  const columns = settings.map((setting) => `${kind.columns[setting]} AS ${setting}`).join(', ')
  const select = `
    SELECT id, organization, ${columns}, created_at AS createdAt, updated_at AS updatedAt
    FROM ${kind.table} WHERE organization = ?`
  const find = connection.prepare(`${select} AND id = ?`)
  const listed = connection.prepare(
    `${select} AND id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  )
  const after = connection.prepare(`${select} AND id > ? ORDER BY id LIMIT ?`)

  function item(row: object): ItemOf<Settings> {
    const read: Record<keyof never, unknown> = { ...row }
    for (const setting of json) read[setting] = JSON.parse(read[setting] as string)
    for (const setting of booleans) read[setting] = read[setting] === 1
    return read as ItemOf<Settings>
  }

  return {
    find(organization, id) {
      const row = find.get(organization, id)
      return row === undefined ? null : item(row)
    },
    listed: (organization, ids) => listed.all(organization, JSON.stringify(ids)).map(item),
    after: (organization, id, limit) => after.all(organization, id, limit).map(item),
    values(from) {
      const values = settings.map((setting) => {
        const value = from[setting]
        if (typeof value === 'boolean') return Number(value)
        return (json.includes(setting) ? JSON.stringify(value) : value) as SQLInputValue
      })
      return kind.verticesOf === undefined ? values : [...values, kind.verticesOf(from)]
    },
  }
}
