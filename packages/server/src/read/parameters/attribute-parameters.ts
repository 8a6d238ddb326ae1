import { MAX_ENTRIES } from '../../base/domain/attributes/attribute-catalogue.ts'
import { INCLUDED, type Included } from '../../base/domain/position/field-lists.ts'
import type { Fleet, PublicAttributes } from '../../data/cache/fleet-cache.ts'
import type { Query } from '../exchange/request.ts'
import { type Columns, columnsOf } from '../formats/position-format.ts'
import { differsFromCursor, type Refusal, unknownAttribute } from '../refusal.ts'
import { INCLUDED_FIELDS, wordList } from './choices.ts'
import { isRefusal, type Parameter, valuesIn } from './parameter.ts'

/** The attributes that a request asks for: all that its key sees, those with some names, or none. */
export type AskedAttributes = 'all' | readonly string[] | null

const SELECTED = {
  Attributes: {
    name: 'attributes',
    in: 'query',
    description:
      'Only these attributes of the catalogue: their names, separated by commas, such as `fuel_level,driver`. `include=attributes` is then unnecessary.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_ENTRIES },
  },
}

/** The distinct names in the order of the alphabet, as the catalogue has them. Undefined: not given. */
function selectedNames(query: Query): readonly string[] | Refusal | undefined {
  const names = valuesIn(query, 'attributes', MAX_ENTRIES)
  return names === undefined || isRefusal(names) ? names : [...names].sort()
}

function askedIn(query: Query, included: readonly Included[]): AskedAttributes | Refusal {
  return selectedNames(query) ?? (included.includes('attributes') ? 'all' : null)
}

function written(asked: AskedAttributes): Partial<Record<string, string>> {
  return Array.isArray(asked) ? { attributes: asked.join() } : {}
}

const ONLY_ATTRIBUTES = ['attributes'] as const

function onlyAttributes(description: string): Parameter<AskedAttributes> {
  const include = wordList('AttributesInclude', 'include', description, ONLY_ATTRIBUTES)
  return {
    described: { ...include.described, ...SELECTED },
    single: [],
    read(query, context) {
      const included = include.read(query, context) ?? []
      return isRefusal(included) ? included : askedIn(query, included)
    },
    write: (asked) => (asked === 'all' ? { include: 'attributes' } : written(asked)),
    refusals: [...include.refusals, unknownAttribute('fuel')],
  }
}

/** The attributes of an answer that has no other groups of fields. */
export const ATTRIBUTES = onlyAttributes(
  'Additional fields of each row. `attributes`: the attributes of the catalogue.',
)

/** The levels whose changes are asked for. Null: all that the key sees. */
export const LEVELS: Parameter<AskedAttributes> = {
  described: {
    LevelNames: {
      ...SELECTED.Attributes,
      description: 'Only the changes of these levels: their names, separated by commas.',
    },
  },
  single: [],
  read: (query) => selectedNames(query) ?? null,
  write: written,
  refusals: [unknownAttribute('fuel')],
}

/** The parts of position rows that are added to the fields of the contract. */
export type AskedColumns = Omit<Columns, 'attributes'> & { readonly attributes: AskedAttributes }

export const COLUMNS: Parameter<AskedColumns> = {
  ...INCLUDED_FIELDS,
  described: { ...INCLUDED_FIELDS.described, ...SELECTED },
  read(query, context) {
    const included = INCLUDED_FIELDS.read(query, context) ?? []
    if (isRefusal(included)) return included
    const attributes = askedIn(query, included)
    return isRefusal(attributes) ? attributes : { ...columnsOf(included), attributes }
  },
  write({ hasQuality, isExact, attributes }) {
    const isIncluded = { quality: hasQuality, exact: isExact, attributes: attributes === 'all' }
    const included = INCLUDED.filter((name) => isIncluded[name])
    return { ...(included.length > 0 && { include: included.join() }), ...written(attributes) }
  },
  refusals: [...INCLUDED_FIELDS.refusals, unknownAttribute('fuel')],
}

/** The attributes that a reader of changes selects. Undefined: not given. */
export const SELECTED_ATTRIBUTES: Parameter<readonly string[] | undefined> = {
  described: SELECTED,
  single: [],
  read: selectedNames,
  refusals: [unknownAttribute('fuel'), differsFromCursor('attributes')],
}

/** The part of a call that knows the entries of the catalogue that its key sees. */
type Catalogue = { readonly fleet: Pick<Fleet, 'attributes'> }

/** The entries that a request asks for, by name. A refusal if it names one that its key does not see. */
export async function chosenEntries(
  { fleet }: Catalogue,
  asked: Exclude<AskedAttributes, null>,
): Promise<PublicAttributes | Refusal> {
  const visible = await fleet.attributes()
  if (asked === 'all') return visible
  const [chosen, known] = [new Set(asked), new Set(visible.map(({ name }) => name))]
  const unknown = asked.find((name) => !known.has(name))
  if (unknown !== undefined) return unknownAttribute(unknown)
  return visible.filter(({ name }) => chosen.has(name))
}

/** The entries of an answer. Null: it has no attributes. */
export async function entriesIfAsked(
  call: Catalogue,
  asked: AskedAttributes,
): Promise<PublicAttributes | null | Refusal> {
  return asked === null ? null : chosenEntries(call, asked)
}

/** The columns that a request asks for, with the entries of the catalogue. `isCurrent`: of current values. */
export async function chosenColumns(
  call: Catalogue,
  { attributes, ...columns }: AskedColumns,
  isCurrent = false,
): Promise<Columns | Refusal> {
  if (attributes === null) return { ...columns, attributes }
  const entries = await chosenEntries(call, attributes)
  return isRefusal(entries) ? entries : { ...columns, attributes: { entries, isCurrent } }
}

/** A text that binds a cursor to the attributes of its answers. Empty without any. */
export function boundTo(asked: AskedAttributes): string {
  if (asked === null) return ''
  return ` attributes ${asked === 'all' ? '*' : asked.join()}`
}
