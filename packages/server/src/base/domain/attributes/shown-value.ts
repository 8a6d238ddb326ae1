import { switchIn } from '../common/plain-text.ts'
import type { AttributeValue } from '../position/attribute.ts'
import type { AttributeNames } from '../position/attribute-section.ts'
import { decimalText } from '../position/field-lists.ts'
import type { CurrentMoment } from '../position/object-state.ts'
import { HOUR_MS } from '../time/time.ts'
import type { AttributeEntry } from './catalogue.ts'
import { numberOf, type Scaling, tableUnits, unitsOf } from './shown-number.ts'
import { type Source, sourceOf } from './source.ts'

/*
 * The value of an attribute: as a device gave it, and as answers show it.
 */

/** The parts of an entry that decide how a value is shown. */
export type Mapping = Scaling & Pick<AttributeEntry, 'type' | 'minimum' | 'maximum' | 'none'>

/**
 * Why a value of a device is not shown: it is one of the `none` values of the entry, it is outside the range, or it cannot
 * have the type.
 */
export type Fault = 'none' | 'range' | 'type'

/** A number in whole units of 10^-decimals, or another value as answers show it. Undefined: the value is not shown. */
type ReadUnits = (sent: AttributeValue) => AttributeValue | undefined

/** How values of devices become those of an entry. */
type Reader = { readonly units: ReadUnits; faultOf(sent: AttributeValue): Fault | undefined }

function makeReader(mapping: Mapping, source?: Source): Reader {
  const isNone = isNoneOf(mapping.none)
  const typed = typedReader(mapping, source?.table)
  const isInside = rangeOf(mapping, source?.capacity)
  return {
    units(sent) {
      const units = isNone(sent) ? undefined : typed(sent)
      return units === undefined || isInside(units) ? units : undefined
    },
    faultOf(sent) {
      if (isNone(sent)) return 'none'
      const units = typed(sent)
      if (units === undefined) return 'type'
      return isInside(units) ? undefined : 'range'
    },
  }
}

const readers = new WeakMap<Mapping, Reader>()

function readerOf(mapping: Mapping): Reader {
  const reader = readers.get(mapping) ?? makeReader(mapping)
  readers.set(mapping, reader)
  return reader
}

/** The reader of a source, by its own scale or that of the entry. */
function sourceReader(entry: AttributeEntry, source: Source): Reader {
  const { scale, offset, table, capacity } = source
  if (scale === undefined && offset === undefined && table === undefined) {
    return capacity === undefined ? readerOf(entry) : makeReader(entry, source)
  }
  const own = { scale: scale ?? 1, offset: offset ?? 0 }
  const none = noneFor(entry, table === undefined ? own : null)
  return makeReader({ ...entry, ...own, none }, source)
}

/** From this number on, a `none` value is a code of a device, which no scale changes. */
const FIRST_CODE = 65_535

type Scaled = Pick<AttributeEntry, 'scale' | 'offset' | 'none'>

/**
 * The `none` values of an entry as a device sends them whose numbers have another scale and offset: 850 for 85 where it sends
 * tenths of a degree. Texts, 0 and codes stay. Null: only those hold.
 */
export function noneFor(
  entry: Scaled,
  other: Pick<AttributeEntry, 'scale' | 'offset'> | null,
): AttributeEntry['none'] {
  const isSame = other !== null && other.scale === entry.scale && other.offset === entry.offset
  if (entry.none === null || isSame) return entry.none
  return entry.none.flatMap((value) => {
    if (typeof value === 'string' || value === 0 || value >= FIRST_CODE) return [value]
    if (other === null) return []
    const shown = value * entry.scale + entry.offset
    return [Number(((shown - other.offset) / other.scale).toFixed(6))]
  })
}

function typedReader(mapping: Mapping, table: Source['table']): ReadUnits {
  if (table !== undefined && mapping.type === 'number') {
    return (sent) => tableUnits(sent, table, mapping)
  }
  if (mapping.type === 'number') return (sent) => unitsOf(sent, mapping)
  return mapping.type === 'boolean' ? switchIn : String
}

function rangeOf(
  { type, minimum, maximum, decimals }: Mapping,
  capacity = Number.POSITIVE_INFINITY,
): (units: AttributeValue) => boolean {
  const least = minimum ?? Number.NEGATIVE_INFINITY
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, capacity)
  if (type !== 'number') return () => true
  return (units) => {
    const number = numberOf(units as number, { decimals })
    return number >= least && number <= most
  }
}

/** A number and a text with the same number are the same value: `0`, `"0"` and `"0000"`. */
function isNoneOf(none: Mapping['none']): (sent: AttributeValue) => boolean {
  if (none === null) return () => false
  const numbers = new Set(none.map(exactNumber).filter((each) => each !== undefined))
  const texts = new Set(none.filter((each) => typeof each === 'string'))
  return (sent) => {
    if (typeof sent === 'number') return numbers.has(sent)
    if (typeof sent === 'boolean') return false
    const number = exactNumber(sent)
    return texts.has(sent) || (number !== undefined && numbers.has(number))
  }
}

