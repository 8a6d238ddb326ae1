import { NumberReader, NumberWriter } from '../common/packed-numbers.ts'
import type { AttributeValue } from './attribute.ts'
import { ATTRIBUTE_LIMITS, type Attribute, byName } from './attribute.ts'
import { indexOfName, readEntries, sameNames, writeEntry } from './attribute-section.ts'

/** A value with the device time of the newest fix that carried it: milliseconds since the epoch. */
type DatedValue = { readonly value: AttributeValue; readonly at: number }

/**
 * A name of an object's attributes, with its current value. Its place among the names of the object is its index in the
 * records of positions, so it never moves.
 */
export type CurrentAttribute = {
  readonly name: string
  /** Null: no position has it any more. */
  readonly value: AttributeValue | null
  /** The device time of the newest fix that carried it: milliseconds since the epoch. 0 without a value. */
  readonly at: number
  /** The newest other value, which is current while the newest one means none. Absent: the device sent no other. */
  readonly other?: DatedValue
  /** Number of accepted fixes with it, also of those that retention removed. */
  readonly count: number
  /** An operator had it forgotten: it keeps its place, and counts nowhere until the device sends it again. */
  readonly isForgotten?: true
}

export type CurrentAttributes = readonly CurrentAttribute[]

/** The attributes of an object whose devices send none. */
export const NO_ATTRIBUTES: CurrentAttributes = Object.freeze([])

export function noValue(name: string): CurrentAttribute {
  return { name, value: null, at: 0, count: 0 }
}

/** The names of an object that has no position any more. */
export function withoutValues(current: CurrentAttributes): CurrentAttributes {
  const names = current.map(({ name, count, isForgotten }) => ({
    ...noValue(name),
    ...{ count, ...(isForgotten && { isForgotten }) },
  }))
  return sameNames(current, names)
}

/**
 * The names that objects of an organization have, the number of further ones that they may get, the sources of its catalogue,
 * and how many names its objects have together.
 */
export type NameRoom = {
  has(name: string): boolean
  readonly free: number
  readonly sources: ReadonlySet<string>
  readonly total: number
}

/** The names of a fix that are not stored, by the limit that is reached: that of its object, or of the organization. */
export type DroppedNames = { limit_of_object_names?: string[]; limit_of_names?: string[] }

type Fitting = { kept: readonly Attribute[] | null; dropped: DroppedNames | undefined }

/** The attributes of a fix that its object can keep: limits stop new names, never those that it has. */
export function fitting(
  current: CurrentAttributes,
  attributes: readonly Attribute[],
  names: NameRoom,
): Fitting {
  const room = roomFor(current, names)
  let { free } = names
  let dropped: DroppedNames | undefined
  const kept = attributes.filter(({ name }, likely) => {
    const index = indexOfName(current, name, likely)
    if (index >= 0 && !current[index]!.isForgotten) return true
    const isSource = names.sources.has(name)
    const hasRoom = index >= 0 || (isSource ? room.all : room.others) > 0
    const isKnown = names.has(name)
    if (hasRoom && (isKnown || free > 0)) {
      if (index < 0) room.all -= 1
      if (index < 0 && !isSource) room.others -= 1
      if (!isKnown) free -= 1
      return true
    }
    const limit = hasRoom ? 'limit_of_names' : 'limit_of_object_names'
    dropped ??= {}
    dropped[limit] ??= []
    dropped[limit].push(name)
    return false
  })
  return { kept: kept.length === 0 ? null : kept, dropped }
}

/** How many names an object can get. Some places are only for sources of the catalogue that it does not have yet. */
function roomFor(current: CurrentAttributes, { sources, total }: NameRoom) {
  const { names, namesForSources, namesOfObjects, surelyNames } = ATTRIBUTE_LIMITS
  const all = names - current.length
  let lacking = 0
  for (const name of sources) {
    if (lacking === namesForSources) break
    if (indexOfName(current, name, 0) < 0) lacking += 1
  }
  const most = total < namesOfObjects ? names : surelyNames
  return { all, others: Math.min(all - lacking, most - current.length) }
}

