import { runAtOnce, type Steps } from '../../../domain/steps.ts'
import { runInTurns } from '../../../domain/turn.ts'
import { jsonText, parseText } from '../../json-texts.ts'
import { type ItemKind, type ItemOf, settingsStoredAs, writtenColumns } from '../../kinds.ts'
import { type Statement, statement } from '../connection/connections.ts'

/** The statements for one kind of catalogue item of an organization ($1), and its rows as items. */
export type ItemRows<Settings> = {
  /** The item with the id $2. */
  find: Statement
  /** The items with the ids $2, and the first $3 ones with ids above $2, by id. */
  listed: Statement
  after: Statement
  /** The ids of items with the name or ident $2, ascending. */
  named: Statement
  /** Items with the ids $2 or matched by one of the texts $3, ascending by id. */
  matching: Statement
  /** Item $2, at the moment $3, with the settings from $4 on. */
  insert: Statement
  update: Statement
  remove: Statement
  item(row: object): ItemOf<Settings>
  /** The same, in steps. */
  read(row: object): Steps<ItemOf<Settings>>
  /** In the order of the kind's written columns. */
  values(settings: Settings): unknown[]
}

export function itemRows<Settings extends object>(kind: ItemKind<Settings>): ItemRows<Settings> {
  const { table, matchedBy } = kind
  const settings = Object.keys(kind.columns) as (keyof Settings & string)[]
  const json = settingsStoredAs('json', kind)
  const columns = writtenColumns(kind)
  const shown = settings.map((setting) => `${kind.columns[setting]} AS "${setting}"`).join(', ')
  const placeholders = columns.map((_, index) => `$${index + 4}`)
  const select = `
    SELECT id, organization, ${shown}, created_at AS "createdAt", updated_at AS "updatedAt"
    FROM ${table} WHERE organization = $1`

  function* read(row: object): Steps<ItemOf<Settings>> {
    const item: Record<keyof never, unknown> = { ...row }
    for (const setting of json) item[setting] = yield* parseText(item[setting] as string)
    return item as ItemOf<Settings>
  }

  return {
    find: statement(`${select} AND id = $2`),
    listed: statement(`${select} AND id = ANY($2::int8[]) ORDER BY id`),
    after: statement(`${select} AND id > $2 ORDER BY id LIMIT $3`),
    named: statement(
      `SELECT id FROM ${table} WHERE organization = $1 AND ${matchedBy} = $2 ORDER BY id`,
    ),
    matching: statement(`
      ${select} AND (id = ANY($2::bigint[]) OR ${matchedBy} = ANY($3::text[])) ORDER BY id
    `),
    insert: statement(`
      INSERT INTO ${table} (organization, id, created_at, updated_at, ${columns.join(', ')})
      VALUES ($1, $2, $3, $3, ${placeholders.join(', ')})
    `),
    update: statement(`
      UPDATE ${table} SET updated_at = $3,
        ${columns.map((column, index) => `${column} = ${placeholders[index]}`).join(', ')}
      WHERE organization = $1 AND id = $2
    `),
    remove: statement(`DELETE FROM ${table} WHERE organization = $1 AND id = $2`),
    item: (row) => runAtOnce(read(row)),
    read,
    values(from) {
      const values = settings.map((setting) => {
        const value = from[setting]
        return json.includes(setting) ? jsonText(value) : value
      })
      return kind.verticesOf === undefined ? values : [...values, kind.verticesOf(from)]
    },
  }
}

export async function itemsOf<Settings extends object>(
  { read }: Pick<ItemRows<Settings>, 'read'>,
  rows: readonly object[],
): Promise<ItemOf<Settings>[]> {
  const items: ItemOf<Settings>[] = []
  for (const row of rows) items.push(await runInTurns(read(row)))
  return items
}
