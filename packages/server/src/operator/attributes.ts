import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
  entryFault,
  MAX_ENTRIES,
  MAX_NAME_CHARACTERS,
  missingName,
} from '../domain/attributes/catalogue.ts'
import type { SentName } from '../domain/attributes/current-attributes.ts'
import { entryFor, labelOf } from '../domain/attributes/known-names.ts'
import { excerpt } from '../domain/common/plain-text.ts'
import type { Attributes } from '../store/item-store.ts'
import type { Store } from '../store/store.ts'
import { fieldsInput, patchInput, refuse } from './input.ts'
import { conflict, invalid, notFound } from './refused.ts'
import * as doc from './schema.ts'

/** Acts on the catalogue of attributes of an organization. They return the catalogue, and throw `Refused`. */

const PATCH = patchInput<AttributeEntry>(
  null,
  ATTRIBUTE_RULES,
  'The name of an attribute, and the settings that change. A new attribute takes settings that are left out from the name of its first source.',
)
export const ATTRIBUTE_PATCH = doc.named('AttributePatch', {
  ...PATCH,
  schema: { ...PATCH.schema, required: ['name'] },
})

/** The names that an act is about. Null: all that are known. */
export type Chosen = readonly string[] | null

const NAMES = { items: { type: 'string' }, minItems: 1 }

export const TO_PUBLISH = fieldsInput(
  'AttributesToPublish',
  {
    names: doc.plain<Chosen>(
      { type: ['array', 'null'], ...NAMES },
      'Names of attributes, or names that devices send, which become attributes. Null: all of both.',
    ),
  },
  'The attributes that keys are to see.',
)
export const CHOSEN_ATTRIBUTES = fieldsInput(
  'ChosenAttributes',
  { names: doc.plain<readonly string[]>({ type: 'array', ...NAMES }, 'Names of attributes.') },
  'Some attributes.',
)

/** The names in a body. Throws `Refused`. */
export function namesIn({ names }: Readonly<Record<string, unknown>>): readonly string[] {
  const isList =
    Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')
  if (!isList) throw invalid({ field: 'names', rule: 'must be a list of at least one name' })
  return names
}

/** Adds an entry, or changes settings of the one with this name. */
export function setAttribute(
  store: Pick<Store, 'attributes'>,
  organization: number,
  given: Partial<AttributeEntry>,
): Promise<Attributes> {
  const { name } = given
  if (name === undefined)
    throw invalid({ field: 'name', rule: `is missing; it must be ${ATTRIBUTE_RULES.name.says}` })
  return changed(store, organization, (entries) => {
    const entry = entryWith(entries, { ...given, name })
    return [...entries.filter((each) => each.name !== name), entry]
  })
}

/** The entry with this name after some settings were changed. Throws `Refused` if they do not fit together. */
export function entryWith(
  entries: Attributes,
  { name, ...given }: Partial<AttributeEntry> & Pick<AttributeEntry, 'name'>,
): AttributeEntry {
  const sources = given.sources && [...new Set(given.sources)]
  const known = entries.find((entry) => entry.name === name)
  const start = known ?? { ...entryFor(sources?.[0] ?? name, null), label: labelOf(name) }
  const entry = { ...start, ...given, name, ...(sources && { sources }) }
  refuse(entryFault(entry))
  return entry
}

/** Shows entries to keys. Names that devices send become entries. Null: all entries, and all names that no entry has. */
export function publishAttributes(
  store: Pick<Store, 'attributes'>,
  organization: number,
  chosen: Chosen,
  sent: readonly SentName[],
): Promise<Attributes> {
  return changed(store, organization, (before) => {
    const unmapped = sent.filter(
      ({ name }) => !before.some(({ sources }) => sources.includes(name)),
    )
    const isChosen = ({ name, sources }: AttributeEntry) =>
      chosen === null || chosen.includes(name) || sources.some((source) => chosen.includes(source))
    const added = unmapped.filter(({ name }) => chosen === null || chosen.includes(name))
    const entries = added.reduce(withSource, before)
    for (const name of chosen ?? []) {
      const isKnown = entries.some((entry) => entry.name === name || entry.sources.includes(name))
      if (!isKnown)
        throw invalid({
          field: 'names',
          rule: `must be names of attributes, or names that devices send; there is no ${excerpt(name)}`,
        })
    }
    return entries.map((entry) => (isChosen(entry) ? { ...entry, isPublic: true } : entry))
  })
}

/** Hides entries from keys. */
export function hideAttributes(
  store: Pick<Store, 'attributes'>,
  organization: number,
  names: readonly string[],
): Promise<Attributes> {
  return changed(store, organization, (entries) => {
    refuse(missingName(entries, names, 'names'))
    return entries.map((entry) =>
      names.includes(entry.name) ? { ...entry, isPublic: false } : entry,
    )
  })
}

/** Removes entries. Stored values stay, so a later entry shows them again. */
export function removeAttributes(
  store: Pick<Store, 'attributes'>,
  organization: number,
  names: readonly string[],
): Promise<Attributes> {
  return changed(store, organization, (entries) => {
    refuse(missingName(entries, names, 'names'))
    return entries.filter(({ name }) => !names.includes(name))
  })
}

async function changed(
  { attributes }: Pick<Store, 'attributes'>,
  organization: number,
  change: (entries: Attributes) => Attributes,
): Promise<Attributes> {
  const after = await attributes.change(organization, (before) => {
    const entries = change(before)
    if (entries.length <= MAX_ENTRIES) return entries
    throw conflict(`an organization has at most ${MAX_ENTRIES} attributes; remove some first`)
  })
  if (after === null) throw notFound('organization')
  return after
}

/**
 * The entries with one for a name of devices. Names with the same meaning, such as `batt` and `batteryLevel`, become
 * sources of one entry.
 */
function withSource(entries: Attributes, { name: source, value }: SentName): Attributes {
  const made = entryFor(source, value)
  const same = entries.find((entry) => entry.name === made.name && isAlike(entry, made))
  if (same !== undefined) {
    const sources = [...same.sources, source]
    if (ATTRIBUTE_RULES.sources.holds(sources)) {
      return entries.map((entry) => (entry === same ? { ...entry, sources } : entry))
    }
  }
  return [...entries, { ...made, ...freeName(entries, made) }]
}

/** Whether two entries show a value alike. */
function isAlike(a: AttributeEntry, b: AttributeEntry): boolean {
  return a.type === b.type && a.unit === b.unit && a.scale === b.scale && a.offset === b.offset
}

/** The name and label of an entry, with a number where another has the name. */
function freeName(entries: Attributes, { name, label }: AttributeEntry) {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`
    const free = `${name.slice(0, MAX_NAME_CHARACTERS - suffix.length).replace(/_$/, '')}${suffix}`
    if (entries.some((entry) => entry.name === free)) continue
    return { name: free, label: number === 1 ? label : `${label} ${number}` }
  }
}
