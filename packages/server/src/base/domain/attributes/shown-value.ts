import { switchIn } from '../common/plain-text.ts'
import type { AttributeValue } from '../position/attribute.ts'
import type { AttributeNames } from '../position/attribute-section.ts'
import { decimalText } from '../position/field-lists.ts'
import type { CurrentMoment } from '../position/object-state.ts'
import { HOUR_MS } from '../time/time.ts'
import type { AttributeEntry } from './catalogue.ts'
import { numberOf, type Scaling, unitsOf } from './shown-number.ts'

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

const readers = new WeakMap<Mapping, Reader>()

function readerOf(mapping: Mapping): Reader {
  const known = readers.get(mapping)
  if (known !== undefined) return known
  const isNone = isNoneOf(mapping.none)
  const typed = typedReader(mapping)
  const isInside = rangeOf(mapping)
  const reader: Reader = {
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
  readers.set(mapping, reader)
  return reader
}

function typedReader(mapping: Mapping): ReadUnits {
  if (mapping.type === 'number') return (sent) => unitsOf(sent, mapping)
  return mapping.type === 'boolean' ? switchIn : String
}

function rangeOf({
  type,
  minimum,
  maximum,
  decimals,
}: Mapping): (units: AttributeValue) => boolean {
  if (type !== 'number' || (minimum === null && maximum === null)) return () => true
  const [least, most] = [minimum ?? Number.NEGATIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY]
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

/** The entries that take the values of each name of devices. */
export function takersByName<Entry extends Pick<AttributeEntry, 'sources'>>(
  entries: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> {
  const takers = new Map<string, Entry[]>()
  for (const entry of entries) {
    for (const source of entry.sources) {
      const known = takers.get(source)
      if (known === undefined) takers.set(source, [entry])
      else known.push(entry)
    }
  }
  return takers
}

/** The entry that takes the values of a name, and the place of the name among its sources. */
type Taker = { readonly entry: number; readonly rank: number; readonly read: ReadUnits }

/** The values of one position by the entries that an answer shows. */
export class MappedValues {
  /** As answers show them, or numbers in whole units. Undefined: no source of the entry has a value. */
  readonly values: (AttributeValue | undefined)[]
  /** Whether a position had a name that came after `names` was read. */
  hasUnknown = false
  private readonly takers: readonly (readonly Taker[])[]
  private readonly ranks: number[]

  /** `names`: those of the object. `inUnits`: numbers are wanted in whole units of 10^-decimals. */
  constructor(entries: readonly AttributeEntry[], names: AttributeNames, inUnits = false) {
    this.values = entries.map(() => undefined)
    this.ranks = entries.map(() => 0)
    this.takers = names.map(({ name }) => takersOf(entries, name, inUnits))
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
    for (const { entry, rank, read } of takers) {
      if (this.values[entry] !== undefined && this.ranks[entry]! <= rank) continue
      const value = read(sent)
      if (value === undefined) continue
      this.values[entry] = value
      this.ranks[entry] = rank
    }
  }
}

function takersOf(entries: readonly AttributeEntry[], name: string, inUnits: boolean): Taker[] {
  return entries.flatMap((entry, index) => {
    const rank = entry.sources.indexOf(name)
    if (rank < 0) return []
    const { units } = readerOf(entry)
    const read: ReadUnits = inUnits ? units : (sent) => shownOf(units(sent), entry)
    return [{ entry: index, rank, read }]
  })
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
 * The current value of an entry: the newest one of all sources, and of several at the same time that of the first source.
 * Undefined if there is none that still holds.
 */
export function currentValue(
  entry: AttributeEntry,
  attributes: readonly SentValue[],
  { newest: now, offAt }: CurrentMoment,
): CurrentValue | undefined {
  let newest: CurrentValue | undefined
  for (const source of entry.sources) {
    const sent = attributes.find(({ name }) => name === source)
    if (sent === undefined || sent.value === null) continue
    if (newest !== undefined && sent.at <= newest.at) continue
    const value = shownValue(sent.value, entry)
    if (value !== undefined) newest = { value, at: sent.at, source }
  }
  if (newest === undefined || now - newest.at > holdsMs(entry)) return undefined
  return entry.endsWithIgnition && offAt !== null && offAt > newest.at ? undefined : newest
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

/** The value of a position that has a source of the entry: the one that is shown, or else the first one. */
export function previewOf(
  entry: AttributeEntry,
  values: Readonly<Record<string, AttributeValue>>,
): Preview {
  const all = entry.sources
    .filter((source) => source in values)
    .map((source) => ({ source, value: values[source]!, ...shownOrFault(values[source]!, entry) }))
  return all.find(({ fault }) => fault === null) ?? all[0]!
}

function shownOrFault(value: AttributeValue, entry: AttributeEntry) {
  return { shown: shownValue(value, entry) ?? null, fault: faultOf(value, entry) ?? null }
}
