/*
 * JSON whose integers beyond 2^53 keep their digits. A number in JavaScript would be another integer: of four driver tags
 * with 64 bits, one would remain.
 */

/** A reviver gets the text of a value in addition. TypeScript's own types do not know it. */
type Reviver = (this: object, name: string, value: unknown, context: { source: string }) => unknown

/** The digits of such integers, by the object and the name of the member. The members themselves are numbers, as ever. */
const digits = new WeakMap<object, Map<string, string>>()

const INTEGER = /^-?\d+$/

/** Returns what `JSON.parse` returns, and throws what it throws. `exactEntries` then has the digits. */
export function parseExactly(text: string): unknown {
  // With a reviver it takes seven times as long.
  return hasLongInteger(text) ? JSON.parse(text, noteDigits as Reviver as never) : JSON.parse(text)
}

function noteDigits(this: object, name: string, value: unknown, { source }: { source: string }) {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source)
  if (isLong) putDigits(this, name, source)
  return value
}

function putDigits(object: object, name: string, source: string): void {
  const known = digits.get(object)
  if (known === undefined) digits.set(object, new Map([[name, source]]))
  else known.set(name, source)
}

/** The names and values of an object that `parseExactly` returned. An integer beyond 2^53 is the text of its digits. */
export function exactEntries(object: object): [name: string, value: unknown][] {
  const known = digits.get(object)
  const entries = Object.entries(object)
  return known === undefined
    ? entries
    : entries.map(([name, value]) => [name, known.get(name) ?? value])
}

/** The value that `exactEntries` has for a name. */
export function exactMember(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return digits.get(object)?.get(name) ?? object[name]
}

/** Gives the digits of the members of an object to another one, which has got these members. */
export function copyDigits(from: object, to: object): void {
  const before = digits.get(to)
  if (before !== undefined) for (const name of Object.keys(from)) before.delete(name)
  for (const [name, source] of digits.get(from) ?? []) putDigits(to, name, source)
}

/** 2^53 has as many digits. */
const MIN_DIGITS = 16

/**
 * Whether a text has an integer of so many digits, outside of decimals and of strings that begin with it. A run of so many
 * digits has one at a place where this looks. It passes each run once: an attacker may send millions of digits.
 */
function hasLongInteger(text: string): boolean {
  for (let at = MIN_DIGITS - 1; at < text.length; at += MIN_DIGITS) {
    if (!isDigit(text, at)) continue
    let first = at
    while (isDigit(text, first - 1)) first -= 1
    while (isDigit(text, at + 1)) at += 1
    const before = text.charCodeAt(first - 1)
    if (at - first + 1 >= MIN_DIGITS && before !== POINT && before !== QUOTE) return true
  }
  return false
}

const POINT = 46
const QUOTE = 34

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}