/** Whether an object does not have all names of a fix yet. */
export function hasNewNames(
  current: CurrentAttributes,
  attributes: readonly Attribute[] | null,
): boolean {
  return (
    attributes?.some(({ name }, likely) => {
      const known = current[indexOfName(current, name, likely)]
      return known === undefined || known.isForgotten === true
    }) === true
  )
}

/** The names of an object with those of a fix. New ones come last, and have no value so far. */
export function withNames(
  current: CurrentAttributes,
  attributes: readonly Attribute[] | null,
): CurrentAttributes {
  if (!hasNewNames(current, attributes)) return current
  const next = [...current]
  for (const [likely, { name }] of attributes!.entries()) {
    const index = indexOfName(current, name, likely)
    if (index >= 0 && !current[index]!.isForgotten) continue
    next[index < 0 ? next.length : index] = noValue(name)
  }
  return next
}

/** The names that an object got by a change, new ones and those that were forgotten. */
export function addedNames(before: CurrentAttributes, after: CurrentAttributes): string[] {
  return after.flatMap(({ name, isForgotten }, index) => {
    const had = before[index]
    return !isForgotten && (had === undefined || had.isForgotten) ? [name] : []
  })
}

/** The names of an object after some were forgotten, which keep their places. */
export function withForgotten(
  current: CurrentAttributes,
  forgotten: ReadonlySet<string>,
): CurrentAttributes {
  return current.map((each) => {
    if (!forgotten.has(each.name)) return each
    return { ...noValue(each.name), isForgotten: true }
  })
}

/** The current values after a fix of the time `at` was stored that has these. Names that are new come last. */
export function withStored(
  current: CurrentAttributes,
  attributes: readonly Attribute[],
  at: number,
): CurrentAttributes {
  const next = [...current]
  let likely = 0
  for (const { name, value } of attributes) {
    const index = indexOfName(current, name, likely)
    const known = index < 0 ? undefined : current[index]!
    const count = (known?.count ?? 0) + 1
    next[index < 0 ? next.length : index] =
      known === undefined ? { name, value, at, count } : withValue(known, value, at, count)
    likely = index + 1
  }
  return next.length === current.length ? sameNames(current, next) : next
}

/** A name after a fix of the time `at` brought a value: it keeps the newest two different ones, in whichever order they come. */
export function withValue(
  known: CurrentAttribute,
  value: AttributeValue,
  at: number,
  count = known.count,
): CurrentAttribute {
  const { name, value: newest, at: newestAt, other } = known
  if (newest === null) {
    if (other === undefined) return { name, value, at, count }
    return withValue({ name, ...other, count }, value, at)
  }
  if (value === newest) return { ...known, at: Math.max(at, newestAt), count }
  if (at >= newestAt) return { name, value, at, count, other: { value: newest, at: newestAt } }
  const isOlder = other !== undefined && other.at >= at
  return isOlder ? { ...known, count } : { ...known, count, other: { value, at } }
}

/**
 * The current values after the fix of the time `at` with these was replaced or lost. A name whose value came from it has
 * none, until somebody finds an older one.
 */
export function withoutStored(
  current: CurrentAttributes,
  attributes: readonly Attribute[] | null,
  at: number,
): CurrentAttributes {
  if (attributes === null) return current
  const next = sameNames(current, [...current])
  let likely = 0
  for (const { name } of attributes) {
    const index = indexOfName(next, name, likely)
    const { other, ...known } = next[index]!
    const count = Math.max(known.count - 1, 0)
    const newest = known.at === at ? { name, value: null, at: 0, count } : { ...known, count }
    next[index] = other === undefined || other.at === at ? newest : { ...newest, other }
    likely = index + 1
  }
  return next
}

