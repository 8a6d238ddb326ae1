import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
  entryFault,
  holdsOf,
  MAX_ENTRIES,
  MAX_NAME_CHARACTERS,
  missingName,
  NO_LEVEL,
} from '../base/domain/attributes/attribute-catalogue.ts'
import { type GivenSource, sourceNames } from '../base/domain/attributes/attribute-source.ts'
import { entryFor, labelOf, noneAfter } from '../base/domain/attributes/known-names.ts'
import { excerpt } from '../base/domain/common/plain-text.ts'
import { ATTRIBUTE_LIMITS, type AttributeValue, byName } from '../base/domain/position/attribute.ts'
import type { SentName } from '../base/domain/position/current-attributes.ts'
import { boolean, described, optional, texts } from '../base/domain/setting-rule.ts'
import type { Attributes, GivenAttributes } from '../engine/store/item-store.ts'
import type { ActCall } from './act.ts'
import * as doc from './document-schema.ts'
import { newInput, patchInput, refuse } from './input.ts'
import { conflict, existing, invalid } from './refused.ts'

/*
 * The catalogue of attributes of an organization: bodies of acts, and what they make of it.
 */

const PATCH = patchInput<AttributeEntry>(
  null,
  ATTRIBUTE_RULES,
  'The name of an attribute, and the settings that change. A new attribute takes settings that are left out from the name of its first source.',
)
export const ATTRIBUTE_PATCH = doc.named('AttributePatch', {
  ...PATCH,
  schema: { ...PATCH.schema, required: ['name'] },
})

/** The names of one act: all that an organization can have. */
const MAX_CHOSEN = ATTRIBUTE_LIMITS.namesOfOrganization + MAX_ENTRIES
const NAMES = texts(`a list of 1 to ${MAX_CHOSEN} names`, MAX_CHOSEN, () => true)

/** Null: all names of devices that no attribute has. `except`: these become hidden attributes. */
export type ToPublish = { names: readonly string[] | null; except: readonly string[] }

export const TO_PUBLISH = newInput<ToPublish & { dryRun: boolean }>(
  'AttributesToPublish',
  {
    names: described(
      optional(NAMES),
      'Names of attributes, or names that devices send, which become attributes. Null: all names that devices send and no attribute has. An attribute that is hidden stays hidden unless this list has its name, or a source of it.',
    ),
    except: described(
      NAMES,
      'Names that devices send, which become hidden attributes. They also stay hidden from later calls.',
    ),
    dryRun: described(
      boolean,
      'Dry run: answer the same without changing anything. Default: false.',
    ),
  },
  { except: [], dryRun: false },
  'Attributes to publish.',
  {},
  ['names'],
)
export const TO_FORGET = newInput<{ names: readonly string[] | null; dryRun: boolean }>(
  'NamesToForget',
  {
    names: described(
      optional(NAMES),
      'Names that devices sent and no attribute shows. Null: all of those.',
    ),
    dryRun: described(
      boolean,
      'Dry run: answer the same without changing anything. Default: false.',
    ),
  },
  { dryRun: false },
  'Names to forget.',
  {},
  ['names'],
)
export const CHOSEN_ATTRIBUTES = newInput<{ names: readonly string[] }>(
  'ChosenAttributes',
  { names: described(NAMES, 'Names of attributes.') },
  {},
  'Some attributes.',
)

/** The newest stored values by the names of devices. */
export type SentValues = ReadonlyMap<string, readonly AttributeValue[]>

/** The catalogue with an entry that is added, or whose settings were changed. Throws `Refused`. */
export function withEntry(
  entries: GivenAttributes,
  given: Partial<AttributeEntry>,
  values: SentValues,
): GivenAttributes {
  const { name } = given
  if (name === undefined)
    throw invalid({ field: 'name', rule: `is required and must be ${ATTRIBUTE_RULES.name.says}` })
  const entry = entryWith(entries, { ...given, name }, values)
  return [...entries.filter((each) => each.name !== name), entry]
}

/** The entry with this name after some settings were changed. Throws `Refused` if they do not fit together. */
export function entryWith(
  entries: GivenAttributes,
  { name, ...given }: Partial<AttributeEntry> & Pick<AttributeEntry, 'name'>,
  values: SentValues,
): AttributeEntry {
  const sources = given.sources && withoutRepeats(given.sources)
  const known = entries.find((entry) => entry.name === name)
  const [source = name] = sourceNames({ sources: sources ?? [] })
  const start = known ?? { ...entryFor(source, values.get(source) ?? []), label: labelOf(name) }
  // Only numbers have a range, only counters a rate, and no counter is a level.
  const { type = start.type, isCounter = start.isCounter } = given
  const isNumber = type === 'number'
  const isLevel = given.isLevel ?? (start.isLevel && isNumber && !isCounter)
  const range = {
    ...(!isNumber && { minimum: null, maximum: null }),
    ...(!isCounter && { maximumRate: null }),
    ...(!isLevel && NO_LEVEL),
  }
  const holds = type === start.type ? start.holds : holdsOf(type)
  const entry = { ...start, ...range, holds, ...given, name, ...(sources && { sources }) }
  refuse(entryFault(entry))
  return given.none === undefined ? { ...entry, none: noneAfter(start, entry) } : entry
}

function withoutRepeats(sources: readonly GivenSource[]): GivenSource[] {
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()]
}

/** A catalogue after a publication, and the names of attributes in it. */
export type Publication = {
  entries: GivenAttributes
  /** Keys see them from now on. */
  published: string[]
  /** Keys do not see them: somebody hid them. */
  hidden: string[]
}

