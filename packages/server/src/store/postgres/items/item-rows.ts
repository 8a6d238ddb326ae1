import { runAtOnce, type Steps } from '../../../domain/common/steps.ts'
import type { ItemKind, ItemOf } from '../../kinds.ts'
import { itemForm } from '../../tables/item-form.ts'
import { type Statement, statement } from '../connection/connections.ts'

/** The statements that read one kind of catalogue item of an organization ($1), and its rows as items. */
export type ItemRows<Settings> = {
  /** The items with the ids $2, and the first $3 ones with ids above $2, by id. */
  listed: Statement
  after: Statement
  itemAtOnce(row: object): ItemOf<Settings>
  item(row: object): Steps<ItemOf<Settings>>
}

export function itemRows<Settings extends object>(kind: ItemKind<Settings>): ItemRows<Settings> {
  const { columns, item } = itemForm(kind)
  const select = `SELECT ${columns} FROM ${kind.table} WHERE organization = $1`
  return {
    listed: statement(`${select} AND id = ANY($2::int8[]) ORDER BY id`),
    after: statement(`${select} AND id > $2 ORDER BY id LIMIT $3`),
    itemAtOnce: (row) => runAtOnce(item(row)),
    item,
  }
}
