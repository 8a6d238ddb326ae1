import { isDeepStrictEqual } from 'node:util'
import {
  byTopic,
  ITEM_RULES,
  type ItemSettings,
  type ItemTopic,
  LIST_TOPICS,
  type ListTopic,
} from '../domain/items.ts'
import { OBJECT_RULES, type ObjectSettings } from '../domain/monitored-object.ts'
import { documentedName, type Rule } from '../domain/settings/rule.ts'

/** How one kind of catalogue item is stored. */
export type ItemKind<Settings> = {
  table: ItemTopic
  /** The column of each setting. */
  columns: { readonly [Setting in keyof Settings & string]: string }
  /** The settings whose values a column does not hold as they are. */
  storedAs: StoredFormsOf<Settings>
  /** The vertices of a place that is drawn with them. They have a column of their own after the settings. */
  verticesOf?(settings: Settings): number
  /** The column that matches an entry without a known id. An ident is unique in its organization. */
  matchedBy: 'name' | 'ident'
}

/** JSON text; or a boolean, which SQLite stores as 1 or 0. */
export type StoredForm = 'json' | 'boolean'

type StoredFormOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [NonNullable<Value>] extends [object]
    ? 'json'
    : never

type StoredFormsOf<Settings> = {
  readonly [Setting in keyof Settings & string as StoredFormOf<Settings[Setting]> extends never
    ? never
    : Setting]: StoredFormOf<Settings[Setting]>
}

/** The columns that a write sets, in the order of `values`. */
export function writtenColumns<Settings>({ columns, verticesOf }: ItemKind<Settings>): string[] {
  const settings = Object.values<string>(columns)
  return verticesOf === undefined ? settings : [...settings, 'vertices']
}

export function settingsStoredAs<Settings>(
  form: StoredForm,
  { storedAs }: ItemKind<Settings>,
): (keyof Settings & string)[] {
  const all = Object.entries<StoredForm>(storedAs) as [keyof Settings & string, StoredForm][]
  return all.flatMap(([setting, each]) => (each === form ? setting : []))
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
  const forms: { readonly [Setting: string]: StoredForm } = kind.storedAs
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

export const OBJECTS: ItemKind<ObjectSettings> = {
  table: 'objects',
  columns: columnsOf({ ...OBJECT_RULES, accuracy: null }),
  storedAs: { accuracy: 'json' },
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
  const forms = Object.entries(rules).flatMap(([setting, { schema }]) => {
    if (schema.type === 'boolean') return [[setting, 'boolean']]
    return schema.type === 'array' ? [[setting, 'json']] : []
  })
  const verticesOf = VERTICES[topic] as ((settings: object) => number) | undefined
  return {
    table: topic,
    columns: columnsOf(rules),
    storedAs: Object.fromEntries(forms),
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
