import { isDeepStrictEqual } from 'node:util'
import { parseJson, writeArray, writeArrays } from '../../base/domain/common/plain-json.ts'
import { runInTurns } from '../../base/domain/common/slots.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import {
  byTopic,
  ITEM_RULES,
  type ItemSettings,
  type ItemTopic,
  LIST_TOPICS,
  type ListTopic,
} from '../../base/domain/item-rules.ts'
import { OBJECT_RULES, type ObjectSettings } from '../../base/domain/monitored-object.ts'
import { documentedName, type Rule } from '../../base/domain/setting-rule.ts'
import type { TextsOf } from '../../engine/store/item-store.ts'
import type { Value } from './sql.ts'

/** How one kind of catalogue item is stored. */
export type ItemKind<Settings> = {
  table: ItemTopic
  /** The column of each setting. */
  columns: { readonly [Setting in keyof Settings & string]: string }
  /** The settings whose values a column does not hold as they are. */
  storedAs: { readonly [Setting in keyof Settings & string]?: StoredForm }
  /** The vertices of a place that is drawn with them. They have a column of their own after the settings. */
  verticesOf?(settings: Settings): number
  /** The column that matches an entry without a known id. An ident is unique in its organization. */
  matchedBy: 'name' | 'ident'
}

/** JSON text; or a boolean, which SQLite stores as 1 or 0. */
type StoredForm = 'json' | 'boolean'

/** The columns that a write sets, in the order of `values`. */
export function writtenColumns<Settings>({ columns, verticesOf }: ItemKind<Settings>): string[] {
  const settings = Object.values<string>(columns)
  return verticesOf === undefined ? settings : [...settings, 'vertices']
}

function settingsStoredAs<Settings>(
  form: StoredForm,
  { storedAs }: ItemKind<Settings>,
): (keyof Settings & string)[] {
  const all = Object.entries(storedAs) as [keyof Settings & string, StoredForm][]
  return all.flatMap(([setting, each]) => (each === form ? setting : []))
}

/** Settings after a patch. Undefined members change nothing. */
export function patched<Settings extends object>(
  before: Settings,
  patch: Partial<Settings>,
): Settings {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(given) }
}

export type ItemOf<Settings> = Settings & {
  id: number
  organization: number
  createdAt: number
  updatedAt: number
}

/**
 * Whether two rows have equal settings, in the order of the columns. Compares JSON by value, so that the
 * order of properties does not matter.
 */
export function isSame<Settings>(
  kind: ItemKind<Settings>,
  a: readonly unknown[],
  b: readonly unknown[],
): boolean {
  const forms: { readonly [Setting: string]: StoredForm | undefined } = kind.storedAs
  return Object.keys(kind.columns).every((setting, index) => {
    if (a[index] === b[index]) return true
    // Lists of numbers have one form.
    if (forms[setting] !== 'json' || !(a[index] as string).includes('{')) return false
    return isDeepStrictEqual(JSON.parse(a[index] as string), JSON.parse(b[index] as string))
  })
}

/** The column `plate_number` of the setting `plateNumber`. */
function columnsOf<Setting extends string>(
  settings: Readonly<Record<Setting, unknown>>,
): Record<Setting, string> {
  const columns = Object.keys(settings).map((setting) => [setting, documentedName(setting)])
  return Object.fromEntries(columns) as Record<Setting, string>
}

function formsOf(rules: Readonly<Record<string, Rule>>): Readonly<Record<string, StoredForm>> {
  const forms = Object.entries(rules).flatMap(
    ([
      setting,
      {
        schema: { type },
      },
    ]): [string, StoredForm][] => {
      if (type === 'boolean') return [[setting, 'boolean']]
      return type === 'array' ? [[setting, 'json']] : []
    },
  )
  return Object.fromEntries(forms)
}

export const OBJECTS: ItemKind<ObjectSettings> = {
  table: 'objects',
  columns: columnsOf({ ...OBJECT_RULES, accuracy: null }),
  storedAs: { ...formsOf(OBJECT_RULES), accuracy: 'json' },
  matchedBy: 'ident',
}

/** The vertices of the places that are drawn with them. */
const VERTICES: { readonly [Topic in ListTopic]?: (settings: ItemSettings[Topic]) => number } = {
  geofences: ({ coordinates }) => coordinates.length,
  routes: ({ points, coordinates }) =>
    coordinates.reduce((sum, line) => sum + line.length, points.length),
}

/** A kind that has settings alone is stored by their rules. */
function listedKind<Topic extends ListTopic>(topic: Topic): ItemKind<object> {
  const rules: Readonly<Record<string, Rule>> = ITEM_RULES[topic]
  const verticesOf = VERTICES[topic] as ((settings: object) => number) | undefined
  return {
    table: topic,
    columns: columnsOf(rules),
    storedAs: formsOf(rules),
    ...(verticesOf && { verticesOf }),
    matchedBy: 'name',
  }
}

export const KINDS = {
  objects: OBJECTS,
  ...byTopic(LIST_TOPICS, listedKind),
} as { readonly [Topic in ItemTopic]: ItemKind<ItemSettings[Topic]> }

/** Makes something of each of some kinds, whose types the caller knows. */
export function ofKinds<Topic extends ItemTopic, Made>(
  topics: readonly Topic[],
  make: <Settings extends object>(kind: ItemKind<Settings>) => unknown,
): Made {
  return byTopic(topics, (topic) => make(KINDS[topic] as ItemKind<object>)) as Made
}

/** Shorter texts are written and parsed faster than they are looked up. */
const LONG_CHARACTERS = 16 * 1024
const LONG_ITEMS = 500

/** The JSON of long values that were read or are about to be stored. A value never changes. */
const texts = new WeakMap<object, string>()

function jsonText(value: unknown): string {
  const known = Array.isArray(value) ? texts.get(value) : undefined
  return known ?? JSON.stringify(value)
}

/** The value of a stored text. */
function* parseText(text: string): Steps<unknown> {
  if (text.length < LONG_CHARACTERS) return JSON.parse(text)
  const value = yield* parseJson(text)
  texts.set(value as object, text)
  return value
}

/** Writes the long values of settings in turns, so that a transaction finds their texts. */
export async function writeLongTexts<Settings extends object>(
  kind: ItemKind<Settings>,
  entries: readonly Partial<Settings>[],
): Promise<void> {
  const json = settingsStoredAs('json', kind)
  for (const entry of entries) {
    for (const setting of json) {
      const value: unknown = entry[setting]
      if (!Array.isArray(value) || texts.has(value) || !isLong(value)) continue
      texts.set(value, await runInTurns(writeLong(value)))
    }
  }
}

function isLong(value: readonly unknown[]): boolean {
  return value.length > LONG_ITEMS || value.some((each) => Array.isArray(each) && each.length > 2)
}

function writeLong(value: readonly unknown[]): Steps<string> {
  const isOfLines = value.every((each) => Array.isArray(each) && Array.isArray(each[0]))
  return isOfLines ? writeArrays(value as unknown[][]) : writeArray(value)
}

/** How the items of one kind are stored in the rows of its table. */
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
