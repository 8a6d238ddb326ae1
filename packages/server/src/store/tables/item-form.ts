import type { Steps } from '../../domain/common/steps.ts'
import { runInTurns } from '../../domain/common/turn.ts'
import { jsonText, parseText } from '../json-texts.ts'
import { type ItemKind, type ItemOf, settingsStoredAs } from '../kinds.ts'
import type { TextsOf } from '../store.ts'
import type { Value } from './sql.ts'

/** How the items of one kind lie in the rows of its table. */
export type ItemForm<Settings> = {
  /** The columns of a SELECT, which are an item's fields, but JSON is text. */
  columns: string
  /** The settings whose values are JSON. */
  json: readonly (keyof Settings & string)[]
  texts(row: object): TextsOf<ItemOf<Settings>>
  /** The item of a row. */
  item(row: object): Steps<ItemOf<Settings>>
  /** In the order of the kind's written columns. */
  values(settings: Settings): Value[]
}

export function itemForm<Settings extends object>(kind: ItemKind<Settings>): ItemForm<Settings> {
  const settings = Object.keys(kind.columns) as (keyof Settings & string)[]
  const json = settingsStoredAs('json', kind)
  const booleans = settingsStoredAs('boolean', kind)
  const shown = settings.map((setting) => `${kind.columns[setting]} AS "${setting}"`).join(', ')

  function texts(row: object): TextsOf<ItemOf<Settings>> {
    const read: Record<keyof never, unknown> = { ...row }
    for (const setting of booleans) read[setting] = Boolean(read[setting])
    return read as TextsOf<ItemOf<Settings>>
  }

  return {
    columns: `
      id, organization, ${shown}, created_at AS "createdAt", updated_at AS "updatedAt"`,
    json,
    texts,
    *item(row) {
      const read: Record<keyof never, unknown> = texts(row)
      for (const setting of json) read[setting] = yield* parseText(read[setting] as string)
      return read as ItemOf<Settings>
    },
    values(from) {
      const values = settings.map((setting) => {
        const value = from[setting]
        return (json.includes(setting) ? jsonText(value) : value) as Value
      })
      return kind.verticesOf === undefined ? values : [...values, kind.verticesOf(from)]
    },
  }
}

export async function itemsOf<Settings extends object>(
  { item }: Pick<ItemForm<Settings>, 'item'>,
  rows: readonly object[],
): Promise<ItemOf<Settings>[]> {
  const items: ItemOf<Settings>[] = []
  for (const row of rows) items.push(await runInTurns(item(row)))
  return items
}
