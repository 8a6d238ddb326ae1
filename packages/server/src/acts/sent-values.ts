import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
} from '../base/domain/attributes/attribute-catalogue.ts'
import { ANY_MOMENT, currentValues } from '../base/domain/attributes/current-values.ts'
import { takersByName, takersOf } from '../base/domain/attributes/takers.ts'
import { takeTurn } from '../base/domain/common/slots.ts'
import type { AttributeValue } from '../base/domain/position/attribute.ts'
import { type SentName, sentNames } from '../base/domain/position/current-attributes.ts'
import { attributesNow, type ObjectState } from '../base/domain/position/object-state.ts'
import { fixIn } from '../base/domain/position/position-columns.ts'
import type { TimeRange } from '../base/domain/time/time.ts'
import type { GivenAttributes } from '../engine/store/item-store.ts'
import type { PositionStore } from '../engine/store/position-store.ts'
import { type Check, LOOKED_AT, type States } from './attribute-checks.ts'
import * as doc from './document-schema.ts'

/*
 * The values of attributes that devices sent: those of a day, and the current ones with their names.
 */

/** Maximum number of positions to read. A day with one position a second has 86,400. */
const MAX_POSITIONS = 100_000
/** Maximum number of rows in an answer. */
const MAX_ROWS = 1_000

/** The values of a position as its device gave them, by its names. */
export type SentRow = {
  readonly timeDevice: number
  readonly values: Readonly<Record<string, AttributeValue>>
}

export const SENT_VALUES = doc.record(
  {
    items: doc.list(
      doc.record(
        {
          time_device: doc.instant('When the position was taken.'),
          values: doc.plain<SentRow['values']>(
            {
              type: 'object',
              additionalProperties: { type: ['number', 'boolean', 'string'] },
            },
            'By name: the value as the device sent it.',
          ),
        },
        'The values of a position.',
      ),
      `By time, ascending. If there are more than ${MAX_ROWS.toLocaleString('en')}, that many of them, evenly spaced.`,
    ),
    positions: doc.integer('Positions of the range that have such values.'),
    truncated: doc.yes(
      `Whether the range has more than ${MAX_POSITIONS.toLocaleString('en')} positions: the first ones are read.`,
    ),
  },
  'The values that the device of an object sent in a range of time.',
  'SentValues',
)

/** Values that the device of an object sent in a range. `names`: only values with one of these names. Null: all. */
export async function sentValues(
  positions: PositionStore,
  { organization, id }: { organization: number; id: number },
  range: TimeRange,
  names: readonly string[] | null,
) {
  const chosen = names && new Set(names)
  const state = (await positions.states(organization, [id])).get(id)
  const known = state?.attributes ?? []
  const rows: SentRow[] = []
  const { next, blocks } = await positions.history(organization, id, range, MAX_POSITIONS)
  for await (const block of blocks) {
    await takeTurn()
    for (let row = 0; row < block.rows; row += 1) {
      const { timeDevice, attributes } = fixIn(block, row, known)
      const wanted = attributes?.filter(({ name }) => chosen?.has(name) ?? true) ?? []
      if (wanted.length === 0) continue
      const values = Object.fromEntries(wanted.map(({ name, value }) => [name, value]))
      rows.push({ timeDevice, values })
    }
  }
  return SENT_VALUES.write({
    items: evenly(rows, MAX_ROWS),
    positions: rows.length,
    truncated: next !== null,
  })
}

/** At most `maximum` of the rows, evenly spaced, including the first and the last. */
function evenly<Row>(rows: readonly Row[], maximum: number): readonly Row[] {
  if (rows.length <= maximum) return rows
  const step = (rows.length - 1) / (maximum - 1)
  return Array.from({ length: maximum }, (_, index) => rows[Math.round(index * step)]!)
}

function describedAs<Value, Written>(
  { schema, write }: doc.Field<Value, Written>,
  description: string,
) {
  return { schema: { ...schema, description }, write }
}

const VALUE_OR_NULL = (description: string) =>
  doc.plain<AttributeValue | null>({ type: ['number', 'boolean', 'string', 'null'] }, description)

const UNSHOWN = doc.recordOrNull(
  doc.record(
    {
      count: doc.integer('Number of these values.'),
      value: doc.plain<AttributeValue>(
        { type: ['number', 'boolean', 'string'] },
        'One of them, as the device sent it.',
      ),
      value_at: doc.instant('When the device took it.'),
      object: doc.integer('Id of the object that sent it.'),
    },
    'Values that answers do not show. Null: there are none.',
    'UnshownValues',
  ),
)

export const ATTRIBUTE = doc.record(
  {
    ...doc.settingFields<AttributeEntry>(ATTRIBUTE_RULES),
    value: VALUE_OR_NULL(
      'The newest value of all objects, as answers show it. Null: none can be shown.',
    ),
    value_at: doc.instantOrNull('Its time. Null: there is none.'),
    checked: doc.integer(
      `Number of stored values of its sources that were checked: those of the newest ${LOOKED_AT.positions} positions of up to ${LOOKED_AT.objects} objects. Objects whose newest value is not shown come first.`,
    ),
    no_value: describedAs(UNSHOWN, 'Values that are among its `none` values.'),
    out_of_range: describedAs(
      UNSHOWN,
      'Values outside its range, or outside the points of a table.',
    ),
    wrong_type: describedAs(UNSHOWN, 'Values that do not fit its type.'),
  },
  'An attribute of the catalogue: how values of devices are shown.',
  'Attribute',
)

