import { unzigzag, zigzag } from '../common/packed-numbers.ts'
import {
  ATTRIBUTE_LIMITS,
  type Attribute,
  type AttributeValue,
  attributeValue,
  byName,
  isDeviceName,
} from './attribute.ts'

/*
 * The attributes at the end of the record of a position (`position/fix-record.ts`): entries, and after them two bytes,
 * little-endian, with their length. A record without attributes has no section.
 *
 * An entry is a byte with the index of the name among the names of the object (6 bits) and the kind of the value
 * (2 bits above them), and the value. The index 63 there means that the index minus 63 follows as LEB128 of one or two
 * bytes, before the value. Entries are in the order of their indexes.
 *
 * | kind | value |
 * |---|---|
 * | 0 | decimal: LEB128 of 8 × the zigzag number of its digits + its decimals (0 to 7). 1.25 is 125 with 2 decimals |
 * | 1 | a number that is not a short decimal: double, 8 bytes, little-endian |
 * | 2 | text: a byte with its length, UTF-8 |
 * | 3 | boolean: a byte, 0 or 1 |
 */

/** Bytes of the entries of a fix, as if all of its names had short indexes: a fix does not know them yet. */
export const ROOM_BYTES = 1_022
/** The bytes of the length of a section. */
const SECTION_END_BYTES = 2
/** Bytes of the longest section of a record, with its length. A long index adds as many bytes as the shortest entry has: two. */
export const MAX_SECTION_BYTES = 2 * ROOM_BYTES + SECTION_END_BYTES

/** The bytes of a double. */
const DOUBLE_BYTES = 8

const INDEX_BITS = 6
/** In place of an index that does not fit into the head of an entry. */
const LONG_INDEX = (1 << INDEX_BITS) - 1
export const KIND = { decimal: 0, double: 1, text: 2, boolean: 3 } as const

/** The names of an object, by their indexes. */
export type AttributeNames = readonly { readonly name: string }[]

export const NO_NAMES: AttributeNames = []

/** A decimal is `digits / 10 ** decimals`. */
export type Decimal = { digits: number; decimals: number }

const MAX_DECIMALS = 7
/** The digits of a decimal have to fit into a number together with its decimals. */
const MAX_DIGITS = 2 ** 48

/** The decimal that reads as exactly this number, with the fewest decimals. Undefined: none is short enough. */
export function decimalOf(value: number): Decimal | undefined {
  for (let decimals = 0, scale = 1; decimals <= MAX_DECIMALS; decimals += 1, scale *= 10) {
    const digits = Math.round(value * scale)
    if (Math.abs(digits) > MAX_DIGITS) return undefined
    if (digits / scale === value) return { digits: digits + 0, decimals }
  }
  return undefined
}

/** The number that an entry has for a decimal. */
export const packedDecimal = ({ digits, decimals }: Decimal) => zigzag(digits) * 8 + decimals

/** The decimal of such a number. */
export function unpackedDecimal(packed: number): Decimal {
  return { digits: unzigzag(Math.floor(packed / 8)), decimals: packed % 8 }
}

/** Bytes of the entry of a value with a short index. */
export function entryBytes(value: AttributeValue): number {
  if (typeof value === 'boolean') return rawEntryBytes(0, KIND.boolean, 0)
  if (typeof value === 'string') return rawEntryBytes(0, KIND.text, Buffer.byteLength(value))
  const decimal = decimalOf(value)
  if (decimal === undefined) return rawEntryBytes(0, KIND.double, value)
  return rawEntryBytes(0, KIND.decimal, packedDecimal(decimal))
}

/** Bytes of an entry. `number`: see `TakeRaw`. */
export function rawEntryBytes(index: number, kind: number, number: number): number {
  let bytes = headBytes(index) + 1
  switch (kind) {
    case KIND.decimal:
      bytes += numberBytes(number) - 1
      return bytes
    case KIND.double:
      return bytes - 1 + DOUBLE_BYTES
    case KIND.text:
      return bytes + number
    default:
      return bytes
  }
}

function headBytes(index: number): number {
  return index < LONG_INDEX ? 1 : 1 + numberBytes(index - LONG_INDEX)
}

function numberBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1
  return bytes
}

/** The most bytes that the entry of a value can have, found without looking at its digits. */
function mostBytes(value: AttributeValue): number {
  return typeof value === 'string' ? 2 + 3 * value.length : 1 + DOUBLE_BYTES
}

