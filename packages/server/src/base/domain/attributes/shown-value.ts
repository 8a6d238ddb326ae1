import { switchIn } from '../common/plain-text.ts'
import type { AttributeValue } from '../position/attribute.ts'
import { decimalText } from '../position/field-lists.ts'
import type { AttributeEntry } from './attribute-catalogue.ts'
import type { Source } from './attribute-source.ts'
import { numberOf, type Scaling, tableUnits, unitsOf } from './shown-number.ts'

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
export type Reader = { readonly units: ReadUnits; faultOf(sent: AttributeValue): Fault | undefined }

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
      if (units === undefined) return isBeyond(sent, source) ? 'range' : 'type'
      return isInside(units) ? undefined : 'range'
    },
  }
}

/** Whether a number is beyond the points of the table of a source. */
function isBeyond(sent: AttributeValue, source: Source | undefined): boolean {
  if (source?.table === undefined || typeof sent === 'boolean') return false
  return exactNumber(sent) !== undefined
}

const readers = new WeakMap<Mapping, Reader>()

function readerOf(mapping: Mapping): Reader {
  const reader = readers.get(mapping) ?? makeReader(mapping)
  readers.set(mapping, reader)
  return reader
}

/** The reader of a source, by its own scale or that of the entry. */
export function sourceReader(entry: AttributeEntry, source: Source): Reader {
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
  return mapping.type === 'boolean' ? switchReader(mapping, table) : String
}

/** Reads switches. With a scale or a table, these decide which number is 1 for on and 0 for off: -1 and 1 turn them around. */
function switchReader({ scale, offset }: Mapping, table: Source['table']): ReadUnits {
  if (scale === 1 && offset === 0 && table === undefined) return switchIn
  const scaling = { scale, offset, decimals: 6 }
  return (sent) => {
    const isOn = switchIn(sent)
    const number = isOn === undefined ? sent : Number(isOn)
    const units =
      table === undefined ? unitsOf(number, scaling) : tableUnits(number, table, scaling)
    return units === undefined ? undefined : switchIn(numberOf(units, scaling))
  }
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

/** The number of a value. Undefined for a text with more digits than a number has, and for a tag such as 0000E71234. */
function exactNumber(value: number | string): number | undefined {
  if (typeof value === 'number') return value
  if (/e/i.test(value)) return undefined
  const number = decimalText(value)
  return number !== undefined && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/** The value of a device as answers show it. Undefined if it has a fault. */
export function shownValue(value: AttributeValue, mapping: Mapping): AttributeValue | undefined {
  return shownOf(readerOf(mapping).units(value), mapping)
}

/** The value of whole units as answers show it. */
export function shownOf(units: AttributeValue | undefined, mapping: Mapping) {
  return typeof units === 'number' ? numberOf(units, mapping) : units
}

/** Undefined: the value is shown. */
export function faultOf(value: AttributeValue, mapping: Mapping): Fault | undefined {
  return readerOf(mapping).faultOf(value)
}