const SENT_NAME = doc.record(
  {
    name: doc.text('The name that devices use for it.'),
    value: VALUE_OR_NULL(
      'The newest value of all objects, as the device sent it. Null: no stored position has one.',
    ),
    value_at: doc.instantOrNull('Its time. Null: there is none.'),
    object: doc.integerOrNull('Id of the object that sent it. Null: there is none.'),
    positions: doc.integer('Positions that were accepted with it.'),
    objects: doc.integer('Objects whose devices sent it.'),
    attributes: doc.texts('The attributes that show it. Empty: there are none.'),
  },
  'A name that devices use for values.',
  'SentName',
)

const ALL_ATTRIBUTES = {
  items: doc.list(ATTRIBUTE, 'The catalogue, by name.'),
  sent: doc.list(SENT_NAME, 'Names that devices send, by name: a page of them.'),
  next: doc.textOrNull(
    'The last name of the page: the `after` of the next page. Null: it is the last page.',
  ),
}
export const ATTRIBUTES = doc.record(
  ALL_ATTRIBUTES,
  'The catalogue of attributes of an organization, and what its devices send.',
  'Attributes',
)
export const PUBLISHED = doc.record(
  {
    ...ALL_ATTRIBUTES,
    published: doc.texts('Attributes that keys did not see before.'),
    hidden: doc.texts('Attributes that stay hidden. Name them to publish them.'),
  },
  'The catalogue after attributes were published, and what changed.',
  'PublishedAttributes',
)

export const FORGOTTEN = doc.record(
  { ...ALL_ATTRIBUTES, forgotten: doc.texts('Names that the organization has forgotten.') },
  'The catalogue after names were forgotten, and the forgotten names.',
  'ForgottenNames',
)

/** A page of the names that devices send. */
export type SentPage = { after: string | null; limit: number }

/** Names that are counted in one turn of the event loop. */
const SLICE = 20_000

/** The names that the devices of objects use for values. */
export async function sentBy(states: States): Promise<SentName[]> {
  const { add, names } = sentNames()
  let counted = 0
  for (const [object, { attributes }] of states) {
    add(object, attributes)
    counted += attributes.length
    if (counted < SLICE) continue
    counted = 0
    await takeTurn()
  }
  return names()
}

export function attributesDocument(
  entries: GivenAttributes,
  sent: readonly SentName[],
  { after, limit }: SentPage,
  checks: readonly Check[],
) {
  const newest = currentValues(entries, sent, ANY_MOMENT, ({ object }) => object)
  const takers = takersByName(entries)
  const shownBy = (name: string) => new Set((takers.get(name) ?? []).map(({ entry }) => entry))
  const rest = after === null ? sent : sent.filter(({ name }) => name > after)
  const page = rest.slice(0, limit)
  return ATTRIBUTES.write({
    items: entries.map((entry, index) => {
      const current = newest[index]
      const value = { value: current?.value ?? null, valueAt: current?.at ?? null }
      return { ...entry, ...value, ...checks[index]! }
    }),
    sent: page.map(({ name, value, object, at, count, objects }) => ({
      ...{ name, value, positions: count, objects },
      valueAt: value === null ? null : at,
      object: value === null ? null : object,
      attributes: [...shownBy(name)].map((index) => entries[index]!.name),
    })),
    next: page.length < rest.length ? page.at(-1)!.name : null,
  })
}

export const CURRENT_ATTRIBUTES = doc.items(
  doc.record(
    {
      attribute: doc.textOrNull('The attribute that shows it. Null: there is none.'),
      source: doc.text('The name that the device used for it.'),
      label: doc.text('Display name.'),
      unit: doc.textOrNull('The unit of a number. Null: none.'),
      value: doc.plain<AttributeValue>(
        { type: ['number', 'boolean', 'string'] },
        'The value as answers show it, or without an attribute as the device sent it.',
      ),
      value_at: doc.instant('When the device took it.'),
      is_public: doc.yes('Whether keys see it.'),
    },
    'A current value of an object.',
    'CurrentAttribute',
  ),
  'The current values of an object: those of attributes by name, then the others.',
  'CurrentAttributes',
)

/** The current values of an object, including those without an entry of the catalogue. */
export function currentDocument(entries: GivenAttributes, object: number, state: ObjectState) {
  const { attributes } = state
  const newest = currentValues(entries, attributes, attributesNow(state), () => object)
  const shown = entries.flatMap(({ name: attribute, label, unit, isPublic }, index) => {
    const current = newest[index]
    if (current === undefined) return []
    const { value, at: valueAt, source } = current
    return { attribute, source, label, unit, value, valueAt, isPublic }
  })
  const takers = takersByName(entries)
  const isNoValue = (source: string, value: AttributeValue) =>
    takersOf(takers, source, object).some(({ faultOf }) =>
      ['none', 'range'].includes(faultOf(value) ?? ''),
    )
  const sources = new Set(shown.map(({ source }) => source))
  const rest = attributes.flatMap(({ name: source, value, at: valueAt }) => {
    if (sources.has(source) || value === null || isNoValue(source, value)) return []
    const none = { attribute: null, unit: null, isPublic: false }
    return { ...none, source, label: source, value, valueAt }
  })
  return CURRENT_ATTRIBUTES.write({ items: [...shown, ...rest] })
}
