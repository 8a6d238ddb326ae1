import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
  type AttributeValue,
} from '../domain/attributes/catalogue.ts'
import {
  type CurrentAttributes,
  type SentName,
  sentNames,
} from '../domain/attributes/current-attributes.ts'
import { currentValue } from '../domain/attributes/shown-value.ts'
import { takeTurn } from '../domain/common/slots.ts'
import type { Attributes } from '../store/item-store.ts'
import * as doc from './schema.ts'

const VALUE_OR_NULL = (description: string) =>
  doc.plain<AttributeValue | null>({ type: ['number', 'boolean', 'string', 'null'] }, description)

export const ATTRIBUTE = doc.record(
  {
    ...doc.settingFields<AttributeEntry>(ATTRIBUTE_RULES),
    value: VALUE_OR_NULL(
      'The newest value of all objects, as answers show it. Null: there is none that can be shown.',
    ),
    value_at: doc.instantOrNull('Its time. Null: there is none.'),
  },
  'An attribute of the catalogue: how values of devices are shown.',
  'Attribute',
)

export const SENT_NAME = doc.record(
  {
    name: doc.text('The name that devices use for it.'),
    value: VALUE_OR_NULL(
      'The newest value of all objects, as the device gave it. Null: no stored position has one.',
    ),
    value_at: doc.instantOrNull('Its time. Null: there is none.'),
    object: doc.integerOrNull('Id of the object that sent it. Null: there is none.'),
    positions: doc.integer('Positions that were accepted with it.'),
    objects: doc.integer('Objects whose devices sent it.'),
    attributes: doc.texts('The attributes that show it. Empty: nothing does.'),
  },
  'A name that devices use for values.',
  'SentName',
)

export const ATTRIBUTES = doc.record(
  {
    items: doc.list(ATTRIBUTE, 'The catalogue, by name.'),
    sent: doc.list(SENT_NAME, 'Everything that devices send, by name.'),
  },
  'The catalogue of attributes of an organization, and what its devices send.',
  'Attributes',
)

/** Objects that are counted in one turn of the event loop. */
const SLICE = 2_000

/** The names that the devices of objects use for values. */
export async function sentBy(
  states: ReadonlyMap<number, { attributes: CurrentAttributes }>,
): Promise<SentName[]> {
  const { add, names } = sentNames()
  let counted = 0
  for (const [object, { attributes }] of states) {
    add(object, attributes)
    counted += 1
    if (counted % SLICE === 0) await takeTurn()
  }
  return names()
}

export function attributesDocument(entries: Attributes, sent: readonly SentName[]) {
  return ATTRIBUTES.write({
    items: entries.map((entry) => {
      const current = currentValue(entry, sent)
      return { ...entry, value: current?.value ?? null, valueAt: current?.at ?? null }
    }),
    sent: sent.map(({ name, value, object, at, count, objects }) => ({
      ...{ name, value, positions: count, objects },
      valueAt: value === null ? null : at,
      object: value === null ? null : object,
      attributes: entries.flatMap((entry) => (entry.sources.includes(name) ? [entry.name] : [])),
    })),
  })
}

export const CURRENT_ATTRIBUTES = doc.items(
  doc.record(
    {
      attribute: doc.textOrNull('The attribute that shows it. Null: nothing does.'),
      source: doc.text('The name that the device used for it.'),
      label: doc.text('The name that people read.'),
      unit: doc.textOrNull('The unit of a number. Null: none.'),
      value: doc.plain<AttributeValue>(
        { type: ['number', 'boolean', 'string'] },
        'The value as answers show it, or without an attribute as the device gave it.',
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

/** The current values of an object, also those that no entry shows. */
export function currentDocument(entries: Attributes, attributes: CurrentAttributes) {
  const shown = entries.flatMap((entry) => {
    const { name: attribute, label, unit, isPublic } = entry
    const current = currentValue(entry, attributes)
    if (current === undefined) return []
    const { value, at: valueAt, source } = current
    return { attribute, source, label, unit, value, valueAt, isPublic }
  })
  const rest = attributes.flatMap(({ name: source, value, at: valueAt }) => {
    const isShown = shown.some((each) => each.source === source)
    if (isShown || value === null) return []
    const none = { attribute: null, unit: null, isPublic: false }
    return { ...none, source, label: source, value, valueAt }
  })
  return CURRENT_ATTRIBUTES.write({ items: [...shown, ...rest] })
}
