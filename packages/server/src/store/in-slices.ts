import { takeTurn } from '../domain/common/turn.ts'

/**
 * Reads up to `limit` rows, at most `size` at once, and lets others run in between. `read` gets the number of
 * rows to read and the last row before them.
 */
export async function inSlices<Row>(
  limit: number,
  size: number,
  read: (count: number, last: Row | undefined) => Row[] | Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  while (rows.length < limit) {
    if (rows.length > 0) await takeTurn()
    const count = Math.min(limit - rows.length, size)
    const slice = await read(count, rows.at(-1))
    for (const row of slice) rows.push(row)
    if (slice.length < count) break
  }
  return rows
}

/** Reads what belongs to each part of a list, `size` of it at once, and lets others run in between. */
export async function inParts<Named, Read>(
  all: readonly Named[],
  size: number,
  read: (part: readonly Named[]) => Iterable<Read> | Promise<Iterable<Read>>,
): Promise<Read[]> {
  const found: Read[] = []
  for (let from = 0; from < all.length; from += size) {
    if (from > 0) await takeTurn()
    for (const each of await read(all.slice(from, from + size))) found.push(each)
  }
  return found
}

/** All items of the pages. */
export async function everyItem<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) for (const item of page) items.push(item)
  return items
}