/** The attributes that a record can have, by name, and the names of those for which it has no room. */
function inOneSection(found: Attribute[]): { attributes: Attribute[]; lost: string[] } {
  const attributes = found.sort(byName).filter(({ name }, at, all) => name !== all[at + 1]?.name)
  const most = attributes.reduce((sum, { value }) => sum + mostBytes(value), 0)
  if (most <= ROOM_BYTES) return { attributes, lost: [] }
  const kept: Attribute[] = []
  const lost: string[] = []
  let room = ROOM_BYTES
  for (const each of attributes) {
    const bytes = entryBytes(each.value)
    if (bytes > room) {
      lost.push(each.name)
      continue
    }
    room -= bytes
    kept.push(each)
  }
  return { attributes: kept, lost }
}

/** Names of most objects. Among more of them, a map finds a name. */
const FEW_NAMES = 64
/** The indexes of the names of objects with more. */
const indexes = new WeakMap<AttributeNames, ReadonlyMap<string, number>>()

function indexesOf(names: AttributeNames): ReadonlyMap<string, number> {
  let known = indexes.get(names)
  if (known === undefined) {
    known = new Map(names.map(({ name }, index) => [name, index]))
    indexes.set(names, known)
  }
  return known
}

/** Returns `next`, which has the same names at the same places. */
export function sameNames<Names extends AttributeNames>(names: AttributeNames, next: Names): Names {
  if (names.length > FEW_NAMES) indexes.set(next, indexesOf(names))
  return next
}

/** The place of a name, which is most likely at or after `likely`. -1: the object does not have it. */
export function indexOfName(names: AttributeNames, name: string, likely: number): number {
  if (names[likely]?.name === name) return likely
  if (names.length > FEW_NAMES) return indexesOf(names).get(name) ?? -1
  for (let index = likely; index < names.length; index += 1) {
    if (names[index]!.name === name) return index
  }
  for (let index = 0; index < Math.min(likely, names.length); index += 1) {
    if (names[index]!.name === name) return index
  }
  return -1
}

/** The values of the section that is written, by their indexes. */
const slots = new Array<AttributeValue | undefined>(ATTRIBUTE_LIMITS.names).fill(undefined)

/** Writes the section of a record at `start`. Returns its end. Throws if the object does not have a name. */
export function writeSection(
  out: Buffer,
  start: number,
  attributes: readonly Attribute[],
  names: AttributeNames,
): number {
  const end = writeEntries(out, start, attributes, names)
  return out.writeUInt16LE(end - start, end)
}

function writeEntries(
  out: Buffer,
  start: number,
  attributes: readonly Attribute[],
  names: AttributeNames,
): number {
  let likely = 0
  for (const { name, value } of attributes) {
    const index = indexOfName(names, name, likely)
    if (index < 0) {
      slots.fill(undefined)
      throw new RangeError('an object does not have the name of an attribute')
    }
    slots[index] = value
    likely = index + 1
  }
  let end = start
  for (let index = 0; index < names.length; index += 1) {
    const value = slots[index]
    if (value === undefined) continue
    slots[index] = undefined
    end = writeEntry(out, end, index, value)
  }
  return end
}

/** Writes an entry and returns its end. */
export function writeEntry(out: Buffer, at: number, index: number, value: AttributeValue): number {
  if (typeof value === 'boolean') return writeRawEntry(out, at, index, KIND.boolean, value ? 1 : 0)
  if (typeof value === 'string') {
    const length = out.write(value, at + headBytes(index) + 1)
    return writeRawEntry(out, at, index, KIND.text, length) + length
  }
  const decimal = decimalOf(value)
  if (decimal === undefined) return writeRawEntry(out, at, index, KIND.double, value)
  return writeRawEntry(out, at, index, KIND.decimal, packedDecimal(decimal))
}

/** Writes an entry but the bytes of a text, and returns its end. `number`: see `TakeRaw`. */
export function writeRawEntry(
  out: Buffer,
  at: number,
  index: number,
  kind: number,
  number: number,
): number {
  out[at] = Math.min(index, LONG_INDEX) | (kind << INDEX_BITS)
  const valueAt = index < LONG_INDEX ? at + 1 : writeNumber(out, at + 1, index - LONG_INDEX)
  if (kind === KIND.decimal) return writeNumber(out, valueAt, number)
  if (kind === KIND.double) return out.writeDoubleLE(number, valueAt)
  out[valueAt] = number
  return valueAt + 1
}

