import type { AttributeValue } from '../position/attribute.ts'
import type { AttributeNames } from '../position/attribute-section.ts'
import type { AttributeEntry } from './attribute-catalogue.ts'
import { sourceOf } from './attribute-source.ts'
import { type Fault, type Reader, shownOf, sourceReader } from './shown-value.ts'

/*
 * The sources of entries that take the values of a position.
 */

/** A source of an entry: its place among the sources, and the objects whose values it takes. */
type EntrySource = Reader & {
  readonly name: string
  readonly rank: number
  readonly objects: ReadonlySet<number> | null
  readonly capacity: number | null
}

/** A source, and the index of its entry. */
type Taker = EntrySource & { readonly entry: number }

/** The sources of entries by the names of devices, those of an entry in their order. */
export type Takers = ReadonlyMap<string, readonly Taker[]>

const sourcesOfEntries = new WeakMap<AttributeEntry, readonly EntrySource[]>()

/** Each answer has entries of its own choice, so the sources of each entry are kept: they may list many objects. */
export function sourcesOf(entry: AttributeEntry): readonly EntrySource[] {
  const known = sourcesOfEntries.get(entry)
  if (known !== undefined) return known
  const sources = entry.sources.map((given, rank) => {
    const source = sourceOf(given)
    const objects = source.objects === undefined ? null : new Set(source.objects)
    const { name, capacity = null } = source
    return { ...sourceReader(entry, source), name, rank, objects, capacity }
  })
  sourcesOfEntries.set(entry, sources)
  return sources
}

const takersOfEntries = new WeakMap<readonly AttributeEntry[], Takers>()

/** The sources of entries by the names of devices. */
export function takersByName(entries: readonly AttributeEntry[]): Takers {
  const known = takersOfEntries.get(entries)
  if (known !== undefined) return known
  const takers = new Map<string, Taker[]>()
  for (const [entry, each] of entries.entries()) {
    for (const source of sourcesOf(each)) {
      const others = takers.get(source.name)
      if (others === undefined) takers.set(source.name, [{ ...source, entry }])
      else others.push({ ...source, entry })
    }
  }
  takersOfEntries.set(entries, takers)
  return takers
}

/** The sources that take a name of an object. */
export function takersOf(takers: Takers, name: string, object: number): readonly Taker[] {
  return (takers.get(name) ?? []).filter((taker) => takes(taker, object))
}

/** Whether a source takes the values of an object. */
export function takes({ objects }: EntrySource, object: number): boolean {
  return objects === null || objects.has(object)
}

/** The content of a full tank of an object, in the unit of the entry. Null: unknown. */
export function capacityOf(entry: AttributeEntry, object: number): number | null {
  const own = sourcesOf(entry).find((source) => source.capacity !== null && takes(source, object))
  return own?.capacity ?? (entry.unit === '%' ? 100 : null)
}

/**
 * Why the entries do not show a value of an object, by the index of each that takes the name. Undefined: it shows the
 * value, by one of its sources.
 */
export function faultsOf(
  takers: Takers,
  name: string,
  value: AttributeValue,
  object: number,
): ReadonlyMap<number, Fault | undefined> {
  const faults = new Map<number, Fault | undefined>()
  for (const taker of takersOf(takers, name, object)) {
    const isShown = faults.has(taker.entry) && faults.get(taker.entry) === undefined
    if (!isShown) faults.set(taker.entry, taker.faultOf(value))
  }
  return faults
}

/** The values of one position by the entries that an answer shows. */
export class MappedValues {
  /** As answers show them, or numbers in whole units. Undefined: no source of the entry has a value. */
  readonly values: (AttributeValue | undefined)[]
  /** Whether a position had a name that came after `names` was read. */
  hasUnknown = false
  private readonly entries: readonly AttributeEntry[]
  private readonly takers: readonly (readonly Taker[])[]
  private readonly ranks: number[]
  private readonly inUnits: boolean

  /** `names`: those of the object. `inUnits`: numbers are wanted in whole units of 10^-decimals. */
  constructor(
    entries: readonly AttributeEntry[],
    object: number,
    names: AttributeNames,
    inUnits = false,
  ) {
    const takers = takersByName(entries)
    this.entries = entries
    this.inUnits = inUnits
    this.values = entries.map(() => undefined)
    this.ranks = entries.map(() => 0)
    this.takers = names.map(({ name }) => takersOf(takers, name, object))
  }

  /** Forgets the previous position. */
  readonly clear = (): void => {
    this.values.fill(undefined)
  }

  /** Takes the value of the name with this index. The first source with a value wins. */
  readonly take = (index: number, sent: AttributeValue): void => {
    const takers = this.takers[index]
    if (takers === undefined) {
      this.hasUnknown = true
      return
    }
    for (const { entry, rank, units } of takers) {
      if (this.values[entry] !== undefined && this.ranks[entry]! <= rank) continue
      const value = units(sent)
      if (value === undefined) continue
      this.values[entry] = this.inUnits ? value : shownOf(value, this.entries[entry]!)
      this.ranks[entry] = rank
    }
  }
}
