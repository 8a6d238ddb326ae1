import type { AttributeValue } from '../position/attribute.ts'
import type { CurrentMoment } from '../position/object-state.ts'
import { HOUR_MS } from '../time/time.ts'
import type { AttributeEntry } from './attribute-catalogue.ts'
import { type Reader, shownOf } from './shown-value.ts'
import { takersByName, takersOf } from './takers.ts'

/** The milliseconds for which a value of an entry holds. */
export function holdsMs({ holds }: Pick<AttributeEntry, 'holds'>): number {
  return holds === null ? Number.POSITIVE_INFINITY : holds * HOUR_MS
}

/** A value that a device sent under a name, and its time in milliseconds since the epoch. Null: there is none. */
type SentValue = {
  readonly name: string
  readonly value: AttributeValue | null
  readonly at: number
  /** The newest other one. */
  readonly other?: { readonly value: AttributeValue; readonly at: number }
}

/** The current value of an entry, as answers show it, and the name that the device used for it. */
type CurrentValue = {
  readonly value: AttributeValue
  readonly at: number
  readonly source: string
}

/** The value in units of its source, with its time. Undefined: it means none. */
function validOf({ value, at }: { value: AttributeValue; at: number }, units: Reader['units']) {
  const valid = units(value)
  return valid === undefined ? undefined : { value: valid, at }
}

/** Values without an object are current whenever they came. */
export const ANY_MOMENT: CurrentMoment = { newest: Number.NEGATIVE_INFINITY, offAt: null }

/**
 * The current value of each entry: the newest one of all sources, and of several at the same time that of the first source.
 * Where the newest value of a name means none, it is the newest other one. Undefined if no value still holds. `objectOf`: the object that sent a value.
 */
export function currentValues<Sent extends SentValue>(
  entries: readonly AttributeEntry[],
  attributes: readonly Sent[],
  { newest: now, offAt }: CurrentMoment,
  objectOf: (sent: Sent) => number,
): (CurrentValue | undefined)[] {
  const takers = takersByName(entries)
  const found: ((CurrentValue & { rank: number }) | undefined)[] = entries.map(() => undefined)
  for (const sent of attributes) {
    const { name: source, value, at, other } = sent
    if (value === null) continue
    for (const { entry, rank, units } of takersOf(takers, source, objectOf(sent))) {
      const dated = validOf({ value, at }, units) ?? (other && validOf(other, units))
      if (dated === undefined) continue
      const newest = found[entry]
      if (
        newest !== undefined &&
        (dated.at < newest.at || (dated.at === newest.at && rank > newest.rank))
      )
        continue
      found[entry] = { ...dated, value: shownOf(dated.value, entries[entry]!)!, source, rank }
    }
  }
  return found.map((newest, index) => {
    const entry = entries[index]!
    if (newest === undefined || now - newest.at > holdsMs(entry)) return undefined
    return entry.endsWithIgnition && offAt !== null && offAt > newest.at ? undefined : newest
  })
}