function writeNumber(out: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[at++] = (rest % 0x80) + 0x80
  out[at++] = rest
  return at
}

/** Where the section of a record begins that ends at `end`. */
export function sectionStart(records: Uint8Array, end: number): number {
  const length = records[end - 2]! | (records[end - 1]! << 8)
  return end - SECTION_END_BYTES - length
}

/** Gets the value with this index, and its kind: decimals and doubles are both numbers. */
export type TakeEntry = (index: number, value: AttributeValue) => void

/** Reads the entries of the record that ends at `end`, in the order of their indexes. */
export function readSection(records: Uint8Array, end: number, take: TakeEntry): void {
  readEntries(records, sectionStart(records, end), end - SECTION_END_BYTES, take)
}

/** The same with the entries as they are written. */
export function readRawSection(records: Uint8Array, end: number, take: TakeRaw): void {
  readRawEntries(records, sectionStart(records, end), end - SECTION_END_BYTES, take)
}

/**
 * The attributes of the record that ends at `end`, by name. Throws if the object does not have one of the names: the fold
 * would lose its value.
 */
export function attributesIn(records: Uint8Array, end: number, names: AttributeNames): Attribute[] {
  return namedAttributes(names, (take) => readSection(records, end, take))
}

/** The same of the entries that `read` gives. */
export function namedAttributes(
  names: AttributeNames,
  read: (take: TakeEntry) => void,
): Attribute[] {
  const attributes: Attribute[] = []
  read((index, value) => {
    const known = names[index]
    if (known === undefined) throw new Error('a position has an attribute without a name')
    attributes.push({ name: known.name, value })
  })
  return attributes.sort(byName)
}

export function readEntries(bytes: Uint8Array, from: number, to: number, take: TakeEntry): void {
  readRawEntries(bytes, from, to, (index, kind, number, end) => {
    const isText = kind === KIND.text
    take(index, isText ? utf8.decode(bytes.subarray(end - number, end)) : rawValue(kind, number))
  })
}

/** The value of an entry that is not a text. `number`: see `TakeRaw`. */
export function rawValue(kind: number, number: number): number | boolean {
  if (kind === KIND.double) return number
  if (kind === KIND.boolean) return number === 1
  return unzigzag(Math.floor(number / 8)) / 10 ** (number % 8)
}

/**
 * Gets an entry as it is written, and where it ends. `number`: a decimal together with its decimals, a double, the bytes of a
 * text, or 0 or 1.
 */
export type TakeRaw = (index: number, kind: number, number: number, end: number) => void

function readRawEntries(bytes: Uint8Array, from: number, to: number, take: TakeRaw): void {
  for (let at = from; at < to; ) {
    const head = bytes[at]!
    const kind = head >>> INDEX_BITS
    let index = head & LONG_INDEX
    at += 1
    if (index === LONG_INDEX) {
      index += bytes[at]! % 0x80
      if (bytes[at++]! >= 0x80) index += bytes[at++]! * 0x80
    }
    let number = bytes[at]!
    switch (kind) {
      case KIND.decimal:
        number = 0
        for (let scale = 1; ; scale *= 0x80) {
          const byte = bytes[at++]!
          number += (byte % 0x80) * scale
          // Beyond the end there is no byte, and no comparison holds.
          if (!(byte >= 0x80)) break
        }
        break
      case KIND.double:
        number = Buffer.from(bytes.buffer, bytes.byteOffset).readDoubleLE(at)
        at += DOUBLE_BYTES
        break
      case KIND.text:
        at += 1 + number
        break
      default:
        at += 1
    }
    take(index, kind, number, at)
  }
}

/** A combining mark at the beginning of a text belongs to the text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A name with a value as a sender gave it. */
export type Given = readonly [name: string, value: unknown]

/**
 * The attributes of a fix: those of the given values that can be kept, each name once. Null if there are none. `lose` gets
 * the names of the others: values that are nested or too long, and those for which there is no room.
 */
export function collected(
  given: Iterable<Given>,
  lose: (name: string) => void,
): readonly Attribute[] | null {
  const found: Attribute[] = []
  for (const [name, each] of given) {
    const value = isDeviceName(name) ? attributeValue(each) : undefined
    if (value === undefined) lose(name)
    else found.push({ name, value })
  }
  if (found.length === 0) return null
  const { attributes, lost } = inOneSection(found)
  for (const name of lost) lose(name)
  return attributes
}
