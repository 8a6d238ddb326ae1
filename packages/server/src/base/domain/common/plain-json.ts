import { copyDigits, parseExactly } from './exact-json.ts'
import type { Steps } from './steps.ts'

const SEPARATORS = /[\u2028\u2029]/

/**
 * The JSON of a value as answers write it: numbers without exponents, and U+2028 and U+2029 escaped. Many clients split
 * NDJSON and events into lines at these too (`str.splitlines` of Python), and would cut a text in two.
 */
export function toJson(value: unknown): string {
  if (typeof value === 'string' && UNESCAPED.test(value)) return `"${value}"`
  const json = plainJson(value)
  if (!SEPARATORS.test(json)) return json
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** Most texts: printable ASCII of which JSON escapes nothing. */
const UNESCAPED = /^[ !#-[\]-~]*$/
/** Numbers below this have an exponent in JavaScript. Those from 1e21 on have one too, but answers have no such numbers. */
const MIN_WITHOUT_EXPONENT = 1e-6
const EXPONENT = /\de-\d/

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text. TypeScript's own types lack it. */
    rawJSON(text: string): object
  }
}

/** A number without an exponent, which some readers of JSON and most readers of CSV do not take. */
export function plainNumber(value: number): string {
  const text = String(value)
  if (Math.abs(value) >= MIN_WITHOUT_EXPONENT || value === 0) return text
  const [mantissa, zeros] = text.split('e-')
  if (zeros === undefined) return text
  const digits = mantissa!.replace('-', '').replace('.', '')
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(Number(zeros) - 1)}${digits}`
}

/** The JSON of a value, with its numbers without exponents. */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json?.includes('e-') && EXPONENT.test(json) ? JSON.stringify(value, withoutExponent) : json
}

function withoutExponent(_name: string, value: unknown): unknown {
  const isSmall = typeof value === 'number' && Math.abs(value) < MIN_WITHOUT_EXPONENT && value !== 0
  return isSmall ? JSON.rawJSON(plainNumber(value)) : value
}

/** Characters that one step reads: some 100 microseconds. */
const STEP_CHARACTERS = 16 * 1024
/** Each open array or object is noted, so a text that nests deeper is refused. */
const MAX_DEPTH = 100
/** The names of an object are listed at once, so an object of a long text that has more is refused. */
const MAX_MEMBERS = 10_000

type Made = unknown[] | Record<string, unknown>

/** An array or object whose end has not been reached. `comma`: the last one between its elements or members. */
type Open = { start: number; comma: number; made: Made | null; members: number }

/**
 * Parses JSON in steps: returns what `parseExactly` returns, and throws a `SyntaxError` where it does, or where a long
 * text nests too deep or has an object of too many members. `JSON.parse` gets runs of whole elements or members. Only
 * what is too long for one step is put together here.
 */
export function* parseJson(text: string, stepCharacters = STEP_CHARACTERS): Steps<unknown> {
  if (text.length <= stepCharacters) return parseExactly(text)
  const parsed = new PartlyParsed(text)
  let nextStep = stepCharacters
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case ',':
        parsed.comma(at)
        break
      case '[':
      case '{':
        parsed.open(at)
        break
      case ']':
      case '}':
        parsed.close(at)
    }
    if (at < nextStep) continue
    parsed.makeOpen()
    nextStep = at + stepCharacters
    yield
  }
  return parsed.end()
}

/** A text of which the first part is read. The calls name its commas and brackets outside of strings, in order. */
class PartlyParsed {
  readonly #text: string
  /** The text is the only element of an array around it. */
  readonly #root: unknown[] = []
  readonly #open: Open[] = [{ start: -1, comma: -1, made: this.#root, members: 0 }]
  /** The number of open ones that are made, the outermost first. */
  #made = 1
  /** The innermost made one has everything before this index, which is after its bracket, a comma or an element. */
  #from = 0
  #after: 'bracket' | 'comma' | 'element' = 'bracket'

  constructor(text: string) {
    this.#text = text
  }

  open(at: number): void {
    if (this.#open.length > MAX_DEPTH) throw broken()
    this.#open.push({ start: at, comma: -1, made: null, members: 0 })
  }

  comma(at: number): void {
    this.#open.at(-1)!.comma = at
    if (this.#made === this.#open.length && this.#after === 'element') this.#addToComma(at)
  }

  close(at: number): void {
    const open = this.#open
    const ended = open.at(-1)!
    if (open.length === 1 || (this.#text[ended.start] === '[') !== (this.#text[at] === ']')) {
      throw broken()
    }
    if (this.#made === open.length) {
      this.#add(at)
      this.#made -= 1
      this.#from = at + 1
      this.#after = 'element'
    }
    open.pop()
  }

  /** Makes all that are open, so that the elements that they have so far can be added. */
  makeOpen(): void {
    const open = this.#open
    const text = this.#text
    for (; this.#made < open.length; this.#made += 1) {
      const outer = open[this.#made - 1]!
      const inner = open[this.#made]!
      this.#addToComma(outer.comma)
      if (this.#after === 'element') throw broken()
      inner.made = text[inner.start] === '[' ? [] : {}
      attach(outer.made!, text.slice(this.#from, inner.start), inner.made)
      this.#from = inner.start + 1
      this.#after = 'bracket'
    }
    this.#addToComma(open[this.#made - 1]!.comma)
  }

  /** Returns the value of the whole text. */
  end(): unknown {
    if (this.#open.length > 1) throw broken()
    this.#add(this.#text.length)
    if (this.#root.length !== 1) throw broken()
    return this.#root[0]
  }

  #addToComma(comma: number): void {
    if (comma < this.#from) return
    this.#add(comma)
    this.#from = comma + 1
    this.#after = 'comma'
  }

  /** Adds the elements or members before `end`, which is a comma, or the end of the innermost made one. */
  #add(end: number): void {
    const open = this.#open[this.#made - 1]!
    const into = open.made!
    const run = this.#text.slice(this.#from, end)
    const isBlank = BLANK.test(run)
    const mayBeBlank =
      this.#after === 'element' || (this.#after === 'bracket' && this.#text[end] !== ',')
    if (isBlank ? !mayBeBlank : this.#after === 'element') throw broken()
    if (Array.isArray(into))
      for (const value of parseExactly(`[${run}]`) as unknown[]) into.push(value)
    else {
      open.members += addMembers(into, parseExactly(`{${run}}`) as object)
      if (open.members > MAX_MEMBERS) throw broken()
    }
  }
}

/** JSON's own white space. */
const BLANK = /^[ \t\n\r]*$/

/** Adds an array or object. `before`: the text between it and what precedes it, which has the key of a member. */
function attach(into: Made, before: string, value: Made): void {
  if (Array.isArray(into)) {
    if (!BLANK.test(before)) throw broken()
    into.push(value)
    return
  }
  // `null` joins nothing before it; a digit would join another one.
  const [key, ...others] = Object.keys(JSON.parse(`{${before}null}`))
  if (key === undefined || others.length > 0) throw broken()
  define(into, key, value)
}

/** Returns how many there are. */
function addMembers(into: Record<string, unknown>, members: object): number {
  const all = Object.entries(members)
  for (const [key, value] of all) define(into, key, value)
  copyDigits(members, into)
  return all.length
}

/** As `JSON.parse` does. An assignment to `__proto__` would set the prototype. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  const isPlain = { value, writable: true, enumerable: true, configurable: true }
  Object.defineProperty(into, key, isPlain)
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    if ((quote - before) % 2 === 1) return quote
  }
  throw broken()
}

function broken(): SyntaxError {
  return new SyntaxError(
    'the text is not JSON, nests too deep, or has an object of too many members',
  )
}

/** Elements that one step writes. */
const STEP_ELEMENTS = 500

/** The JSON of an array, as `plainJson` writes it. `encode`: the value of an element. */
export function* writeArray<Item>(
  items: readonly Item[],
  encode?: (item: Item) => unknown,
): Steps<string> {
  let text = ''
  for (let from = 0; from < items.length; from += STEP_ELEMENTS) {
    const part = items.slice(from, from + STEP_ELEMENTS)
    const run = plainJson(encode === undefined ? part : part.map(encode)).slice(1, -1)
    text += from === 0 ? run : `,${run}`
    yield
  }
  return `[${text}]`
}

/** As `writeArray`, of arrays that may be long. */
export function* writeArrays<Item>(
  arrays: readonly (readonly Item[])[],
  encode?: (item: Item) => unknown,
): Steps<string> {
  const texts: string[] = []
  for (const array of arrays) texts.push(yield* writeArray(array, encode))
  return `[${texts.join()}]`
}
