import { isPlainLine } from '../common/plain-text.ts'

/*
 * Values that a device sends in addition to the fields of a position: fuel, temperature, driver, doors. They are kept
 * under the device's own names. The catalogue of an organization gives them names, types and units when they are
 * read.
 */

/** The longest name of a device's value, in bytes of UTF-8. */
const MAX_NAME_BYTES = 64
const utf8 = new TextEncoder()

/** Whether a value can have this name, as its device gave it. */
export function isDeviceName(name: string): boolean {
  return name !== '' && utf8.encode(name).length <= MAX_NAME_BYTES && isPlainLine(name)
}

/** A value as a device gave it. Numbers are finite. */
export type AttributeValue = number | boolean | string

export type Attribute = { readonly name: string; readonly value: AttributeValue }

export const ATTRIBUTE_LIMITS = {
  /** Bytes of UTF-8 of a text. */
  textBytes: 64,
  /** Names of an object. */
  names: 1_024,
  /** The last of them that are for sources of the catalogue alone, as many as the object does not have yet. */
  namesForSources: 64,
  /** Distinct names of all objects of an organization, without the sources of its catalogue. */
  namesOfOrganization: 2_000,
  /** Names of all objects of an organization together, beyond which an object gets no more than `surelyNames`. */
  namesOfObjects: 1_000_000,
  surelyNames: 64,
} as const

/** The value as it is kept. Undefined: it is not a number, switch or short text that can be kept. */
export function attributeValue(value: unknown): AttributeValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined
  if (typeof value === 'boolean') return value
  return isShortText(value) ? value : undefined
}

function isShortText(text: unknown): text is string {
  const { textBytes } = ATTRIBUTE_LIMITS
  return (
    typeof text === 'string' &&
    text.length <= textBytes &&
    Buffer.byteLength(text) <= textBytes &&
    isPlainLine(text)
  )
}

/**
 * A number, a switch or a text of a parameter or a cell, which has no types. Only a number that its text has exactly is
 * one: an id with a leading zero, or with more digits than a number has, stays a text.
 */
export function valueOfText(text: string): AttributeValue {
  if (text === 'true') return true
  if (text === 'false') return false
  return NUMBER.test(text) && text.length <= MAX_NUMBER_LENGTH ? Number(text) : text
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** The digits that every number has exactly. */
const MAX_NUMBER_LENGTH = 15

/** By name, each name once. Compares code units, so that the order is the same everywhere. */
export function byName(a: Pick<Attribute, 'name'>, b: Pick<Attribute, 'name'>): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** The same text for the same attributes, and another one for others. */
export function textOf(attributes: readonly Attribute[] | null): string {
  return attributes === null
    ? ''
    : JSON.stringify(attributes.map(({ name, value }) => [name, value]))
}