/** The number of a value. Undefined for a text with more digits than a number has. */
function exactNumber(value: number | string): number | undefined {
  if (typeof value === 'number') return value
  const number = decimalText(value)
  return number !== undefined && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/** The value of a device as answers show it. Undefined if it has a fault. */
export function shownValue(value: AttributeValue, mapping: Mapping): AttributeValue | undefined {
  return shownOf(readerOf(mapping).units(value), mapping)
}

function shownOf(units: AttributeValue | undefined, mapping: Mapping) {
  return typeof units === 'number' ? numberOf(units, mapping) : units
}

/** Undefined: the value is shown. */
export function faultOf(value: AttributeValue, mapping: Mapping): Fault | undefined {
  return readerOf(mapping).faultOf(value)
}

/** A source of an entry: its place among the sources, and the objects whose values it takes. */
type EntrySource = Reader & {
  readonly name: string
  readonly rank: number
  readonly objects: ReadonlySet<number> | null
}

/** A source, and the index of its entry. */
type Taker = EntrySource & { readonly entry: number }

/** The sources of entries by the names of devices, those of an entry in their order. */
export type Takers = ReadonlyMap<string, readonly Taker[]>

const sourcesOfEntries = new WeakMap<AttributeEntry, readonly EntrySource[]>()

/** Each answer has entries of its own choice, so the sources of each entry are kept: they may list many objects. */
function sourcesOf(entry: AttributeEntry): readonly EntrySource[] {
  const known = sourcesOfEntries.get(entry)
  if (known !== undefined) return known
  const sources = entry.sources.map((given, rank) => {
    const source = sourceOf(given)
    const objects = source.objects === undefined ? null : new Set(source.objects)
    return { ...sourceReader(entry, source), name: source.name, rank, objects }
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

function takes({ objects }: EntrySource, object: number): boolean {
  return objects === null || objects.has(object)
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

  /** Forgets the position before. */
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

/** The milliseconds for which a value of an entry holds. */
export function holdsMs({ holds }: Pick<AttributeEntry, 'holds'>): number {
  return holds === null ? Number.POSITIVE_INFINITY : holds * HOUR_MS
}

/** A value that a device sent under a name, and its time in milliseconds since the epoch. Null: there is none. */
type SentValue = {
  readonly name: string
  readonly value: AttributeValue | null
  readonly at: number
}

/** The current value of an entry, as answers show it, and the name that the device used for it. */
type CurrentValue = {
  readonly value: AttributeValue
  readonly at: number
  readonly source: string
}

/** Values without an object are current whenever they came. */
export const ANY_MOMENT: CurrentMoment = { newest: Number.NEGATIVE_INFINITY, offAt: null }

/**
 * The current value of each entry: the newest one of all sources, and of several at the same time that of the first source.
 * Undefined if there is none that still holds. `objectOf`: the object that sent a value.
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
    const { name: source, value, at } = sent
    if (value === null) continue
    for (const { entry, rank, units } of takersOf(takers, source, objectOf(sent))) {
      const newest = found[entry]
      if (newest !== undefined && (at < newest.at || (at === newest.at && rank > newest.rank)))
        continue
      const shown = shownOf(units(value), entries[entry]!)
      if (shown !== undefined) found[entry] = { value: shown, at, source, rank }
    }
  }
  return found.map((newest, index) => {
    const entry = entries[index]!
    if (newest === undefined || now - newest.at > holdsMs(entry)) return undefined
    return entry.endsWithIgnition && offAt !== null && offAt > newest.at ? undefined : newest
  })
}

/** Why a value is not shown, in words for people. */
export const FAULT_WORDS: Readonly<Record<Fault, string>> = {
  none: 'no value: the device has none',
  range: 'no value: outside the range',
  type: 'not of the type',
}

/** A sent value of a position, and as answers show it. */
export type Preview = {
  readonly source: string
  readonly value: AttributeValue
  /** Null: it has the fault. */
  readonly shown: AttributeValue | null
  readonly fault: Fault | null
}

/** The value of a position that has a source of the entry: the one that is shown, or else that of the first source. */
export function previewOf(
  entry: AttributeEntry,
  object: number,
  values: Readonly<Record<string, AttributeValue>>,
): Preview | undefined {
  const all = sourcesOf(entry).flatMap((each) => {
    const { name: source, units, faultOf } = each
    const value = values[source]
    if (value === undefined || !takes(each, object)) return []
    const shown = shownOf(units(value), entry) ?? null
    return [{ source, value, shown, fault: faultOf(value) ?? null }]
  })
  return all.find(({ fault }) => fault === null) ?? all[0]
}
