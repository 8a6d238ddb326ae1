import { NumberReader, NumberWriter } from '../common/packed-numbers.ts'
import type { AttributeValue } from './attribute.ts'
import { ATTRIBUTE_LIMITS, type Attribute, byName } from './attribute.ts'
import { indexOfName, readEntries, writeEntry } from './attribute-section.ts'

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
  /** Number of accepted fixes with it, also of those that retention removed. */
  readonly count: number
}

export type CurrentAttributes = readonly CurrentAttribute[]

/** The attributes of an object whose devices send none. */
export const NO_ATTRIBUTES: CurrentAttributes = Object.freeze([])

/** The names that objects of an organization have, and the number of further ones that they may get. */
export type NameRoom = { has(name: string): boolean; readonly free: number }

/** The names of a fix that are not stored, by the limit that is reached: that of its object, or of the organization. */
export type DroppedNames = { limit_of_object_names?: string[]; limit_of_names?: string[] }

type Fitting = { kept: readonly Attribute[] | null; dropped: DroppedNames | undefined }

/** The attributes of a fix that its object can keep: limits stop new names, never those that it has. */
export function fitting(
  current: CurrentAttributes,
  attributes: readonly Attribute[],
  names: NameRoom,
): Fitting {
  let room = ATTRIBUTE_LIMITS.names - current.length
  let { free } = names
  let dropped: DroppedNames | undefined
  const kept = attributes.filter(({ name }, likely) => {
    if (indexOfName(current, name, likely) >= 0) return true
    const isKnown = names.has(name)
    if (room > 0 && (isKnown || free > 0)) {
      room -= 1
      if (!isKnown) free -= 1
      return true
    }
    const limit = room > 0 ? 'limit_of_names' : 'limit_of_object_names'
    dropped ??= {}
    dropped[limit] ??= []
    dropped[limit].push(name)
    return false
  })
  return { kept: kept.length === 0 ? null : kept, dropped }
}

/** Whether an object does not have all names of a fix yet. */
export function hasNewNames(
  current: CurrentAttributes,
  attributes: readonly Attribute[] | null,
): boolean {
  return attributes?.some(({ name }, likely) => indexOfName(current, name, likely) < 0) === true
}

/** The names of an object with those of a fix. New ones come last, and have no value so far. */
export function withNames(
  current: CurrentAttributes,
  attributes: readonly Attribute[] | null,
): CurrentAttributes {
  if (attributes === null) return current
  const added = attributes.filter(({ name }, likely) => indexOfName(current, name, likely) < 0)
  if (added.length === 0) return current
  return [...current, ...added.map(({ name }) => ({ name, value: null, at: 0, count: 0 }))]
}

/** The current values after a fix of the time `at` was stored that has these. Names that are new come last. */
export function withStored(
  current: CurrentAttributes,
  attributes: readonly Attribute[],
  at: number,
): CurrentAttributes {
  const next = [...withNames(current, attributes)]
  let likely = 0
  for (const { name, value } of attributes) {
    const index = indexOfName(next, name, likely)
    const known = next[index]!
    const count = known.count + 1
    const isNewer = known.value === null || at >= known.at
    next[index] = isNewer ? { name, value, at, count } : { ...known, count }
    likely = index + 1
  }
  return next
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
  const next = [...current]
  let likely = 0
  for (const { name } of attributes) {
    const index = indexOfName(next, name, likely)
    const known = next[index]!
    const count = Math.max(known.count - 1, 0)
    next[index] = known.at === at ? { name, value: null, at: 0, count } : { ...known, count }
    likely = index + 1
  }
  return next
}

const scratch = Buffer.alloc(2 + ATTRIBUTE_LIMITS.textBytes)

/** Packs them into one blob. Null: there are none. */
export function packCurrent(current: CurrentAttributes): Uint8Array | null {
  if (current.length === 0) return null
  const out = new NumberWriter()
  out.unsigned(current.length)
  for (const { name, value, at, count } of current) {
    out.text(name)
    out.unsigned(at)
    out.unsigned(count)
    out.unsigned(value === null ? 0 : 1)
    if (value === null) continue
    out.blob(scratch.subarray(0, writeEntry(scratch, 0, 0, value)))
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
  return Array.from({ length: input.unsigned() }, () => {
    const [name, at, count] = [sharedName(input.text()!), input.unsigned(), input.unsigned()]
    let value: AttributeValue | null = null
    if (input.unsigned() === 1) {
      const entry = input.blob()
      readEntries(entry, 0, entry.length, (_, read) => {
        value = read
      })
    }
    return { name, value, at, count }
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
      for (const { name, value, at, count } of attributes) {
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