const WITHOUT_VALUE = 0
const WITH_VALUE = 1
const FORGOTTEN = 2
const WITH_OTHER = 3
const scratch = Buffer.alloc(2 + ATTRIBUTE_LIMITS.textBytes)

/** Packs them into one blob. Null: there are none. */
export function packCurrent(current: CurrentAttributes): Uint8Array | null {
  if (current.length === 0) return null
  const out = new NumberWriter()
  out.unsigned(current.length)
  const putValue = (value: AttributeValue) =>
    out.blob(scratch.subarray(0, writeEntry(scratch, 0, 0, value)))
  for (const { name, value, at, other, count, isForgotten } of current) {
    out.text(name)
    out.unsigned(at)
    out.unsigned(count)
    if (value === null) {
      out.unsigned(isForgotten ? FORGOTTEN : WITHOUT_VALUE)
      continue
    }
    out.unsigned(other === undefined ? WITH_VALUE : WITH_OTHER)
    putValue(value)
    if (other === undefined) continue
    out.unsigned(at - other.at)
    putValue(other.value)
  }
  return out.bytes()
}

/** Objects of a fleet have the same names: each is in memory once. */
const sharedNames = new Map<string, string>()
/** Some MB. Beyond that the map begins again. */
const MAX_SHARED_NAMES = 50_000

function sharedName(name: string): string {
  const shared = sharedNames.get(name)
  if (shared !== undefined) return shared
  if (sharedNames.size === MAX_SHARED_NAMES) sharedNames.clear()
  sharedNames.set(name, name)
  return name
}

export function unpackCurrent(blob: Uint8Array | null): CurrentAttributes {
  if (blob === null || blob.length === 0) return NO_ATTRIBUTES
  const input = new NumberReader(blob)
  const takeValue = () => {
    const entry = input.blob()
    let value: AttributeValue | undefined
    readEntries(entry, 0, entry.length, (_, read) => {
      value = read
    })
    return value!
  }
  return Array.from({ length: input.unsigned() }, () => {
    const [name, at, count] = [sharedName(input.text()!), input.unsigned(), input.unsigned()]
    const kind = input.unsigned()
    if (kind === FORGOTTEN) return { name, value: null, at, count, isForgotten: true }
    if (kind === WITHOUT_VALUE) return { name, value: null, at, count }
    const value = takeValue()
    if (kind === WITH_VALUE) return { name, value, at, count }
    return { name, value, at, count, other: { at: at - input.unsigned(), value: takeValue() } }
  })
}

/** A name that devices of an organization use for values. */
export type SentName = {
  readonly name: string
  /** The newest value of all objects. Null: no stored position has one. */
  readonly value: AttributeValue | null
  /** The object that sent it. 0 without a value. */
  readonly object: number
  /** Its time: milliseconds since the epoch. 0 without a value. */
  readonly at: number
  /** Positions that were accepted with it. */
  readonly count: number
  /** Objects whose devices sent it. */
  readonly objects: number
}

/** Counts names over objects. */
type SentNames = {
  add(object: number, attributes: CurrentAttributes): void
  /** By name, in the order of code units. */
  names(): SentName[]
}

const NONE = { value: null, object: 0, at: 0, count: 0, objects: 0 }

export function sentNames(): SentNames {
  const known = new Map<string, { -readonly [Key in keyof SentName]: SentName[Key] }>()
  return {
    add(object, attributes) {
      for (const { name, value, at, count, isForgotten } of attributes) {
        if (isForgotten) continue
        let sent = known.get(name)
        if (sent === undefined) {
          sent = { ...NONE, name }
          known.set(name, sent)
        }
        sent.count += count
        sent.objects += 1
        if (value !== null && (sent.value === null || at > sent.at)) {
          Object.assign(sent, { value, at, object })
        }
      }
    },
    names: () => [...known.values()].sort(byName),
  }
}
