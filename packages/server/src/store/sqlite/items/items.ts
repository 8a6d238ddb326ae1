import { everyItem } from '../../in-slices.ts'
import type { ItemKind, ItemOf } from '../../kinds.ts'
import type { ItemStore, TextsOf } from '../../store.ts'
import type { Database } from '../database/database.ts'
import { itemPages, itemRows, rowPages } from './item-rows.ts'

const BEFORE_FIRST = -1

/** Reads all items of an organization. */
export function itemReader<Settings extends object>(
  { reader, read }: Database,
  kind: ItemKind<Settings>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const rows = itemRows(reader, kind)

  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    const all = rowPages(rows, read, organization, BEFORE_FIRST, Infinity)
    for await (const page of all) yield page.map(rows.texts)
  }

  return {
    pages,
    list: (organization) => everyItem(itemPages(rows, read, organization, BEFORE_FIRST, Infinity)),
  }
}
