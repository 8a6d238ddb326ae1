import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { runAtOnce, type Steps } from '../../../domain/steps.ts'
import { runInTurns, takeTurn } from '../../../domain/turn.ts'
import { jsonText, parseText } from '../../json-texts.ts'
import { type ItemKind, type ItemOf, settingsStoredAs } from '../../kinds.ts'

/** Reads the rows of a kind as items over one connection, and turns settings into the values of a row. */
export type ItemRows<Settings> = {
  find(organization: number, id: number): ItemOf<Settings> | null
  /** The rows of those of the ids that exist, by id. */
  listed(organization: number, ids: readonly number[]): object[]
  /** The row of an item. */
  row(organization: number, id: number): object | undefined
  /** The rows by id, ascending, from the first id above `after` on, at most `limit`, and fewer if they are long. */
  after(organization: number, after: number, limit: number): object[]
  /** The item of a row. */
  item(row: object): Steps<ItemOf<Settings>>
  /** In the order of the kind's written columns. */
  values(settings: Settings): SQLInputValue[]
}

/** Some milliseconds. */
const PAGE_ROWS = 1_000
/** Characters of JSON that are read at once: 1 ms. */
const MAX_CHARACTERS = 256 * 1024

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

  function* item(row: object): Steps<ItemOf<Settings>> {
    const read: Record<keyof never, unknown> = { ...row }
    for (const setting of json) read[setting] = yield* parseText(read[setting] as string)
    for (const setting of booleans) read[setting] = read[setting] === 1
    return read as ItemOf<Settings>
  }

  return {
    find(organization, id) {
      const row = find.get(organization, id)
      return row === undefined ? null : runAtOnce(item(row))
    },
    listed: (organization, ids) => listed.all(organization, JSON.stringify(ids)),
    row: (organization, id) => find.get(organization, id),
    after(organization, id, limit) {
      const rows: object[] = []
      let characters = 0
      for (const row of after.iterate(organization, id, limit)) {
        rows.push(row)
        for (const setting of json) characters += (row[setting] as string).length
        if (characters > MAX_CHARACTERS) break
      }
      return rows
    },
    item,
    values(from) {
      const values = settings.map((setting) => {
        const value = from[setting]
        if (typeof value === 'boolean') return Number(value)
        return (json.includes(setting) ? jsonText(value) : value) as SQLInputValue
      })
      return kind.verticesOf === undefined ? values : [...values, kind.verticesOf(from)]
    },
  }
}

/** Items by id, ascending, from the first id above `after` on, at most `limit`, some at a time. */
export async function* itemPages<Settings extends object>(
  rows: Pick<ItemRows<Settings>, 'after' | 'item'>,
  read: <Result>(work: () => Result) => Result,
  organization: number,
  after: number,
  limit: number,
): AsyncGenerator<ItemOf<Settings>[]> {
  for (let [last, left] = [after, limit]; left > 0; ) {
    const page = read(() => rows.after(organization, last, Math.min(left, PAGE_ROWS)))
    if (page.length === 0) return
    const items = await itemsOf(rows, page)
    last = items.at(-1)!.id
    left -= items.length
    yield items
    await takeTurn()
  }
}

export async function itemsOf<Settings extends object>(
  { item }: Pick<ItemRows<Settings>, 'item'>,
  rows: readonly object[],
): Promise<ItemOf<Settings>[]> {
  const items: ItemOf<Settings>[] = []
  for (const row of rows) items.push(await runInTurns(item(row)))
  return items
}
