import { takeTurn } from '../../base/domain/common/slots.ts'
import type { ItemStore, TextsOf } from '../../engine/store/item-store.ts'
import { type ItemKind, type ItemOf, itemForm, itemsOf } from './item-columns.ts'
import { type Dialect, everyItem, inParts, type Tables } from './sql.ts'

/** Bytes of vertices that are read at once: 1 ms. */
const MAX_BYTES = 256 * 1024

/** An item, and the bytes of its vertices. */
type Size = { id: number; bytes: number }

type From = [read: Tables['read'], organization: number, after: number, limit: number]

/** Reads the items of one kind. Others run in between. */
export function itemRows<Settings extends object>(dialect: Dialect, kind: ItemKind<Settings>) {
  const { isIn, list, readAtOnce } = dialect
  const form = itemForm(kind)
  // Other settings are short.
  const long = kind.verticesOf === undefined ? [] : form.json
  const lengths = long.map((setting) => `octet_length(${kind.columns[setting]})`)
  const length = `(
    SELECT ${lengths.join(' + ')} FROM ${kind.table} WHERE organization = $1 AND id = chosen.id)`
  // The ids first: SQLite would look at all rows of the organization for each page, and plan again for a bare $3.
  const sizes = `
    WITH chosen AS MATERIALIZED (
      SELECT id FROM ${kind.table} WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3 + 0
    )
    SELECT id, ${lengths.length === 0 ? '0' : length} AS bytes FROM chosen ORDER BY id`
  const listed = `
    SELECT ${form.columns} FROM ${kind.table}
    WHERE organization = $1 AND ${isIn('id', '$2')} ORDER BY id`

  function rowsOf(read: Tables['read'], organization: number, ids: readonly number[]) {
    return read(({ all }) => all<object>(listed, [organization, list(ids)]))
  }

  /** The rows with ids above `after`, by id, at most `limit`, some at a time, and fewer if they are long. */
  async function* rowPages(...[read, organization, after, limit]: From): AsyncGenerator<object[]> {
    for (let [last, left] = [after, limit]; left > 0; ) {
      const size = Math.min(left, 4 * readAtOnce)
      const found = await read(({ all }) => all<Size>(sizes, [organization, last, size]))
      for (const ids of inBytes(found)) {
        const rows = await rowsOf(read, organization, ids)
        if (rows.length > 0) yield rows
        await takeTurn()
      }
      if (found.length < size) return
      last = found.at(-1)!.id
      left -= size
    }
  }

  /** As `rowPages`, of items. */
  async function* itemPages(...from: From): AsyncGenerator<ItemOf<Settings>[]> {
    for await (const page of rowPages(...from)) yield await itemsOf(form, page)
  }

  return {
    rowPages,
    texts: form.texts,
    /** Those of the ids that exist, by id. */
    async listed(read: Tables['read'], organization: number, ids: readonly number[]) {
      const rows = await inParts(ids, readAtOnce, (part) => rowsOf(read, organization, part))
      return (await itemsOf(form, rows)).sort((a, b) => a.id - b.id)
    },
    after: (...from: From) => everyItem(itemPages(...from)),
  }
}

/** Ids whose rows are read together. */
function* inBytes(sizes: readonly Size[]): Generator<number[]> {
  let ids: number[] = []
  let sum = 0
  for (const { id, bytes } of sizes) {
    ids.push(id)
    sum += bytes
    if (sum < MAX_BYTES) continue
    yield ids
    ids = []
    sum = 0
  }
  if (ids.length > 0) yield ids
}

const BEFORE_FIRST = -1

/** Reads all items of an organization. */
export function itemReader<Settings extends object>(
  { dialect, read }: Tables,
  kind: ItemKind<Settings>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const { rowPages, texts, after } = itemRows(dialect, kind)
  return {
    async *pages(organization): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
      for await (const page of rowPages(read, organization, BEFORE_FIRST, Infinity)) {
        yield page.map(texts)
      }
    },
    list: (organization) => after(read, organization, BEFORE_FIRST, Infinity),
  }
}
