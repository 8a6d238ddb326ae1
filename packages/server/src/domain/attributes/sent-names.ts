import { byName } from './attribute.ts'
import type { AttributeValue } from './attribute-value.ts'
import type { CurrentAttributes } from './current-attributes.ts'

/** A name under which devices of an organization send values. */
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
export type SentNames = {
  add(object: number, attributes: CurrentAttributes): void
  /** By name, in the order of code units. */
  names(): SentName[]
}

const NONE = { value: null, object: 0, at: 0, count: 0, objects: 0 }

export function sentNames(): SentNames {
  const known = new Map<string, SentName>()
  return {
    add(object, attributes) {
      for (const { name, value, at, count } of attributes) {
        const before = known.get(name) ?? { ...NONE, name }
        const isNewer = value !== null && (before.value === null || at > before.at)
        known.set(name, {
          name,
          ...(isNewer
            ? { value, at, object }
            : { value: before.value, at: before.at, object: before.object }),
          count: before.count + count,
          objects: before.objects + 1,
        })
      }
    },
    names: () => [...known.values()].sort(byName),
  }
}
