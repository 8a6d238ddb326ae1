import { takeTurn } from '../../../domain/common/turn.ts'
import { everyItem } from '../../in-slices.ts'
import type { ItemKind, ItemOf } from '../../kinds.ts'
import type { ItemStore, TextsOf } from '../../store.ts'
import { itemsOf } from '../../tables/item-form.ts'
import type { Database } from '../database.ts'
import { itemRows } from './item-rows.ts'

/** Items that one statement reads: a million take longer than a statement may, and more at once hold up others. */
const SLICE = 2_000

/** Reads all items of an organization. */
export function itemReader<Settings extends object>(
  database: Database,
  kind: ItemKind<Settings>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const rows = itemRows(kind)

  /** The columns of a row are an item's fields, and its JSON columns are texts. */
  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    for (let after = 0; ; ) {
      const page = await database.query<TextsOf<ItemOf<Settings>>>(rows.after, [
        organization,
        after,
        SLICE,
      ])
      if (page.length > 0) yield page
      if (page.length < SLICE) return
      after = page.at(-1)!.id as number
      await takeTurn()
    }
  }

  async function* itemPages(organization: number): AsyncGenerator<ItemOf<Settings>[]> {
    for await (const page of pages(organization)) yield await itemsOf(rows, page)
  }

  return { pages, list: (organization) => everyItem(itemPages(organization)) }
}