/** Returns what a publication would make of these entries. Throws `Refused`. */
export function publicationOf(
  before: GivenAttributes,
  { names, except }: ToPublish,
  sent: readonly SentName[],
  values: SentValues,
): Publication {
  const mapped = new Set(before.flatMap(sourceNames))
  const unmapped = sent.filter(({ name }) => !mapped.has(name))
  const madeFor = ({ name, value }: SentName) =>
    entryFor(name, values.get(name) ?? (value === null ? [] : [value]))
  const known = new Set([...before, ...unmapped].map(({ name }) => name)).union(mapped)
  for (const [field, given] of Object.entries({ names: names ?? [], except })) {
    const missing = given.find((name) => !known.has(name))
    if (missing === undefined) continue
    const rule = `must be names of attributes, or names that devices send; there is no ${excerpt(missing)}`
    throw invalid({ field, rule })
  }
  const [chosen, kept] = [new Set(names), new Set(except)]
  const entries = new Map(before.map((entry) => [entry.name, entry]))
  // Hidden ones first: another name with the meaning of one of them is hidden with it.
  for (const each of unmapped) if (kept.has(each.name)) addSource(entries, madeFor(each), false)
  for (const each of unmapped) {
    const isChosen = (names === null || chosen.has(each.name)) && !kept.has(each.name)
    if (isChosen) addSource(entries, madeFor(each), true)
  }
  const after = [...entries.values()].sort(byName).map((entry) => {
    const isChosen =
      chosen.has(entry.name) || sourceNames(entry).some((source) => chosen.has(source))
    return isChosen && !kept.has(entry.name) ? { ...entry, isPublic: true } : entry
  })
  const shownBefore = new Set(before.flatMap(({ name, isPublic }) => (isPublic ? [name] : [])))
  const namesOf = (each: GivenAttributes) => each.map(({ name }) => name)
  return {
    entries: after,
    published: namesOf(after.filter(({ name, isPublic }) => isPublic && !shownBefore.has(name))),
    hidden: namesOf(after.filter(({ isPublic }) => !isPublic)),
  }
}

/** The chosen names of devices that no entry shows. Null: all of those. Throws `Refused`. */
export function forgettable(
  entries: GivenAttributes,
  names: readonly string[] | null,
  sent: readonly SentName[],
): Set<string> {
  const shown = new Set(entries.flatMap(sourceNames))
  const unshown = new Set(sent.flatMap(({ name }) => (shown.has(name) ? [] : [name])))
  const wrong = names?.find((name) => !unshown.has(name))
  if (wrong !== undefined) {
    const rule = `must be names that devices sent and no attribute shows; ${excerpt(wrong)} is not one of them`
    throw invalid({ field: 'names', rule })
  }
  return names === null ? unshown : new Set(names)
}

/** The catalogue with these entries hidden from keys. Throws `Refused`. */
export function withHidden(entries: GivenAttributes, names: readonly string[]): GivenAttributes {
  refuse(missingName(entries, names, 'names'))
  const hidden = new Set(names)
  return entries.map((entry) => (hidden.has(entry.name) ? { ...entry, isPublic: false } : entry))
}

/** The catalogue without these entries. Stored values stay, so a later entry shows them again. Throws `Refused`. */
export function without(entries: GivenAttributes, names: readonly string[]): GivenAttributes {
  refuse(missingName(entries, names, 'names'))
  const removed = new Set(names)
  return entries.filter(({ name }) => !removed.has(name))
}

/** Changes the catalogue of the organization of a path, and returns it. Throws `Refused`. */
export async function changeAttributes(
  { store, params }: ActCall,
  change: (entries: Attributes) => GivenAttributes,
): Promise<Attributes> {
  const after = await store.attributes.change(params.organization!, (before) => {
    const entries = change(before)
    if (entries.length > MAX_ENTRIES) throw tooMany()
    return entries
  })
  return existing(after, 'organization')
}

function tooMany() {
  return conflict(`an organization has at most ${MAX_ENTRIES} attributes; remove some first`)
}

type Entries = Map<string, AttributeEntry>

/**
 * Adds an entry for a name of devices. Names with the same meaning, such as `batt` and `batteryLevel`, become sources of
 * one entry, and nothing hidden becomes public by that.
 */
function addSource(entries: Entries, added: AttributeEntry, isPublic: boolean): void {
  const made = { ...added, isPublic }
  const same = entries.get(made.name)
  const sources = [...(same?.sources ?? []), ...made.sources]
  const isSource =
    same !== undefined &&
    isAlike(same, made) &&
    (isPublic || !same.isPublic) &&
    ATTRIBUTE_RULES.sources.holds(sources)
  const entry = isSource ? { ...same, sources } : { ...made, ...freeName(entries, made) }
  entries.set(entry.name, entry)
  // Before more of them look for free names.
  if (entries.size > MAX_ENTRIES) throw tooMany()
}

/** Whether two entries show a value alike. */
function isAlike(a: AttributeEntry, b: AttributeEntry): boolean {
  return a.type === b.type && a.unit === b.unit && a.scale === b.scale && a.offset === b.offset
}

/** The name and label of an entry, with a number where another has the name. */
function freeName(entries: Entries, { name, label }: AttributeEntry) {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`
    const free = `${name.slice(0, MAX_NAME_CHARACTERS - suffix.length).replace(/_$/, '')}${suffix}`
    if (entries.has(free)) continue
    return { name: free, label: number === 1 ? label : `${label} ${number}` }
  }
}
